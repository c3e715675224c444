// A program of graphs, done in every way that there is: as they are, and as they come back from their text and through the
// passes; by the model, by the interpreter and by compiled code. All have to come to the same registers, counts and memories,
// and graphs have to verify after each pass.
#pragma once

#include "ir/passes/passes.hpp"
#include "ir/random_graph.hpp"
#include "jit/program.hpp"

namespace isaforge::jit {

using ir::Op;

// What the interpreter takes: graphs as lowering makes them, without loops, tuples, masks of single lanes and accesses to parts
// of a cell, all floats under one set of rules.
inline ir::GraphScope scope_of_engines(const Isa& isa) {
    ir::GraphScope scope;
    scope.without = {ir::Op::update, ir::Op::at};
    scope.loops = scope.tuples = scope.scalar_masks = scope.odd_accesses = false;
    scope.rules = ir::FloatMode{Rounding::nearest, false, isa.floats.flush_subnormals, isa.floats.canonical_nan};
    scope.address_bits = 13;
    scope.numbers_exist = true;  // what is read of others and not used does not fault after the passes
    return scope;
}

// Instructions of random graphs that mostly lead to each other: the entry takes nothing, addresses are those of the program.
class RandomProgram {
public:
    RandomProgram(const Isa& isa, ir::Choices choices, ir::GraphScope scope)
        : isa_(isa), random_(choices), scope_(std::move(scope)) {}

    std::vector<ir::Graph> make(std::size_t count) {
        std::vector<ir::Graph> graphs;
        for (std::size_t i = 0; i < count; ++i) {
            ir::RandomGraph made(isa_, random_, scope_);
            ir::Graph graph = made.make();
            random_ = made.choices();
            for (const ir::Value argument : graph.blocks[0].arguments) {
                graph.values[argument].is_constant = true;
                graph.values[argument].constant = random_.next() & ir::ones(graph.type(argument));
            }
            graph.blocks[0].arguments.clear();
            for (ir::Block& block : graph.blocks) rewire(graph, block, i, count);
            graphs.push_back(std::move(graph));
        }
        return graphs;
    }

private:
    void rewire(ir::Graph& graph, ir::Block& block, std::size_t at, std::size_t count) {
        for (ir::Instruction& instruction : block.body) {
            if (instruction.op == Op::put_pc) instruction.operands[0] = known(graph, at, count);
            const bool accesses = instruction.op == Op::load || instruction.op == Op::store;
            if (accesses && random_.below(16) != 0) instruction.object = 0;  // few addresses are inside of the other
        }
        if (block.end.op == Op::fault && random_.below(16) != 0)
            block.end = {.op = Op::leave, .operands = {known(graph, at, count), ir::no_value, ir::no_value}};
        if (block.end.op != Op::leave) return;
        switch (random_.below(32)) {
            case 0: return;
            case 1:
            case 2: block.end = {.op = Op::skip}; return;
            case 5:
            case 6:
            case 7:
            case 8: computed(graph, block, count); return;
            default: block.end.operands[0] = known(graph, at, count);
        }
    }
    // Mostly the next, now and then outside.
    ir::Value known(ir::Graph& graph, std::size_t at, std::size_t count) {
        const std::size_t to = random_.below(32) == 0  ? count
                               : random_.below(3) != 0 ? (at + 1) % count
                                                       : random_.below(count);
        return graph.constant(ir::Type::integer(32), 4 * to);
    }
    static void computed(ir::Graph& graph, ir::Block& block, std::size_t count) {
        ir::Value number = block.end.operands[0];
        for (const auto& [op, by] :
             {std::pair{Op::remainder_unsigned, std::uint64_t{count}}, std::pair{Op::mul, std::uint64_t{4}}}) {
            const ir::Value result = graph.new_value(ir::Type::integer(32));
            const ir::Value constant = graph.constant(ir::Type::integer(32), by);
            block.body.push_back({.op = op, .result = result, .operands = {number, constant, ir::no_value}});
            number = result;
        }
        block.end.operands[0] = number;
    }

    const Isa& isa_;
    ir::Choices random_;
    ir::GraphScope scope_;
};

class Engines {
public:
    explicit Engines(std::shared_ptr<const Isa> isa)
        : isa_(std::move(isa)), owner_(isa_, none_, ProgramMachine::Memory::bus) {}

    // What is not as it should be; empty where all is.
    std::string run(const std::vector<ir::Graph>& graphs, std::uint64_t seed) {
        if (const std::string wrong = check_forms(graphs); !wrong.empty()) return wrong;
        std::vector<ir::Graph> optimised;
        for (const ir::Graph& graph : graphs) ir::optimise(optimised.emplace_back(from_text(graph)));
        states_.clear();
        ProgramMachine expected(isa_, graphs, ProgramMachine::Memory::bus);
        fill(expected, seed);
        const bool ends = go(expected, seed);
        if (!ends) return {};
        for (const std::vector<ir::Graph>* const form : {&graphs, &std::as_const(optimised)})
            for (const Way way : {Way::model, Way::interpreter, Way::compiler}) {
                if (form == &graphs && way == Way::model) continue;
                if (const std::string wrong = compare(*form, way, seed, expected); !wrong.empty())
                    return (form == &graphs ? "as it is, " : "after the passes, ") + wrong + text_of(*form);
            }
        return {};
    }

    std::size_t compiled = 0, units = 0, instructions = 0, programs = 0;

private:
    enum class Way { model, interpreter, compiler };

    std::string text_of(const std::vector<ir::Graph>& graphs) const {
        std::string text;
        for (std::size_t i = 0; i < graphs.size(); ++i)
            text += fmt::format("at {:x}\n{}", 4 * i, ir::to_text(graphs[i], *isa_));
        return text;
    }

    std::string check_forms(const std::vector<ir::Graph>& graphs) const {
        static constexpr bool (*passes[])(ir::Graph&) = {
            ir::fold, ir::share, ir::forward_registers, ir::forward_masked, ir::drop_dead_writes, ir::drop_unused};
        for (const ir::Graph& graph : graphs) {
            if (const std::string wrong = check_form(graph); !wrong.empty()) return wrong;
            ir::Graph after = graph;
            for (const auto pass : passes) {
                pass(after);
                if (const std::string wrong = check_form(after); !wrong.empty())
                    return wrong + "before:\n" + ir::to_text(graph, *isa_);
            }
        }
        return {};
    }
    ir::Graph from_text(const ir::Graph& graph) const {
        std::string error;
        return *ir::parse(ir::to_text(graph, *isa_), *isa_, error);
    }
    std::string check_form(const ir::Graph& graph) const {
        if (const std::string wrong = owner_.problems(graph); !wrong.empty()) return wrong;
        std::string error;
        const std::string text = ir::to_text(graph, *isa_);
        const auto again = ir::parse(text, *isa_, error);
        if (!again) return error + "\n" + text;
        return owner_.problems(*again);
    }

    static void fill(ProgramMachine& machine, std::uint64_t seed) {
        Random values(seed);
        for (Index file = 0; file < machine.isa().register_files.size(); ++file) {
            const RegisterFile& registers = machine.isa().register_files[file];
            for (unsigned i = 0; i < registers.count; ++i)
                for (unsigned lane = 0; lane < registers.lanes; ++lane)
                    machine.set(file, i,
                                (values.below(3) == 0 ? values.below(100) : values.next()) & low_bits(registers.bits),
                                lane);
        }
    }

    // In stretches, from somewhere else after each fault. False where the model found no end of an instruction.
    bool go(ProgramMachine& machine, std::uint64_t seed) const {
        Random random(seed);
        machine.start(0);
        for (unsigned stretch = 0; stretch < 4; ++stretch) {
            machine.go(machine.core.count + 1 + random.below(40));
            if (machine.core.reason == StopReason::limit) return false;
            const std::uint64_t address = 4 * random.below(machine.size());
            states_.push_back(machine.state());
            if (machine.core.reason != StopReason::running) machine.start(address);
        }
        return true;
    }

    std::string compare(const std::vector<ir::Graph>& graphs, Way way, std::uint64_t seed,
                        const ProgramMachine& expected) {
        ProgramMachine machine(isa_, graphs, ProgramMachine::Memory::bus, way == Way::interpreter);
        fill(machine, seed);
        std::unique_ptr<machine::CompiledRegion> region;
        if (way == Way::compiler) region = compile(machine, graphs.size());
        const std::vector<std::string> wanted = std::move(states_);
        states_.clear();
        const bool ends = go(machine, seed);
        const std::vector<std::string> got = std::exchange(states_, wanted);
        static constexpr const char* names[] = {"by the model", "by the interpreter", "compiled"};
        const std::string name = std::string(names[static_cast<unsigned>(way)]) + ":\n";
        if (!ends) return name + "an instruction does not end\n";
        for (std::size_t i = 0; i < wanted.size(); ++i)
            if (got[i] != wanted[i]) return name + got[i] + "\nexpected\n" + wanted[i] + "\n";
        instructions += machine.core.count;
        return machine.same_memory(expected) ? "" : name + "memory differs\n";
    }

    std::unique_ptr<machine::CompiledRegion> compile(ProgramMachine& machine, std::size_t count) {
        std::vector<std::size_t> all(count);
        for (std::size_t i = 0; i < count; ++i) all[i] = i;
        auto region = owner_.compiler().compile(machine.region(all, all));
        units += count;
        if (region == nullptr) return region;
        for (std::size_t i = 0; i < count; ++i) {
            compiled += region->compiled[i] ? 1u : 0u;
            if (region->compiled[i]) machine.enter(i, region->entries[i]);
        }
        return region;
    }

    std::shared_ptr<const Isa> isa_;
    const std::vector<ir::Graph> none_;
    ProgramMachine owner_;
    mutable std::vector<std::string> states_;
};

}  // namespace isaforge::jit
