// A machine made on the spot for testing meanings: one instruction for each line of meaning, whose opcode is the line's
// number. Registers and memories are declared by the test. Whatever the interpreter does compiled code has to do too.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "isaforge/machine.hpp"

namespace isaforge {

// Another machine of the description, on which each line stands in a loop of its own:
//
//     head:  jump body
//     body:  the line
//     back:  jump head
//     land:  jump land
//
// Four instructions of that are compiled code, once the loops were found to be hot. Lines that say where they are, when they
// are, or that something happens later do something else in it, and are left out.
class Twin {
public:
    static std::vector<std::string> jumps() { return {"pc = pc + 1", "pc = pc - 2", "pc = pc"}; }

    Twin(const std::shared_ptr<const Codec>& codec, MachineOptions options, const std::vector<std::string>& meanings)
        : machine_(codec, as_compiled(std::move(options))) {
        for (const std::string& meaning : meanings) fits_.push_back(is_alike(meaning));
        done_.resize(meanings.size());
        std::vector<std::uint8_t> code;
        const auto add = [&](std::size_t opcode) {
            for (int i = 0; i < 4; ++i) code.push_back(static_cast<std::uint8_t>(opcode >> 8 * i));
        };
        add(meanings.size() + 2);
        for (std::size_t i = 0; i < meanings.size(); ++i)
            for (const std::size_t opcode : {meanings.size(), i, meanings.size() + 1, meanings.size() + 2}) add(opcode);
        machine_.load_code(code);
    }
    // Whether it is to do the line too: some times.
    bool fits(std::size_t line) { return fits_[line] && done_[line]++ < most_times; }

    // Does the line in the state that the other machine is in.
    RunResult execute(std::size_t line, const Machine& before) {
        if (!warm_) warm_up();
        copy(before, machine_);
        machine_.set_pc(head(line));
        const RunResult result = machine_.run(4);
        return result;
    }
    std::string difference(Machine& other) {
        for (Index file = 0; file < machine_.isa().register_files.size(); ++file)
            for (std::uint64_t i = 0; i < machine_.isa().register_files[file].count; ++i)
                for (unsigned lane = 0; lane < machine_.isa().register_files[file].lanes; ++lane)
                    if (machine_.get(file, i, lane) != other.get(file, i, lane))
                        return machine_.register_name(file, i) + " in lane " + std::to_string(lane) + " is " +
                               std::to_string(machine_.get(file, i, lane)) + ", interpreted " +
                               std::to_string(other.get(file, i, lane));
        for (Index memory = 0; memory < machine_.isa().memories.size(); ++memory) {
            const auto ours = machine_.memory(memory), theirs = other.memory(memory);
            if (!std::equal(ours.begin(), ours.end(), theirs.begin())) return "memory differs";
        }
        return {};
    }

private:
    static MachineOptions as_compiled(MachineOptions options) {
        options.engine = Engine::compiler;
        return options;
    }
    static bool is_alike(const std::string& meaning) {
        for (const char* const word : {"pc", "after", "now(", "count(", "next()", "stop(", "fail(", "host(", "wait(",
                                       "linked", "conditional", "transaction"})
            if (meaning.find(word) != std::string::npos) return false;
        return true;
    }
    static std::uint64_t head(std::size_t line) { return 1 + 4 * line; }
    static void copy(const Machine& from, Machine& to) {
        for (Index file = 0; file < to.isa().register_files.size(); ++file)
            for (std::uint64_t i = 0; i < to.isa().register_files[file].count; ++i)
                for (unsigned lane = 0; lane < to.isa().register_files[file].lanes; ++lane)
                    to.set(file, i, from.get(file, i, lane), lane);
        for (Index memory = 0; memory < to.isa().memories.size(); ++memory) {
            const auto bytes = to.memory(memory);
            from.peek(memory, 0, bytes);
        }
    }
    // A region holds some hundred of what was run before and lies behind the place where it begins.
    void warm_up() {
        constexpr std::size_t most_lines = 100;
        warm_ = true;
        for (std::size_t first = 0, last; first < fits_.size(); first = last) {
            for (last = first; last < fits_.size() && last < first + most_lines && fits_[last]; ++last) {
                run_from(head(last), 4);
                run_from(head(last) + 2, 1);
                run_from(head(last) + 3, 1);
            }
            if (last == first) ++last;
            for (unsigned i = 0; fits_[first] && i < 10; ++i) run_from(head(first), 1000);
        }
        const EngineFigures figures = machine_.engine_figures();
        EXPECT_EQ(figures.problem, "");
        // Lines that change modes lead away from what is compiled.
        if (machine_.isa().modes.empty()) {
            EXPECT_GT(figures.instructions, 2 * std::count(fits_.begin(), fits_.end(), true))
                << "these are interpreted";
        }
    }

    void run_from(std::uint64_t address, std::uint64_t count) {
        machine_.set_pc(address);
        machine_.run(count);
    }

    static constexpr unsigned most_times = 40;

    Machine machine_;
    std::vector<bool> fits_;
    std::vector<unsigned> done_;
    bool warm_ = false;
};

class BenchMachine {
public:
    // `declarations`: registers, functions and so on; `head`: what the instruction table says behind its text; `compiled`:
    // whether a twin does the same in compiled code.
    BenchMachine(const std::string& declarations, const std::vector<std::string>& meanings,
                 const std::string& head = "", const MachineOptions& options = {.memory_bytes = 4096},
                 bool compiled = true) {
        std::string text =
            "isa bench \"Bench\"\ncode unit 32 little addressed in units\n" + declarations + "\nformat F | OP:32 |\n";
        text += "instructions F [OP] \"{name}\" " + head + " {\n";
        for (std::size_t i = 0; i < meanings.size(); ++i)
            text += "    " + std::to_string(i) + "  op" + std::to_string(i) + "  " + meanings[i] + "\n";
        text += "}\ninstructions F [OP] \"{name}\" {\n";
        for (std::size_t i = 0; i < Twin::jumps().size(); ++i)
            text += "    " + std::to_string(meanings.size() + i) + "  jump" + std::to_string(i) + "  " +
                    Twin::jumps()[i] + "\n";
        text += "}\n";
        SourceManager sources;
        Diagnostics diagnostics;
        isa_ = load_isa_text("bench.isa", text, sources, diagnostics);
        if (!isa_) {
            ADD_FAILURE() << to_text(diagnostics, sources) << text;
            return;
        }
        codec_ = std::make_shared<const Codec>(isa_);
        if (compiled) twin_ = std::make_unique<Twin>(codec_, options, meanings);
        machine_ = std::make_unique<Machine>(codec_, options);
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
        if (!twin_ || !twin_->fits(line)) return machine_->step();
        const RunResult compiled = twin_->execute(line, *machine_);
        RunResult result = machine_->step();
        if (result.reason != StopReason::running) {
            EXPECT_EQ(compiled.reason, result.reason) << "line " << line;
        } else {
            EXPECT_EQ(twin_->difference(*machine_), "") << "line " << line;
        }
        return result;
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
    std::unique_ptr<Twin> twin_;
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
