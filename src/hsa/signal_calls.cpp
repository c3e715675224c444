// The interface: signals. The names differ in how memory is ordered around an access; all are made as the strongest asks.
#include <deque>
#include <vector>

#include "hsa/orders.hpp"
#include "hsa/queue.hpp"
#include "hsa/runtime.hpp"

using namespace isaforge::hsa;

namespace {

// Until when somebody waits who gives so many nanoseconds; nothing where that is for ever, in clients' sense.
std::optional<Changes::Clock::time_point> end_of(std::uint64_t timeout) {
    constexpr std::uint64_t for_ever = std::uint64_t{1} << 62;
    if (timeout >= for_ever) return std::nullopt;
    return Changes::Clock::now() + std::chrono::nanoseconds(timeout);
}

std::int64_t wait_for(hsa_signal_t signal, hsa_signal_condition_t condition, std::int64_t wanted,
                      std::uint64_t timeout) {
    std::int64_t value = 0;
    const auto done = [&] {
        value = value_of(signal_of(signal));
        return holds(condition, value, wanted);
    };
    runtime().changes().wait(done, end_of(timeout));
    return value;
}

// A store into a queue's doorbell is heard by the queue.
void store(hsa_signal_t signal, std::int64_t value) {
    amd_signal_t* const object = signal_of(signal);
    __atomic_store_n(&object->value, value, __ATOMIC_SEQ_CST);
    if (object->queue_ptr != nullptr)
        Queue::of(&object->queue_ptr->hsa_queue).ring();
    else
        runtime().changes().announce();
}

struct Group {
    std::vector<hsa_signal_t> signals;
};

struct Wanted {
    hsa_signal_t signal;
    hsa_signal_condition_t condition;
    std::int64_t value;
};

// The first that is as wanted; their number: none.
std::size_t wait_any(const std::vector<Wanted>& all, std::uint64_t timeout, std::int64_t& value) {
    std::size_t found = all.size();
    const auto done = [&] {
        for (std::size_t i = 0; i < all.size(); ++i) {
            value = value_of(signal_of(all[i].signal));
            if (holds(all[i].condition, value, all[i].value)) return found = i, true;
        }
        return false;
    };
    runtime().changes().wait(done, end_of(timeout));
    return found;
}

hsa_status_t make_signal(std::int64_t value, hsa_signal_t* signal) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (signal == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    amd_signal_t* const made = runtime().signals().make(value);
    if (made == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    *signal = handle_of<hsa_signal_t>(made);
    return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

hsa_status_t hsa_signal_create(hsa_signal_value_t value, std::uint32_t, const hsa_agent_t*, hsa_signal_t* signal) {
    return make_signal(value, signal);
}

hsa_status_t hsa_amd_signal_create(hsa_signal_value_t value, std::uint32_t, const hsa_agent_t*, std::uint64_t,
                                   hsa_signal_t* signal) {
    return make_signal(value, signal);
}

hsa_status_t hsa_signal_destroy(hsa_signal_t signal) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (signal.handle == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime().signals().end(signal_of(signal));
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_value_pointer(hsa_signal_t signal, volatile hsa_signal_value_t** pointer) {
    if (signal.handle == 0 || pointer == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *pointer = &signal_of(signal)->value;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_signal_async_handler(hsa_signal_t signal, hsa_signal_condition_t condition,
                                          hsa_signal_value_t value, hsa_amd_signal_handler handler, void* user) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (signal.handle == 0 || handler == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime().signals().watch(signal, condition, value, handler, user);
    return HSA_STATUS_SUCCESS;
}

// Soon, by the thread that watches.
hsa_status_t hsa_amd_async_function(void (*callback)(void*), void* user) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    struct Call {
        void (*callback)(void*);
        void* user;
        amd_signal_t* signal;
    };
    amd_signal_t* const signal = runtime().signals().make(0);
    if (signal == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    const auto run = [](hsa_signal_value_t, void* given) {
        const std::unique_ptr<Call> call(static_cast<Call*>(given));
        call->callback(call->user);
        runtime().signals().end(call->signal);
        return false;
    };
    runtime().signals().watch(handle_of<hsa_signal_t>(signal), HSA_SIGNAL_CONDITION_EQ, 0, run,
                              std::make_unique<Call>(Call{callback, user, signal}).release());
    return HSA_STATUS_SUCCESS;
}

std::uint32_t hsa_amd_signal_wait_any(std::uint32_t count, hsa_signal_t* signals, hsa_signal_condition_t* conditions,
                                      hsa_signal_value_t* values, std::uint64_t timeout, hsa_wait_state_t,
                                      hsa_signal_value_t* satisfying) {
    std::vector<Wanted> all;
    for (std::uint32_t i = 0; i < count; ++i) all.push_back({signals[i], conditions[i], values[i]});
    std::int64_t value = 0;
    const std::size_t found = wait_any(all, timeout, value);
    if (found == all.size()) return ~std::uint32_t{0};
    if (satisfying != nullptr) *satisfying = value;
    return static_cast<std::uint32_t>(found);
}

hsa_status_t hsa_signal_group_create(std::uint32_t count, const hsa_signal_t* signals, std::uint32_t,
                                     const hsa_agent_t*, hsa_signal_group_t* group) {
    if (count == 0 || signals == nullptr || group == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto made = std::make_unique<Group>(Group{{signals, signals + count}});
    *group = handle_of<hsa_signal_group_t>(made.release());
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_group_destroy(hsa_signal_group_t group) {
    const std::unique_ptr<Group> gone(object_of<Group>(group));
    return gone ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP;
}

hsa_status_t hsa_signal_group_wait_any_scacquire(hsa_signal_group_t group, const hsa_signal_condition_t* conditions,
                                                 const hsa_signal_value_t* values, hsa_wait_state_t,
                                                 hsa_signal_t* signal, hsa_signal_value_t* value) {
    if (signal == nullptr || value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<Wanted> all;
    const std::vector<hsa_signal_t>& signals = object_of<Group>(group)->signals;
    for (std::size_t i = 0; i < signals.size(); ++i) all.push_back({signals[i], conditions[i], values[i]});
    std::int64_t found = 0;
    *signal = signals[wait_any(all, ~std::uint64_t{0}, found)];
    *value = found;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_signal_group_wait_any_relaxed(hsa_signal_group_t group, const hsa_signal_condition_t* conditions,
                                               const hsa_signal_value_t* values, hsa_wait_state_t state,
                                               hsa_signal_t* signal, hsa_signal_value_t* value) {
    return hsa_signal_group_wait_any_scacquire(group, conditions, values, state, signal, value);
}

// Those that differ in the order of memory alone.
#define LOAD(order) \
    hsa_signal_value_t hsa_signal_load_##order(hsa_signal_t signal) { return value_of(signal_of(signal)); }
#define STORE(name, order) \
    void hsa_signal_##name##_##order(hsa_signal_t signal, hsa_signal_value_t value) { store(signal, value); }
#define WAIT(order)                                                                                                 \
    hsa_signal_value_t hsa_signal_wait_##order(hsa_signal_t signal, hsa_signal_condition_t condition,               \
                                               hsa_signal_value_t value, std::uint64_t timeout, hsa_wait_state_t) { \
        return wait_for(signal, condition, value, timeout);                                                         \
    }
#define UPDATE(name, builtin, order)                                                  \
    void hsa_signal_##name##_##order(hsa_signal_t signal, hsa_signal_value_t value) { \
        __atomic_fetch_##builtin(&signal_of(signal)->value, value, __ATOMIC_SEQ_CST); \
        runtime().changes().announce();                                               \
    }
#define EXCHANGE(order)                                                                                      \
    hsa_signal_value_t hsa_signal_exchange_##order(hsa_signal_t signal, hsa_signal_value_t value) {          \
        const std::int64_t before = __atomic_exchange_n(&signal_of(signal)->value, value, __ATOMIC_SEQ_CST); \
        runtime().changes().announce();                                                                      \
        return before;                                                                                       \
    }                                                                                                        \
    hsa_signal_value_t hsa_signal_cas_##order(hsa_signal_t signal, hsa_signal_value_t expected,              \
                                              hsa_signal_value_t value) {                                    \
        std::int64_t before = expected;                                                                      \
        __atomic_compare_exchange_n(&signal_of(signal)->value, &before, value, false, __ATOMIC_SEQ_CST,      \
                                    __ATOMIC_SEQ_CST);                                                       \
        runtime().changes().announce();                                                                      \
        return before;                                                                                       \
    }
#define ALL_OF(order)            \
    UPDATE(add, add, order)      \
    UPDATE(subtract, sub, order) \
    UPDATE(and, and, order)      \
    UPDATE(or, or, order)        \
    UPDATE(xor, xor, order)      \
    EXCHANGE(order)

// Silent ones need not tell those who wait, and may.
#define SILENT_STORE(order) STORE(silent_store, order)
#define USUAL_STORE(order) STORE(store, order)

FOR_EACH_ORDER_OF_LOADS(LOAD);
FOR_EACH_ORDER_OF_LOADS(WAIT);
FOR_EACH_ORDER_OF_STORES(USUAL_STORE);
FOR_EACH_ORDER(ALL_OF);
SILENT_STORE(relaxed)
SILENT_STORE(screlease)

}  // extern "C"
