// The interface: beginning and end, what the system says of itself, agents.
#include <array>
#include <atomic>

#include "hsa/runtime.hpp"

using namespace isaforge::hsa;

namespace {

struct StatusText {
    int status;
    const char* text;
};

constexpr StatusText status_texts[] = {
    {HSA_STATUS_SUCCESS, "HSA_STATUS_SUCCESS: The function has been executed successfully."},
    {HSA_STATUS_INFO_BREAK, "HSA_STATUS_INFO_BREAK: A traversal over a list of elements has been interrupted."},
    {HSA_STATUS_ERROR, "HSA_STATUS_ERROR: A generic error has occurred."},
    {HSA_STATUS_ERROR_INVALID_ARGUMENT,
     "HSA_STATUS_ERROR_INVALID_ARGUMENT: One of the arguments is not as it must be."},
    {HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "HSA_STATUS_ERROR_INVALID_QUEUE_CREATION: No such queue can be made."},
    {HSA_STATUS_ERROR_INVALID_ALLOCATION,
     "HSA_STATUS_ERROR_INVALID_ALLOCATION: No such allocation can be made, or is there."},
    {HSA_STATUS_ERROR_INVALID_AGENT, "HSA_STATUS_ERROR_INVALID_AGENT: There is no such agent."},
    {HSA_STATUS_ERROR_INVALID_REGION, "HSA_STATUS_ERROR_INVALID_REGION: There is no such region."},
    {HSA_STATUS_ERROR_INVALID_SIGNAL, "HSA_STATUS_ERROR_INVALID_SIGNAL: There is no such signal."},
    {HSA_STATUS_ERROR_INVALID_QUEUE, "HSA_STATUS_ERROR_INVALID_QUEUE: There is no such queue."},
    {HSA_STATUS_ERROR_OUT_OF_RESOURCES, "HSA_STATUS_ERROR_OUT_OF_RESOURCES: There is not enough memory, or no thread."},
    {HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "HSA_STATUS_ERROR_INVALID_PACKET_FORMAT: A packet is none that there is."},
    {HSA_STATUS_ERROR_NOT_INITIALIZED, "HSA_STATUS_ERROR_NOT_INITIALIZED: hsa_init was not called."},
    {HSA_STATUS_ERROR_INVALID_INDEX, "HSA_STATUS_ERROR_INVALID_INDEX: There is no such index."},
    {HSA_STATUS_ERROR_INVALID_ISA, "HSA_STATUS_ERROR_INVALID_ISA: There is no such instruction set."},
    {HSA_STATUS_ERROR_INVALID_ISA_NAME, "HSA_STATUS_ERROR_INVALID_ISA_NAME: No instruction set has that name."},
    {HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "HSA_STATUS_ERROR_INVALID_CODE_OBJECT: These bytes are no code object."},
    {HSA_STATUS_ERROR_INVALID_EXECUTABLE, "HSA_STATUS_ERROR_INVALID_EXECUTABLE: There is no such executable."},
    {HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "HSA_STATUS_ERROR_FROZEN_EXECUTABLE: The executable is frozen."},
    {HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "HSA_STATUS_ERROR_INVALID_SYMBOL_NAME: No symbol has that name."},
    {HSA_STATUS_ERROR_VARIABLE_UNDEFINED, "HSA_STATUS_ERROR_VARIABLE_UNDEFINED: A variable is not defined."},
    {HSA_STATUS_ERROR_EXCEPTION, "HSA_STATUS_ERROR_EXCEPTION: A kernel has ended with an exception."},
    {HSA_STATUS_ERROR_INVALID_RUNTIME_STATE,
     "HSA_STATUS_ERROR_INVALID_RUNTIME_STATE: Not in this process, which was split off."},
    {HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION,
     "HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION: A kernel has executed what is no instruction."},
    {HSA_STATUS_ERROR_MEMORY_FAULT, "HSA_STATUS_ERROR_MEMORY_FAULT: A kernel has accessed memory that is not there."},
};

bool is_known_extension(std::uint16_t extension) {
    return extension == HSA_EXTENSION_IMAGES || extension == HSA_EXTENSION_AMD_LOADER;
}

}  // namespace

extern "C" {

hsa_status_t hsa_init() { return begin_runtime(); }

hsa_status_t hsa_shut_down() { return end_runtime(); }

hsa_status_t hsa_status_string(hsa_status_t status, const char** text) {
    if (text == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const StatusText& each : status_texts)
        if (each.status == status) return *text = each.text, HSA_STATUS_SUCCESS;
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
}

hsa_status_t hsa_system_get_info(hsa_system_info_t attribute, void* value) {
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    switch (static_cast<int>(attribute)) {
        case HSA_SYSTEM_INFO_VERSION_MAJOR:
        case HSA_SYSTEM_INFO_VERSION_MINOR: return give(value, std::uint16_t{1});
        case HSA_SYSTEM_INFO_TIMESTAMP: return give(value, now());
        case HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY: return give(value, std::uint64_t{1'000'000'000});
        case HSA_SYSTEM_INFO_SIGNAL_MAX_WAIT: return give(value, ~std::uint64_t{0});
        case HSA_SYSTEM_INFO_ENDIANNESS: return give(value, HSA_ENDIANNESS_LITTLE);
        case HSA_SYSTEM_INFO_MACHINE_MODEL: return give(value, HSA_MACHINE_MODEL_LARGE);
        case HSA_SYSTEM_INFO_EXTENSIONS: {
            std::array<std::uint8_t, 128> bits{};
            for (const unsigned extension : {unsigned{HSA_EXTENSION_IMAGES}, unsigned{HSA_EXTENSION_AMD_LOADER}})
                if (extension / 8 < bits.size()) bits[extension / 8] |= static_cast<std::uint8_t>(1u << extension % 8);
            return give(value, bits);
        }
        case HSA_AMD_SYSTEM_INFO_BUILD_VERSION: return give(value, "isaforge");
        case HSA_AMD_SYSTEM_INFO_SVM_SUPPORTED:
        case HSA_AMD_SYSTEM_INFO_SVM_ACCESSIBLE_BY_DEFAULT: return give(value, false);
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t hsa_extension_get_name(std::uint16_t extension, const char** name) {
    if (name == nullptr || !is_known_extension(extension)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *name = extension == HSA_EXTENSION_IMAGES ? "HSA_EXTENSION_IMAGES" : "HSA_EXTENSION_AMD_LOADER";
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_extension_supported(std::uint16_t extension, std::uint16_t, std::uint16_t, bool* result) {
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = is_known_extension(extension);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_major_extension_supported(std::uint16_t extension, std::uint16_t, std::uint16_t* minor,
                                                  bool* result) {
    if (minor == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *minor = 0;
    return hsa_system_extension_supported(extension, 1, 0, result);
}

hsa_status_t hsa_agent_extension_supported(std::uint16_t extension, hsa_agent_t handle, std::uint16_t, std::uint16_t,
                                           bool* result) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Agent* const agent = runtime().find_agent(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = is_known_extension(extension) && (agent->is_gpu() || extension != HSA_EXTENSION_IMAGES);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_agent_major_extension_supported(std::uint16_t extension, hsa_agent_t agent, std::uint16_t,
                                                 std::uint16_t* minor, bool* result) {
    if (minor == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *minor = 0;
    return hsa_agent_extension_supported(extension, agent, 1, 0, result);
}

hsa_status_t hsa_amd_register_system_event_handler(hsa_amd_system_event_callback_t call, void* user) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    runtime().set_event_handler(call, user);
    return HSA_STATUS_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------------------------
// Agents

hsa_status_t hsa_iterate_agents(hsa_status_t (*callback)(hsa_agent_t, void*), void* data) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    hsa_status_t status = callback(handle_of<hsa_agent_t>(&runtime().host()), data);
    for (const Agent* const gpu : runtime().gpus()) {
        if (status != HSA_STATUS_SUCCESS) break;
        status = callback(handle_of<hsa_agent_t>(gpu), data);
    }
    return status;
}

hsa_status_t hsa_agent_get_info(hsa_agent_t handle, hsa_agent_info_t attribute, void* value) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Agent* const agent = runtime().find_agent(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : agent->info(attribute, value);
}

hsa_status_t hsa_agent_get_exception_policies(hsa_agent_t handle, hsa_profile_t, std::uint16_t* mask) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (runtime().find_agent(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return mask == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(mask, std::uint16_t{0});
}

hsa_status_t hsa_agent_iterate_caches(hsa_agent_t handle, hsa_status_t (*callback)(hsa_cache_t, void*), void*) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (runtime().find_agent(handle) == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    return callback == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_cache_get_info(hsa_cache_t, hsa_cache_info_t, void*) { return HSA_STATUS_ERROR_INVALID_CACHE; }

hsa_status_t hsa_agent_iterate_isas(hsa_agent_t handle, hsa_status_t (*callback)(hsa_isa_t, void*), void* data) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Agent* const agent = runtime().find_agent(handle);
    if (agent == nullptr || !agent->is_gpu()) return HSA_STATUS_ERROR_INVALID_AGENT;
    return callback == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : callback(handle_of<hsa_isa_t>(agent), data);
}

hsa_status_t hsa_isa_get_info_alt(hsa_isa_t handle, hsa_isa_info_t attribute, void* value) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const Agent* const agent = runtime().find_agent({handle.handle});
    if (agent == nullptr || !agent->is_gpu()) return HSA_STATUS_ERROR_INVALID_ISA;
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : agent->isa_info(attribute, value);
}

hsa_status_t hsa_isa_get_info(hsa_isa_t isa, hsa_isa_info_t attribute, std::uint32_t index, void* value) {
    return index == 0 ? hsa_isa_get_info_alt(isa, attribute, value) : HSA_STATUS_ERROR_INVALID_INDEX;
}

hsa_status_t hsa_isa_from_name(const char* name, hsa_isa_t* isa) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (name == nullptr || isa == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const Agent* const gpu : runtime().gpus())
        if (gpu->isa() == name) return *isa = handle_of<hsa_isa_t>(gpu), HSA_STATUS_SUCCESS;
    return HSA_STATUS_ERROR_INVALID_ISA_NAME;
}

hsa_status_t hsa_isa_compatible(hsa_isa_t code, hsa_isa_t agent, bool* result) {
    if (result == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *result = code.handle == agent.handle;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_isa_get_exception_policies(hsa_isa_t, hsa_profile_t, std::uint16_t* mask) {
    return mask == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(mask, std::uint16_t{0});
}

hsa_status_t hsa_isa_get_round_method(hsa_isa_t, hsa_fp_type_t, hsa_flush_mode_t, hsa_round_method_t* method) {
    return method == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(method, HSA_ROUND_METHOD_SINGLE);
}

// There is one kind of wavefront, which needs no object.
hsa_status_t hsa_isa_iterate_wavefronts(hsa_isa_t isa, hsa_status_t (*callback)(hsa_wavefront_t, void*), void* data) {
    return callback == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : callback({isa.handle}, data);
}

hsa_status_t hsa_wavefront_get_info(hsa_wavefront_t, hsa_wavefront_info_t attribute, void* value) {
    if (value == nullptr || attribute != HSA_WAVEFRONT_INFO_SIZE) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return give(value, std::uint32_t{64});
}

}  // extern "C"
