// A machine made on the spot for testing meanings: one instruction for each line of meaning, whose opcode is the line's
// number. Registers and memories are declared by the test.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "isaforge/machine.hpp"

namespace isaforge {

class BenchMachine {
public:
    // `declarations`: registers, functions and so on; `head`: what the instruction table says behind its text.
    BenchMachine(const std::string& declarations, const std::vector<std::string>& meanings,
                 const std::string& head = "", MachineOptions options = {.memory_bytes = 4096}) {
        std::string text =
            "isa bench \"Bench\"\ncode unit 32 little addressed in units\n" + declarations + "\nformat F | OP:32 |\n";
        text += "instructions F [OP] \"{name}\" " + head + " {\n";
        for (std::size_t i = 0; i < meanings.size(); ++i)
            text += "    " + std::to_string(i) + "  op" + std::to_string(i) + "  " + meanings[i] + "\n";
        text += "}\n";
        SourceManager sources;
        Diagnostics diagnostics;
        isa_ = load_isa_text("bench.isa", text, sources, diagnostics);
        if (!isa_) {
            ADD_FAILURE() << to_text(diagnostics, sources) << text;
            return;
        }
        codec_ = std::make_shared<const Codec>(isa_);
        machine_ = std::make_unique<Machine>(codec_, std::move(options));
        std::vector<std::uint32_t> all;
        for (std::uint32_t i = 0; i < meanings.size(); ++i) all.push_back(i);
        program(all);
    }

    explicit operator bool() const { return machine_ != nullptr; }
    Machine& machine() { return *machine_; }
    const Isa& isa() const { return *isa_; }

    // Code made of these lines.
    void program(const std::vector<std::uint32_t>& lines) {
        std::vector<std::uint8_t> bytes;
        for (std::uint32_t line : lines)
            for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(line >> 8 * i));
        machine_->load_code(bytes);
        machine_->set_pc(0);
    }

    // Executes one line.
    RunResult execute(std::size_t line) {
        machine_->set_pc(line);
        return machine_->step();
    }

    void set(std::string_view name, std::uint64_t value, unsigned lane = 0) {
        auto [file, number] = find(name);
        machine_->set(file, number, value, lane);
    }
    std::uint64_t get(std::string_view name, unsigned lane = 0) {
        auto [file, number] = find(name);
        return machine_->get(file, number, lane);
    }

private:
    std::pair<Index, std::uint64_t> find(std::string_view name) {
        Index file = no_index;
        std::uint64_t number = 0;
        EXPECT_TRUE(machine_->find_register(name, file, number)) << name;
        return {file, number};
    }

    std::shared_ptr<const Isa> isa_;
    std::shared_ptr<const Codec> codec_;
    std::unique_ptr<Machine> machine_;
};

// Random values with the edges well represented.
template <class Random>
std::uint64_t edgy(Random& random, unsigned bits) {
    std::uint64_t all = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    switch (random() % 8) {
        case 0: return 0;
        case 1: return all;
        case 2: return (std::uint64_t{1} << (bits - 1)) & all;
        case 3: return all >> 1;
        case 4: return (std::uint64_t{1} << random() % bits) & all;
        case 5: return random() % 4 & all;
        case 6: return random() >> random() % 64 & all;
        default: return random() & all;
    }
}

}  // namespace isaforge
