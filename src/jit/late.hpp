// Late results inside of a region. Which may be under way at an instruction, and how far, is known when it is compiled: their
// values are variables, and so is whether they are, where instructions are come to in several ways. What the interpreter keeps
// in the core's ring is made of them behind the region.
#pragma once

#include <deque>
#include <map>
#include <tuple>
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

// Adds what comes in another way: each way has some of the result, in its order. False where nothing changed.
bool merge(UnderWay& into, const UnderWay& from);
// Of each of the second, which of the first it is, or `none`.
inline constexpr std::size_t none = ~std::size_t{0};
std::vector<std::size_t> find_in(const UnderWay& way, const UnderWay& all);

inline constexpr std::size_t most_under_way = 32;

class LateResults {
public:
    LateResults(Emission& e, Registers& registers, std::deque<machine::LateShape>& shapes)
        : e_(e), registers_(registers), shapes_(shapes) {}

    // For so many that may be under way at a time.
    void make_variables(std::size_t most);
    // An instruction begins.
    void begin(const UnderWay& before, const std::vector<LatePut>& put);
    // What is under way where a region is entered becomes that of the instruction that began; gives whether it could.
    llvm::Value* take(llvm::Value* count, llvm::Value* pending);
    // How many results land in the file at the end of the instruction that began.
    llvm::Value* landing_in(Index file);
    void put(std::size_t number, llvm::Value* bits, llvm::Value* offset, llvm::Value* mask);
    // It ends: results land, the others move on.
    void land();
    // Slots of the next address, the one that counts first.
    std::vector<std::size_t> landing_jumps() const;
    const LatePut& late(std::size_t slot) const { return lates_[slot]; }
    llvm::Value* value(std::size_t slot);
    llvm::Value* valid(std::size_t slot);
    // To an instruction at which these may be under way.
    void move_on(const UnderWay& to);

    // The core's ring, with those that are under way; gives `pending`. `before` is in the beginning, `landed` behind land().
    enum class When { before, within, landed };
    llvm::Value* write_ring(llvm::Value* count, When when);

private:
    struct Slot {
        llvm::AllocaInst *value = nullptr, *offset = nullptr, *origin = nullptr, *valid = nullptr;
    };
    // Where it lands, and how many land there before: it need not move from instruction to instruction.
    using Place = std::tuple<LatePut::Kind, Index, unsigned, std::size_t>;
    static constexpr std::size_t fresh = 1000;  // added for those of this instruction
    Slot& slot(const Place& place);
    std::vector<Slot> slots_of(const UnderWay& under_way);
    llvm::Value* field(std::size_t number, std::size_t offset);
    const machine::LateShape& shape_of(const std::vector<std::size_t>& numbers);

    Emission& e_;
    Registers& registers_;
    std::deque<machine::LateShape>& shapes_;
    std::map<Place, Slot> variables_;
    llvm::AllocaInst* outside_ = nullptr;  // as the machine takes and gives them
    std::vector<Slot> slots_;              // of this instruction
    std::vector<LatePut> lates_;           // likewise
    std::size_t before_ = 0;               // so many of them were under way when it began
    AtEnd end_;
};

}  // namespace isaforge::jit
