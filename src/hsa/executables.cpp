#include "hsa/executables.hpp"

#include <cstdlib>

#include "hsa/messages.hpp"

namespace isaforge::hsa {

namespace {

constexpr std::string_view descriptor_ending = ".kd";

}  // namespace

bool Symbol::is_named(std::string_view asked) const {
    return name == asked || (name.size() == asked.size() + descriptor_ending.size() && name.starts_with(asked) &&
                             name.ends_with(descriptor_ending));
}

const Symbol* Executable::find(std::string_view name, const Agent* agent) const {
    for (const auto& symbol : symbols)
        if ((agent == nullptr || symbol->agent == agent) && symbol->is_named(name)) return symbol.get();
    return nullptr;
}

Executable* Executables::make(hsa_profile_t profile) {
    const std::lock_guard lock(mutex_);
    all_.push_back(std::make_unique<Executable>());
    all_.back()->profile = profile;
    return all_.back().get();
}

void Executables::end(Executable* executable) {
    std::unique_ptr<Executable> gone;
    const std::lock_guard lock(mutex_);
    for (auto& each : all_)
        if (each.get() == executable) gone = std::move(each);
    std::erase(all_, nullptr);
}

hsa_status_t Executables::load(Executable& executable, Agent& agent, std::span<const std::uint8_t> bytes,
                               Loaded** loaded) {
    if (executable.is_frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
    if (!agent.is_gpu()) return HSA_STATUS_ERROR_INVALID_AGENT;
    CodeObjectOptions options;
    options.name = "the program's code object";
    options.symbols = executable.definitions;
    std::string error;
    std::shared_ptr<const CodeObject> object = agent.device().load(bytes, options, error);
    if (object == nullptr) {
        say("a code object cannot be loaded: {}", error);
        return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
    }
    auto made = std::make_unique<Loaded>(Loaded{&executable, &agent, object, bytes});
    for (const CodeObject::Symbol& each : object->symbols()) {
        const KernelInfo* kernel = nullptr;
        for (const KernelInfo& info : object->kernels())
            if (info.object == each.address) kernel = &info;
        if (kernel == nullptr && !each.is_object) continue;
        executable.symbols.push_back(
            std::make_unique<Symbol>(Symbol{each.name, &executable, &agent, kernel, each.address, each.bytes}));
    }
    if (loaded != nullptr) *loaded = made.get();
    const std::lock_guard lock(mutex_);
    executable.loaded.push_back(std::move(made));
    return HSA_STATUS_SUCCESS;
}

void Executables::for_each(const std::function<void(Executable&)>& use) const {
    const std::lock_guard lock(mutex_);
    for (const auto& each : all_) use(*each);
}

KernelInfo Executables::find_kernel(std::uint64_t object) const {
    KernelInfo found;
    for_each([&](const Executable& executable) {
        for (const auto& loaded : executable.loaded)
            for (const KernelInfo& kernel : loaded->object->kernels())
                if (kernel.object == object) found = kernel;
    });
    return found;
}

Loaded* Executables::find_loaded(std::uint64_t address) const {
    Loaded* found = nullptr;
    for_each([&](const Executable& executable) {
        for (const auto& loaded : executable.loaded)
            if (address - loaded->object->base() < loaded->object->bytes()) found = loaded.get();
    });
    return found;
}

hsa_status_t symbol_info(const Symbol& symbol, int attribute, void* value) {
    const bool is_kernel = symbol.kernel != nullptr;
    const auto of_kernel = [&](std::uint64_t number) {
        return is_kernel ? give(value, static_cast<std::uint32_t>(number)) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
    };
    const auto of_variable = [&](auto answer) {
        return is_kernel ? HSA_STATUS_ERROR_INVALID_ARGUMENT : give(value, answer);
    };
    const KernelInfo none, &kernel = is_kernel ? *symbol.kernel : none;
    switch (attribute) {
        case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
            return give(value, is_kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
        case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH: return give(value, static_cast<std::uint32_t>(symbol.name.size()));
        case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
            std::memcpy(value, symbol.name.data(), symbol.name.size());
            return HSA_STATUS_SUCCESS;
        case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH: return give(value, std::uint32_t{0});
        case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME: return HSA_STATUS_SUCCESS;
        case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE: return give(value, HSA_SYMBOL_LINKAGE_PROGRAM);
        case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION: return give(value, true);
        case HSA_EXECUTABLE_SYMBOL_INFO_AGENT: return give(value, handle_of<hsa_agent_t>(symbol.agent));
        case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS: return of_variable(symbol.address);
        case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE: return of_variable(static_cast<std::uint32_t>(symbol.bytes));
        case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION: return of_variable(HSA_VARIABLE_ALLOCATION_AGENT);
        case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT: return of_variable(HSA_VARIABLE_SEGMENT_GLOBAL);
        case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT: return of_variable(std::uint32_t{16});
        case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST: return of_variable(false);
        case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
            return is_kernel ? give(value, symbol.address) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
        case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE: return of_kernel(kernel.kernarg_bytes);
        case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
            return of_kernel(std::max<std::uint64_t>(kernel.kernarg_alignment, 16));
        case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE: return of_kernel(kernel.group_bytes);
        case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE: return of_kernel(kernel.private_bytes);
        case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
            return is_kernel ? give(value, false) : HSA_STATUS_ERROR_INVALID_ARGUMENT;
        default: return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

}  // namespace isaforge::hsa
