#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "isaforge/program.hpp"
#include "object/limits.hpp"

namespace isaforge {

namespace {

// Code has a memory of its own, which no instruction reaches.
std::optional<LoadProblem> load_apart(Machine& machine, const Object& object) {
    const bool shared = object.address_bytes == 1;
    const bool has_memory = !machine.isa().memories.empty();
    std::vector<std::uint8_t> code;
    for (const Section& section : object.sections) {
        if (!section.allocated || section.no_bits || section.bytes.empty()) continue;
        if (section.executable) {
            const std::uint64_t end = section.address + section.bytes.size();
            if (end > limits::most_code || end < section.address) {
                return LoadProblem{fmt::format("section '{}' lies beyond the {} MiB that can be executed", section.name,
                                               limits::most_code >> 20)};
            }
            if (code.size() < end) code.resize(end);
            std::copy(section.bytes.begin(), section.bytes.end(),
                      code.begin() + static_cast<std::ptrdiff_t>(section.address));
        }
        if (section.executable && (!shared || !has_memory)) continue;
        if (!has_memory || !machine.load_data(0, section.address, section.bytes))
            return LoadProblem{fmt::format("section '{}' does not fit into the memory", section.name), true};
    }
    machine.load_code(code);
    machine.start(object.entry / object.address_bytes);
    return std::nullopt;
}

std::optional<LoadProblem> load_mapped(Machine& machine, const Object& object, bool has_flags) {
    for (const Section& section : object.sections) {
        if (!section.allocated || section.extent() == 0) continue;
        // Bytes without flags are code and data alike.
        const Permissions permissions{true, section.writable || !has_flags, section.executable || !has_flags};
        const bool filled = section.no_bits || machine.load_data(machine.code_memory(), section.address, section.bytes);
        const std::string why = machine.protect(section.address, section.extent(), permissions, section.name);
        if (!filled || !why.empty()) {
            return LoadProblem{fmt::format("section '{}' does not fit into the memory at {:#x}{}{}", section.name,
                                           section.address, why.empty() ? "" : ": ", why),
                               true};
        }
    }
    machine.start(object.entry);
    return std::nullopt;
}

// A linked file of a machine whose ELF files are its own: as its program headers say.
std::optional<LoadProblem> load_executable(Machine& machine, const Executable& executable) {
    const std::string problem = executable.problem.empty() ? machine.load_executable(executable) : executable.problem;
    if (!problem.empty()) return LoadProblem{problem};
    machine.start(executable.entry);
    return std::nullopt;
}

}  // namespace

std::optional<LoadProblem> load_object(Machine& machine, const Object& object, bool has_flags) {
    const bool is_mapped = machine.isa().elf.machine != 0 && machine.code_memory() != no_index;
    if (is_mapped && object.executable) return load_executable(machine, *object.executable);
    return machine.code_memory() == no_index ? load_apart(machine, object) : load_mapped(machine, object, has_flags);
}

}  // namespace isaforge
