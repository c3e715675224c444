// One instruction of a region: its graph, block by block.
#pragma once

#include "jit/exits.hpp"
#include "jit/lane_groups.hpp"
#include "jit/memory.hpp"

namespace isaforge::jit {

class UnitEmitter {
public:
    struct Parts {
        Emission& e;
        Registers& registers;
        LateResults& late;
        Exits& exits;
        Memory& memory;
    };

    UnitEmitter(const Parts& parts, Nodes& nodes, const Node& node);
    // From where code is being put.
    void run();

private:
    void emit_block(ir::BlockId id);
    void emit(const ir::Instruction& instruction);
    void begin_part(std::uint64_t part);
    void leave_where_asked(std::uint64_t address);
    void emit_put(const ir::Instruction& instruction);
    void emit_late(const ir::Instruction& instruction);
    Elements result(const ir::Instruction& instruction, ir::Type type);
    Elements from_machine(const ir::Instruction& instruction, ir::Type type);
    void emit_end(const ir::Block& block);
    void give(const ir::Edge& edge);
    bool lies_in_groups(ir::Value value) const { return groups_ && groups_->is_wide(value); }
    void leave_late(std::size_t slot);
    void leave_to(std::size_t slot);
    void leave(const Ways& ways, llvm::Value* address);
    void go_on(std::uint64_t address);
    const Elements& elements(ir::Value value);
    llvm::Value* value(ir::Value value) { return elements(value)[0]; }
    llvm::Value* mask(const ir::Instruction& instruction);
    ir::Type type(ir::Value value) const { return graph_.type(value); }

    Emission& e_;
    Registers& registers_;
    LateResults& late_;
    Exits& exits_;
    Memory& memory_;
    Nodes& nodes_;
    const Node& node_;
    const Plan& plan_;
    const ir::Graph& graph_;
    std::vector<Elements> values_;
    std::vector<llvm::BasicBlock*> blocks_;
    std::unique_ptr<LaneGroups> groups_;  // where there are values of many lanes
    bool stored_ = false;                 // the part of the unit has
};

}  // namespace isaforge::jit
