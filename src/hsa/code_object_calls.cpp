// The interface: code objects as such, as clients had them before there were readers of them, and what is in them before
// they are loaded.
#include "codeobject/loading.hpp"
#include "hsa/runtime.hpp"

using namespace isaforge::hsa;
namespace codeobject = isaforge::codeobject;

namespace {

// What a handle of an old code object leads to: bytes that can be loaded as those of a reader, and symbols, once somebody asks.
struct OldObject : Reader {
    std::optional<codeobject::LoadImage> image;
    std::vector<Symbol> symbols;
    std::mutex mutex;   // for these two
};

// Null where the bytes are no code object.
const OldObject* read(hsa_code_object_t handle) {
    if (handle.handle == 0) return nullptr;
    auto& object = *object_of<OldObject>(handle);
    const std::lock_guard lock(object.mutex);
    if (object.image) return &object;
    std::string error;
    object.image = codeobject::read_image(object.bytes, error);
    if (!object.image) return nullptr;
    for (const codeobject::LoadSymbol& each : object.image->symbols) {
        const auto kernel = std::find_if(object.image->kernels.begin(), object.image->kernels.end(),
                                         [&](const auto& info) { return info.object == each.value; });
        const bool is_kernel = kernel != object.image->kernels.end();
        if (!each.defined || (!is_kernel && !each.is_object)) continue;
        object.symbols.push_back(
            {each.name, nullptr, nullptr, is_kernel ? &kernel->info : nullptr, each.value, each.size});
    }
    return &object;
}

hsa_status_t object_info(const OldObject& object, int attribute, void* value) {
    const codeobject::Target& target = object.image->target;
    switch (attribute) {
        case HSA_CODE_OBJECT_INFO_VERSION: return give_text(value, std::to_string(object.image->version) + ".0", 64);
        case HSA_CODE_OBJECT_INFO_TYPE: return give(value, HSA_CODE_OBJECT_TYPE_PROGRAM);
        case HSA_CODE_OBJECT_INFO_ISA:
            for (const Agent* const gpu : runtime().gpus())
                if (gpu->processor() == target.processor->name) return give(value, handle_of<hsa_isa_t>(gpu));
            return give(value, hsa_isa_t{0});
        case HSA_CODE_OBJECT_INFO_MACHINE_MODEL: return give(value, HSA_MACHINE_MODEL_LARGE);
        case HSA_CODE_OBJECT_INFO_PROFILE: return give(value, HSA_PROFILE_BASE);
        case HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE: return give(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

hsa_status_t find(hsa_code_object_t handle, const char* name, hsa_code_symbol_t* symbol) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (name == nullptr || symbol == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const OldObject* const object = read(handle);
    if (object == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    for (const Symbol& each : object->symbols)
        if (each.is_named(name)) return *symbol = handle_of<hsa_code_symbol_t>(&each), HSA_STATUS_SUCCESS;
    return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
}

}  // namespace

extern "C" {

hsa_status_t hsa_code_object_deserialize(void* bytes, std::size_t size, const char*, hsa_code_object_t* object) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (bytes == nullptr || size == 0 || object == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto* const first = static_cast<const std::uint8_t*>(bytes);
    auto made = std::make_unique<OldObject>();
    made->own.assign(first, first + size);
    made->bytes = made->own;
    *object = handle_of<hsa_code_object_t>(made.release());
    return HSA_STATUS_SUCCESS;
}

hsa_status_t hsa_code_object_serialize(hsa_code_object_t handle,
                                       hsa_status_t (*allocate)(std::size_t, hsa_callback_data_t, void**),
                                       hsa_callback_data_t data, const char*, void** bytes, std::size_t* size) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (handle.handle == 0) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    if (allocate == nullptr || bytes == nullptr || size == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const auto& own = object_of<OldObject>(handle)->bytes;
    void* place = nullptr;
    if (const hsa_status_t status = allocate(own.size(), data, &place); status != HSA_STATUS_SUCCESS) return status;
    if (place == nullptr) return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    std::memcpy(place, own.data(), own.size());
    *bytes = place;
    *size = own.size();
    return HSA_STATUS_SUCCESS;
}

// What was loaded of it stays.
hsa_status_t hsa_code_object_destroy(hsa_code_object_t object) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const std::unique_ptr<OldObject> gone(object_of<OldObject>(object));
    return gone ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

hsa_status_t hsa_code_object_get_info(hsa_code_object_t handle, hsa_code_object_info_t attribute, void* value) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    const OldObject* const object = read(handle);
    if (object == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    return value == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : object_info(*object, attribute, value);
}

hsa_status_t hsa_code_object_get_symbol(hsa_code_object_t object, const char* name, hsa_code_symbol_t* symbol) {
    return find(object, name, symbol);
}

hsa_status_t hsa_code_object_get_symbol_from_name(hsa_code_object_t object, const char*, const char* name,
                                                  hsa_code_symbol_t* symbol) {
    return find(object, name, symbol);
}

hsa_status_t hsa_code_object_iterate_symbols(hsa_code_object_t handle,
                                             hsa_status_t (*callback)(hsa_code_object_t, hsa_code_symbol_t, void*),
                                             void* data) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (callback == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const OldObject* const object = read(handle);
    if (object == nullptr) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    for (const Symbol& each : object->symbols)
        if (const hsa_status_t status = callback(handle, handle_of<hsa_code_symbol_t>(&each), data);
            status != HSA_STATUS_SUCCESS)
            return status;
    return HSA_STATUS_SUCCESS;
}

// The attributes have the numbers that those of loaded symbols have; what only loading gives is none of them.
hsa_status_t hsa_code_symbol_get_info(hsa_code_symbol_t symbol, hsa_code_symbol_info_t attribute, void* value) {
    if (const hsa_status_t status = usable(); status != HSA_STATUS_SUCCESS) return status;
    if (symbol.handle == 0) return HSA_STATUS_ERROR_INVALID_CODE_SYMBOL;
    const auto& asked = *object_of<Symbol>(symbol);
    if (value == nullptr || attribute > HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION)
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    if (attribute == HSA_CODE_SYMBOL_INFO_KERNEL_CALL_CONVENTION)
        return asked.kernel == nullptr ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(value, std::uint32_t{0});
    return symbol_info(asked, attribute, value);
}

}  // extern "C"
