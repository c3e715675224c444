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
    const bool turns = e_.target.isa->memories[memory_].big_endian && value->getType()->getIntegerBitWidth() > 8;
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
    exits_.note_access(Counter::loads);
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
    exits_.note_access(Counter::stores);
}

// ---------------------------------------------------------------------------------------------------------------------
// All lanes, in their order

Value* Memory::lane_of(Value* value, unsigned lanes, unsigned lane) {
    return lanes == 1 ? value : e_.b.CreateExtractElement(value, lane);
}

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

Elements Memory::load(const ir::Instruction& instruction, ir::Type address_type, ir::Type type, Value* address,
                      Value* mask) {
    memory_ = instruction.object;
    Value* all = llvm::PoisonValue::get(e_.element_type(type));
    llvm::Type* const lane_type = e_.b.getIntNTy(type.bits);
    for (unsigned lane = 0; lane < type.lanes; ++lane) {
        Value* const value = where(mask ? lane_of(mask, type.lanes, lane) : nullptr, lane_type, [&] {
            Value* const at = e_.b.CreateZExt(lane_of(address, address_type.lanes, lane), e_.b.getInt64Ty());
            return e_.b.CreateTrunc(load_lane(at, type.container()), lane_type);
        });
        all = type.lanes == 1 ? value : e_.b.CreateInsertElement(all, value, lane);
    }
    return {all};
}

void Memory::store(const ir::Instruction& instruction, ir::Type address_type, ir::Type type, Value* address,
                   Value* value, Value* mask) {
    memory_ = instruction.object;
    for (unsigned lane = 0; lane < type.lanes; ++lane)
        where(mask ? lane_of(mask, type.lanes, lane) : nullptr, nullptr, [&]() -> Value* {
            Value* const at = e_.b.CreateZExt(lane_of(address, address_type.lanes, lane), e_.b.getInt64Ty());
            store_lane(at, e_.b.CreateZExt(lane_of(value, type.lanes, lane), e_.b.getIntNTy(type.container())),
                       type.container());
            return nullptr;
        });
}

}  // namespace isaforge::jit
