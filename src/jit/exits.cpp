#include "jit/exits.hpp"

#include <cstddef>

namespace isaforge::jit {

using ir::Counter;
using llvm::Value;
using machine::Core;

llvm::FunctionType* handler_type(Emission& e) {
    llvm::Type *const pointer = e.b.getPtrTy(), *const wide = e.b.getInt64Ty();
    return llvm::FunctionType::get(e.b.getVoidTy(), {pointer, pointer, pointer, wide, wide}, false);
}

void emit_handler_call(Emission& e, Value* function, Value* op, Value* count, Value* pending) {
    llvm::CallInst* const call =
        e.b.CreateCall(handler_type(e), function, {op, e.function->getArg(1), e.function->getArg(2), count, pending});
    if (e.target.tail_calls) call->setTailCallKind(llvm::CallInst::TCK_MustTail);
    e.b.CreateRetVoid();
}

void Exits::make_variables() {
    for (llvm::AllocaInst** const variable : {&count_, &loads_, &stores_}) {
        *variable = e_.variable(e_.b.getInt64Ty());
        e_.b.CreateStore(variable == &count_ ? static_cast<Value*>(e_.function->getArg(3)) : e_.b.getInt64(0),
                         *variable);
    }
}

// Registers that the instruction writes are kept as they were, for the interpreter to do it from its beginning.
void Exits::begin(const Plan& plan) {
    unit_ = &plan.unit();
    part_ = 0;
    snapshot_.clear();
    if (plan.hands_over()) snapshot_ = registers_.snapshot(plan.written());
}

Value* Exits::count() { return e_.b.CreateLoad(e_.b.getInt64Ty(), count_); }
void Exits::count_more(std::uint64_t instructions) {
    if (instructions != 0) e_.b.CreateStore(e_.b.CreateAdd(count(), e_.b.getInt64(instructions)), count_);
}

void Exits::begin_part(std::uint64_t part) {
    count_more(part - part_);
    part_ = part;
}

Value* Exits::core_field(std::size_t offset) {
    return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), e_.function->getArg(2), offset);
}

void Exits::note_access(Counter counter, Value* times) {
    llvm::AllocaInst* const variable = counter == Counter::loads ? loads_ : stores_;
    e_.b.CreateStore(e_.b.CreateAdd(e_.b.CreateLoad(e_.b.getInt64Ty(), variable), times), variable);
}

// At once in the core: what follows in the region adds to that, and LLVM keeps it at hand meanwhile.
void Exits::count_cycles(Value* cycles) {
    Value* const sum = core_field(offsetof(Core, cycles));
    llvm::Type* const wide = e_.b.getInt64Ty();
    e_.b.CreateStore(e_.b.CreateAdd(e_.b.CreateLoad(wide, sum), e_.b.CreateZExt(cycles, wide)), sum);
}

// Variables have what was added in the region.
Value* Exits::noted(Counter counter) {
    Value* const before = e_.b.CreateLoad(e_.b.getInt64Ty(),
                                          core_field(offsetof(Core, counters) + 8 * static_cast<std::size_t>(counter)));
    if (counter != Counter::loads && counter != Counter::stores) return before;
    llvm::AllocaInst* const variable = counter == Counter::loads ? loads_ : stores_;
    return e_.b.CreateAdd(before, e_.b.CreateLoad(e_.b.getInt64Ty(), variable));
}

void Exits::store_counters() {
    for (const Counter counter : {Counter::loads, Counter::stores})
        e_.b.CreateStore(noted(counter), core_field(offsetof(Core, counters) + 8 * static_cast<std::size_t>(counter)));
}

void Exits::store_count() { e_.b.CreateStore(count(), core_field(offsetof(Core, count))); }

void Exits::to_interpreter() {
    registers_.put_back(snapshot_);
    call(unit_->run, unit_->op, late_.write_ring(count(), LateResults::When::before));
}

void Exits::end_at(std::uint64_t address) {
    const machine::MicroOp*& op = ends_[address];
    if (op == nullptr) {
        machine::MicroOp& made = ops_.emplace_back();
        made.run = e_.target.callouts.end;
        made.a = static_cast<std::uint32_t>(address >> 32);
        made.b = static_cast<std::uint32_t>(address);
        made.link = nullptr;
        op = &made;
    }
    call(op->run, op, late_.write_ring(count(), LateResults::When::landed));
}

void Exits::end_computed(Value* address) {
    machine::MicroOp& op = ops_.emplace_back();
    op.run = e_.target.callouts.end_jump;
    op.link = nullptr;
    e_.b.CreateStore(e_.b.CreateZExt(address, e_.b.getInt64Ty()), core_field(offsetof(Core, target)));
    call(op.run, &op, late_.write_ring(count(), LateResults::When::landed));
}

// The end of a way out, which is the same for all that no results are under way on; most compiled code is such ends. True where it
// is put together here: then code goes on where it begins, with that operation.
bool Exits::begin_shared(Tail& tail, const machine::MicroOp* op, Value* pending) {
    llvm::IRBuilder<>& b = e_.b;
    const auto* const known = llvm::dyn_cast<llvm::ConstantInt>(pending);
    if (known == nullptr || !known->isZero()) {
        tail.at = e_.address(op);
        return true;
    }
    if (op_ == nullptr) op_ = e_.variable(b.getPtrTy());
    b.CreateStore(e_.address(op), op_);
    const bool is_first = tail.block == nullptr;
    if (is_first) tail.block = e_.new_block("exit");
    b.CreateBr(tail.block);
    if (!is_first) return false;
    b.SetInsertPoint(tail.block);
    tail.at = b.CreateLoad(b.getPtrTy(), op_);
    return true;
}

void Exits::call(machine::Handler function, const machine::MicroOp* op, Value* pending) {
    Tail& tail = calls_[function];
    if (!begin_shared(tail, op, pending)) return;
    store_counters();
    emit_handler_call(e_, e_.address(reinterpret_cast<const void*>(function)), tail.at, count(), pending);
}

void Exits::raise() {
    Value* const pending = late_.write_ring(count(), LateResults::When::within);
    if (!begin_shared(raised_, unit_->parts.empty() ? unit_->op : unit_->parts[part_].op, pending)) return;
    store_counters();
    llvm::Type *const pointer = e_.b.getPtrTy(), *const wide = e_.b.getInt64Ty(), *const narrow = e_.b.getInt32Ty();
    auto* const type = llvm::FunctionType::get(e_.b.getVoidTy(), {pointer, pointer, wide, wide, narrow}, false);
    Value* const reason = e_.b.CreateLoad(narrow, core_field(offsetof(Core, reason)));
    e_.b.CreateCall(type, e_.address(reinterpret_cast<const void*>(e_.target.callouts.raise)),
                    {raised_.at, e_.function->getArg(2), count(), pending, reason});
    e_.b.CreateRetVoid();
}

void Exits::raise(StopReason reason) {
    e_.b.CreateStore(e_.b.getInt32(static_cast<std::uint32_t>(reason)), core_field(offsetof(Core, reason)));
    raise();
}

// What the interpreter counts is added to what was counted here before.
Value* Exits::interpret() {
    llvm::IRBuilder<>& b = e_.b;
    store_counters();
    for (llvm::AllocaInst* const variable : {loads_, stores_}) b.CreateStore(b.getInt64(0), variable);
    llvm::Type* const pointer = b.getPtrTy();
    auto* const type = llvm::FunctionType::get(pointer, {pointer, pointer, pointer, b.getInt64Ty()}, false);
    Value* const next = b.CreateCall(type, e_.address(reinterpret_cast<const void*>(e_.target.callouts.interpret)),
                                     {e_.address(unit_->op), e_.address(reinterpret_cast<const void*>(unit_->run)),
                                      e_.function->getArg(2), count()});
    llvm::BasicBlock *const ends = e_.new_block("ends"), *const on = e_.new_block("interpreted");
    b.CreateCondBr(b.CreateIsNull(next), ends, on);
    b.SetInsertPoint(ends);
    b.CreateRetVoid();
    b.SetInsertPoint(on);
    b.CreateStore(b.CreateLoad(b.getInt64Ty(), core_field(offsetof(Core, count))), count_);
    registers_.load_all();
    return next;
}

void Exits::go_on_with(Value* op) {
    Value* const run = e_.b.CreateLoad(e_.b.getPtrTy(), op);
    emit_handler_call(e_, run, op, count(), e_.b.getInt64(0));
}

void Exits::expect_register(Value* number, unsigned count) {
    Value* const wide = e_.b.CreateZExt(number, e_.b.getInt64Ty());
    llvm::BasicBlock *const there = e_.new_block("register"), *const missing = e_.new_block("missing");
    e_.b.CreateCondBr(e_.b.CreateICmpULT(wide, e_.b.getInt64(count)), there, missing);
    e_.b.SetInsertPoint(missing);
    e_.b.CreateStore(wide, core_field(offsetof(Core, fault_address)));
    raise(StopReason::bad_index);
    e_.b.SetInsertPoint(there);
}

}  // namespace isaforge::jit
