// Late results inside of a region. Which are under way at an instruction, and how far, is known when it is compiled: their
// values are variables, in as many slots. What the interpreter keeps in the core's ring is made of them behind the region.
#pragma once

#include <vector>

#include "jit/plan.hpp"
#include "jit/registers.hpp"

namespace isaforge::jit {

// At the beginning of an instruction, in the order in which they land; `delay` 0 lands at its end.
using UnderWay = std::vector<LatePut>;

// Slots at the end of an instruction.
struct AtEnd {
    std::vector<std::size_t> landing;  // in order
    std::vector<std::size_t> staying;  // as in the next instruction's
    UnderWay next;
};
AtEnd at_end(const UnderWay& before, const std::vector<LatePut>& put);

inline constexpr std::size_t most_under_way = 32;

class LateResults {
public:
    LateResults(Emission& e, Registers& registers) : e_(e), registers_(registers) {}

    // An instruction begins.
    void begin(const UnderWay& before, const std::vector<LatePut>& put);
    void put(std::size_t number, llvm::Value* bits, llvm::Value* offset, llvm::Value* mask);
    // It ends: results land, the others move on.
    void land();
    // Slots of the next address, the one that counts first.
    std::vector<std::size_t> landing_jumps() const;
    const LatePut& late(std::size_t slot) const { return lates_[slot]; }
    const UnderWay& next() const { return end_.next; }
    llvm::Value* value(std::size_t slot);
    llvm::Value* valid(std::size_t slot);
    void move_on();

    // The core's ring, with those that are under way; gives `pending`. `before` is in the beginning, `landed` behind land().
    enum class When { before, within, landed };
    llvm::Value* write_ring(llvm::Value* count, When when);

private:
    struct Slot {
        llvm::AllocaInst *value = nullptr, *offset = nullptr, *valid = nullptr;
    };
    Slot& slot(std::size_t number);
    void write_ring(std::size_t number, llvm::Value* count, llvm::AllocaInst* pending);

    Emission& e_;
    Registers& registers_;
    std::vector<Slot> slots_;
    std::vector<LatePut> lates_;  // of this instruction, by slot
    std::size_t before_ = 0;      // so many of them were under way when it began
    AtEnd end_;
};

}  // namespace isaforge::jit
