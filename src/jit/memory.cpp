#include "jit/memory.hpp"

#include <bit>
#include <cstddef>

namespace isaforge::jit {

using ir::Counter;
using llvm::Value;
using machine::Core;

namespace {

unsigned bytes_of(const ir::Graph& graph, const ir::Instruction& access) {
    return graph.type(access.result != ir::no_value ? access.result : access.inputs().back()).container() / 8;
}

}  // namespace

void Memory::make_variables(const std::vector<Plan>& plans) {
    llvm::IRBuilder<>& b = e_.b;
    raw_ = e_.variable(b.getInt64Ty());
    attention_ = e_.variable(b.getInt1Ty());
    for (const Plan& plan : plans)
        for (const ir::Block& block : plan.graph().blocks)
            for (const ir::Instruction& each : block.body)
                if (each.op == ir::Op::load || each.op == ir::Op::store || each.op == ir::Op::update)
                    stretches_.try_emplace({each.object, each.op, bytes_of(plan.graph(), each)},
                                           static_cast<std::uint32_t>(stretches_.size()));
    at_hand_ = e_.variable(llvm::ArrayType::get(b.getInt64Ty(), stretches_.size() * sizeof(machine::Stretch) / 8));
    forget();
}

void Memory::forget() {
    for (const auto& [of, number] : stretches_) {
        const auto [memory, op, bytes] = of;
        memory_ = memory;
        e_.b.CreateStore(e_.b.getInt64(0), stretch_field(op, bytes, offsetof(machine::Stretch, room)));
    }
}

Value* Memory::stretch_field(ir::Op op, unsigned bytes, std::size_t offset) {
    const std::size_t at = stretches_.at({memory_, op, bytes}) * sizeof(machine::Stretch) + offset;
    return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), at_hand_, at);
}

void Memory::begin(bool stores) {
    if (stores) e_.b.CreateStore(e_.b.getFalse(), attention_);
}
Value* Memory::wants_attention() { return e_.b.CreateLoad(e_.b.getInt1Ty(), attention_); }

llvm::MDNode* Memory::rarely() { return jit::rarely(e_.context); }

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
    const auto field = [&](std::size_t at, llvm::Type* type) {
        return b.CreateLoad(type, stretch_field(op, bytes, at));
    };
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
Value* Memory::access_slowly(Value* function, Value* address, unsigned bytes, Value* raw, ir::Op op) {
    llvm::IRBuilder<>& b = e_.b;
    exits_.store_count();
    const machine::AccessSite& access = accesses_.emplace_back(machine::AccessSite{
        memory_, bytes, stretches_.at({memory_, op, bytes}), static_cast<std::uint32_t>(stretches_.size())});
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
    return done;
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
    note_attention();
    b.CreateBr(both);
    b.SetInsertPoint(both);
    exits_.note_access(Counter::stores, b.getInt64(1));
}

// It may have been a store to the program, or one that ends the run.
void Memory::note_attention() {
    llvm::IRBuilder<>& b = e_.b;
    Value* const stop = b.CreateLoad(b.getInt64Ty(), exits_.core_field(offsetof(Core, stop_at)));
    Value* const now = b.CreateICmpULE(stop, b.CreateAdd(exits_.count(), b.getInt64(1)));
    b.CreateStore(b.CreateOr(b.CreateLoad(b.getInt1Ty(), attention_), now), attention_);
}

// ---------------------------------------------------------------------------------------------------------------------
// Updates: by the host's own where the place is at hand, else between two calls of the machine

Value* Memory::updated(Value* raw, Value* first, Value* second, const ir::Graph& function) {
    const ir::Type type = function.type(function.blocks[0].arguments[0]);
    const auto cut = [&](Value* value) { return e_.b.CreateTrunc(value, e_.element_type(type)); };
    Value* const made = emit_function(e_, function, {cut(in_order(raw)), cut(first), cut(second)});
    return in_order(e_.b.CreateZExt(made, raw->getType()));
}

// What lay there, as it lies there.
Value* Memory::exchange(Value* bytes, Value* first, Value* second, unsigned bits, const ir::Graph& function) {
    llvm::IRBuilder<>& b = e_.b;
    llvm::LoadInst* const found = b.CreateAlignedLoad(b.getIntNTy(bits), bytes, llvm::Align(bits / 8));
    if (!e_.target.shared) {
        b.CreateAlignedStore(updated(found, first, second, function), bytes, llvm::Align(bits / 8));
        return found;
    }
    found->setAtomic(llvm::AtomicOrdering::Monotonic);
    llvm::BasicBlock *const before = b.GetInsertBlock(), *const again = e_.new_block("try"),
                            *const on = e_.new_block("exchanged");
    b.CreateBr(again);
    b.SetInsertPoint(again);
    llvm::PHINode* const old = b.CreatePHI(found->getType(), 2);
    old->addIncoming(found, before);
    Value* const tried = b.CreateAtomicCmpXchg(bytes, old, updated(old, first, second, function), llvm::Align(bits / 8),
                                               llvm::AtomicOrdering::SequentiallyConsistent,
                                               llvm::AtomicOrdering::SequentiallyConsistent);
    old->addIncoming(b.CreateExtractValue(tried, 0), b.GetInsertBlock());
    b.CreateCondBr(b.CreateExtractValue(tried, 1), on, again);
    b.SetInsertPoint(on);
    return old;
}

Value* Memory::update_lane(Value* address, Value* first, Value* second, unsigned bits, const ir::Graph& function) {
    llvm::IRBuilder<>& b = e_.b;
    const auto call = [&](auto* callout) { return e_.address(reinterpret_cast<const void*>(callout)); };
    llvm::BasicBlock *const begin = e_.new_block("update"), *const locked = e_.new_block("locked");
    b.CreateBr(begin);
    b.SetInsertPoint(begin);
    const Way to = way(address, bits / 8, ir::Op::update);
    llvm::BasicBlock *const even = e_.new_block("even"), *const both = e_.new_block("updated");
    Value* const odd = b.CreateAnd(b.CreatePtrToInt(to.bytes, b.getInt64Ty()), b.getInt64(bits / 8 - 1));
    b.CreateCondBr(b.CreateICmpNE(odd, b.getInt64(0)), to.slow, even, rarely());
    b.SetInsertPoint(even);
    Value* const quick = exchange(to.bytes, first, second, bits, function);
    llvm::BasicBlock* const fast = b.GetInsertBlock();
    b.CreateBr(both);
    b.SetInsertPoint(to.slow);
    Value* const how = access_slowly(call(e_.target.callouts.update_begin), address, bits / 8, raw_, ir::Op::update);
    b.CreateCondBr(b.CreateICmpEQ(how, b.getInt8(static_cast<std::uint8_t>(machine::UpdateWay::locked))), locked,
                   begin);
    b.SetInsertPoint(locked);
    Value* const slow = b.CreateTrunc(b.CreateLoad(b.getInt64Ty(), raw_), b.getIntNTy(bits));
    Value* const stored = b.CreateZExt(updated(slow, first, second, function), b.getInt64Ty());
    access_slowly(call(e_.target.callouts.update_end), address, bits / 8, stored, ir::Op::update);
    note_attention();
    llvm::BasicBlock* const behind = b.GetInsertBlock();
    b.CreateBr(both);
    b.SetInsertPoint(both);
    llvm::PHINode* const value = b.CreatePHI(b.getIntNTy(bits), 2);
    value->addIncoming(quick, fast);
    value->addIncoming(slow, behind);
    for (const Counter counter : {Counter::loads, Counter::stores}) exits_.note_access(counter, b.getInt64(1));
    return in_order(value);
}

// ---------------------------------------------------------------------------------------------------------------------
// All lanes: one access of the host where they lie side by side in the stretch that is known, else in a loop, in their order

// What the loop reads and writes, on the host's stack.
struct Memory::LaneArrays {
    llvm::AllocaInst *addresses = nullptr, *values = nullptr, *mask = nullptr;
};

llvm::AllocaInst* Memory::array(Value* all) {
    llvm::AllocaInst* const made = e_.variable(all->getType());
    e_.b.CreateStore(all, made);
    return made;
}

Memory::LaneArrays Memory::lane_arrays(ir::Type type, Value* addresses, Value* values, Value* mask) {
    llvm::IRBuilder<>& b = e_.b;
    LaneArrays made;
    made.addresses = array(addresses);
    made.values = array(values);
    if (mask != nullptr) made.mask = array(b.CreateZExt(mask, llvm::FixedVectorType::get(b.getInt8Ty(), type.lanes)));
    return made;
}

// `emit` accesses the lane whose address is given, with its value at the place given; its number comes last.
template <class Function>
void Memory::for_each_lane(unsigned lanes, const LaneArrays& arrays, Function&& emit) {
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
    emit(b.CreateZExt(b.CreateLoad(address, place(arrays.addresses)), b.getInt64Ty()), place(arrays.values), number);
    b.CreateBr(next);
    b.SetInsertPoint(next);
    Value* const then = b.CreateAdd(b.CreateLoad(b.getInt64Ty(), lane), b.getInt64(1));
    b.CreateStore(then, lane);
    b.CreateCondBr(b.CreateICmpULT(then, b.getInt64(lanes)), begin, done);
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
    const auto field = [&](std::size_t at, llvm::Type* as) { return b.CreateLoad(as, stretch_field(op, size, at)); };
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
    for_each_lane(type.lanes, arrays, [&](Value* address, Value* place, Value*) {
        b.CreateStore(load_lane(address, type.container()), place);
    });
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
    for_each_lane(type.lanes, lane_arrays(type, addresses, value, mask), [&](Value* address, Value* place, Value*) {
        store_lane(address, b.CreateLoad(value->getType()->getScalarType(), place), type.container());
    });
    b.CreateBr(on);
    b.SetInsertPoint(on);
}

// ---------------------------------------------------------------------------------------------------------------------
// A group of lanes, by a function of the module's for each memory and size, for there are many such accesses: at once where all
// lanes are at hand, else by a call of the machine. Lanes that lie side by side are one access of the host, and those that are
// all in one place, too; others gather or scatter, which stores lanes in their order.

namespace {

// Of such a function. Where it loads, `of_data` is where to; else what is stored.
enum Argument : unsigned { of_core, of_stretches, of_addresses, of_mask, of_data };

}  // namespace

// A function's code where code of the region is put, and back again.
struct Memory::Elsewhere {
    Elsewhere(Memory& owner, llvm::Function* function)
        : memory(owner), outer(owner.e_.function), stretches(owner.at_hand_), place(owner.e_.b) {
        memory.e_.function = function;
        memory.at_hand_ = function->getArg(of_stretches);
        memory.e_.b.SetInsertPoint(memory.e_.new_block("in"));
    }
    ~Elsewhere() {
        memory.e_.function = outer;
        memory.at_hand_ = stretches;
    }
    Memory& memory;
    llvm::Function* outer;
    Value* stretches;
    llvm::IRBuilderBase::InsertPointGuard place;
};

// Their addresses may be any: processors take thousands of cycles for an access without lanes to where no memory is.
void Memory::leave_if_none_acts(llvm::Type* loaded) {
    llvm::IRBuilder<>& b = e_.b;
    llvm::BasicBlock *const no_lane = e_.new_block("none"), *const any_lane = e_.new_block("some");
    b.CreateCondBr(b.CreateOrReduce(e_.function->getArg(of_mask)), any_lane, no_lane);
    b.SetInsertPoint(no_lane);
    if (loaded != nullptr)
        b.CreateAlignedStore(llvm::Constant::getNullValue(loaded), e_.function->getArg(of_data),
                             llvm::Align(loaded->getScalarSizeInBits() / 8));
    b.CreateRet(b.getTrue());
    b.SetInsertPoint(any_lane);
}

// The stretch around the first lane becomes the one at hand, if the hart's table of pages knows it.
void Memory::take_stretch(ir::Type type, ir::Op op, llvm::BasicBlock* unknown) {
    llvm::IRBuilder<>& b = e_.b;
    const unsigned size = type.container() / 8;
    llvm::Type *const pointer = b.getPtrTy(), *const wide = b.getInt64Ty();
    Value* const bits = b.CreateBitCast(e_.function->getArg(of_mask), b.getIntNTy(type.lanes));
    Value* const lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getTrue());
    Value* const address = b.CreateExtractElement(e_.function->getArg(of_addresses), lane);
    const auto at = [&](Value* from, std::size_t offset) {
        return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), from, offset);
    };
    const std::size_t tables = op == ir::Op::load ? offsetof(Core, load_pages) : offsetof(Core, store_pages);
    Value* const table =
        b.CreateLoad(pointer, at(e_.function->getArg(of_core), tables + memory_ * sizeof(machine::PageEntry*)));
    Value* const page = b.CreateAnd(b.CreateLShr(address, machine::page_shift), machine::page_count - 1);
    Value* const entry =
        b.CreateInBoundsGEP(b.getInt8Ty(), table, b.CreateMul(page, b.getInt64(sizeof(machine::PageEntry))));
    const auto field = [&](std::size_t offset, llvm::Type* as) { return b.CreateLoad(as, at(entry, offset)); };
    Value* const first = field(offsetof(machine::PageEntry, first), wide);
    Value* const room = field(offsetof(machine::PageEntry, room), wide);
    Value* const last = b.CreateLShr(b.CreateAdd(room, b.getInt64(8 - size)), unit_shift());
    llvm::BasicBlock* const known = e_.new_block("known");
    b.CreateCondBr(b.CreateICmpUGT(b.CreateSub(address, first), last), unknown, known, rarely());
    b.SetInsertPoint(known);
    const auto put = [&](std::size_t offset, Value* value) { b.CreateStore(value, stretch_field(op, size, offset)); };
    put(offsetof(machine::Stretch, first), first);
    put(offsetof(machine::Stretch, room), b.CreateAdd(last, b.getInt64(1)));
    put(offsetof(machine::Stretch, bytes), field(offsetof(machine::PageEntry, bytes), pointer));
}

Memory::GroupPlace Memory::group_place(ir::Type type, ir::Op op, llvm::BasicBlock* apart) {
    llvm::IRBuilder<>& b = e_.b;
    const unsigned size = type.container() / 8, step = size >> unit_shift();
    const auto all = [&](Value* value) { return b.CreateVectorSplat(type.lanes, value); };
    const auto number = [&](std::uint64_t value) { return all(b.getInt64(value)); };
    const auto field = [&](std::size_t at, llvm::Type* as) { return b.CreateLoad(as, stretch_field(op, size, at)); };
    Value *const at = e_.function->getArg(of_addresses), *const acts = e_.function->getArg(of_mask);
    llvm::BasicBlock *const before = b.GetInsertBlock(), *const begin = e_.new_block("place"),
                            *const look = e_.new_block("look");
    b.CreateBr(begin);
    b.SetInsertPoint(begin);
    llvm::PHINode* const looked = b.CreatePHI(b.getInt1Ty(), 2);
    looked->addIncoming(b.getFalse(), before);
    Value* const offset = b.CreateSub(at, all(field(offsetof(machine::Stretch, first), b.getInt64Ty())));
    Value* bad = b.CreateICmpUGE(offset, all(field(offsetof(machine::Stretch, room), b.getInt64Ty())));
    if (e_.target.aligned && size > 1)
        bad = b.CreateOr(
            bad, b.CreateICmpNE(b.CreateAnd(b.CreateShl(at, number(unit_shift())), number(size - 1)), number(0)));
    llvm::BasicBlock *const here = e_.new_block("at_hand"), *const elsewhere = e_.new_block("elsewhere");
    b.CreateCondBr(b.CreateOrReduce(b.CreateAnd(bad, acts)), elsewhere, here, rarely());
    b.SetInsertPoint(elsewhere);
    b.CreateCondBr(looked, apart, look);
    b.SetInsertPoint(look);
    take_stretch(type, op, apart);
    looked->addIncoming(b.getTrue(), b.GetInsertBlock());
    b.CreateBr(begin);
    b.SetInsertPoint(here);
    llvm::SmallVector<llvm::Constant*> distances;
    for (unsigned lane = 0; lane < type.lanes; ++lane) distances.push_back(b.getInt64(std::uint64_t{lane} * step));
    Value* const first = all(b.CreateExtractElement(offset, std::uint64_t{0}));
    const auto differs = [&](Value* expected) {
        return b.CreateOrReduce(b.CreateAnd(b.CreateICmpNE(offset, expected), acts));
    };
    Value* const apart_from_each_other = step == 0 ? static_cast<Value*>(b.getTrue())
                                                   : differs(b.CreateAdd(first, llvm::ConstantVector::get(distances)));
    Value* const shifted = unit_shift() == 0 ? offset : b.CreateShl(offset, number(unit_shift()));
    Value* const bytes = b.CreateGEP(b.getInt8Ty(), field(offsetof(machine::Stretch, bytes), b.getPtrTy()), shifted);
    return {bytes, b.CreateExtractElement(bytes, std::uint64_t{0}), apart_from_each_other, differs(first)};
}

// Asks the machine, and gives what it says: whether all lanes could be accessed.
Value* Memory::access_group(ir::Type type, ir::Op op, llvm::AllocaInst* values) {
    llvm::IRBuilder<>& b = e_.b;
    llvm::AllocaInst* const addresses = array(e_.function->getArg(of_addresses));
    const machine::AccessSite& access = accesses_.emplace_back(
        machine::AccessSite{memory_, type.container() / 8, stretches_.at({memory_, op, type.container() / 8}),
                            static_cast<std::uint32_t>(stretches_.size())});
    llvm::Type *const pointer = b.getPtrTy(), *const wide = b.getInt64Ty();
    auto* const kind =
        llvm::FunctionType::get(b.getInt8Ty(), {pointer, pointer, pointer, wide, pointer, pointer}, false);
    const auto* const callout = op == ir::Op::load ? reinterpret_cast<const void*>(e_.target.callouts.load_lanes)
                                                   : reinterpret_cast<const void*>(e_.target.callouts.store_lanes);
    Value* const bits = b.CreateZExt(b.CreateBitCast(e_.function->getArg(of_mask), b.getIntNTy(type.lanes)), wide);
    Value* const done =
        b.CreateCall(kind, e_.address(callout),
                     {e_.function->getArg(of_core), e_.address(&access), addresses, bits, values, at_hand_});
    return b.CreateICmpNE(done, b.getInt8(0));
}

void Memory::emit_group_load(ir::Type type) {
    llvm::IRBuilder<>& b = e_.b;
    auto* const all = llvm::FixedVectorType::get(b.getIntNTy(type.container()), type.lanes);
    Value *const acts = e_.function->getArg(of_mask), *const to = e_.function->getArg(of_data);
    llvm::Constant* const zero = llvm::Constant::getNullValue(all);
    llvm::BasicBlock* const apart = e_.new_block("apart");
    const auto give = [&](Value* value) {
        b.CreateAlignedStore(value, to, llvm::Align(type.container() / 8));
        b.CreateRet(b.getTrue());
    };
    if (type.container() >= 32) {  // the host gathers nothing smaller
        llvm::BasicBlock *const whole = e_.new_block("whole"), *const spread = e_.new_block("spread"),
                                *const one = e_.new_block("one"), *const gathers = e_.new_block("gather");
        const GroupPlace place = group_place(type, ir::Op::load, apart);
        b.CreateCondBr(place.apart, spread, whole);
        b.SetInsertPoint(whole);
        give(b.CreateMaskedLoad(all, place.first, llvm::Align(1), acts, zero));
        b.SetInsertPoint(spread);
        b.CreateCondBr(place.several, gathers, one);
        b.SetInsertPoint(one);
        Value* const single = b.CreateAlignedLoad(all->getElementType(), place.first, llvm::Align(1));
        give(b.CreateSelect(acts, b.CreateVectorSplat(type.lanes, single), zero));
        b.SetInsertPoint(gathers);
        give(b.CreateMaskedGather(all, place.bytes, llvm::Align(1), acts, zero));
    } else {
        b.CreateBr(apart);
    }
    b.SetInsertPoint(apart);
    llvm::AllocaInst* const values = array(zero);
    Value* const done = access_group(type, ir::Op::load, values);
    b.CreateAlignedStore(b.CreateLoad(all, values), to, llvm::Align(type.container() / 8));
    b.CreateRet(done);
}

void Memory::emit_group_store(ir::Type type) {
    llvm::IRBuilder<>& b = e_.b;
    Value *const acts = e_.function->getArg(of_mask), *const value = e_.function->getArg(of_data);
    llvm::BasicBlock* const apart = e_.new_block("apart");
    if (type.container() >= 32) {
        llvm::BasicBlock *const whole = e_.new_block("whole"), *const scatters = e_.new_block("scatter");
        const GroupPlace place = group_place(type, ir::Op::store, apart);
        b.CreateCondBr(place.apart, scatters, whole);
        b.SetInsertPoint(whole);
        b.CreateMaskedStore(value, place.first, llvm::Align(1), acts);
        b.CreateRet(b.getTrue());
        b.SetInsertPoint(scatters);
        b.CreateMaskedScatter(value, place.bytes, llvm::Align(1), acts);
        b.CreateRet(b.getTrue());
    } else {
        b.CreateBr(apart);
    }
    b.SetInsertPoint(apart);
    b.CreateRet(access_group(type, ir::Op::store, array(value)));
}

llvm::Function* Memory::group_function(ir::Type type, ir::Op op) {
    llvm::Function*& made = group_functions_[{memory_, op, type.container()}];
    if (made != nullptr) return made;
    llvm::IRBuilder<>& b = e_.b;
    const bool loads = op == ir::Op::load;
    auto* const values = llvm::FixedVectorType::get(b.getIntNTy(type.container()), type.lanes);
    auto* const kind =
        llvm::FunctionType::get(b.getInt1Ty(),
                                {b.getPtrTy(), b.getPtrTy(), llvm::FixedVectorType::get(b.getInt64Ty(), type.lanes),
                                 llvm::FixedVectorType::get(b.getInt1Ty(), type.lanes),
                                 loads ? static_cast<llvm::Type*>(b.getPtrTy()) : values},
                                false);
    made = llvm::Function::Create(kind, llvm::GlobalValue::InternalLinkage, loads ? "load" : "store", e_.module);
    made->setCallingConv(llvm::CallingConv::Fast);
    made->addFnAttr(llvm::Attribute::NoInline);
    made->setDoesNotThrow();
    const Elsewhere elsewhere(*this, made);
    leave_if_none_acts(loads ? values : nullptr);
    loads ? emit_group_load(type) : emit_group_store(type);
    return made;
}

// Code goes on where no lane was refused.
void Memory::call_group(llvm::Function* function, ir::Type type, Value* at, Value* acts, Value* given) {
    llvm::IRBuilder<>& b = e_.b;
    exits_.store_count();
    at = b.CreateZExt(at, llvm::FixedVectorType::get(b.getInt64Ty(), type.lanes));
    if (acts == nullptr) acts = llvm::Constant::getAllOnesValue(e_.element_type(ir::Type::truth(type.lanes)));
    llvm::CallInst* const done = b.CreateCall(function, {e_.function->getArg(2), at_hand_, at, acts, given});
    done->setCallingConv(llvm::CallingConv::Fast);
    llvm::BasicBlock *const refused = e_.new_block("refused"), *const on = e_.new_block("done");
    b.CreateCondBr(done, on, refused);
    b.SetInsertPoint(refused);
    exits_.raise();
    b.SetInsertPoint(on);
}

Elements Memory::load_group(const ir::Instruction& instruction, ir::Type type, Value* at, Value* acts) {
    memory_ = instruction.object;
    llvm::IRBuilder<>& b = e_.b;
    auto* const all = llvm::FixedVectorType::get(b.getIntNTy(type.container()), type.lanes);
    llvm::AllocaInst*& loaded = loaded_[type.container()];
    if (loaded == nullptr) loaded = e_.variable(all);
    call_group(group_function(type, ir::Op::load), type, at, acts, loaded);
    exits_.note_access(Counter::loads, lanes_in(type, acts));
    return {b.CreateTrunc(in_order(b.CreateAlignedLoad(all, loaded, llvm::Align(type.container() / 8))),
                          e_.element_type(type))};
}

void Memory::store_group(const ir::Instruction& instruction, ir::Type type, Value* at, Value* value, Value* acts) {
    memory_ = instruction.object;
    llvm::IRBuilder<>& b = e_.b;
    value = b.CreateZExt(value, llvm::FixedVectorType::get(b.getIntNTy(type.container()), type.lanes));
    call_group(group_function(type, ir::Op::store), type, at, acts, in_order(value));
    note_attention();
    exits_.note_access(Counter::stores, lanes_in(type, acts));
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

Elements Memory::update(const ir::Instruction& instruction, ir::Type type, const Updated& of,
                        const ir::Graph& function) {
    memory_ = instruction.object;
    llvm::IRBuilder<>& b = e_.b;
    llvm::Type* const lane = b.getIntNTy(type.container());
    const auto whole = [&](Value* value) {
        return b.CreateZExt(value, value->getType()->getWithNewBitWidth(type.container()));
    };
    Value *const first = whole(of.first), *const second = whole(of.second);
    if (type.lanes == 1)
        return {b.CreateTrunc(where(of.mask, lane,
                                    [&] {
                                        return update_lane(b.CreateZExt(of.address, b.getInt64Ty()), first, second,
                                                           type.container(), function);
                                    }),
                              e_.element_type(type))};
    llvm::AllocaInst *const others = array(second), *const result =
                                                        array(llvm::Constant::getNullValue(second->getType()));
    for_each_lane(type.lanes, lane_arrays(type, of.address, first, of.mask),
                  [&](Value* address, Value* place, Value* number) {
                      const auto in = [&](llvm::AllocaInst* all) { return b.CreateInBoundsGEP(lane, all, number); };
                      b.CreateStore(update_lane(address, b.CreateLoad(lane, place), b.CreateLoad(lane, in(others)),
                                                type.container(), function),
                                    in(result));
                  });
    return {b.CreateTrunc(b.CreateLoad(second->getType(), result), e_.element_type(type))};
}

}  // namespace isaforge::jit
