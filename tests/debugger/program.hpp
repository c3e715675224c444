// A program of the WISHBONE GPU, assembled and loaded: what the tests of debuggers begin with.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "debugger/debugger.hpp"
#include "isaforge/assembler.hpp"
#include "reference/wishbone_gpu.hpp"

namespace isaforge::debugger {

constexpr std::size_t memory_bytes = 1 << 16;
const std::string examples = ISAFORGE_SOURCE_DIR "/examples/wishbone-gpu/";

struct Loaded {
    SourceManager sources;
    Object object;
    std::shared_ptr<const Codec> codec;
    ProgramMap map;
    std::vector<std::uint8_t> code;
    std::string text;
    std::unique_ptr<Machine> machine;
    std::unique_ptr<Execution> execution;
    std::unique_ptr<Debugger> debugger;

    Loaded(const std::string& name, const std::string& source) : text(source) {
        Diagnostics diagnostics;
        auto isa = load_isa("wishbone-gpu", sources, diagnostics);
        codec = std::make_shared<const Codec>(isa);
        const FileId file = sources.add(name, text);
        AssembleOptions options;
        options.flat = true;
        options.include_paths = {examples};
        EXPECT_TRUE(assemble(*codec, file, sources, options, object, diagnostics)) << to_text(diagnostics, sources);
        map = ProgramMap(object);
        for (const Section& section : object.sections) {
            if (section.executable) code = section.bytes;
        }
        MachineOptions how;
        how.memory_bytes = memory_bytes;
        machine = std::make_unique<Machine>(codec, how);
        execution = std::make_unique<Execution>(*machine);
        Surroundings surroundings;
        surroundings.read_source = [this](const std::string&) { return text; };
        surroundings.restart = [this](std::string&) {
            machine->reset();
            std::memset(machine->memory(0).data(), 0, memory_bytes);
            machine->load_code(code);
            machine->set_pc(0);
            return true;
        };
        std::string error;
        surroundings.restart(error);
        debugger = std::make_unique<Debugger>(*execution, *codec, map, surroundings);
    }

    std::string operator()(std::string_view line) const { return debugger->execute(line); }

    // The same program on the machine of tests/reference, which knows nothing of ours.
    wishbone_reference::Machine reference() const {
        std::vector<std::uint32_t> words(code.size() / 4);
        std::memcpy(words.data(), code.data(), code.size());
        return wishbone_reference::Machine(words, memory_bytes);
    }
};

inline Loaded example(const std::string& name) {
    std::ifstream file(examples + name);
    EXPECT_TRUE(file) << name;
    return Loaded(name, {std::istreambuf_iterator<char>(file), {}});
}

inline Loaded program(const std::string& text) { return Loaded("t.s", text); }

}  // namespace isaforge::debugger
