// The interface: memory and signals that several processes share.
#include <bit>

#include "hsa/runtime.hpp"

using namespace isaforge::hsa;

namespace {

static_assert(sizeof(SharedPlace) == sizeof(hsa_amd_ipc_memory_t));

SharedPlace place_of(const hsa_amd_ipc_memory_t& handle) { return std::bit_cast<SharedPlace>(handle); }

}  // namespace

extern "C" {

hsa_status_t hsa_amd_ipc_memory_create(void* memory, std::size_t bytes, hsa_amd_ipc_memory_t* handle) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const std::optional<SharedPlace> place = runtime().memory().share(memory, bytes);
    return place ? give(handle, *place) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

// All processors may use it.
hsa_status_t hsa_amd_ipc_memory_attach(const hsa_amd_ipc_memory_t* handle, std::size_t bytes, std::uint32_t,
                                       const hsa_agent_t*, void** memory) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (handle == nullptr || memory == nullptr || whole_pages(place_of(*handle).bytes) != whole_pages(bytes))
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return runtime().memory().attach(place_of(*handle), memory);
}

hsa_status_t hsa_amd_ipc_memory_detach(void* memory) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    return runtime().memory().detach(memory);
}

hsa_status_t hsa_amd_ipc_signal_create(hsa_signal_t signal, hsa_amd_ipc_signal_t* handle) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (signal.handle == 0 || handle == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const std::optional<SharedPlace> place = runtime().signals().share(signal_of(signal));
    return place ? give(handle, *place) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_amd_ipc_signal_attach(const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (handle == nullptr || signal == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const amd_signal_t* const attached = runtime().signals().attach(place_of(*handle));
    return attached == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(signal, handle_of<hsa_signal_t>(attached));
}

}  // extern "C"
