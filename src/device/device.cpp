// Making a device: its description, and the registers that wavefronts begin with.
#include <fmt/format.h>

#include "device/device_impl.hpp"
#include "isaforge/diagnostics.hpp"

namespace isaforge {

std::unique_ptr<ComputeDevice> ComputeDevice::make(const DeviceOptions& options, std::string& error) {
    const codeobject::Processor* const processor = codeobject::find_processor(options.processor);
    if (processor == nullptr) {
        error = fmt::format("there is no processor '{}' here", options.processor);
        return nullptr;
    }
    SourceManager sources;
    Diagnostics diagnostics;
    const std::shared_ptr<const Isa> isa = load_isa(std::string(processor->variant), sources, diagnostics);
    if (!isa) {
        error = to_text(diagnostics, sources);
        return nullptr;
    }
    return std::make_unique<device::Implementation>(std::make_shared<const Codec>(isa), *processor, options);
}

namespace device {

namespace {

Index file_of(const Isa& isa, std::string_view name) {
    for (Index i = 0; i < isa.register_files.size(); ++i)
        if (isa.register_files[i].name == name) return i;
    return no_index;
}

}  // namespace

RegisterNames::RegisterNames(const Isa& isa)
    : scalar(file_of(isa, "s")),
      vector(file_of(isa, "v")),
      exec(file_of(isa, "exec")),
      mode(file_of(isa, "hw_mode")),
      status(file_of(isa, "hw_status")),
      group_bytes(file_of(isa, "lds_bytes")),
      private_memory(file_of(isa, "private_memory")),
      group_base(file_of(isa, "shared_base")),
      group_limit(file_of(isa, "shared_limit")),
      private_base(file_of(isa, "private_base")),
      private_limit(file_of(isa, "private_limit")) {}

Implementation::Implementation(std::shared_ptr<const Codec> codec, const codeobject::Processor& processor,
                               const DeviceOptions& options)
    : about_(processor), processor_name_(processor.name), generation_(processor.major), registers_(codec->isa()) {
    MachineOptions how;
    how.engine = options.engine;
    how.checks = options.checks;
    how.source_line = source_lines();
    dispatcher_ = std::make_unique<machine::Dispatcher>(std::move(codec), std::move(how), options.threads);
}

std::function<std::string(std::uint64_t)> Implementation::source_lines() const {
    return [this](std::uint64_t address) {
        std::string line;
        objects_.with_object_at(address, [&](const LoadedObject& object) { line = object.source_line(address); });
        return line;
    };
}

Implementation::~Implementation() { dispatcher_.reset(); }

}  // namespace device

}  // namespace isaforge
