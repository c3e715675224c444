#include "cli/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/memory_maps.hpp"
#include "cli/terminal.hpp"
#include "isaforge/program.hpp"

namespace isaforge::cli {

namespace {

// FILE@ADDRESS
struct Load {
    std::string path;
    std::uint64_t address = 0;
};

std::optional<Load> parse_load(const std::string& text) {
    const std::size_t at = text.rfind('@');
    if (at == std::string::npos || at == 0) return std::nullopt;
    const auto address = parse_size(std::string_view(text).substr(at + 1));
    if (!address) return std::nullopt;
    return Load{text.substr(0, at), *address};
}

// FOLDER or FOLDER:rw
ProcessOptions::Folder parse_folder(const std::string& text) {
    constexpr std::string_view writable = ":rw";
    if (!text.ends_with(writable)) return {text, false};
    return {text.substr(0, text.size() - writable.size()), true};
}

std::optional<Object> read_object(const ProgramChoice& choice, const std::vector<std::uint8_t>& bytes, Session& session,
                                  const Codec& codec) {
    if (!is_elf(bytes) && !is_intel_hex(bytes)) return read_binary(bytes, codec.isa());
    std::string error;
    std::optional<Object> object = is_elf(bytes) ? read_elf(bytes, error) : read_intel_hex(bytes, error);
    if (!object) {
        complain(fmt::format("cannot read '{}': {}", choice.path, error));
        return std::nullopt;
    }
    if (is_elf(bytes) && !is_for(*object, codec.isa(), choice.path)) return std::nullopt;
    complete_object(*object, codec.isa());
    if (!object->lines_problem.empty()) {
        warn(fmt::format("'{}' names lines of its source that cannot all be read: {}", choice.path,
                         object->lines_problem));
    }
    if (!object->relocatable) return object;  // its linker has done this
    place_sections(*object);
    if (!apply_relocations(*object, codec, session.diagnostics)) return std::nullopt;
    return object;
}

bool load_files(Machine& machine, const ProgramChoice& choice) {
    for (const std::string& text : choice.loads) {
        const Load load = *parse_load(text);
        const std::optional<std::vector<std::uint8_t>> bytes = read_bytes(load.path);
        if (!bytes) return false;
        if (machine.isa().memories.empty() || !machine.load_data(0, load.address, *bytes)) {
            complain(fmt::format("'{}' does not fit into the memory at {:#x}; --memory gives more", load.path,
                                 load.address));
            return false;
        }
    }
    return true;
}

}  // namespace

void add_program_options(Arguments& app, ProgramChoice& choice) {
    add_optional_isa_option(app, choice.isa);
    app.add_option("FILE", choice.path, "Object file, or raw code; - is standard input")->required()->type_name("");
    app.add_option("ARGUMENT", choice.arguments, "What a process of Linux is given; write -- before it")->type_name("");
    app.add_option("--memory", choice.memory,
                   "Bytes of data memory, 64M where it is not said; of a process of Linux what it may have, 4G")
        ->type_name("SIZE")
        ->check(wants(parse_size, "a number such as 4096, 0x1000 or 4K"));
    app.add_option("--load", choice.loads, "Copy a file into data memory before the start")
        ->type_name("FILE@ADDRESS")
        ->allow_extra_args(false)
        ->check(wants(parse_load, "FILE@ADDRESS"));
    const std::string group = "What lies around the instructions";
    app.add_option("--map", choice.maps,
                   "Storage ram@ADDRESS:SIZE[:rwx], a picture frame@ADDRESS:WIDTHxHEIGHT:FORMAT=FILE, or a device "
                   "console@ADDRESS, timer@ADDRESS, doorbell@ADDRESS")
        ->type_name("WHAT")
        ->allow_extra_args(false)
        ->group(group)
        ->check(
            wants(parse_mapping, "ram@ADDRESS:SIZE[:rwx], frame@ADDRESS:WIDTHxHEIGHT:FORMAT=FILE or DEVICE@ADDRESS"));
    app.add_option("--files", choice.folders,
                   "A folder whose files a process of Linux may read, and with :rw behind it write")
        ->type_name("FOLDER[:rw]")
        ->allow_extra_args(false)
        ->completes(Completes::folder)
        ->group(group)
        ->check([](const std::string& text) {
            std::error_code problem;
            const std::string path = parse_folder(text).path;
            return std::filesystem::is_directory(path, problem) ? std::string{} : "'" + path + "' is no folder";
        });
    app.add_option("--env", choice.environment, "Of the environment of a process of Linux, which is empty otherwise")
        ->type_name("NAME=VALUE")
        ->allow_extra_args(false)
        ->group(group)
        ->check([](const std::string& text) {
            const std::size_t sign = text.find('=');
            return sign != std::string::npos && sign != 0 ? std::string{} : "'" + text + "' is not NAME=VALUE";
        });
    app.add_option("--harts", choice.harts, "How many harts share the memory; with --groups those of a group")
        ->type_name("N")
        ->capture_default_str()
        ->group(group)
        ->in_range(1, most_harts);
    app.add_option("--groups", choice.groups,
                   "How many groups of harts run, one after the other where they are too many")
        ->type_name("N")
        ->capture_default_str()
        ->group(group)
        ->in_range(1, most_groups);
    app.add_option("--seed", choice.seed, "Of the order in which harts take turns; the same seed gives the same run")
        ->type_name("N")
        ->capture_default_str()
        ->group(group)
        ->in_range(0, any_number);
    app.add_flag(
           "--threads{all}", choice.threads,
           "Each hart runs on a thread of its own; with --groups each group does; with --threads N a kernel's groups "
           "run on N threads")
        ->group(group)
        ->check([](const std::string& text) {
            const auto number = parse_size(text);
            const bool good = text == "all" || (number && *number >= 1 && *number <= most_threads);
            return good ? std::string{} : fmt::format("'{}' is not a number from 1 to {}", text, most_threads);
        });
    app.add_flag("--real-time", choice.real_time, "Time is the clock's, and not one nanosecond an instruction")
        ->group(group);
    app.add_flag("--aligned", choice.aligned, "Accesses must be aligned to their size")->group(group);
}

std::vector<std::string> input_paths(const ProgramChoice& choice) {
    std::vector<std::string> out{choice.path};
    for (const std::string& text : choice.loads) out.push_back(parse_load(text)->path);
    return out;
}

std::unique_ptr<Program> read_program(const ProgramChoice& choice, Session& session, int& status) {
    status = input_error;
    const std::optional<std::vector<std::uint8_t>> bytes = read_bytes(choice.path);
    if (!bytes) return nullptr;
    IsaChoice isa_choice = choice.isa;
    if (!complete_choice(isa_choice, *bytes)) {
        status = usage_error;
        return nullptr;
    }
    const std::shared_ptr<const Isa> isa = session.load(isa_choice);
    if (!isa) {
        status = session.report();
        return nullptr;
    }
    auto program = std::make_unique<Program>();
    program->codec = std::make_shared<const Codec>(isa);
    std::optional<Object> object = read_object(choice, *bytes, session, *program->codec);
    if (session.report() != success || !object) return nullptr;
    program->object = std::move(*object);
    program->has_flags = is_elf(*bytes);
    program->map = debugger::ProgramMap(program->object);
    status = success;
    return program;
}

MachineOptions machine_options(const ProgramChoice& choice, const Program& program) {
    MachineOptions options;
    if (!choice.memory.empty()) options.memory_bytes = options.process.memory_bytes = *parse_size(choice.memory);
    options.process.arguments = {choice.path};
    options.process.arguments.insert(options.process.arguments.end(), choice.arguments.begin(), choice.arguments.end());
    options.process.environment = choice.environment;
    for (const std::string& text : choice.folders) options.process.folders.push_back(parse_folder(text));
    options.harts = choice.harts;
    options.groups = choice.groups;
    options.seed = choice.seed;
    options.threads = !choice.threads.empty();
    options.real_time = choice.real_time;
    options.require_alignment = choice.aligned;
    options.source_line = [&program](std::uint64_t address) { return program.map.line_text(address); };
    return options;
}

bool load_program(Machine& machine, const Program& program, const ProgramChoice& choice) {
    if (!machine.memory_problem().empty()) {
        complain(machine.memory_problem());
        return false;
    }
    if (!map_memory(machine, choice.maps)) return false;
    if (const std::optional<LoadProblem> problem = load_object(machine, program.object, program.has_flags)) {
        const char* const help =
            machine.code_memory() == no_index ? "; --memory gives more" : "; --memory and --map give more";
        complain(problem->message + (problem->lacks_memory ? help : ""));
        return false;
    }
    return load_files(machine, choice);
}

bool restart_program(Machine& machine, const Program& program, const ProgramChoice& choice) {
    machine.reset();
    machine.clear_memories();
    return load_program(machine, program, choice);
}

}  // namespace isaforge::cli
