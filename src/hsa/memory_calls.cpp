// The interface: pools and regions, allocations, copies, what is known of an address.
#include <cstdlib>
#include <vector>

#include "hsa/runtime.hpp"

using namespace isaforge::hsa;

namespace {

constexpr std::size_t granule = page_bytes;

// What a pool and a region say in the same way, by the pool's attribute.
hsa_status_t pool_info(const Pool& pool, int attribute, void* value) {
    const bool is_group = pool.kind == Pool::Kind::group;
    switch (attribute) {
        case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
            return give(value, is_group ? HSA_AMD_SEGMENT_GROUP : HSA_AMD_SEGMENT_GLOBAL);
        case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS: return give(value, pool.flags());
        case HSA_AMD_MEMORY_POOL_INFO_SIZE: return give(value, pool.bytes());
        case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED: return give(value, !is_group);
        case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
        case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT: return give(value, is_group ? std::size_t{0} : granule);
        case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL: return give(value, pool.is_host());
        case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE: return give(value, is_group ? std::size_t{0} : pool.bytes());
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

// With how the memory of another agent is reached.
hsa_status_t agent_pool_info(const Agent& agent, const Pool& pool, int attribute, void* value) {
    const bool is_own = pool.agent == &agent;
    switch (attribute) {
        case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
            if (pool.kind == Pool::Kind::group && !is_own) return give(value, HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
            if (is_own || pool.kind == Pool::Kind::fine)
                return give(value, HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
            return give(value, pool.is_host() || agent.is_gpu() ? HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT
                                                                : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
        case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS: return give(value, std::uint32_t{is_own ? 0u : 1u});
        case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO: {
            if (is_own) return HSA_STATUS_SUCCESS;
            hsa_amd_memory_pool_link_info_t link{};
            link.link_type = HSA_AMD_LINK_INFO_TYPE_PCIE;
            link.numa_distance = 20;
            link.atomic_support_32bit = link.atomic_support_64bit = true;
            return give(value, link);
        }
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

template <typename Handle>
hsa_status_t iterate(const std::vector<const Pool*>& pools, hsa_status_t (*callback)(Handle, void*), void* data) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const Pool* const pool : pools)
        if (const hsa_status_t status = callback(handle_of<Handle>(pool), data); status != HSA_STATUS_SUCCESS)
            return status;
    return HSA_STATUS_SUCCESS;
}

hsa_amd_pointer_type_t type_of(const Allocation& allocation) {
    return allocation.is_locked     ? HSA_EXT_POINTER_TYPE_LOCKED
           : allocation.is_attached ? HSA_EXT_POINTER_TYPE_IPC
                                    : HSA_EXT_POINTER_TYPE_HSA;
}

}  // namespace

extern "C" {

hsa_status_t hsa_amd_agent_iterate_memory_pools(hsa_agent_t handle,
                                                hsa_status_t (*callback)(hsa_amd_memory_pool_t, void*), void* data) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Agent* const agent = runtime().find_agent(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    std::vector<const Pool*> pools;
    for (const Pool& pool : agent->pools())
        if (!agent->is_gpu() || pool.kind != Pool::Kind::fine) pools.push_back(&pool);
    return iterate(pools, callback, data);
}

hsa_status_t hsa_amd_memory_pool_get_info(hsa_amd_memory_pool_t handle, hsa_amd_memory_pool_info_t attribute,
                                          void* value) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Pool* const pool = runtime().find_pool(handle.handle);
    if (pool == nullptr) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : pool_info(*pool, attribute, value);
}

hsa_status_t hsa_amd_agent_memory_pool_get_info(hsa_agent_t who, hsa_amd_memory_pool_t handle,
                                                hsa_amd_agent_memory_pool_info_t attribute, void* value) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Agent* const agent = runtime().find_agent(who);
    const Pool* const pool = runtime().find_pool(handle.handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (pool == nullptr) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : agent_pool_info(*agent, *pool, attribute, value);
}

// The older name of pools. An agent has those of the host too, whose memory it may use.
hsa_status_t hsa_agent_iterate_regions(hsa_agent_t handle, hsa_status_t (*callback)(hsa_region_t, void*), void* data) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Agent* const agent = runtime().find_agent(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    std::vector<const Pool*> pools;
    if (agent->is_gpu())
        for (const Pool& pool : runtime().host().pools())
            if (pool.kind != Pool::Kind::coarse) pools.push_back(&pool);
    for (const Pool& pool : agent->pools())
        if (!agent->is_gpu() || pool.kind != Pool::Kind::fine) pools.push_back(&pool);
    return iterate(pools, callback, data);
}

hsa_status_t hsa_region_get_info(hsa_region_t handle, hsa_region_info_t attribute, void* value) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Pool* const pool = runtime().find_pool(handle.handle);
    if (pool == nullptr) return HSA_STATUS_ERROR_INVALID_REGION;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const bool is_group = pool->kind == Pool::Kind::group;
    switch (static_cast<int>(attribute)) {
        case HSA_REGION_INFO_SEGMENT:
            return give(value, is_group ? HSA_REGION_SEGMENT_GROUP : HSA_REGION_SEGMENT_GLOBAL);
        case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE:
            return give(value, static_cast<std::uint32_t>(pool->bytes()));
        case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE: return give(value, pool->is_host());
        case HSA_AMD_REGION_INFO_BASE: return give(value, static_cast<void*>(nullptr));
        case HSA_REGION_INFO_GLOBAL_FLAGS: return pool_info(*pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, value);
        case HSA_REGION_INFO_SIZE: return pool_info(*pool, HSA_AMD_MEMORY_POOL_INFO_SIZE, value);
        case HSA_REGION_INFO_ALLOC_MAX_SIZE: return pool_info(*pool, HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE, value);
        case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED:
            return pool_info(*pool, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, value);
        case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE:
        case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT: return give(value, granule);
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Allocations

hsa_status_t hsa_amd_memory_pool_allocate(hsa_amd_memory_pool_t handle, std::size_t bytes, std::uint32_t,
                                          void** memory) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Pool* const pool = runtime().find_pool(handle.handle);
    if (pool == nullptr) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    return runtime().memory().allocate(*pool, bytes, memory);
}

hsa_status_t hsa_amd_memory_pool_free(void* memory) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    return runtime().memory().release(memory);
}

hsa_status_t hsa_memory_allocate(hsa_region_t region, std::size_t bytes, void** memory) {
    return hsa_amd_memory_pool_allocate({region.handle}, bytes, 0, memory);
}

hsa_status_t hsa_memory_free(void* memory) { return hsa_amd_memory_pool_free(memory); }

// All processors may use all allocations.
hsa_status_t hsa_amd_agents_allow_access(std::uint32_t, const hsa_agent_t*, const std::uint32_t*, const void* memory) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    return memory == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_memory_assign_agent(void*, hsa_agent_t, hsa_access_permission_t) { return usable(); }

hsa_status_t hsa_amd_memory_pool_can_migrate(hsa_amd_memory_pool_t, hsa_amd_memory_pool_t, bool* result) {
    return result == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(result, false);
}

hsa_status_t hsa_amd_memory_lock_to_pool(void* host, std::size_t bytes, hsa_agent_t*, int, hsa_amd_memory_pool_t handle,
                                         std::uint32_t, void** memory) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Pool* const pool = runtime().find_pool(handle.handle);
    if (pool == nullptr) return static_cast<hsa_status_t>(HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
    return runtime().memory().lock(host, bytes, *pool, false, memory);
}

hsa_status_t hsa_amd_memory_lock(void* host, std::size_t bytes, hsa_agent_t*, int, void** memory) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    return runtime().memory().lock(host, bytes, runtime().host().pools()[0], true, memory);
}

hsa_status_t hsa_amd_memory_unlock(void* host) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    return runtime().memory().unlock(host);
}

// What a processor that shares the host's memory may use from now on.
hsa_status_t hsa_memory_register(void* memory, std::size_t bytes) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (memory == nullptr || bytes == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (runtime().memory().find(memory)) return HSA_STATUS_SUCCESS;
    void* same = nullptr;
    return runtime().memory().lock(memory, bytes, runtime().host().pools()[0], true, &same);
}

hsa_status_t hsa_memory_deregister(void* memory, std::size_t) { return hsa_amd_memory_unlock(memory); }

hsa_status_t hsa_amd_coherency_get_type(hsa_agent_t, hsa_amd_coherency_type_t* type) {
    return type == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(type, HSA_AMD_COHERENCY_TYPE_COHERENT);
}

hsa_status_t hsa_amd_coherency_set_type(hsa_agent_t, hsa_amd_coherency_type_t) { return usable(); }

// ---------------------------------------------------------------------------------------------------------------------
// What is known of an address

hsa_status_t hsa_amd_pointer_info(const void* pointer, hsa_amd_pointer_info_t* info, void* (*allocate)(std::size_t),
                                  std::uint32_t* count, hsa_agent_t** accessible) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (pointer == nullptr || info == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const std::optional<Allocation> found = runtime().memory().find(pointer);
    hsa_amd_pointer_info_t answer{};
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(info->size, sizeof answer));
    answer.size = size;
    if (found && !found->is_internal) {
        answer.type = type_of(*found);
        answer.agentBaseAddress = reinterpret_cast<void*>(found->base);  // NOLINT(performance-no-int-to-ptr)
        answer.hostBaseAddress = found->host;
        answer.sizeInBytes = found->bytes;
        answer.userData = found->user;
        answer.agentOwner = handle_of<hsa_agent_t>(found->pool->agent);
        answer.global_flags = found->pool->flags();
    }
    std::memcpy(info, &answer, size);
    if (count == nullptr) return HSA_STATUS_SUCCESS;
    const std::vector<Agent*>& gpus = runtime().gpus();
    *count = found ? static_cast<std::uint32_t>(gpus.size() + 1) : 0;
    if (!found || accessible == nullptr || allocate == nullptr) return HSA_STATUS_SUCCESS;
    auto* const list = static_cast<hsa_agent_t*>(allocate(*count * sizeof(hsa_agent_t)));
    if (list == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    list[0] = handle_of<hsa_agent_t>(&runtime().host());
    for (std::size_t i = 0; i < gpus.size(); ++i) list[i + 1] = handle_of<hsa_agent_t>(gpus[i]);
    *accessible = list;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_pointer_info_set_userdata(const void* pointer, void* user) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const bool found = runtime().memory().change(pointer, [&](Allocation& allocation) { allocation.user = user; });
    return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_register_deallocation_callback(void* pointer, hsa_amd_deallocation_callback_t call, void* user) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (call == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const bool found = runtime().memory().change(pointer, [&](Allocation& allocation) {
        allocation.watchers.push_back({call, user});
    });
    return found ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
}

hsa_status_t hsa_amd_deregister_deallocation_callback(void* pointer, hsa_amd_deallocation_callback_t call) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    std::size_t gone = 0;
    runtime().memory().change(pointer, [&](Allocation& allocation) {
        gone = std::erase_if(allocation.watchers, [&](const Allocation::Watcher& each) { return each.call == call; });
    });
    return gone != 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

// ---------------------------------------------------------------------------------------------------------------------
// Copies

hsa_status_t hsa_memory_copy(void* to, const void* from, std::size_t bytes) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (to == nullptr || from == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime().memory().copy(to, from, bytes);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_fill(void* to, std::uint32_t value, std::size_t count) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (to == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime().memory().fill(to, value, count);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy(void* to, hsa_agent_t, const void* from, hsa_agent_t, std::size_t bytes,
                                       std::uint32_t count, const hsa_signal_t* dependencies, hsa_signal_t done) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (to == nullptr || from == nullptr || (count != 0 && dependencies == nullptr))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime().copies().copy(to, from, bytes, dependencies, count, done);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_amd_memory_async_copy_rect(const hsa_pitched_ptr_t* to, const hsa_dim3_t* to_offset,
                                            const hsa_pitched_ptr_t* from, const hsa_dim3_t* from_offset,
                                            const hsa_dim3_t* range, hsa_agent_t, hsa_amd_copy_direction_t,
                                            std::uint32_t count, const hsa_signal_t* dependencies, hsa_signal_t done) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (to == nullptr || to_offset == nullptr || from == nullptr || from_offset == nullptr || range == nullptr)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    runtime().copies().copy_rectangle(*to, *to_offset, *from, *from_offset, *range, dependencies, count, done);
    return HSA_STATUS_SUCCESS;
}

}  // extern "C"
