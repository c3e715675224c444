#include "jit/memory.hpp"

#include <llvm/IR/MDBuilder.h>

#include <bit>
#include <cstddef>

namespace isaforge::jit {

using ir::Counter;
using llvm::Value;
using machine::Core;
using machine::PageEntry;

void Memory::make_variables() {
    raw_ = e_.variable(e_.b.getInt64Ty());
    attention_ = e_.variable(e_.b.getInt1Ty());
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

Value* Memory::field(Value* base, std::size_t offset, llvm::Type* type) {
    return e_.b.CreateLoad(type, e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), base, offset));
}

// The number's bytes turned around where the memory is big-endian.
Value* Memory::in_order(Value* value) {
    const bool turns = e_.target.isa->memories[memory_].big_endian && value->getType()->getIntegerBitWidth() > 8;
    return turns ? e_.b.CreateUnaryIntrinsic(llvm::Intrinsic::bswap, value) : value;
}

// ---------------------------------------------------------------------------------------------------------------------
// Where the bytes are. What follows is put where they may be accessed at once; the slow way is left open.

// See machine::at_once.
Memory::Way Memory::page(Value* address, unsigned bytes, std::size_t tables) {
    llvm::IRBuilder<>& b = e_.b;
    llvm::Type *const wide = b.getInt64Ty(), *const pointer = b.getPtrTy();
    Value* const pages = b.CreateLoad(pointer, exits_.core_field(tables + memory_ * sizeof(PageEntry*)));
    Value* const number = b.CreateAnd(b.CreateLShr(address, machine::page_shift), machine::page_count - 1);
    Value* const entry =
        b.CreateInBoundsGEP(b.getInt8Ty(), pages, b.CreateMul(number, b.getInt64(sizeof(PageEntry)), "", true, true));
    Value* const offset = b.CreateSub(address, field(entry, offsetof(PageEntry, first), wide));
    Value* const room = b.CreateAdd(field(entry, offsetof(PageEntry, room), wide), b.getInt64(8 - bytes));
    Value* bad = b.CreateICmpUGT(offset, b.CreateLShr(room, unit_shift()));
    if (e_.target.aligned && bytes > 1)
        bad =
            b.CreateOr(bad, b.CreateICmpNE(b.CreateAnd(b.CreateShl(address, unit_shift()), bytes - 1), b.getInt64(0)));
    llvm::BasicBlock *const fast = e_.new_block("fast"), *const slow = e_.new_block("slow");
    b.CreateCondBr(bad, slow, fast, rarely());
    b.SetInsertPoint(fast);
    return {b.CreateInBoundsGEP(b.getInt8Ty(), field(entry, offsetof(PageEntry, bytes), pointer),
                                b.CreateShl(offset, unit_shift())),
            slow};
}

void Memory::refuse_unless(Value* done) {
    llvm::BasicBlock *const refused = e_.new_block("refused"), *const on = e_.new_block("done");
    e_.b.CreateCondBr(done, on, refused);
    e_.b.SetInsertPoint(refused);
    exits_.raise();
    e_.b.SetInsertPoint(on);
}

// ---------------------------------------------------------------------------------------------------------------------
// One lane

Value* Memory::load_lane(Value* address, unsigned bits) {
    llvm::IRBuilder<>& b = e_.b;
    llvm::Type* const type = b.getIntNTy(bits);
    const Way way = page(address, bits / 8, offsetof(Core, load_pages));
    Value* const quick = in_order(b.CreateAlignedLoad(type, way.bytes, llvm::Align(1), e_.target.shared));
    exits_.note_access(Counter::loads);
    llvm::BasicBlock *const fast = b.GetInsertBlock(), *const both = e_.new_block("loaded");
    b.CreateBr(both);
    b.SetInsertPoint(way.slow);
    exits_.store_count();
    auto* const callout = llvm::FunctionType::get(
        b.getInt1Ty(), {b.getPtrTy(), b.getInt32Ty(), b.getInt64Ty(), b.getInt32Ty(), b.getPtrTy()}, false);
    llvm::CallInst* const done =
        b.CreateCall(callout, e_.address(reinterpret_cast<const void*>(e_.target.callouts.load)),
                     {e_.function->getArg(2), b.getInt32(memory_), address, b.getInt32(bits / 8), raw_});
    done->addRetAttr(llvm::Attribute::ZExt);
    refuse_unless(done);
    Value* const slow = in_order(b.CreateTrunc(b.CreateLoad(b.getInt64Ty(), raw_), type));
    llvm::BasicBlock* const behind = b.GetInsertBlock();
    b.CreateBr(both);
    b.SetInsertPoint(both);
    llvm::PHINode* const value = b.CreatePHI(type, 2);
    value->addIncoming(quick, fast);
    value->addIncoming(slow, behind);
    return value;
}

void Memory::store_lane(Value* address, Value* value, unsigned bits) {
    llvm::IRBuilder<>& b = e_.b;
    Value* const raw = in_order(value);
    const Way way = page(address, bits / 8, offsetof(Core, store_pages));
    b.CreateAlignedStore(raw, way.bytes, llvm::Align(1), e_.target.shared);
    exits_.note_access(Counter::stores);
    llvm::BasicBlock* const both = e_.new_block("stored");
    b.CreateBr(both);
    b.SetInsertPoint(way.slow);
    exits_.store_count();
    auto* const callout = llvm::FunctionType::get(
        b.getInt1Ty(), {b.getPtrTy(), b.getInt32Ty(), b.getInt64Ty(), b.getInt32Ty(), b.getInt64Ty()}, false);
    llvm::CallInst* const done =
        b.CreateCall(callout, e_.address(reinterpret_cast<const void*>(e_.target.callouts.store)),
                     {e_.function->getArg(2), b.getInt32(memory_), address, b.getInt32(bits / 8),
                      b.CreateZExt(raw, b.getInt64Ty())});
    done->addRetAttr(llvm::Attribute::ZExt);
    refuse_unless(done);
    // It may have been a store to the program, or one that ends the run.
    Value* const stop = b.CreateLoad(b.getInt64Ty(), exits_.core_field(offsetof(Core, stop_at)));
    Value* const now = b.CreateICmpULE(stop, b.CreateAdd(exits_.count(), b.getInt64(1)));
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt1Ty(), attention_), now), attention_);
    b.CreateBr(both);
    b.SetInsertPoint(both);
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
