// The interface: queues and their indices.
#include <bit>

#include "hsa/orders.hpp"
#include "hsa/queue.hpp"
#include "hsa/runtime.hpp"

using namespace isaforge::hsa;

namespace {

constexpr std::uint32_t most_packets = 131072;

amd_queue_t& shared(const hsa_queue_t* queue) { return Queue::of(queue).shared(); }

std::uint64_t start_of(hsa_signal_t signal) { return __atomic_load_n(&signal_of(signal)->start_ts, __ATOMIC_RELAXED); }
std::uint64_t end_of(hsa_signal_t signal) { return __atomic_load_n(&signal_of(signal)->end_ts, __ATOMIC_RELAXED); }

}  // namespace

extern "C" {

hsa_status_t hsa_queue_create(hsa_agent_t handle, std::uint32_t size, hsa_queue_type32_t type,
                              void (*callback)(hsa_status_t, hsa_queue_t*, void*), void* data, std::uint32_t,
                              std::uint32_t, hsa_queue_t** queue) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    Agent* const agent = runtime().find_agent(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (!agent->is_gpu()) return HSA_STATUS_ERROR_INVALID_QUEUE_CREATION;
    if (queue == nullptr || !std::has_single_bit(size) || size > most_packets) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Queue* const made = Queue::make(*agent, size, type, callback, data);
    if (made == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *queue = made->handle();
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_soft_queue_create(hsa_region_t region, std::uint32_t size, hsa_queue_type32_t type,
                                   std::uint32_t features, hsa_signal_t doorbell, hsa_queue_t** queue) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (runtime().find_pool(region.handle) == nullptr) return HSA_STATUS_ERROR_INVALID_REGION;
    if (queue == nullptr || doorbell.handle == 0 || !std::has_single_bit(size) || size > most_packets)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Queue* const made = Queue::make_soft(*runtime().gpus().front(), size, type, features, doorbell);
    if (made == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *queue = made->handle();
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_queue_destroy(hsa_queue_t* queue) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    Queue::end(&Queue::of(queue));
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_queue_inactivate(hsa_queue_t* queue) {
    if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    Queue::of(queue).inactivate(HSA_STATUS_SUCCESS);
    return HSA_STATUS_SUCCESS;
}

// All compute units are the same, and all queues have the same right to them.
hsa_status_t hsa_amd_queue_set_priority(hsa_queue_t* queue, hsa_amd_queue_priority_t) {
    return queue == nullptr ? HSA_STATUS_ERROR_INVALID_QUEUE : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_cu_set_mask(const hsa_queue_t* queue, std::uint32_t, const std::uint32_t*) {
    return queue == nullptr ? HSA_STATUS_ERROR_INVALID_QUEUE : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_queue_cu_get_mask(const hsa_queue_t* queue, std::uint32_t bits, std::uint32_t* mask) {
    if (queue == nullptr) return HSA_STATUS_ERROR_INVALID_QUEUE;
    if (mask == nullptr || bits % 32 != 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::fill(mask, mask + bits / 32, ~std::uint32_t{0});
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_set_profiler_enabled(hsa_queue_t*, int) { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_amd_profiling_async_copy_enable(bool) { return HSA_STATUS_SUCCESS; }

hsa_status_t hsa_amd_profiling_get_dispatch_time(hsa_agent_t, hsa_signal_t signal,
                                                 hsa_amd_profiling_dispatch_time_t* time) {
    if (signal.handle == 0 || time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *time = {start_of(signal), end_of(signal)};
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_profiling_get_async_copy_time(hsa_signal_t signal, hsa_amd_profiling_async_copy_time_t* time) {
    if (signal.handle == 0 || time == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *time = {start_of(signal), end_of(signal)};
    return HSA_STATUS_SUCCESS;
}

// Both count the same nanoseconds.
hsa_status_t hsa_amd_profiling_convert_tick_to_system_domain(hsa_agent_t, std::uint64_t tick, std::uint64_t* time) {
    return time == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(time, tick);
}

// Those that differ in the order of memory alone.
#define LOAD(order)                                                                 \
    std::uint64_t hsa_queue_load_read_index_##order(const hsa_queue_t* queue) {     \
        return __atomic_load_n(&shared(queue).read_dispatch_id, __ATOMIC_SEQ_CST);  \
    }                                                                               \
    std::uint64_t hsa_queue_load_write_index_##order(const hsa_queue_t* queue) {    \
        return __atomic_load_n(&shared(queue).write_dispatch_id, __ATOMIC_SEQ_CST); \
    }
#define STORE(order)                                                                          \
    void hsa_queue_store_read_index_##order(const hsa_queue_t* queue, std::uint64_t value) {  \
        __atomic_store_n(&shared(queue).read_dispatch_id, value, __ATOMIC_SEQ_CST);           \
    }                                                                                         \
    void hsa_queue_store_write_index_##order(const hsa_queue_t* queue, std::uint64_t value) { \
        __atomic_store_n(&shared(queue).write_dispatch_id, value, __ATOMIC_SEQ_CST);          \
        runtime().changes().announce();                                                       \
    }
#define CHANGE(order)                                                                                            \
    std::uint64_t hsa_queue_add_write_index_##order(const hsa_queue_t* queue, std::uint64_t value) {             \
        return __atomic_fetch_add(&shared(queue).write_dispatch_id, value, __ATOMIC_SEQ_CST);                    \
    }                                                                                                            \
    std::uint64_t hsa_queue_cas_write_index_##order(const hsa_queue_t* queue, std::uint64_t expected,            \
                                                    std::uint64_t value) {                                       \
        __atomic_compare_exchange_n(&shared(queue).write_dispatch_id, &expected, value, false, __ATOMIC_SEQ_CST, \
                                    __ATOMIC_SEQ_CST);                                                           \
        return expected;                                                                                         \
    }

FOR_EACH_ORDER_OF_LOADS(LOAD);
FOR_EACH_ORDER_OF_STORES(STORE);
FOR_EACH_ORDER(CHANGE);

}  // extern "C"
