// What `run` and `debug` have in common: a program is chosen, read, and put into a machine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "debugger/program_map.hpp"
#include "isaforge/machine.hpp"
#include "isaforge/object.hpp"

namespace isaforge::cli {

struct ProgramChoice {
    IsaChoice isa;
    std::string path;
    std::string memory;              // empty: as much as is usual
    std::vector<std::string> loads;  // FILE@ADDRESS
    std::vector<std::string> maps;   // see memory_maps.hpp
    std::vector<std::string> arguments, environment;  // of a process of Linux
    std::vector<std::string> folders;                 // FOLDER or FOLDER:rw
    unsigned harts = 1, groups = 1;
    std::uint64_t seed = 0;
    std::string threads;             // "1" and so on where it is said how many, "all" where not, empty: none
    bool real_time = false, aligned = false;
};
void add_program_options(Arguments& app, ProgramChoice& choice);

// An option's value is checked by the parser that will read it.
template <typename Parse>
auto wants(Parse parse, const std::string& shape) {
    return [parse, shape](const std::string& text) {
        return parse(text) ? std::string{} : "'" + text + "' is not " + shape;
    };
}

// A program with everything resolved, ready for a machine.
struct Program {
    std::shared_ptr<const Codec> codec;
    Object object;
    bool has_flags = true;     // false: nothing says which sections are code and which may be written
    debugger::ProgramMap map;  // of the object
};

// The files that a program is put together from.
std::vector<std::string> input_paths(const ProgramChoice& choice);

// Reads the program and its instruction set; after a complaint null, with the exit status that it calls for.
std::unique_ptr<Program> read_program(const ProgramChoice& choice, Session& session, int& status);

// What every machine for the program is told.
MachineOptions machine_options(const ProgramChoice& choice, const Program& program);

// Puts the program and the files that are loaded with it where they belong. False after a complaint.
bool load_program(Machine& machine, const Program& program, const ProgramChoice& choice);

// The same once more: registers and memory as they were before the first instruction.
bool restart_program(Machine& machine, const Program& program, const ProgramChoice& choice);

}  // namespace isaforge::cli
