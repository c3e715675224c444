#include "jit/memory.hpp"

#include <llvm/IR/MDBuilder.h>

#include <bit>
#include <cstddef>

namespace isaforge::jit {

using ir::Counter;
using llvm::Value;
using machine::Core;

void Memory::make_variables(const std::vector<Plan>& plans) {
    llvm::IRBuilder<>& b = e_.b;
    raw_ = e_.variable(b.getInt64Ty());
    attention_ = e_.variable(b.getInt1Ty());
    for (const Plan& plan : plans)
        for (const ir::Block& block : plan.graph().blocks)
            for (const ir::Instruction& each : block.body)
                if (each.op == ir::Op::load || each.op == ir::Op::store)
                    stretches_.try_emplace({each.object, each.op}, static_cast<std::uint32_t>(stretches_.size()));
    at_hand_ = e_.variable(llvm::ArrayType::get(b.getInt64Ty(), stretches_.size() * sizeof(machine::Stretch) / 8));
    for (const auto& [of, number] : stretches_) {
        memory_ = of.first;
        b.CreateStore(b.getInt64(0), stretch_field(of.second, offsetof(machine::Stretch, room)));
    }
}

Value* Memory::stretch_field(ir::Op op, std::size_t offset) {
    const std::size_t at = stretches_.at({memory_, op}) * sizeof(machine::Stretch) + offset;
    return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), at_hand_, at);
}

void Memory::begin(bool stores) {
    if (stores) e_.b.CreateStore(e_.b.getFalse(), attention_);
}
Value* Memory::wants_attention() { return e_.b.CreateLoad(e_.b.getInt1Ty(), attention_); }

llvm::MDNode* Memory::rarely() { return llvm::MDBuilder(e_.context).createBranchWeights(1, 10000); }

unsigned Memory::unit_shift() const {
    const unsigned bits = e_.target.isa->memories[memory_].unit_bits;
    return bits <= 8 ? 0 : static_cast<unsigned>(std::countr_zero(bits / 8));
}

// The number's bytes turned around where the memory is big-endian.
Value* Memory::in_order(Value* value) {
    const bool turns = e_.target.isa->memories[memory_].big_endian && value->getType()->getScalarSizeInBits() > 8;
    return turns ? e_.b.CreateUnaryIntrinsic(llvm::Intrinsic::bswap, value) : value;
}

// ---------------------------------------------------------------------------------------------------------------------
// Where the bytes are. What follows is put where they may be accessed at once; the slow way is left open.

Memory::Way Memory::way(Value* address, unsigned bytes, ir::Op op) {
    llvm::IRBuilder<>& b = e_.b;
    const auto field = [&](std::size_t at, llvm::Type* type) { return b.CreateLoad(type, stretch_field(op, at)); };
    Value* const offset = b.CreateSub(address, field(offsetof(machine::Stretch, first), b.getInt64Ty()));
    Value* bad = b.CreateICmpUGE(offset, field(offsetof(machine::Stretch, room), b.getInt64Ty()));
    if (e_.target.aligned && bytes > 1)
        bad =
            b.CreateOr(bad, b.CreateICmpNE(b.CreateAnd(b.CreateShl(address, unit_shift()), bytes - 1), b.getInt64(0)));
    llvm::BasicBlock *const fast = e_.new_block("fast"), *const slow = e_.new_block("slow");
    b.CreateCondBr(bad, slow, fast, rarely());
    b.SetInsertPoint(fast);
    return {b.CreateGEP(b.getInt8Ty(), field(offsetof(machine::Stretch, bytes), b.getPtrTy()),
                        b.CreateShl(offset, unit_shift())),
            slow};
}

// Calls the machine; code goes on where it did it.
void Memory::access_slowly(Value* function, Value* address, unsigned bytes, Value* raw, ir::Op op) {
    llvm::IRBuilder<>& b = e_.b;
    exits_.store_count();
    const machine::AccessSite& access = accesses_.emplace_back(machine::AccessSite{
        memory_, bytes, stretches_.at({memory_, op}), static_cast<std::uint32_t>(stretches_.size())});
    llvm::Type* const pointer = b.getPtrTy();
    auto* const type =
        llvm::FunctionType::get(b.getInt8Ty(), {pointer, pointer, b.getInt64Ty(), raw->getType(), pointer}, false);
    Value* const done =
        b.CreateCall(type, function, {e_.function->getArg(2), e_.address(&access), address, raw, at_hand_});
    llvm::BasicBlock *const refused = e_.new_block("refused"), *const on = e_.new_block("done");
    b.CreateCondBr(b.CreateICmpEQ(done, b.getInt8(0)), refused, on, rarely());
    b.SetInsertPoint(refused);
    exits_.raise();
    b.SetInsertPoint(on);
}

// ---------------------------------------------------------------------------------------------------------------------
// One lane

Value* Memory::load_lane(Value* address, unsigned bits) {
    llvm::IRBuilder<>& b = e_.b;
    llvm::Type* const type = b.getIntNTy(bits);
    const Way to = way(address, bits / 8, ir::Op::load);
    Value* const quick = in_order(b.CreateAlignedLoad(type, to.bytes, llvm::Align(1), e_.target.shared));
    llvm::BasicBlock *const fast = b.GetInsertBlock(), *const both = e_.new_block("loaded");
    b.CreateBr(both);
    b.SetInsertPoint(to.slow);
    access_slowly(e_.address(reinterpret_cast<const void*>(e_.target.callouts.load)), address, bits / 8, raw_,
                  ir::Op::load);
    Value* const slow = in_order(b.CreateTrunc(b.CreateLoad(b.getInt64Ty(), raw_), type));
    llvm::BasicBlock* const behind = b.GetInsertBlock();
    b.CreateBr(both);
    b.SetInsertPoint(both);
    llvm::PHINode* const value = b.CreatePHI(type, 2);
    value->addIncoming(quick, fast);
    value->addIncoming(slow, behind);
    exits_.note_access(Counter::loads, b.getInt64(1));
    return value;
}

void Memory::store_lane(Value* address, Value* value, unsigned bits) {
    llvm::IRBuilder<>& b = e_.b;
    Value* const raw = in_order(value);
    const Way to = way(address, bits / 8, ir::Op::store);
    b.CreateAlignedStore(raw, to.bytes, llvm::Align(1), e_.target.shared);
    llvm::BasicBlock* const both = e_.new_block("stored");
    b.CreateBr(both);
    b.SetInsertPoint(to.slow);
    access_slowly(e_.address(reinterpret_cast<const void*>(e_.target.callouts.store)), address, bits / 8,
                  b.CreateZExt(raw, b.getInt64Ty()), ir::Op::store);
    // It may have been a store to the program, or one that ends the run.
    Value* const stop = b.CreateLoad(b.getInt64Ty(), exits_.core_field(offsetof(Core, stop_at)));
    Value* const now = b.CreateICmpULE(stop, b.CreateAdd(exits_.count(), b.getInt64(1)));
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt1Ty(), attention_), now), attention_);
    b.CreateBr(both);
    b.SetInsertPoint(both);
    exits_.note_access(Counter::stores, b.getInt64(1));
}

// ---------------------------------------------------------------------------------------------------------------------
// All lanes: one access of the host where they lie side by side in the stretch that is known, else in a loop, in their order

// What the loop reads and writes, on the host's stack.
struct Memory::LaneArrays {
    llvm::AllocaInst *addresses = nullptr, *values = nullptr, *mask = nullptr;
};

Memory::LaneArrays Memory::lane_arrays(ir::Type type, Value* addresses, Value* values, Value* mask) {
    llvm::IRBuilder<>& b = e_.b;
    const auto array = [&](Value* all) {
        llvm::AllocaInst* const made = e_.variable(all->getType());
        b.CreateStore(all, made);
        return made;
    };
    LaneArrays made;
    made.addresses = array(addresses);
    made.values = array(values);
    if (mask != nullptr) made.mask = array(b.CreateZExt(mask, llvm::FixedVectorType::get(b.getInt8Ty(), type.lanes)));
    return made;
}

// `emit` accesses the lane whose address is given, with its value at the place given.
template <class Function>
void Memory::for_each_lane(ir::Type type, const LaneArrays& arrays, Function&& emit) {
    llvm::IRBuilder<>& b = e_.b;
    llvm::AllocaInst* const lane = e_.variable(b.getInt64Ty());
    b.CreateStore(b.getInt64(0), lane);
    llvm::BasicBlock *const begin = e_.new_block("lane"), *const next = e_.new_block("next"),
                            *const done = e_.new_block("lanes");
    b.CreateBr(begin);
    b.SetInsertPoint(begin);
    Value* const number = b.CreateLoad(b.getInt64Ty(), lane);
    const auto place = [&](llvm::AllocaInst* array) {
        return b.CreateInBoundsGEP(array->getAllocatedType()->getScalarType(), array, number);
    };
    if (arrays.mask != nullptr) {
        llvm::BasicBlock* const acts = e_.new_block("acts");
        b.CreateCondBr(b.CreateICmpNE(b.CreateLoad(b.getInt8Ty(), place(arrays.mask)), b.getInt8(0)), acts, next);
        b.SetInsertPoint(acts);
    }
    llvm::Type* const address = arrays.addresses->getAllocatedType()->getScalarType();
    emit(b.CreateZExt(b.CreateLoad(address, place(arrays.addresses)), b.getInt64Ty()), place(arrays.values));
    b.CreateBr(next);
    b.SetInsertPoint(next);
    Value* const then = b.CreateAdd(b.CreateLoad(b.getInt64Ty(), lane), b.getInt64(1));
    b.CreateStore(then, lane);
    b.CreateCondBr(b.CreateICmpULT(then, b.getInt64(type.lanes)), begin, done);
    b.SetInsertPoint(done);
}

// Whether all lanes lie side by side in the stretch; then `bytes` is where the first one is.
Value* Memory::lie_together(ir::Type type, Value* addresses, ir::Op op, Value*& bytes) {
    llvm::IRBuilder<>& b = e_.b;
    const unsigned size = type.container() / 8, step = size >> unit_shift();
    if (step == 0) return b.getFalse();
    llvm::Type* const address = addresses->getType()->getScalarType();
    llvm::SmallVector<llvm::Constant*> distances;
    for (unsigned lane = 0; lane < type.lanes; ++lane)
        distances.push_back(llvm::ConstantInt::get(address, lane * step));
    const std::uint64_t length = static_cast<std::uint64_t>(type.lanes - 1) * step;
    const unsigned address_bits = address->getIntegerBitWidth();
    if (!llvm::isUIntN(address_bits, length)) return b.getFalse();
    Value* const first = b.CreateExtractElement(addresses, std::uint64_t{0});
    Value* const expected = b.CreateAdd(b.CreateVectorSplat(type.lanes, first), llvm::ConstantVector::get(distances));
    Value* together = b.CreateAndReduce(b.CreateICmpEQ(addresses, expected));
    const auto and_then = [&](Value* also) { together = b.CreateAnd(together, also); };
    and_then(b.CreateICmpULE(
        first, b.CreateSub(llvm::Constant::getAllOnesValue(address), llvm::ConstantInt::get(address, length))));
    const auto field = [&](std::size_t at, llvm::Type* as) { return b.CreateLoad(as, stretch_field(op, at)); };
    Value* const wide = b.CreateZExt(first, b.getInt64Ty());
    Value* const offset = b.CreateSub(wide, field(offsetof(machine::Stretch, first), b.getInt64Ty()));
    Value* const room = field(offsetof(machine::Stretch, room), b.getInt64Ty());
    and_then(b.CreateICmpULT(offset, room));
    and_then(b.CreateICmpULT(b.CreateAdd(offset, b.getInt64(length)), room));
    if (e_.target.aligned && size > 1)
        and_then(b.CreateICmpEQ(b.CreateAnd(b.CreateShl(wide, unit_shift()), size - 1), b.getInt64(0)));
    bytes = b.CreateGEP(b.getInt8Ty(), field(offsetof(machine::Stretch, bytes), b.getPtrTy()),
                        b.CreateShl(offset, unit_shift()));
    return together;
}

Value* Memory::lanes_in(ir::Type type, Value* mask) {
    llvm::IRBuilder<>& b = e_.b;
    if (mask == nullptr) return b.getInt64(type.lanes);
    Value* const bits = b.CreateBitCast(mask, b.getIntNTy(type.lanes));
    return b.CreateZExtOrTrunc(b.CreateUnaryIntrinsic(llvm::Intrinsic::ctpop, bits), b.getInt64Ty());
}

Value* Memory::load_lanes(ir::Type type, Value* addresses, Value* mask) {
    llvm::IRBuilder<>& b = e_.b;
    auto* const all = llvm::FixedVectorType::get(b.getIntNTy(type.container()), type.lanes);
    llvm::Constant* const zero = llvm::Constant::getNullValue(all);
    llvm::BasicBlock *const whole = e_.new_block("whole"), *const lanes = e_.new_block("apart"),
                            *const on = e_.new_block("loaded");
    Value* bytes = nullptr;
    Value* const together = lie_together(type, addresses, ir::Op::load, bytes);
    b.CreateCondBr(together, whole, lanes);
    b.SetInsertPoint(whole);
    Value* quick = zero;
    if (bytes != nullptr) {
        quick = in_order(b.CreateAlignedLoad(all, bytes, llvm::Align(1), e_.target.shared));
        if (mask != nullptr) quick = b.CreateSelect(mask, quick, zero);
        exits_.note_access(Counter::loads, lanes_in(type, mask));
    }
    b.CreateBr(on);
    b.SetInsertPoint(lanes);
    const LaneArrays arrays = lane_arrays(type, addresses, zero, mask);
    for_each_lane(type, arrays,
                  [&](Value* address, Value* place) { b.CreateStore(load_lane(address, type.container()), place); });
    Value* const slow = b.CreateLoad(all, arrays.values);
    llvm::BasicBlock* const behind = b.GetInsertBlock();
    b.CreateBr(on);
    b.SetInsertPoint(on);
    llvm::PHINode* const value = b.CreatePHI(all, 2);
    value->addIncoming(quick, whole);
    value->addIncoming(slow, behind);
    return value;
}

// Some lanes of those that lie together: what lies between must not be written, where others may see it.
bool Memory::can_store_some(ir::Type type) const { return !e_.target.shared || type.container() >= 32; }

void Memory::store_some(ir::Type type, Value* bytes, Value* value, Value* mask) {
    llvm::IRBuilder<>& b = e_.b;
    if (mask == nullptr) {
        b.CreateAlignedStore(value, bytes, llvm::Align(1), e_.target.shared);
    } else if (type.container() >= 32) {
        b.CreateMaskedStore(value, bytes, llvm::Align(1), mask);
    } else {
        Value* const before = b.CreateAlignedLoad(value->getType(), bytes, llvm::Align(1));
        b.CreateAlignedStore(b.CreateSelect(mask, value, before), bytes, llvm::Align(1));
    }
}

void Memory::store_lanes(ir::Type type, Value* addresses, Value* value, Value* mask) {
    llvm::IRBuilder<>& b = e_.b;
    llvm::BasicBlock *const whole = e_.new_block("whole"), *const lanes = e_.new_block("apart"),
                            *const on = e_.new_block("stored");
    Value* bytes = nullptr;
    Value* const together = lie_together(type, addresses, ir::Op::store, bytes);
    b.CreateCondBr(mask == nullptr || can_store_some(type) ? together : b.getFalse(), whole, lanes);
    b.SetInsertPoint(whole);
    if (bytes != nullptr) {
        store_some(type, bytes, in_order(value), mask);
        exits_.note_access(Counter::stores, lanes_in(type, mask));
    }
    b.CreateBr(on);
    b.SetInsertPoint(lanes);
    for_each_lane(type, lane_arrays(type, addresses, value, mask), [&](Value* address, Value* place) {
        store_lane(address, b.CreateLoad(value->getType()->getScalarType(), place), type.container());
    });
    b.CreateBr(on);
    b.SetInsertPoint(on);
}

// ---------------------------------------------------------------------------------------------------------------------

// Puts what `emit` makes where the mask is true, and gives its value; 0 elsewhere.
template <class Function>
Value* Memory::where(Value* mask, llvm::Type* type, Function&& emit) {
    if (mask == nullptr) return emit();
    llvm::BasicBlock* const before = e_.b.GetInsertBlock();
    llvm::BasicBlock *const acts = e_.new_block("lane"), *const on = e_.new_block("next");
    e_.b.CreateCondBr(mask, acts, on);
    e_.b.SetInsertPoint(acts);
    Value* const made = emit();
    llvm::BasicBlock* const behind = e_.b.GetInsertBlock();
    e_.b.CreateBr(on);
    e_.b.SetInsertPoint(on);
    if (made == nullptr) return nullptr;
    llvm::PHINode* const value = e_.b.CreatePHI(type, 2);
    value->addIncoming(llvm::Constant::getNullValue(type), before);
    value->addIncoming(made, behind);
    return value;
}

Elements Memory::load(const ir::Instruction& instruction, ir::Type type, Value* address, Value* mask) {
    memory_ = instruction.object;
    if (type.lanes != 1) return {e_.b.CreateTrunc(load_lanes(type, address, mask), e_.element_type(type))};
    llvm::Type* const made = e_.element_type(type);
    return {where(mask, made, [&] {
        return e_.b.CreateTrunc(load_lane(e_.b.CreateZExt(address, e_.b.getInt64Ty()), type.container()), made);
    })};
}

void Memory::store(const ir::Instruction& instruction, ir::Type type, Value* address, Value* value, Value* mask) {
    memory_ = instruction.object;
    Value* const whole = e_.b.CreateZExt(value, value->getType()->getWithNewBitWidth(type.container()));
    if (type.lanes != 1) return store_lanes(type, address, whole, mask);
    where(mask, nullptr, [&]() -> Value* {
        store_lane(e_.b.CreateZExt(address, e_.b.getInt64Ty()), whole, type.container());
        return nullptr;
    });
}

}  // namespace isaforge::jit
