#include "jit/unit.hpp"

#include <cstddef>

namespace isaforge::jit {

using ir::Op;
using llvm::Value;
using machine::Core;

UnitEmitter::UnitEmitter(const Parts& parts, Nodes& nodes, const Node& node)
    : e_(parts.e),
      registers_(parts.registers),
      late_(parts.late),
      exits_(parts.exits),
      memory_(parts.memory),
      nodes_(nodes),
      node_(node),
      plan_(nodes.plan(node)),
      graph_(plan_.graph()),
      values_(graph_.values.size()),
      blocks_(graph_.blocks.size()) {
    if (LaneGroups::are_in(graph_))
        groups_ = std::make_unique<LaneGroups>(e_, registers_, memory_, graph_, values_,
                                               [this](const ir::Instruction& each) { emit(each); });
}

void UnitEmitter::run() {
    memory_.begin(plan_.stores());
    llvm::BasicBlock* const before = e_.b.GetInsertBlock();
    for (const ir::BlockId id : plan_.order()) {
        blocks_[id] = e_.new_block("block");
        e_.b.SetInsertPoint(blocks_[id]);
        for (const ir::Value argument : graph_.blocks[id].arguments)
            for (unsigned i = 0; !lies_in_groups(argument) && i < type(argument).count; ++i)
                values_[argument].push_back(e_.b.CreatePHI(e_.element_type(type(argument)), 2));
    }
    e_.b.SetInsertPoint(before);
    e_.b.CreateBr(blocks_[0]);
    for (const ir::BlockId id : plan_.order()) emit_block(id);
}

void UnitEmitter::emit_block(ir::BlockId id) {
    const ir::Block& block = graph_.blocks[id];
    e_.b.SetInsertPoint(blocks_[id]);
    for (std::size_t i = 0; i < plan_.compiled_part(id) && i < block.body.size(); ++i)
        groups_ ? groups_->add(block.body[i]) : emit(block.body[i]);
    if (groups_) groups_->close();
    plan_.hands_over(id) ? exits_.to_interpreter() : emit_end(block);
}

const Elements& UnitEmitter::elements(ir::Value value) {
    Elements& made = values_[value];
    if (const auto known = graph_.known(value); known && made.empty())
        made.assign(type(value).count, e_.constant(type(value), *known));
    return made;
}

Value* UnitEmitter::mask(const ir::Instruction& instruction) {
    return instruction.mask == ir::no_value ? nullptr : value(instruction.mask);
}

// ---------------------------------------------------------------------------------------------------------------------
// Operations

void UnitEmitter::emit(const ir::Instruction& instruction) {
    if (ir::is_indexed(instruction.op))
        exits_.expect_register(value(instruction.operands[0]), e_.target.isa->register_files[instruction.object].count);
    if (instruction.delay != 0) return emit_late(instruction);
    switch (instruction.op) {
        case Op::put:
        case Op::put_at: return emit_put(instruction);
        case Op::store:
            return memory_.store(instruction, type(instruction.operands[1]), value(instruction.operands[0]),
                                 value(instruction.operands[1]), mask(instruction));
        case Op::at: return instruction.first != 0 ? begin_part(instruction.number) : void();  // else it is for checks
        case Op::count_cycles: return exits_.count_cycles(value(instruction.operands[0]));
        default: values_[instruction.result] = result(instruction, type(instruction.result));
    }
}

// Where a part before has stored, the run may have to stop here.
void UnitEmitter::begin_part(std::uint64_t part) {
    if (plan_.unit().parts.empty()) return;
    exits_.begin_part(part - 1);
    if (plan_.stores()) leave_where_asked(exits_.part_address(part));
    exits_.begin_part(part);
}

void UnitEmitter::leave_where_asked(std::uint64_t address) {
    llvm::BasicBlock *const stops = e_.new_block("stops"), *const on = e_.new_block("on");
    e_.b.CreateCondBr(memory_.wants_attention(), stops, on);
    e_.b.SetInsertPoint(stops);
    exits_.end_at(address);
    e_.b.SetInsertPoint(on);
}

void UnitEmitter::emit_put(const ir::Instruction& instruction) {
    const ir::Value given = instruction.inputs().back();
    if (instruction.op == Op::put) return registers_.put(instruction, type(given), elements(given), mask(instruction));
    registers_.put_at(instruction, type(given), value(instruction.operands[0]), elements(given), mask(instruction));
}

void UnitEmitter::emit_late(const ir::Instruction& instruction) {
    Value* const offset = instruction.op == Op::put_at
                              ? registers_.offset_at(instruction.object, value(instruction.operands[0]))
                              : nullptr;
    late_.put(plan_.late_number(instruction), value(instruction.inputs().back()), offset, mask(instruction));
}

Elements UnitEmitter::result(const ir::Instruction& instruction, ir::Type type_of_result) {
    switch (instruction.op) {
        case Op::get: return registers_.get(instruction, type_of_result);
        case Op::get_at: return registers_.get_at(instruction, type_of_result, value(instruction.operands[0]));
        case Op::load:
            return memory_.load(instruction, type_of_result, value(instruction.operands[0]), mask(instruction));
        case Op::update:
            return memory_.update(instruction, type_of_result,
                                  {value(instruction.operands[0]), value(instruction.operands[1]),
                                   value(instruction.operands[2]), mask(instruction)},
                                  *graph_.functions[instruction.number]);
        default: break;
    }
    if (ir::about(instruction.op).family == ir::Family::machine) return from_machine(instruction, type_of_result);
    llvm::SmallVector<Elements, 3> operands;
    for (const ir::Value operand : instruction.inputs()) operands.push_back(elements(operand));
    const ir::Type operand = operands.empty() ? type_of_result : type(instruction.operands[0]);
    return emit_pure(e_, instruction, operand, type_of_result, operands);
}

// What the core knows.
Elements UnitEmitter::from_machine(const ir::Instruction& instruction, ir::Type type_of_result) {
    const auto field = [&](std::size_t offset, llvm::Type* wide) {
        return e_.b.CreateLoad(wide, exits_.core_field(offset));
    };
    Value* made = nullptr;
    switch (instruction.op) {
        case Op::hart_number: made = field(offsetof(Core, hart), e_.b.getInt32Ty()); break;
        case Op::hart_count: made = field(offsetof(Core, harts), e_.b.getInt32Ty()); break;
        case Op::group_number: made = field(offsetof(Core, group), e_.b.getInt32Ty()); break;
        case Op::group_count: made = field(offsetof(Core, groups), e_.b.getInt32Ty()); break;
        case Op::event_value:
            made = field(offsetof(Core, event_values) + 8 * instruction.number, e_.b.getInt64Ty());
            break;
        default: {  // executed
            const auto counter = static_cast<ir::Counter>(instruction.number);
            made = counter == ir::Counter::instructions ? exits_.count() : exits_.noted(counter);
        }
    }
    return {e_.b.CreateZExtOrTrunc(made, e_.element_type(type_of_result))};
}

// ---------------------------------------------------------------------------------------------------------------------
// Ends

void UnitEmitter::give(const ir::Edge& edge) {
    if (groups_) groups_->give(edge);
    const auto& arguments = graph_.blocks[edge.block].arguments;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (lies_in_groups(arguments[i])) continue;
        const Elements given = elements(edge.values[i]);
        for (std::size_t k = 0; k < given.size(); ++k)
            llvm::cast<llvm::PHINode>(values_[arguments[i]][k])->addIncoming(given[k], e_.b.GetInsertBlock());
    }
}

void UnitEmitter::emit_end(const ir::Block& block) {
    switch (block.end.op) {
        case Op::jump:
            give(block.edges[0]);
            e_.b.CreateBr(blocks_[block.edges[0].block]);
            return;
        case Op::branch: {
            // By a block between them, for both may lead to the same one with other values.
            llvm::BasicBlock* const second = e_.new_block("else");
            give(block.edges[0]);
            e_.b.CreateCondBr(value(block.end.operands[0]), blocks_[block.edges[0].block], second);
            e_.b.SetInsertPoint(second);
            give(block.edges[1]);
            e_.b.CreateBr(blocks_[block.edges[1].block]);
            return;
        }
        case Op::fault: return exits_.raise(static_cast<StopReason>(block.end.number));
        default: break;
    }
    late_.land();
    exits_.end_parts();
    Ways ways;
    Value* address = nullptr;
    if (block.end.op == Op::skip) {
        ways.add(plan_.unit().next_address);
    } else {
        ways = plan_.ways_of(block.end.operands[0]);
        address = value(block.end.operands[0]);
    }
    for (const std::size_t jump : late_.landing_jumps()) {
        if (late_.late(jump).always) return leave_to(jump);
        leave_late(jump);
    }
    leave(ways, address);
}

// Where a late result is the next address.
void UnitEmitter::leave_late(std::size_t slot) {
    llvm::BasicBlock *const jumps = e_.new_block("jump"), *const on = e_.new_block("on");
    e_.b.CreateCondBr(late_.valid(slot), jumps, on);
    e_.b.SetInsertPoint(jumps);
    leave_to(slot);
    e_.b.SetInsertPoint(on);
}

void UnitEmitter::leave_to(std::size_t slot) {
    Ways ways;
    if (late_.late(slot).target) {
        ways.add(*late_.late(slot).target);
    } else {
        ways.open = true;
        for (const std::uint64_t target : plan_.unit().targets) ways.add(target);
    }
    leave(ways, late_.value(slot));
}

// To those addresses that are known to be possible, one after the other; to any other the slow way.
void UnitEmitter::leave(const Ways& ways, Value* address) {
    if (ways.known.size() == 1 && !ways.open) return go_on(ways.known[0]);
    for (const std::uint64_t known : ways.known) {
        if (!llvm::isUIntN(address->getType()->getIntegerBitWidth(), known)) continue;
        llvm::BasicBlock *const here = e_.new_block("target"), *const other = e_.new_block("other");
        e_.b.CreateCondBr(e_.b.CreateICmpEQ(address, llvm::ConstantInt::get(address->getType(), known)), here, other);
        e_.b.SetInsertPoint(here);
        go_on(known);
        e_.b.SetInsertPoint(other);
    }
    if (ways.open) return exits_.end_computed(address);
    e_.b.CreateUnreachable();
}

void UnitEmitter::go_on(std::uint64_t address) {
    const auto next =
        std::find_if(node_.next.begin(), node_.next.end(), [&](const auto& each) { return each.first == address; });
    if (next == node_.next.end()) return exits_.end_at(address);
    if (plan_.stores()) leave_where_asked(address);
    exits_.count_more(1);
    const Node& to = nodes_.all()[next->second];
    late_.move_on(to.under_way);
    e_.b.CreateBr(to.block);
}

}  // namespace isaforge::jit
