#include "jit/late.hpp"

#include <algorithm>
#include <numeric>

namespace isaforge::jit {

using llvm::Value;

AtEnd at_end(const UnderWay& before, const std::vector<LatePut>& put) {
    UnderWay all = before;
    all.insert(all.end(), put.begin(), put.end());
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return all[a].delay < all[b].delay; });
    AtEnd end;
    for (const std::size_t slot : order) {
        if (all[slot].delay == 0) {
            end.landing.push_back(slot);
            continue;
        }
        end.staying.push_back(slot);
        end.next.push_back(all[slot]);
        --end.next.back().delay;
    }
    return end;
}

LateResults::Slot& LateResults::slot(std::size_t number) {
    if (slots_.size() <= number) slots_.resize(number + 1);
    Slot& made = slots_[number];
    if (made.value == nullptr)
        made = {e_.variable(e_.b.getInt64Ty()), e_.variable(e_.b.getInt64Ty()), e_.variable(e_.b.getInt1Ty())};
    return made;
}

Value* LateResults::value(std::size_t number) { return e_.b.CreateLoad(e_.b.getInt64Ty(), slot(number).value); }
Value* LateResults::valid(std::size_t number) { return e_.b.CreateLoad(e_.b.getInt1Ty(), slot(number).valid); }

void LateResults::begin(const UnderWay& before, const std::vector<LatePut>& put) {
    before_ = before.size();
    lates_ = before;
    lates_.insert(lates_.end(), put.begin(), put.end());
    end_ = at_end(before, put);
    for (std::size_t i = before_; i < lates_.size(); ++i) {
        e_.b.CreateStore(e_.b.getInt64(0), slot(i).value);
        e_.b.CreateStore(e_.b.getInt64(0), slot(i).offset);
        e_.b.CreateStore(e_.b.getFalse(), slot(i).valid);
    }
}

void LateResults::put(std::size_t number, Value* bits, Value* offset, Value* mask) {
    const Slot& to = slot(before_ + number);
    e_.b.CreateStore(e_.b.CreateZExt(bits, e_.b.getInt64Ty()), to.value);
    if (offset != nullptr) e_.b.CreateStore(offset, to.offset);
    e_.b.CreateStore(mask != nullptr ? mask : e_.b.getTrue(), to.valid);
}

std::vector<std::size_t> LateResults::landing_jumps() const {
    std::vector<std::size_t> found;
    for (const std::size_t number : end_.landing)
        if (lates_[number].kind == LatePut::Kind::pc) found.insert(found.begin(), number);
    return found;
}

void LateResults::land() {
    for (const std::size_t number : end_.landing) {
        const LatePut& late = lates_[number];
        Value* const offset = e_.b.CreateLoad(e_.b.getInt64Ty(), slot(number).offset);
        if (late.kind == LatePut::Kind::cell) registers_.land(late.cell, value(number), valid(number));
        if (late.kind == LatePut::Kind::at) registers_.land_at(late.file, offset, value(number), valid(number));
    }
}

void LateResults::move_on() {
    std::vector<Value*> values, offsets, valids;
    for (const std::size_t number : end_.staying) {
        values.push_back(value(number));
        offsets.push_back(e_.b.CreateLoad(e_.b.getInt64Ty(), slot(number).offset));
        valids.push_back(valid(number));
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        e_.b.CreateStore(values[i], slot(i).value);
        e_.b.CreateStore(offsets[i], slot(i).offset);
        e_.b.CreateStore(valids[i], slot(i).valid);
    }
}

void LateResults::write_ring(std::size_t number, Value* count, llvm::AllocaInst* pending) {
    const LatePut& late = lates_[number];
    llvm::IRBuilder<>& b = e_.b;
    llvm::BasicBlock *const lands = e_.new_block("late"), *const on = e_.new_block("on");
    b.CreateCondBr(valid(number), lands, on);
    b.SetInsertPoint(lands);
    const bool to_pc = late.kind == LatePut::Kind::pc;
    Value* offset = b.getInt32(to_pc ? machine::LateResult::to_pc : 0);
    if (late.kind == LatePut::Kind::cell) offset = b.getInt32(registers_.offset(late.cell));
    if (late.kind == LatePut::Kind::at)
        offset = b.CreateTrunc(b.CreateLoad(b.getInt64Ty(), slot(number).offset), b.getInt32Ty());
    const std::uint32_t port = to_pc || e_.target.ports.empty() ? 0 : e_.target.ports[late.file];
    llvm::Type *const wide = b.getInt64Ty(), *const narrow = b.getInt32Ty(), *const pointer = b.getPtrTy();
    auto* const type =
        llvm::FunctionType::get(wide, {pointer, wide, wide, narrow, narrow, narrow, narrow, wide}, false);
    Value* const function = e_.address(reinterpret_cast<const void*>(e_.target.callouts.land_later));
    Value* const now =
        b.CreateCall(type, function,
                     {e_.function->getArg(2), count, b.CreateLoad(wide, pending), b.getInt32(late.delay), offset,
                      b.getInt32(port), b.getInt32(static_cast<std::uint32_t>(late.origin)), value(number)});
    b.CreateStore(now, pending);
    b.CreateBr(on);
    b.SetInsertPoint(on);
}

Value* LateResults::write_ring(Value* count, When when) {
    std::vector<std::size_t> numbers(when == When::before ? before_ : lates_.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    if (when == When::landed) numbers = end_.staying;
    if (numbers.empty()) return e_.b.getInt64(0);
    llvm::AllocaInst* const pending = e_.variable(e_.b.getInt64Ty());
    e_.b.CreateStore(e_.b.getInt64(0), pending);
    for (const std::size_t number : numbers) write_ring(number, count, pending);
    return e_.b.CreateLoad(e_.b.getInt64Ty(), pending);
}

}  // namespace isaforge::jit
