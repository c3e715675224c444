// What is known of an instruction before code is made of it: where it may go, what it writes, and where the interpreter has
// to take over because it does something that is not compiled.
#pragma once

#include <llvm/ADT/SmallVector.h>

#include <optional>
#include <vector>

#include "ir/graph.hpp"
#include "jit/registers.hpp"
#include "machine/compiler.hpp"

namespace isaforge::jit {

// A result that lands later.
struct LatePut {
    enum class Kind : std::uint8_t { cell, at, pc } kind = Kind::cell;
    unsigned delay = 0;
    Index file = no_index;
    unsigned cell = 0;
    std::uint64_t origin = 0;             // address of the instruction
    bool always = false;                  // on every way through the instruction
    std::optional<std::uint64_t> target;  // pc: if it is known

    bool operator==(const LatePut&) const = default;
};

// The values that an address may have: those known, and perhaps others.
struct Ways {
    llvm::SmallVector<std::uint64_t, 2> known;
    bool open = false;
    void add(std::uint64_t address) {
        if (std::find(known.begin(), known.end(), address) == known.end()) known.push_back(address);
    }
};

class Plan {
public:
    Plan(const machine::Unit& unit, const machine::CompilerTarget& target);

    const machine::Unit& unit() const { return unit_; }
    const ir::Graph& graph() const { return *unit_.graph; }
    bool is_compiled() const { return compiled_; }
    // Whether the interpreter does all of it, called from code. Not where code would not go on: what always ends the run.
    bool is_called() const { return !compiled_ && !stops(); }
    // Blocks of which there is code, each behind those that dominate it.
    const std::vector<ir::BlockId>& order() const { return order_; }
    // How much of a block is compiled; where that is not all, the interpreter does the instruction from its beginning.
    std::size_t compiled_part(ir::BlockId block) const { return parts_[block]; }
    bool hands_over(ir::BlockId block) const { return parts_[block] <= graph().blocks[block].body.size(); }
    bool hands_over() const;

    Ways ways_of(ir::Value address) const;
    const Ways& ways() const { return ways_; }  // of all its ends

    void add_registers(Registers& registers) const;
    // To be called when all registers are known.
    void note_registers(const Registers& registers);
    const RegisterSet& written() const { return written_; }
    const std::vector<LatePut>& late() const { return late_; }
    // Which of late() an instruction is.
    std::size_t late_number(const ir::Instruction& instruction) const;
    unsigned writes_to(Index file) const;  // at most
    bool stores() const { return stores_; }

private:
    bool stops() const;
    bool is_supported(const ir::Instruction& instruction) const;
    bool is_supported_access(const ir::Instruction& instruction) const;
    bool is_supported_register(const ir::Instruction& instruction) const;
    void find_parts();
    void find_ways();
    void find_all_ways();
    void collect(ir::Value address, Ways& ways, unsigned depth) const;
    bool may_act_before_handover() const;
    bool puts_late_in_loops() const;
    template <class Function>
    void for_each(Function&& function) const {
        for (const ir::BlockId id : order_)
            for (std::size_t i = 0; i < parts_[id] && i < graph().blocks[id].body.size(); ++i)
                function(id, graph().blocks[id].body[i]);
    }

    const machine::Unit& unit_;
    const machine::CompilerTarget& target_;
    bool compiled_ = false, stores_ = false;
    std::vector<ir::BlockId> order_;
    std::vector<std::size_t> parts_;
    Ways ways_;
    RegisterSet written_;
    std::vector<LatePut> late_;
    std::vector<const ir::Instruction*> late_instructions_;
};

}  // namespace isaforge::jit
