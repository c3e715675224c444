// Code objects in a device's memory.
#include <fmt/format.h>

#include <cstring>

#include "device/device_impl.hpp"

namespace isaforge::device {

namespace {

// What its metadata say, and what its descriptor does, of an image that lies at an address.
KernelInfo info_of(const codeobject::LoadImage& image, const codeobject::LoadKernel& kernel, std::uint64_t base) {
    const std::span<const std::uint8_t> bytes = std::span(image.bytes).subspan(kernel.object);
    const KernelCode code = read_kernel_code(bytes.first(kernel.has_header ? 256 : 64), base + kernel.object,
                                             kernel.has_header, image.target.processor->major);
    KernelInfo info = kernel.info;
    info.object = base + kernel.object;
    info.code = code.entry;
    info.group_bytes = std::max(info.group_bytes, code.group_bytes);
    info.private_bytes = std::max(info.private_bytes, code.private_bytes);
    info.kernarg_bytes = std::max(info.kernarg_bytes, code.kernarg_bytes);
    info.scalar_registers = std::max(info.scalar_registers, code.scalar_registers);
    info.vector_registers = std::max(info.vector_registers, code.vector_registers);
    return info;
}

}  // namespace

LoadedObject::LoadedObject(Implementation& device, codeobject::LoadImage image, std::string name)
    : device_(device), image_(std::move(image)), name_(std::move(name)) {}

LoadedObject::~LoadedObject() {
    if (memory_ == nullptr) return;
    device_.objects().remove(*this);
    device_.release(memory_);
}

bool LoadedObject::place(const CodeObjectOptions& options, std::string& error) {
    memory_ = device_.allocate(image_.bytes.size(), name_);
    if (memory_ == nullptr) {
        error = "there is no memory for it";
        return false;
    }
    base_ = reinterpret_cast<std::uint64_t>(memory_);
    const auto find = [&](const std::string& symbol) -> std::optional<std::uint64_t> {
        const auto found = options.symbols.find(symbol);
        return found == options.symbols.end() ? std::nullopt : std::optional(found->second);
    };
    device_.objects().add(*this);
    if (!codeobject::place_image(image_, base_, find, error)) return false;
    std::memcpy(memory_, image_.bytes.data(), image_.bytes.size());
    for (Section& section : image_.object.sections)
        if (section.allocated) section.address += base_;
    map_ = debugger::ProgramMap(image_.object);
    for (const codeobject::LoadPart& part : image_.parts) {
        error = device_.dispatcher().protect(base_ + part.first, part.size, part.permissions,
                                             fmt::format("{} of {}", part.name, name_));
        if (!error.empty()) return false;
    }
    for (const codeobject::LoadKernel& kernel : image_.kernels) kernels_.push_back(info_of(image_, kernel, base_));
    return true;
}

const KernelInfo* LoadedObject::find_kernel(std::string_view name) const {
    for (const KernelInfo& kernel : kernels_)
        if (kernel.name == name) return &kernel;
    return nullptr;
}

std::optional<CodeObject::Variable> LoadedObject::find_symbol(std::string_view name) const {
    for (const codeobject::LoadSymbol& symbol : image_.symbols)
        if (symbol.defined && symbol.name == name) return Variable{address_of(symbol), symbol.size};
    return std::nullopt;
}

std::vector<CodeObject::Symbol> LoadedObject::symbols() const {
    std::vector<Symbol> symbols;
    for (const codeobject::LoadSymbol& symbol : image_.symbols)
        if (symbol.defined) symbols.push_back({symbol.name, address_of(symbol), symbol.size, symbol.is_object});
    return symbols;
}

bool LoadedObject::has_header(std::uint64_t kernel_object) const {
    for (const codeobject::LoadKernel& kernel : image_.kernels)
        if (base_ + kernel.object == kernel_object) return kernel.has_header;
    return false;
}

void ObjectTable::add(const LoadedObject& object) {
    const std::lock_guard lock(lock_);
    objects_[object.base()] = &object;
}

void ObjectTable::remove(const LoadedObject& object) {
    const std::lock_guard lock(lock_);
    objects_.erase(object.base());
}

bool ObjectTable::with_object_at(std::uint64_t address, const std::function<void(const LoadedObject&)>& use) const {
    const std::lock_guard lock(lock_);
    auto behind = objects_.upper_bound(address);
    if (behind == objects_.begin()) return false;
    const LoadedObject& object = *std::prev(behind)->second;
    if (address - object.base() >= object.bytes()) return false;
    use(object);
    return true;
}

std::shared_ptr<const CodeObject> Implementation::load(std::span<const std::uint8_t> bytes,
                                                       const CodeObjectOptions& options, std::string& error) {
    std::optional<codeobject::LoadImage> image = codeobject::read_image(bytes, error);
    if (!image) return nullptr;
    if (image->target.processor->variant != about_.variant) {
        error = fmt::format("it is for {}, and this device is {}", image->target.processor->name, about_.name);
        return nullptr;
    }
    auto object = std::make_shared<LoadedObject>(*this, std::move(*image), options.name);
    if (!object->place(options, error)) return nullptr;
    return object;
}

}  // namespace isaforge::device

namespace isaforge {

std::optional<CodeObjectInfo> read_code_object(std::span<const std::uint8_t> bytes, std::string& error) {
    const std::optional<codeobject::LoadImage> image = codeobject::read_image(bytes, error);
    if (!image) return std::nullopt;
    CodeObjectInfo info;
    info.processor = image->target.processor->name;
    info.version = image->version;
    for (const codeobject::LoadKernel& kernel : image->kernels)
        info.kernels.push_back(device::info_of(*image, kernel, 0));
    return info;
}

}  // namespace isaforge
