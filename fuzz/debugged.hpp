// A small program in a machine, as a debugger has it: what the fuzzers of packets and of commands talk to.
#pragma once

#include "debugger/debugger.hpp"
#include "isaforge/assembler.hpp"
#include "machines.hpp"
#include "text.hpp"

namespace isaforge::fuzz {

// Made once for each machine: a dozen instructions with labels and lines.
struct SmallProgram {
    std::string text;
    SourceManager sources;
    Object object;
    debugger::ProgramMap map;
};

inline const SmallProgram& small_program(std::uint8_t machine) {
    static std::array<std::unique_ptr<SmallProgram>, std::size(machine_names)> all;
    std::unique_ptr<SmallProgram>& program = all[machine_number(machine)];
    if (program) return *program;
    program = std::make_unique<SmallProgram>();
    const Tools& with = tools(machine);
    const Surface& surface = with.codec->isa().surface;
    Random random(1);
    Sampled sampled;
    for (unsigned i = 0; i < 12; ++i) {
        if (i % 3 == 0) program->text += surface.label_prefix + "l" + std::to_string(i) + surface.label_suffix + "\n";
        program->text += std::string(with.statement(random, false, sampled)) + surface.statement_end + "\n";
    }
    AssembleOptions options;
    options.flat = true;
    Diagnostics diagnostics;
    const FileId file = program->sources.add("small.s", program->text);
    assemble(*with.codec, file, program->sources, options, program->object, diagnostics);
    program->map = debugger::ProgramMap(program->object);
    return *program;
}

struct Debugged {
    explicit Debugged(std::uint8_t number) : program(small_program(number)), codec(tools(number).codec) {
        MachineOptions options;
        options.memory_bytes = 4096;
        machine = std::make_unique<Machine>(codec, options);
        execution = std::make_unique<debugger::Execution>(*machine);
        execution->limit = 200;
        execution->interrupted = [this] { return ++asked > 16; };
        debugger::Surroundings surroundings;
        surroundings.read_source = [this](const std::string&) { return program.text; };
        surroundings.restart = [this](std::string&) {
            machine->reset();
            for (const Section& section : program.object.sections) {
                if (section.executable) machine->load_code(section.bytes);
            }
            return true;
        };
        std::string error;
        surroundings.restart(error);
        commands = std::make_unique<debugger::Debugger>(*execution, *codec, program.map, surroundings);
    }

    const SmallProgram& program;
    std::shared_ptr<const Codec> codec;
    std::unique_ptr<Machine> machine;
    std::unique_ptr<debugger::Execution> execution;
    std::unique_ptr<debugger::Debugger> commands;
    unsigned asked = 0;
};

inline const Grammar::Rules& command_rules() {
    static const Grammar::Rules rules = {
        {'l',
         {"step\n",
          "step %1\n",
          "next %1\n",
          "continue\n",
          "reverse-step\n",
          "reverse-step %1\n",
          "reverse-continue\n",
          "rwatch %e:%e\n",
          "advance %o\n",
          "run\n",
          "reset\n",
          "break %o\n",
          "break %o if %e\n",
          "tbreak %o\n",
          "watch %t\n",
          "watch %e:%e if %e\n",
          "condition %s %e\n",
          "delete %s\n",
          "enable %s\n",
          "disable %s\n",
          "registers %n\n",
          "registers\n",
          "set %t = %e\n",
          "print %e\n",
          "print /%f %e\n",
          "memory %e %e\n",
          "memory %n %e\n",
          "x /%s%f%u %e\n",
          "x %e\n",
          "disassemble %o %s\n",
          "list %o\n",
          "where\n",
          "hart %s\n",
          "symbols %n\n",
          "info %n\n",
          "info breakpoints\n",
          "help %n\n",
          "\n",
          "%n %e\n"}},
        {'e',
         {"1", "%t", "%1", "%n", "%e + %e", "%e * %e", "%e / %e", "%e %% %e", "%e << %e", "-%e", "~%e", "!%e", "(%e)",
          "%e == %e", "%e && %e", "%e || %e", "%e ? %e : %e", "%e & %e"}},
        {'t', {"r1", "pc", "sp", "data.u32[%e]", "data[%e]", "%n", "%n[%e]", "data.%n[%e]", "$%n", "r1[%e]", "v1[%s]"}},
        {'o', {"l0", "pc", "small.s:%s", "*%e", "l3+%s", "%e", "%n"}},
        {'s', {"1", "2", "0", "7", "64", "%1"}},
        {'f', {"x", "d", "u", "t", "f", "c", "i", "%w"}},
        {'u', {"", "b", "h", "w", "g"}},
        {'n', {"data", "r2", "l0", "pending", "registers", "symbols", "program", "%w"}},
    };
    return rules;
}

inline std::string command_line(Random& random) {
    static const Grammar grammar(command_rules(), [](char rule, Random& r) -> std::string {
        if (rule == '1') return number_text(r);
        return rule == '%' ? "%" : std::string(1 + r.below(3), static_cast<char>(' ' + r.below(95)));
    });
    return grammar.make('l', random);
}

}  // namespace isaforge::fuzz
