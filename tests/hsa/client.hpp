// A client of the runtime library, as programs of GPUs are ones: its processors, memory, one code object, a queue.
#pragma once

#include "device/kernels.hpp"
#include "hsa/api.hpp"

namespace isaforge::test {

inline constexpr std::uint16_t usual_scopes = HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                              HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
inline constexpr std::uint16_t behind_all = 1 << HSA_PACKET_HEADER_BARRIER;

struct SignalOf {
    explicit SignalOf(std::int64_t value) {
        EXPECT_EQ(hsa_signal_create(value, 0, nullptr, &handle), HSA_STATUS_SUCCESS);
    }
    ~SignalOf() { hsa_signal_destroy(handle); }
    SignalOf(const SignalOf&) = delete;
    SignalOf& operator=(const SignalOf&) = delete;
    std::int64_t value() const { return hsa_signal_load_scacquire(handle); }
    // Whether it comes to 0 in some seconds.
    bool wait_zero() const {
        constexpr std::uint64_t long_enough = 60'000'000'000;
        return hsa_signal_wait_scacquire(handle, HSA_SIGNAL_CONDITION_EQ, 0, long_enough, HSA_WAIT_STATE_BLOCKED) == 0;
    }
    hsa_signal_t handle{};
};

class Client {
public:
    Client() {
        EXPECT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
        hsa_iterate_agents(
            [](hsa_agent_t agent, void* self) {
                hsa_device_type_t type{};
                hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
                auto& client = *static_cast<Client*>(self);
                (type == HSA_DEVICE_TYPE_GPU ? client.gpu : client.host) = agent;
                return HSA_STATUS_SUCCESS;
            },
            this);
        find_pools();
    }
    ~Client() { hsa_shut_down(); }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    template <typename T>
    T* allocate(hsa_amd_memory_pool_t pool, std::size_t count) const {
        void* memory = nullptr;
        EXPECT_EQ(hsa_amd_memory_pool_allocate(pool, count * sizeof(T), 0, &memory), HSA_STATUS_SUCCESS);
        return static_cast<T*>(memory);
    }

    hsa_agent_t host{}, gpu{};
    hsa_amd_memory_pool_t fine{}, kernarg{}, device{};

private:
    void find_pools() {
        const auto take = [](hsa_amd_memory_pool_t pool, void* self) {
            auto& client = *static_cast<Client*>(self);
            std::uint32_t segment = 0, flags = 0;
            hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
            hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags);
            if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
            if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT) != 0)
                client.kernarg = pool;
            else if ((flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) != 0)
                client.fine = pool;
            else
                client.device = pool;   // the processor's, which comes last
            return HSA_STATUS_SUCCESS;
        };
        hsa_amd_agent_iterate_memory_pools(host, take, this);
        hsa_amd_agent_iterate_memory_pools(gpu, take, this);
    }
};

// A queue, and kernels that are put into it.
class Work {
public:
    Work(const Client& client, const std::vector<std::uint8_t>& object, std::uint32_t packets = 64) : client_(client) {
        EXPECT_EQ(hsa_code_object_reader_create_from_memory(object.data(), object.size(), &reader_),
                  HSA_STATUS_SUCCESS);
        EXPECT_EQ(
            hsa_executable_create_alt(HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, nullptr, &executable),
            HSA_STATUS_SUCCESS);
        EXPECT_EQ(hsa_executable_load_agent_code_object(executable, client.gpu, reader_, nullptr, nullptr),
                  HSA_STATUS_SUCCESS);
        EXPECT_EQ(hsa_executable_freeze(executable, nullptr), HSA_STATUS_SUCCESS);
        const auto failed = [](hsa_status_t status, hsa_queue_t*, void* self) {
            static_cast<Work*>(self)->error = status;
        };
        EXPECT_EQ(hsa_queue_create(client.gpu, packets, HSA_QUEUE_TYPE_MULTI, failed, this, ~0u, ~0u, &queue),
                  HSA_STATUS_SUCCESS);
    }
    ~Work() {
        hsa_queue_destroy(queue);
        hsa_executable_destroy(executable);
        hsa_code_object_reader_destroy(reader_);
        for (void* const block : blocks_) hsa_amd_memory_pool_free(block);
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    std::uint64_t kernel(const std::string& name) const {
        hsa_executable_symbol_t symbol{};
        std::uint64_t object = 0;
        EXPECT_EQ(hsa_executable_get_symbol_by_name(executable, name.c_str(), &client_.gpu, &symbol),
                  HSA_STATUS_SUCCESS);
        hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object);
        return object;
    }

    // Arguments of 8 and 4 bytes, in the order of the kernel's.
    template <typename... Values>
    void dispatch(const std::string& name, Extent grid, Extent group, hsa_signal_t done, std::uint16_t header,
                  const Values&... values) {
        auto* const block = client_.allocate<std::uint8_t>(client_.kernarg, 4096);
        blocks_.push_back(block);
        std::size_t at = 0;
        ((at = (at + sizeof values - 1) / sizeof values * sizeof values,
          std::memcpy(block + at, &values, sizeof values), at += sizeof values),
         ...);
        hsa_kernel_dispatch_packet_t packet{};
        packet.setup = 3;
        packet.workgroup_size_x = static_cast<std::uint16_t>(group.x);
        packet.workgroup_size_y = static_cast<std::uint16_t>(group.y);
        packet.workgroup_size_z = static_cast<std::uint16_t>(group.z);
        packet.grid_size_x = grid.x;
        packet.grid_size_y = grid.y;
        packet.grid_size_z = grid.z;
        packet.kernel_object = kernel(name);
        packet.kernarg_address = block;
        packet.completion_signal = done;
        put(packet, HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE | usual_scopes | header);
    }

    template <typename Packet>
    void put(const Packet& packet, unsigned header) {
        const std::uint64_t place = hsa_queue_add_write_index_screlease(queue, 1);
        while (place - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
        }
        auto* const there = static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address) + place % queue->size;
        std::memcpy(reinterpret_cast<char*>(there) + 2, reinterpret_cast<const char*>(&packet) + 2, sizeof packet - 2);
        __atomic_store_n(&there->header, static_cast<std::uint16_t>(header), __ATOMIC_RELEASE);
        hsa_signal_store_screlease(queue->doorbell_signal, static_cast<std::int64_t>(place));
    }

    hsa_executable_t executable{};
    hsa_queue_t* queue = nullptr;
    std::atomic<int> error = HSA_STATUS_SUCCESS;

private:
    const Client& client_;
    hsa_code_object_reader_t reader_{};
    std::vector<void*> blocks_;
};

}  // namespace isaforge::test
