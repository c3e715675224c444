// Values of many lanes, as many as fill a few of the host's vector registers. Operations that follow each other become one loop
// over groups of lanes that fit such a register, in which values stay in registers from one operation to the next; what leaves
// a loop lies in arrays on the host's stack. What moves values between lanes sees all of them, outside of loops, and so
// does what may stop the run.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "jit/memory.hpp"

namespace isaforge::jit {

class LaneGroups {
public:
    // `emit` puts code of an operation by itself, whose operands and result are in `values`.
    using Emit = std::function<void(const ir::Instruction&)>;
    LaneGroups(Emission& e, Registers& registers, Memory& memory, const ir::Graph& graph, std::vector<Elements>& values,
               Emit emit);

    // Whether a graph has such values, all of as many lanes.
    static bool are_in(const ir::Graph& graph);

    void add(const ir::Instruction& instruction);
    // Everything that was added is done.
    void close();
    // Arguments of a block that have many lanes get what an edge gives them.
    void give(const ir::Edge& edge);
    bool is_wide(ir::Value value) const { return graph_.type(value).lanes == lanes_; }

private:
    bool is_by_lane(const ir::Instruction& instruction) const;
    bool is_whole_register(const ir::Instruction& instruction) const;
    bool waits(const ir::Instruction& instruction) const;
    bool is_lane_in_use(const ir::Instruction& instruction) const;
    bool meets_pending(const ir::Instruction& instruction) const;
    bool is_quiet() const;
    bool has_wide(const ir::Instruction& instruction) const;
    void emit_loop();
    void begin_gathering();
    void take_gathered();
    void emit_group(ir::Value mask);
    void emit_values(bool quickly);
    void emit_effects();
    bool makes_no_number_of_one(ir::Value value) const;
    template <class Function>
    void for_each_group(Function&& function);
    void emit_in_group(const ir::Instruction& instruction);
    Elements result_in_group(const ir::Instruction& instruction);
    void put_in_group(const ir::Instruction& instruction);
    void ballot_in_group(const ir::Instruction& instruction);
    const Elements& slice(ir::Value value);
    llvm::Value* mask_slice(llvm::Value* bits);
    void keep(ir::Value value, const Elements& slices);
    Elements load_whole(ir::Value value);
    void store_whole(ir::Value value, const Elements& given);
    void emit_whole(const ir::Instruction& instruction);
    void emit_access(const ir::Instruction& instruction);
    void find_used_later(const ir::Instruction* access);
    ir::Value common_mask() const;
    bool is_nothing_without(ir::Value value, ir::Value mask) const;
    llvm::AllocaInst* array(ir::Value value, unsigned element);
    llvm::Type* kept_type(ir::Type type, unsigned lanes) const;
    llvm::Value* group_place(llvm::AllocaInst* all, ir::Type type);

    Emission& e_;
    Registers& registers_;
    Memory& memory_;
    const ir::Graph& graph_;
    std::vector<Elements>& values_;
    Emit emit_;
    unsigned lanes_ = 0, width_ = 0;  // of all, of a group
    std::vector<unsigned> uses_;      // of each value
    std::vector<const ir::Instruction*> pending_, after_;
    std::set<ir::Value> late_;  // values of one lane that there are only behind the loop
    std::set<ir::Value> kept_;  // of pending_: what others use
    std::map<std::pair<ir::Value, unsigned>, llvm::AllocaInst*> arrays_;
    std::map<ir::Value, Elements> slices_;  // of the group
    llvm::Value* group_ = nullptr;          // its number
};

// How many lanes of 32 bits the host computes at once.
unsigned group_width();

}  // namespace isaforge::jit
