#include "jit/lane_groups.hpp"

#include <llvm/TargetParser/Host.h>

#include <algorithm>

namespace isaforge::jit {

using ir::Instruction;
using ir::Op;
using llvm::Value;

unsigned group_width() {
    static const bool wide = llvm::sys::getHostCPUFeatures().lookup("avx512f");
    return wide ? 16 : 8;
}

namespace {

// The lanes of all values that have more than one; 0 where they differ, or are few, or odd.
unsigned lanes_of(const ir::Graph& graph) {
    unsigned lanes = 0;
    for (const ir::Definition& value : graph.values) {
        const unsigned found = value.type.lanes;
        if (found <= 1) continue;
        if (lanes != 0 && lanes != found) return 0;
        lanes = found;
    }
    return lanes > most_lanes_at_once && lanes <= 64 && lanes % group_width() == 0 ? lanes : 0;
}

}  // namespace

bool LaneGroups::are_in(const ir::Graph& graph) { return lanes_of(graph) != 0; }

LaneGroups::LaneGroups(Emission& e, Registers& registers, Memory& memory, const ir::Graph& graph,
                       std::vector<Elements>& values, Emit emit)
    : e_(e),
      registers_(registers),
      memory_(memory),
      graph_(graph),
      values_(values),
      emit_(std::move(emit)),
      lanes_(lanes_of(graph)),
      width_(group_width()),
      uses_(graph.values.size()) {
    for (const ir::Block& block : graph.blocks) {
        for (const Instruction& each : block.body) ir::for_each_input(each, [&](ir::Value value) { ++uses_[value]; });
        for (const ir::Edge& edge : block.edges)
            for (const ir::Value value : edge.values) ++uses_[value];
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// What is done when

bool LaneGroups::has_wide(const Instruction& instruction) const {
    bool found = instruction.result != ir::no_value && is_wide(instruction.result);
    ir::for_each_input(instruction, [&](ir::Value value) { found = found || is_wide(value); });
    return found;
}

bool LaneGroups::is_whole_register(const Instruction& instruction) const {
    const RegisterFile& file = e_.target.isa->register_files[instruction.object];
    const ir::Value value = instruction.op == Op::get ? instruction.result : instruction.operands[0];
    const ir::Type type = graph_.type(value);
    return file.lanes == lanes_ && instruction.first == 0 && type.bits == file.bits && type.lanes == lanes_;
}

// Whether each lane of the result comes of the same lane of the operands.
bool LaneGroups::is_by_lane(const Instruction& instruction) const {
    switch (instruction.op) {
        case Op::get:
        case Op::put: return is_whole_register(instruction);
        case Op::splat:
        case Op::lane_number:
        case Op::spread:
        case Op::ballot:
        case Op::join:
        case Op::item:
        case Op::truncate:
        case Op::zero_extend:
        case Op::sign_extend:
        case Op::from_truth: return true;
        case Op::cast: {
            const ir::Type from = graph_.type(instruction.operands[0]), to = graph_.type(instruction.result);
            return from.bits == to.bits && from.lanes == to.lanes && from.count == to.count;
        }
        default: return ir::is_computed(instruction.op);
    }
}

bool LaneGroups::waits(const Instruction& instruction) const {
    bool found = false;
    ir::for_each_input(instruction, [&](ir::Value value) { found = found || late_.contains(value); });
    return found;
}

// Whether it is about a lane of a register that a loop has yet to write, or to read before that is written.
bool LaneGroups::is_lane_in_use(const Instruction& instruction) const {
    if (instruction.op != Op::put && instruction.op != Op::get) return false;
    if (e_.target.isa->register_files[instruction.object].lanes == 1) return false;
    return !after_.empty() || meets_pending(instruction);
}

// Whether what waits for a loop writes registers that this get or put names, or reads what it writes.
bool LaneGroups::meets_pending(const Instruction& instruction) const {
    const bool writes = instruction.op == Op::put;
    const auto end_of = [&](const Instruction& each) {
        return each.number + graph_.type(each.op == Op::put ? each.operands[0] : each.result).count;
    };
    return std::any_of(pending_.begin(), pending_.end(), [&](const Instruction* each) {
        return (each->op == Op::put || (each->op == Op::get && writes)) && each->object == instruction.object &&
               each->number < end_of(instruction) && instruction.number < end_of(*each);
    });
}

void LaneGroups::add(const Instruction& instruction) {
    if (!has_wide(instruction)) {
        const ir::Effect effect = ir::about(instruction.op).effect;
        if (effect == ir::Effect::acts || ir::is_indexed(instruction.op) || is_lane_in_use(instruction)) close();
        // Registers of one lane are read and written in their order.
        const bool in_order = !after_.empty() && effect != ir::Effect::pure;
        if (!waits(instruction) && !in_order) return emit_(instruction);
        after_.push_back(&instruction);
        if (instruction.result != ir::no_value) late_.insert(instruction.result);
        return;
    }
    if (is_by_lane(instruction)) {
        if ((instruction.op == Op::get && meets_pending(instruction)) || waits(instruction)) close();
        pending_.push_back(&instruction);
        if (instruction.op == Op::ballot) late_.insert(instruction.result);
        return;
    }
    const bool in_groups = (instruction.op == Op::load && graph_.type(instruction.result).count == 1) ||
                           (instruction.op == Op::store && graph_.type(instruction.operands[1]).count == 1);
    if (!in_groups || !is_quiet() || waits(instruction)) close();
    in_groups ? emit_access(instruction) : emit_whole(instruction);
}

// Whether what was added may be done next to an access that may be refused: nobody would see it.
bool LaneGroups::is_quiet() const {
    return after_.empty() &&
           std::none_of(pending_.begin(), pending_.end(), [](const Instruction* each) { return each->op == Op::put; });
}

void LaneGroups::close() {
    if (!pending_.empty()) emit_loop();
    pending_.clear();
    late_.clear();
    std::vector<const Instruction*> after;
    after.swap(after_);
    for (const Instruction* const each : after) emit_(*each);
}

// ---------------------------------------------------------------------------------------------------------------------
// A loop

template <class Function>
void LaneGroups::for_each_group(Function&& function) {
    llvm::IRBuilder<>& b = e_.b;
    llvm::BasicBlock *const before = b.GetInsertBlock(), *const begin = e_.new_block("group"),
                            *const done = e_.new_block("groups"), *const next = e_.new_block("next_group");
    b.CreateBr(begin);
    b.SetInsertPoint(begin);
    llvm::PHINode* const group = b.CreatePHI(b.getInt64Ty(), 2);
    group->addIncoming(b.getInt64(0), before);
    group_ = group;
    slices_.clear();
    function(next);
    b.CreateBr(next);
    b.SetInsertPoint(next);
    Value* const then = b.CreateAdd(group, b.getInt64(1));
    group->addIncoming(then, next);
    b.CreateCondBr(b.CreateICmpULT(then, b.getInt64(lanes_ / width_)), begin, done);
    b.SetInsertPoint(done);
    slices_.clear();
    group_ = nullptr;
}

// Values that somebody uses who is not in the loop, where the access is, if there is one.
void LaneGroups::find_used_later(const Instruction* access) {
    std::map<ir::Value, unsigned> used;
    const auto count = [&](const Instruction& each) {
        ir::for_each_input(each, [&](ir::Value value) { ++used[value]; });
    };
    for (const Instruction* const each : pending_) count(*each);
    if (access != nullptr) count(*access);
    kept_.clear();
    for (const Instruction* const each : pending_)
        if (each->result != ir::no_value && is_wide(each->result) && used[each->result] != uses_[each->result])
            kept_.insert(each->result);
}

// Whether lanes that are not in the mask are false.
bool LaneGroups::is_nothing_without(ir::Value value, ir::Value mask) const {
    if (value == mask) return true;
    for (const Instruction* const each : pending_) {
        if (each->result != value) continue;
        const bool both = each->op == Op::bit_and && (each->operands[0] == mask || each->operands[1] == mask);
        const bool chosen =
            each->op == Op::select && each->operands[0] == mask && graph_.is_known(each->operands[2], 0);
        return both || chosen;
    }
    return false;
}

// The mask without which nothing of the loop is seen; no_value where there is none.
ir::Value LaneGroups::common_mask() const {
    ir::Value mask = ir::no_value;
    for (const Instruction* const each : pending_)
        if (each->op == Op::put) {
            if (each->mask == ir::no_value || (mask != ir::no_value && mask != each->mask)) return ir::no_value;
            mask = each->mask;
        }
    if (mask == ir::no_value || !kept_.empty()) return ir::no_value;
    for (const Instruction* const each : pending_)
        if (each->op == Op::ballot && !is_nothing_without(each->operands[0], mask)) return ir::no_value;
    return mask;
}

void LaneGroups::emit_loop() {
    llvm::IRBuilder<>& b = e_.b;
    find_used_later(nullptr);
    begin_gathering();
    const ir::Value mask = common_mask();
    const auto spread = std::find_if(pending_.begin(), pending_.end(), [&](const Instruction* each) {
        return mask != ir::no_value && each->result == mask && each->op == Op::spread;
    });
    for_each_group([&](llvm::BasicBlock* next) {
        if (spread != pending_.end()) {  // lanes none of which act
            emit_in_group(**spread);
            llvm::BasicBlock* const acts = e_.new_block("acts");
            Value* const bits = b.CreateBitCast(slices_[mask][0], b.getIntNTy(width_));
            b.CreateCondBr(b.CreateICmpEQ(bits, b.getIntN(width_, 0)), next, acts);
            b.SetInsertPoint(acts);
        }
        emit_group(mask);
    });
    take_gathered();
}

// Bits of masks, of which each group has some.
void LaneGroups::begin_gathering() {
    llvm::IRBuilder<>& b = e_.b;
    for (const Instruction* const each : pending_)
        if (each->op == Op::ballot) b.CreateStore(b.getIntN(lanes_, 0), array(each->result, 0));
    for (const ir::Value value : kept_)
        if (graph_.type(value).is_mask()) b.CreateStore(b.getIntN(lanes_, 0), array(value, 0));
}

void LaneGroups::take_gathered() {
    for (const Instruction* const each : pending_)
        if (each->op == Op::ballot)
            values_[each->result] = {e_.b.CreateLoad(e_.b.getIntNTy(lanes_), array(each->result, 0))};
}

// Numbers are computed without a look at what becomes of those that are none; where there was one, all is done again, with
// all the care that they take. Nothing is changed before that is known.
void LaneGroups::emit_group(ir::Value mask) {
    llvm::IRBuilder<>& b = e_.b;
    const std::map<ir::Value, Elements> before = slices_;
    llvm::SmallVector<Value*> no_numbers;
    e_.no_numbers = &no_numbers;
    emit_values(true);
    e_.no_numbers = nullptr;
    if (no_numbers.empty()) return emit_effects();
    Value* any = no_numbers[0];
    for (Value* const each : llvm::ArrayRef(no_numbers).drop_front()) any = b.CreateOr(any, each);
    if (mask != ir::no_value) any = b.CreateAnd(any, slice(mask)[0]);
    llvm::BasicBlock *const quick = e_.new_block("numbers"), *const again = e_.new_block("no_numbers"),
                            *const on = e_.new_block("computed");
    b.CreateCondBr(b.CreateOrReduce(any), again, quick, rarely(e_.context));
    b.SetInsertPoint(quick);
    emit_effects();
    b.CreateBr(on);
    b.SetInsertPoint(again);
    slices_ = before;
    emit_values(false);
    emit_effects();
    b.CreateBr(on);
    b.SetInsertPoint(on);
}

void LaneGroups::emit_values(bool quickly) {
    for (const Instruction* const each : pending_) {
        if (each->op == Op::put || each->op == Op::ballot || slices_.contains(each->result)) continue;
        e_.is_noted_later = quickly && makes_no_number_of_one(each->result);
        emit_in_group(*each);
    }
    e_.is_noted_later = false;
}

// Whether something else in the loop is no number where the value is none.
bool LaneGroups::makes_no_number_of_one(ir::Value value) const {
    return std::any_of(pending_.begin(), pending_.end(), [&](const Instruction* each) {
        switch (each->op) {
            case Op::fadd:
            case Op::fsub:
            case Op::fmul:
            case Op::fdiv:
            case Op::fma:
            case Op::fsqrt:
            case Op::float_widen:
            case Op::float_narrow: {
                const auto inputs = each->inputs();
                const bool half = graph_.type(each->result).bits == 16 || graph_.type(value).bits == 16;
                return !half && each->mode.rounding == Rounding::nearest && each->mode.raised_by == 0 &&
                       std::find(inputs.begin(), inputs.end(), value) != inputs.end();
            }
            default: return false;
        }
    });
}

void LaneGroups::emit_effects() {
    for (const Instruction* const each : pending_) {
        if (each->op == Op::put)
            put_in_group(*each);
        else if (each->op == Op::ballot)
            ballot_in_group(*each);
        else if (kept_.contains(each->result))
            keep(each->result, Elements(slices_[each->result]));
    }
}

void LaneGroups::emit_in_group(const Instruction& instruction) {
    slices_[instruction.result] = result_in_group(instruction);
}

Elements LaneGroups::result_in_group(const Instruction& instruction) {
    llvm::IRBuilder<>& b = e_.b;
    const ir::Type type = graph_.type(instruction.result).with_lanes(width_);
    if (instruction.op == Op::get) {
        Elements made;
        for (unsigned i = 0; i < type.count; ++i)
            made.push_back(registers_.get_lanes(instruction.object, instruction.number + i,
                                                b.CreateMul(group_, b.getInt64(width_)), type));
        return made;
    }
    if (instruction.op == Op::spread) return {mask_slice(slice(instruction.operands[0])[0])};
    llvm::SmallVector<Elements, 3> operands;
    for (const ir::Value operand : instruction.inputs()) operands.push_back(slice(operand));
    ir::Type operand = operands.empty() ? type : graph_.type(instruction.operands[0]);
    if (operand.lanes == lanes_) operand = operand.with_lanes(width_);
    Elements made = emit_pure(e_, instruction, operand, type, operands);
    if (instruction.op == Op::lane_number) {
        Value* const first = b.CreateIntCast(b.CreateMul(group_, b.getInt64(width_)), b.getIntNTy(type.bits), false);
        made[0] = b.CreateAdd(made[0], b.CreateVectorSplat(width_, first));
    }
    return made;
}

void LaneGroups::put_in_group(const Instruction& instruction) {
    const ir::Type type = graph_.type(instruction.operands[0]).with_lanes(width_);
    const Elements given = slice(instruction.operands[0]);
    Value* const mask = instruction.mask == ir::no_value ? nullptr : slice(instruction.mask)[0];
    Value* const first = e_.b.CreateMul(group_, e_.b.getInt64(width_));
    for (unsigned i = 0; i < type.count; ++i)
        registers_.put_lanes(instruction.object, instruction.number + i, first, type, given[i], mask);
}

// Bits of a mask, in their place among those of all lanes.
void LaneGroups::ballot_in_group(const Instruction& instruction) {
    slices_[instruction.result] = slice(instruction.operands[0]);
    keep(instruction.result, slices_[instruction.result]);
}

Value* LaneGroups::mask_slice(Value* bits) {
    llvm::IRBuilder<>& b = e_.b;
    Value* const shift = b.CreateIntCast(b.CreateMul(group_, b.getInt64(width_)), bits->getType(), false);
    return b.CreateBitCast(b.CreateTrunc(b.CreateLShr(bits, shift), b.getIntNTy(width_)),
                           llvm::FixedVectorType::get(b.getInt1Ty(), width_));
}

const Elements& LaneGroups::slice(ir::Value value) {
    if (!is_wide(value)) {
        if (const auto known = graph_.known(value); known && values_[value].empty())
            values_[value].assign(graph_.type(value).count, e_.constant(graph_.type(value), *known));
        return values_[value];
    }
    Elements& made = slices_[value];
    if (!made.empty()) return made;
    const ir::Type type = graph_.type(value).with_lanes(width_);
    if (const auto known = graph_.known(value)) {
        made.assign(type.count, e_.constant(type, *known));
    } else if (type.is_mask()) {
        made = {mask_slice(e_.b.CreateLoad(e_.b.getIntNTy(lanes_), array(value, 0)))};
    } else {
        for (unsigned i = 0; i < type.count; ++i)
            made.push_back(e_.b.CreateTrunc(
                e_.b.CreateLoad(kept_type(type, width_), group_place(array(value, i), type)), e_.element_type(type)));
    }
    return made;
}

// ---------------------------------------------------------------------------------------------------------------------
// Arrays: of a mask its bits, of other values a container for each lane

llvm::Type* LaneGroups::kept_type(ir::Type type, unsigned lanes) const {
    return llvm::FixedVectorType::get(e_.b.getIntNTy(type.container()), lanes);
}

llvm::AllocaInst* LaneGroups::array(ir::Value value, unsigned element) {
    llvm::AllocaInst*& made = arrays_[{value, element}];
    const ir::Type type = graph_.type(value);
    const bool bits = type.is_mask() || type.lanes == 1;  // of what a ballot gives, too
    if (made == nullptr) made = e_.variable(bits ? e_.b.getIntNTy(lanes_) : kept_type(type, lanes_));
    return made;
}

Value* LaneGroups::group_place(llvm::AllocaInst* all, ir::Type type) {
    Value* const offset = e_.b.CreateMul(group_, e_.b.getInt64(width_ * (type.container() / 8)));
    return e_.b.CreateInBoundsGEP(e_.b.getInt8Ty(), all, offset);
}

void LaneGroups::keep(ir::Value value, const Elements& slices) {
    llvm::IRBuilder<>& b = e_.b;
    const ir::Type type = graph_.type(value);
    if (type.is_mask() || type.lanes == 1) {
        llvm::AllocaInst* const all = array(value, 0);
        Value* const wide = b.CreateZExt(b.CreateBitCast(slices[0], b.getIntNTy(width_)), b.getIntNTy(lanes_));
        Value* const shift = b.CreateIntCast(b.CreateMul(group_, b.getInt64(width_)), b.getIntNTy(lanes_), false);
        b.CreateStore(b.CreateOr(b.CreateLoad(b.getIntNTy(lanes_), all), b.CreateShl(wide, shift)), all);
        return;
    }
    for (unsigned i = 0; i < type.count; ++i) {
        Value* const whole = b.CreateZExt(slices[i], kept_type(type, width_));
        b.CreateStore(whole, group_place(array(value, i), type));
    }
}

Elements LaneGroups::load_whole(ir::Value value) {
    const ir::Type type = graph_.type(value);
    if (const auto known = graph_.known(value)) return Elements(type.count, e_.constant(type, *known));
    llvm::IRBuilder<>& b = e_.b;
    if (type.is_mask())
        return {b.CreateBitCast(b.CreateLoad(b.getIntNTy(lanes_), array(value, 0)), e_.element_type(type))};
    Elements made;
    for (unsigned i = 0; i < type.count; ++i)
        made.push_back(b.CreateTrunc(b.CreateLoad(kept_type(type, lanes_), array(value, i)), e_.element_type(type)));
    return made;
}

void LaneGroups::store_whole(ir::Value value, const Elements& given) {
    llvm::IRBuilder<>& b = e_.b;
    const ir::Type type = graph_.type(value);
    for (unsigned i = 0; i < type.count; ++i)
        b.CreateStore(type.is_mask() ? b.CreateBitCast(given[i], b.getIntNTy(lanes_))
                                     : b.CreateZExt(given[i], kept_type(type, lanes_)),
                      array(value, i));
}

// All at once, for an argument may be given to another one of the same block.
void LaneGroups::give(const ir::Edge& edge) {
    const auto& arguments = graph_.blocks[edge.block].arguments;
    std::vector<std::pair<ir::Value, Elements>> given;
    for (std::size_t i = 0; i < arguments.size(); ++i)
        if (is_wide(arguments[i])) given.emplace_back(arguments[i], load_whole(edge.values[i]));
    for (const auto& [argument, elements] : given) store_whole(argument, elements);
}

// ---------------------------------------------------------------------------------------------------------------------
// Operations that are no part of a loop of several

// All lanes are loaded, and stored again.
void LaneGroups::emit_whole(const Instruction& instruction) {
    ir::for_each_input(instruction, [&](ir::Value value) {
        if (is_wide(value)) values_[value] = load_whole(value);
    });
    emit_(instruction);
    if (instruction.result != ir::no_value && is_wide(instruction.result))
        store_whole(instruction.result, values_[instruction.result]);
}

// Where the lanes are computed that it takes.
void LaneGroups::emit_access(const Instruction& instruction) {
    find_used_later(&instruction);
    begin_gathering();
    for_each_group([&](llvm::BasicBlock*) {
        emit_values(false);
        emit_effects();
        Value* const address = slice(instruction.operands[0])[0];
        Value* const mask = instruction.mask == ir::no_value ? nullptr : slice(instruction.mask)[0];
        if (instruction.op == Op::load) {
            const ir::Type type = graph_.type(instruction.result).with_lanes(width_);
            keep(instruction.result, memory_.load_group(instruction, type, address, mask));
        } else {
            const ir::Type type = graph_.type(instruction.operands[1]).with_lanes(width_);
            memory_.store_group(instruction, type, address, slice(instruction.operands[1])[0], mask);
        }
    });
    take_gathered();
    pending_.clear();
    late_.clear();
}

}  // namespace isaforge::jit
