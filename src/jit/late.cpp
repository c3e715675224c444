#include "jit/late.hpp"

#include <algorithm>
#include <cstddef>
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

namespace {

bool is_same(const LatePut& a, const LatePut& b) {
    return a.delay == b.delay && a.kind == b.kind && a.file == b.file && a.cell == b.cell && a.target == b.target;
}

}  // namespace

bool merge(UnderWay& into, const UnderWay& from) {
    bool changed = false;
    std::vector<bool> met(into.size());
    std::size_t at = 0;
    for (const LatePut& late : from) {
        const auto begin = into.begin() + static_cast<std::ptrdiff_t>(at);
        const auto same = std::find_if(begin, into.end(), [&](const LatePut& each) { return is_same(each, late); });
        if (same != into.end()) {
            at = static_cast<std::size_t>(same - into.begin());
            changed |= same->always && !late.always;
            same->always = same->always && late.always;
            met[at++] = true;
            continue;
        }
        const auto later =
            std::find_if(begin, into.end(), [&](const LatePut& each) { return each.delay >= late.delay; });
        at = static_cast<std::size_t>(later - into.begin());
        into.insert(later, late)->always = false;
        met.insert(met.begin() + static_cast<std::ptrdiff_t>(at++), true);
        changed = true;
    }
    for (std::size_t i = 0; i < into.size(); ++i) {
        if (met[i] || !into[i].always) continue;
        into[i].always = false;
        changed = true;
    }
    return changed;
}

std::vector<std::size_t> find_in(const UnderWay& way, const UnderWay& all) {
    std::vector<std::size_t> found(all.size(), none);
    std::size_t next = 0;
    for (std::size_t i = 0; i < all.size() && next < way.size(); ++i)
        if (is_same(way[next], all[i])) found[i] = next++;
    return found;
}

// ---------------------------------------------------------------------------------------------------------------------
// Variables

void LateResults::make_variables(std::size_t most) {
    outside_ = e_.variable(llvm::ArrayType::get(e_.b.getInt64Ty(), most * sizeof(machine::LateValue) / 8));
}

LateResults::Slot& LateResults::slot(const Place& place) {
    Slot& made = variables_[place];
    llvm::Type *const wide = e_.b.getInt64Ty(), *const narrow = e_.b.getInt32Ty();
    if (made.value == nullptr)
        made = {e_.variable(wide), e_.variable(narrow), e_.variable(narrow), e_.variable(e_.b.getInt1Ty())};
    return made;
}

std::vector<LateResults::Slot> LateResults::slots_of(const UnderWay& under_way) {
    std::vector<Slot> made;
    std::map<std::tuple<LatePut::Kind, Index, unsigned>, std::size_t> before;
    for (const LatePut& late : under_way)
        made.push_back(slot({late.kind, late.file, late.cell, before[{late.kind, late.file, late.cell}]++}));
    return made;
}

Value* LateResults::value(std::size_t number) { return e_.b.CreateLoad(e_.b.getInt64Ty(), slots_[number].value); }
Value* LateResults::valid(std::size_t number) {
    return lates_[number].always && number < before_ ? static_cast<Value*>(e_.b.getTrue())
                                                     : e_.b.CreateLoad(e_.b.getInt1Ty(), slots_[number].valid);
}

void LateResults::begin(const UnderWay& before, const std::vector<LatePut>& put) {
    before_ = before.size();
    lates_ = before;
    lates_.insert(lates_.end(), put.begin(), put.end());
    slots_ = slots_of(before);
    end_ = at_end(before, put);
    for (std::size_t i = 0; i < put.size(); ++i) {
        slots_.push_back(slot({LatePut::Kind::cell, no_index, 0, fresh + i}));
        e_.b.CreateStore(e_.b.getInt32(0), slots_.back().offset);
        e_.b.CreateStore(e_.b.getFalse(), slots_.back().valid);
    }
}

void LateResults::put(std::size_t number, Value* bits, Value* offset, Value* mask) {
    const Slot& to = slots_[before_ + number];
    e_.b.CreateStore(e_.b.CreateZExt(bits, e_.b.getInt64Ty()), to.value);
    if (offset != nullptr) e_.b.CreateStore(e_.b.CreateTrunc(offset, e_.b.getInt32Ty()), to.offset);
    e_.b.CreateStore(e_.b.getInt32(static_cast<std::uint32_t>(lates_[before_ + number].origin)), to.origin);
    e_.b.CreateStore(mask != nullptr ? mask : e_.b.getTrue(), to.valid);
}

std::vector<std::size_t> LateResults::landing_jumps() const {
    std::vector<std::size_t> found;
    for (const std::size_t number : end_.landing)
        if (lates_[number].kind == LatePut::Kind::pc) found.insert(found.begin(), number);
    return found;
}

Value* LateResults::landing_in(Index file) {
    Value* count = e_.b.getInt32(0);
    for (const std::size_t number : end_.landing)
        if (lates_[number].file == file)
            count = e_.b.CreateAdd(count, e_.b.CreateZExt(valid(number), e_.b.getInt32Ty()));
    return count;
}

void LateResults::land() {
    for (const std::size_t number : end_.landing) {
        const LatePut& late = lates_[number];
        if (late.kind == LatePut::Kind::cell) registers_.land(late.cell, value(number), valid(number));
        if (late.kind != LatePut::Kind::at) continue;
        Value* const offset = e_.b.CreateLoad(e_.b.getInt32Ty(), slots_[number].offset);
        registers_.land_at(late.file, e_.b.CreateZExt(offset, e_.b.getInt64Ty()), value(number), valid(number));
    }
}

void LateResults::move_on(const UnderWay& to) {
    const std::vector<std::size_t> source = find_in(end_.next, to);
    const std::vector<Slot> targets = slots_of(to);
    std::vector<std::pair<llvm::AllocaInst*, Value*>> moves;
    const auto move = [&](llvm::AllocaInst* variable, llvm::AllocaInst* from) {
        if (variable != from) moves.emplace_back(variable, e_.b.CreateLoad(variable->getAllocatedType(), from));
    };
    for (std::size_t i = 0; i < to.size(); ++i) {
        const Slot& target = targets[i];
        if (source[i] == none) {
            for (llvm::AllocaInst* const each : {target.value, target.origin})
                moves.emplace_back(each, llvm::PoisonValue::get(each->getAllocatedType()));
            moves.emplace_back(target.offset, e_.b.getInt32(0));  // where something may be read
            moves.emplace_back(target.valid, e_.b.getFalse());
            continue;
        }
        const Slot& from = slots_[end_.staying[source[i]]];
        move(target.value, from.value);
        if (to[i].kind == LatePut::Kind::at) move(target.offset, from.offset);
        move(target.origin, from.origin);
        move(target.valid, from.valid);
    }
    for (const auto& [variable, value] : moves) e_.b.CreateStore(value, variable);
}

// ---------------------------------------------------------------------------------------------------------------------
// The machine's ring

Value* LateResults::field(std::size_t number, std::size_t offset) {
    return e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), outside_, number * sizeof(machine::LateValue) + offset);
}

const machine::LateShape& LateResults::shape_of(const std::vector<std::size_t>& numbers) {
    machine::LateShape& shape = shapes_.emplace_back();
    for (const std::size_t number : numbers) {
        const LatePut& late = lates_[number];
        const bool to_pc = late.kind == LatePut::Kind::pc;
        machine::LateSite& site = shape.emplace_back(machine::LateSite{.delay = late.delay});
        site.offset = late.kind == LatePut::Kind::cell ? registers_.offset(late.cell) : machine::LateResult::to_pc;
        site.any_offset = late.kind == LatePut::Kind::at;
        if (site.any_offset) {
            site.offset = e_.target.layout->offset(late.file, 0);
            site.end = e_.target.layout->offset(late.file, e_.target.isa->register_files[late.file].count - 1) + 1;
        }
        site.port = to_pc || e_.target.ports.empty() ? 0 : e_.target.ports[late.file];
        site.always = late.always;
        site.target = late.target;
    }
    return shape;
}

Value* LateResults::take(Value* count, Value* pending) {
    if (before_ == 0) return e_.b.CreateICmpEQ(pending, e_.b.getInt64(0));
    std::vector<std::size_t> numbers(before_);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    llvm::Type *const wide = e_.b.getInt64Ty(), *const narrow = e_.b.getInt32Ty(), *const pointer = e_.b.getPtrTy();
    auto* const type = llvm::FunctionType::get(e_.b.getInt8Ty(), {pointer, wide, wide, pointer, pointer}, false);
    Value* const done =
        e_.b.CreateCall(type, e_.address(reinterpret_cast<const void*>(e_.target.callouts.take_under_way)),
                        {e_.function->getArg(2), count, pending, e_.address(&shape_of(numbers)), outside_});
    const auto take = [&](llvm::AllocaInst* to, llvm::Type* as, Value* from) {
        e_.b.CreateStore(e_.b.CreateTrunc(e_.b.CreateLoad(as, from), to->getAllocatedType()), to);
    };
    for (std::size_t i = 0; i < before_; ++i) {
        take(slots_[i].value, wide, field(i, offsetof(machine::LateValue, value)));
        take(slots_[i].offset, narrow, field(i, offsetof(machine::LateValue, offset)));
        take(slots_[i].origin, narrow, field(i, offsetof(machine::LateValue, origin)));
        take(slots_[i].valid, e_.b.getInt8Ty(), field(i, offsetof(machine::LateValue, valid)));
    }
    return e_.b.CreateICmpNE(done, e_.b.getInt8(0));
}

Value* LateResults::write_ring(Value* count, When when) {
    std::vector<std::size_t> numbers(when == When::before ? before_ : lates_.size());
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    if (when == When::landed) numbers = end_.staying;
    if (numbers.empty()) return e_.b.getInt64(0);
    llvm::IRBuilder<>& b = e_.b;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const Slot& from = slots_[numbers[i]];
        b.CreateStore(value(numbers[i]), field(i, offsetof(machine::LateValue, value)));
        if (lates_[numbers[i]].kind == LatePut::Kind::at)
            b.CreateStore(b.CreateLoad(b.getInt32Ty(), from.offset), field(i, offsetof(machine::LateValue, offset)));
        b.CreateStore(b.CreateLoad(b.getInt32Ty(), from.origin), field(i, offsetof(machine::LateValue, origin)));
        b.CreateStore(b.CreateZExt(valid(numbers[i]), b.getInt8Ty()), field(i, offsetof(machine::LateValue, valid)));
    }
    llvm::Type *const wide = b.getInt64Ty(), *const pointer = b.getPtrTy();
    auto* const type = llvm::FunctionType::get(wide, {pointer, wide, pointer, pointer}, false);
    return b.CreateCall(type, e_.address(reinterpret_cast<const void*>(e_.target.callouts.land_later)),
                        {e_.function->getArg(2), count, e_.address(&shape_of(numbers)), outside_});
}

}  // namespace isaforge::jit
