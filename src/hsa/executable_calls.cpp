// The interface: code objects and executables, in its older and its newer form, and the loader's extension.
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "hsa/runtime.hpp"

using namespace isaforge::hsa;

namespace {

hsa_status_t make_executable(hsa_profile_t profile, hsa_executable_t* executable) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (executable == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *executable = handle_of<hsa_executable_t>(runtime().executables().make(profile));
    return HSA_STATUS_SUCCESS;
}

hsa_status_t make_reader(std::vector<std::uint8_t> own, std::span<const std::uint8_t> bytes, std::uint64_t& handle) {
    auto reader = std::make_unique<Reader>(Reader{bytes, std::move(own)});
    if (!reader->own.empty()) reader->bytes = reader->own;
    handle = reinterpret_cast<std::uint64_t>(reader.release());
    return HSA_STATUS_SUCCESS;
}

hsa_status_t load(hsa_executable_t executable, hsa_agent_t handle, std::uint64_t reader,
                  hsa_loaded_code_object_t* loaded) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    Agent* const agent = runtime().find_agent(handle);
    if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
    if (executable.handle == 0 || reader == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    Loaded* made = nullptr;
    const auto& bytes = reinterpret_cast<const Reader*>(reader)->bytes;  // NOLINT(performance-no-int-to-ptr)
    const hsa_status_t status = runtime().executables().load(*object_of<Executable>(executable), *agent, bytes, &made);
    if (status == HSA_STATUS_SUCCESS && loaded != nullptr) *loaded = handle_of<hsa_loaded_code_object_t>(made);
    return status;
}

hsa_status_t define(hsa_executable_t handle, const char* name, void* address) {
    if (handle.handle == 0 || name == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    auto& executable = *object_of<Executable>(handle);
    if (executable.is_frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
    const auto value = reinterpret_cast<std::uint64_t>(address);
    return executable.definitions.try_emplace(name, value).second ? HSA_STATUS_SUCCESS
                                                                  : HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED;
}

hsa_status_t find(hsa_executable_t executable, const char* name, const hsa_agent_t* agent,
                  hsa_executable_symbol_t* symbol) {
    if (executable.handle == 0 || name == nullptr || symbol == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Symbol* const found =
        object_of<Executable>(executable)->find(name, agent == nullptr ? nullptr : object_of<Agent>(*agent));
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
    *symbol = handle_of<hsa_executable_symbol_t>(found);
    return HSA_STATUS_SUCCESS;
}

// Symbol by symbol; what one of the calls gives that is no success, else success.
template <typename Call>
hsa_status_t until_one_fails(const Executable& executable, const Call& call) {
    for (const auto& symbol : executable.symbols)
        if (const hsa_status_t status = call(*symbol); status != HSA_STATUS_SUCCESS) return status;
    return HSA_STATUS_SUCCESS;
}

// ---------------------------------------------------------------------------------------------------------------------
// The loader's extension

hsa_status_t query_host_address(const void* address, const void** host) {
    if (address == nullptr || host == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *host = runtime().memory().host_address(address);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t query_segments(hsa_ven_amd_loader_segment_descriptor_t* descriptors, std::size_t* count) {
    if (count == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<hsa_ven_amd_loader_segment_descriptor_t> all;
    runtime().executables().for_each([&](const Executable& executable) {
        for (const auto& loaded : executable.loaded) {
            hsa_ven_amd_loader_segment_descriptor_t each{};
            each.agent = handle_of<hsa_agent_t>(loaded->agent);
            each.executable = handle_of<hsa_executable_t>(&executable);
            each.code_object_storage_type = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY;
            each.code_object_storage_base = loaded->bytes.data();
            each.code_object_storage_size = loaded->bytes.size();
            // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses of a processor are this process's
            each.segment_base = reinterpret_cast<const void*>(loaded->object->base());
            each.segment_size = loaded->object->bytes();
            all.push_back(each);
        }
    });
    if (descriptors == nullptr) return *count = all.size(), HSA_STATUS_SUCCESS;
    if (*count != all.size()) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::copy(all.begin(), all.end(), descriptors);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t query_executable(const void* address, hsa_executable_t* executable) {
    if (address == nullptr || executable == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const Loaded* const found = runtime().executables().find_loaded(reinterpret_cast<std::uint64_t>(address));
    if (found == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    *executable = handle_of<hsa_executable_t>(found->executable);
    return HSA_STATUS_SUCCESS;
}

hsa_status_t iterate_loaded(hsa_executable_t handle,
                            hsa_status_t (*callback)(hsa_executable_t, hsa_loaded_code_object_t, void*), void* data) {
    if (handle.handle == 0 || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    for (const auto& loaded : object_of<Executable>(handle)->loaded)
        if (const hsa_status_t status = callback(handle, handle_of<hsa_loaded_code_object_t>(loaded.get()), data);
            status != HSA_STATUS_SUCCESS)
            return status;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t loaded_info(hsa_loaded_code_object_t handle, hsa_ven_amd_loader_loaded_code_object_info_t attribute,
                         void* value) {
    if (handle.handle == 0 || value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto& loaded = *object_of<Loaded>(handle);
    const auto base = reinterpret_cast<std::uint64_t>(loaded.bytes.data());
    const std::string uri = fmt::format("memory://{}#offset={:#x}&size={}", ::getpid(), base, loaded.bytes.size());
    switch (attribute) {
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
            return give(value, handle_of<hsa_executable_t>(loaded.executable));
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
            return give(value, std::uint32_t{HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT});
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT: return give(value, handle_of<hsa_agent_t>(loaded.agent));
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
            return give(value, std::uint32_t{HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY});
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE: return give(value, base);
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
            return give(value, std::uint64_t{loaded.bytes.size()});
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE: return give(value, loaded.object->base());
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE: return give(value, loaded.object->bytes());
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
            return give(value, static_cast<std::int64_t>(loaded.object->base()));
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH:
            return give(value, static_cast<std::uint32_t>(uri.size()));
        case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI:
            std::memcpy(value, uri.data(), uri.size());
            return HSA_STATUS_SUCCESS;
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

// A part of a file; `bytes` 0: up to its end.
hsa_status_t make_file_reader(hsa_file_t file, std::size_t offset, std::size_t bytes,
                              hsa_code_object_reader_t* reader) {
    struct stat about {};
    if (reader == nullptr || ::fstat(file, &about) != 0 || !S_ISREG(about.st_mode))
        return HSA_STATUS_ERROR_INVALID_FILE;
    const auto size = static_cast<std::size_t>(about.st_size);
    if (offset >= size || bytes > size - offset) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<std::uint8_t> own(bytes == 0 ? size - offset : bytes);
    std::size_t done = 0;
    while (done < own.size()) {
        const ssize_t read = ::pread(file, own.data() + done, own.size() - done, static_cast<off_t>(offset + done));
        if (read <= 0) return HSA_STATUS_ERROR_INVALID_FILE;
        done += static_cast<std::size_t>(read);
    }
    return make_reader(std::move(own), {}, reader->handle);
}

hsa_status_t iterate_executables(hsa_status_t (*callback)(hsa_executable_t, void*), void* data) {
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    std::vector<hsa_executable_t> all;
    runtime().executables().for_each(
        [&](const Executable& executable) { all.push_back(handle_of<hsa_executable_t>(&executable)); });
    for (const hsa_executable_t each : all)
        if (const hsa_status_t status = callback(each, data); status != HSA_STATUS_SUCCESS) return status;
    return HSA_STATUS_SUCCESS;
}

}  // namespace

extern "C" {

hsa_status_t hsa_code_object_reader_create_from_memory(const void* bytes, std::size_t size,
                                                       hsa_code_object_reader_t* reader) {
    if (bytes == nullptr || size == 0 || reader == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return make_reader({}, {static_cast<const std::uint8_t*>(bytes), size}, reader->handle);
}

hsa_status_t hsa_code_object_reader_create_from_file(hsa_file_t file, hsa_code_object_reader_t* reader) {
    return make_file_reader(file, 0, 0, reader);
}

hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader) {
    const std::unique_ptr<Reader> gone(object_of<Reader>(reader));
    return gone ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

hsa_status_t hsa_executable_create(hsa_profile_t profile, hsa_executable_state_t, const char*,
                                   hsa_executable_t* executable) {
    return make_executable(profile, executable);
}

hsa_status_t hsa_executable_create_alt(hsa_profile_t profile, hsa_default_float_rounding_mode_t, const char*,
                                       hsa_executable_t* executable) {
    return make_executable(profile, executable);
}

hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (executable.handle == 0) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    runtime().executables().end(object_of<Executable>(executable));
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent,
                                                   hsa_code_object_reader_t reader, const char*,
                                                   hsa_loaded_code_object_t* loaded) {
    return load(executable, agent, reader.handle, loaded);
}

// All that code objects of these processors hold is an agent's.
hsa_status_t hsa_executable_load_program_code_object(hsa_executable_t executable, hsa_code_object_reader_t reader,
                                                     const char*, hsa_loaded_code_object_t*) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (executable.handle == 0) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (reader.handle == 0) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
    return object_of<Executable>(executable)->is_frozen ? HSA_STATUS_ERROR_FROZEN_EXECUTABLE
                                                        : HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
}

hsa_status_t hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_t object,
                                             const char*) {
    return load(executable, agent, object.handle, nullptr);
}

hsa_status_t hsa_executable_global_variable_define(hsa_executable_t executable, const char* name, void* address) {
    return define(executable, name, address);
}

hsa_status_t hsa_executable_agent_global_variable_define(hsa_executable_t executable, hsa_agent_t, const char* name,
                                                         void* address) {
    return define(executable, name, address);
}

hsa_status_t hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t, const char* name,
                                                     void* address) {
    return define(executable, name, address);
}

hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char*) {
    if (executable.handle == 0) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    auto& object = *object_of<Executable>(executable);
    if (std::exchange(object.is_frozen, true)) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_validate(hsa_executable_t executable, std::uint32_t* result) {
    if (executable.handle == 0) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    return result == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(result, std::uint32_t{0});
}

hsa_status_t hsa_executable_validate_alt(hsa_executable_t executable, const char*, std::uint32_t* result) {
    return hsa_executable_validate(executable, result);
}

hsa_status_t hsa_executable_get_info(hsa_executable_t executable, hsa_executable_info_t attribute, void* value) {
    if (executable.handle == 0) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
    if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto& object = *object_of<Executable>(executable);
    switch (attribute) {
        case HSA_EXECUTABLE_INFO_PROFILE: return give(value, object.profile);
        case HSA_EXECUTABLE_INFO_STATE:
            return give(value, object.is_frozen ? HSA_EXECUTABLE_STATE_FROZEN : HSA_EXECUTABLE_STATE_UNFROZEN);
        case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE: return give(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t hsa_executable_get_symbol(hsa_executable_t executable, const char*, const char* name, hsa_agent_t agent,
                                       std::int32_t, hsa_executable_symbol_t* symbol) {
    return find(executable, name, agent.handle == 0 ? nullptr : &agent, symbol);
}

hsa_status_t hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char* name, const hsa_agent_t* agent,
                                               hsa_executable_symbol_t* symbol) {
    return find(executable, name, agent, symbol);
}

hsa_status_t hsa_executable_iterate_agent_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                                  hsa_status_t (*callback)(hsa_executable_t, hsa_agent_t,
                                                                           hsa_executable_symbol_t, void*),
                                                  void* data) {
    if (executable.handle == 0 || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return until_one_fails(*object_of<Executable>(executable), [&](const Symbol& symbol) {
        return symbol.agent == object_of<Agent>(agent)
                   ? callback(executable, agent, handle_of<hsa_executable_symbol_t>(&symbol), data)
                   : HSA_STATUS_SUCCESS;
    });
}

hsa_status_t hsa_executable_iterate_symbols(hsa_executable_t executable,
                                            hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*),
                                            void* data) {
    if (executable.handle == 0 || callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    return until_one_fails(*object_of<Executable>(executable), [&](const Symbol& symbol) {
        return callback(executable, handle_of<hsa_executable_symbol_t>(&symbol), data);
    });
}

// All symbols are an agent's.
hsa_status_t hsa_executable_iterate_program_symbols(
    hsa_executable_t executable, hsa_status_t (*callback)(hsa_executable_t, hsa_executable_symbol_t, void*), void*) {
    return executable.handle == 0 || callback == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_executable_symbol_get_info(hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute,
                                            void* value) {
    if (symbol.handle == 0) return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT
                            : symbol_info(*object_of<Symbol>(symbol), attribute, value);
}

hsa_status_t hsa_system_get_major_extension_table(std::uint16_t extension, std::uint16_t, std::size_t size,
                                                  void* table) {
    if (table == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (extension == HSA_EXTENSION_IMAGES) {
        const hsa_ext_images_1_00_pfn_t images{
            .hsa_ext_image_get_capability = hsa_ext_image_get_capability,
            .hsa_ext_image_data_get_info = hsa_ext_image_data_get_info,
            .hsa_ext_image_create = hsa_ext_image_create,
            .hsa_ext_image_destroy = hsa_ext_image_destroy,
            .hsa_ext_image_copy = hsa_ext_image_copy,
            .hsa_ext_image_import = hsa_ext_image_import,
            .hsa_ext_image_export = hsa_ext_image_export,
            .hsa_ext_image_clear = hsa_ext_image_clear,
            .hsa_ext_sampler_create = hsa_ext_sampler_create,
            .hsa_ext_sampler_destroy = hsa_ext_sampler_destroy,
        };
        std::memcpy(table, &images, std::min(size, sizeof images));
        return HSA_STATUS_SUCCESS;
    }
    if (extension != HSA_EXTENSION_AMD_LOADER) return HSA_STATUS_ERROR;
    const hsa_ven_amd_loader_1_03_pfn_t loader{
        .hsa_ven_amd_loader_query_host_address = query_host_address,
        .hsa_ven_amd_loader_query_segment_descriptors = query_segments,
        .hsa_ven_amd_loader_query_executable = query_executable,
        .hsa_ven_amd_loader_executable_iterate_loaded_code_objects = iterate_loaded,
        .hsa_ven_amd_loader_loaded_code_object_get_info = loaded_info,
        .hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size = make_file_reader,
        .hsa_ven_amd_loader_iterate_executables = iterate_executables,
    };
    std::memcpy(table, &loader, std::min(size, sizeof loader));
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_system_get_extension_table(std::uint16_t extension, std::uint16_t major, std::uint16_t, void* table) {
    const std::size_t size =
        extension == HSA_EXTENSION_IMAGES ? sizeof(hsa_ext_images_1_00_pfn_t) : sizeof(hsa_ven_amd_loader_1_00_pfn_t);
    return hsa_system_get_major_extension_table(extension, major, size, table);
}

}  // extern "C"
