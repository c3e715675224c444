// Loads and stores. For each memory one stretch of addresses for loads and one for stores is kept at hand, on the host's stack
// because its registers are needed, and accessed at once; for other addresses the machine is called, which accesses them and
// says what stretch is around.
#pragma once

#include <map>
#include <tuple>

#include "jit/exits.hpp"

namespace isaforge::jit {

class Memory {
public:
    Memory(Emission& e, Exits& exits, std::deque<machine::AccessSite>& accesses)
        : e_(e), exits_(exits), accesses_(accesses) {}

    void make_variables(const std::vector<Plan>& plans);
    // Nothing is at hand any more.
    void forget();
    // Where the run may have to stop with this instruction because of what it stores.
    void begin(bool stores);
    llvm::Value* wants_attention();

    Elements load(const ir::Instruction& instruction, ir::Type type, llvm::Value* address, llvm::Value* mask);
    void store(const ir::Instruction& instruction, ir::Type type, llvm::Value* address, llvm::Value* value,
               llvm::Value* mask);
    // Of some of the lanes, which fit a register of the host.
    Elements load_group(const ir::Instruction& instruction, ir::Type type, llvm::Value* address, llvm::Value* mask);
    void store_group(const ir::Instruction& instruction, ir::Type type, llvm::Value* address, llvm::Value* value,
                     llvm::Value* mask);
    struct Updated {
        llvm::Value *address, *first, *second, *mask;
    };
    Elements update(const ir::Instruction& instruction, ir::Type type, const Updated& of, const ir::Graph& function);

private:
    struct Way {
        llvm::Value* bytes = nullptr;  // in the host's memory
        llvm::BasicBlock* slow = nullptr;
    };

    llvm::Value* load_lane(llvm::Value* address, unsigned bits);
    void store_lane(llvm::Value* address, llvm::Value* value, unsigned bits);
    Way way(llvm::Value* address, unsigned bytes, ir::Op op);
    // Gives what the function gives, which is not 0.
    llvm::Value* access_slowly(llvm::Value* function, llvm::Value* address, unsigned bytes, llvm::Value* raw,
                               ir::Op op);
    llvm::Value* stretch_field(ir::Op op, unsigned bytes, std::size_t offset);
    llvm::Value* in_order(llvm::Value* value);
    llvm::Value* update_lane(llvm::Value* address, llvm::Value* first, llvm::Value* second, unsigned bits,
                             const ir::Graph& function);
    llvm::Value* exchange(llvm::Value* bytes, llvm::Value* first, llvm::Value* second, unsigned bits,
                          const ir::Graph& function);
    llvm::Value* updated(llvm::Value* raw, llvm::Value* first, llvm::Value* second, const ir::Graph& function);
    void note_attention();
    llvm::AllocaInst* array(llvm::Value* all);
    struct LaneArrays;
    LaneArrays lane_arrays(ir::Type type, llvm::Value* addresses, llvm::Value* values, llvm::Value* mask);
    template <class Function>
    void for_each_lane(unsigned lanes, const LaneArrays& arrays, Function&& emit);
    llvm::Value* lie_together(ir::Type type, llvm::Value* addresses, ir::Op op, llvm::Value*& bytes);
    struct GroupPlace {
        llvm::Value *bytes = nullptr, *first = nullptr;    // in the host's memory: of each lane, and of the first
        llvm::Value *apart = nullptr, *several = nullptr;  // whether they do not lie side by side; not all in one place
    };
    struct Elsewhere;
    void leave_if_none_acts(llvm::Type* loaded);
    void take_stretch(ir::Type type, ir::Op op, llvm::BasicBlock* unknown);
    GroupPlace group_place(ir::Type type, ir::Op op, llvm::BasicBlock* apart);
    llvm::Value* access_group(ir::Type type, ir::Op op, llvm::AllocaInst* values);
    void emit_group_load(ir::Type type);
    void emit_group_store(ir::Type type);
    llvm::Function* group_function(ir::Type type, ir::Op op);
    void call_group(llvm::Function* function, ir::Type type, llvm::Value* address, llvm::Value* mask,
                    llvm::Value* given);
    llvm::Value* lanes_in(ir::Type type, llvm::Value* mask);
    llvm::Value* load_lanes(ir::Type type, llvm::Value* addresses, llvm::Value* mask);
    bool can_store_some(ir::Type type) const;
    void store_some(ir::Type type, llvm::Value* bytes, llvm::Value* value, llvm::Value* mask);
    void store_lanes(ir::Type type, llvm::Value* addresses, llvm::Value* value, llvm::Value* mask);
    template <class Function>
    llvm::Value* where(llvm::Value* mask, llvm::Type* type, Function&& emit);
    unsigned unit_shift() const;
    llvm::MDNode* rarely();

    Emission& e_;
    Exits& exits_;
    std::deque<machine::AccessSite>& accesses_;
    llvm::AllocaInst *raw_ = nullptr, *attention_ = nullptr;
    llvm::Value* at_hand_ = nullptr;
    std::map<std::tuple<Index, ir::Op, unsigned>, llvm::Function*> group_functions_;
    std::map<unsigned, llvm::AllocaInst*> loaded_;  // what such a function has loaded, by its size
    std::map<std::tuple<Index, ir::Op, unsigned>, std::uint32_t> stretches_;  // numbers, by memory, kind and bytes
    Index memory_ = 0;
};

}  // namespace isaforge::jit
