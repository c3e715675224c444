#include "jit/registers.hpp"

namespace isaforge::jit {

using llvm::Value;

namespace {

unsigned container_of(const RegisterFile& file) { return ir::Type::integer(file.bits).container(); }

// Lanes that fill their containers lie as bits in a row.
bool is_packed(const RegisterFile& file) { return container_of(file) == file.bits; }

}  // namespace

Registers::Use Registers::use_of(Index index, ir::Type written, unsigned delay) const {
    if (delay != 0) return Use::lands;
    return file(index).lanes == 1 && file(index).bits > half_bits && unsigned{written.bits} * written.lanes == half_bits
               ? Use::writes_low
               : Use::writes_whole;
}

void Registers::add(Index index, std::uint64_t number, Use use) {
    Wanted& wanted = numbers_[{index, number}];
    wanted.writes_low |= use == Use::writes_low;
    wanted.lands |= use == Use::lands;
}

void Registers::lay_out() {
    for (auto& [place, wanted] : numbers_) {
        const auto [index, number] = place;
        const std::uint32_t offset = e_.target.layout->offset(index, number);
        wanted.cell = static_cast<unsigned>(cells_.size());
        if (!wanted.writes_low || wanted.lands) {
            cells_.push_back({index, offset, storage(file(index))});
            continue;
        }
        cells_.push_back({index, offset, e_.b.getIntNTy(half_bits), true, true});
        cells_.push_back({index, offset + half_bits / 8, e_.b.getIntNTy(file(index).bits - half_bits), false, true});
    }
}

void Registers::note_writes(const ir::Graph& graph, const ir::Instruction& instruction, RegisterSet& written) const {
    if (instruction.op != ir::Op::put || instruction.delay != 0) return;
    const ir::Type type = graph.type(instruction.operands[0]);
    for (unsigned i = 0; i < type.count; ++i) {
        const unsigned cell = find(instruction.object, instruction.number + i);
        written.set(cell);
        if (cells_[cell].halved && unsigned{type.bits} * type.lanes > half_bits) written.set(cell + 1);
    }
}

std::optional<std::pair<Index, unsigned>> Registers::at(std::uint32_t offset) const {
    for (unsigned i = 0; i < cells_.size(); ++i)
        if (cells_[i].offset == offset && file(cells_[i].file).lanes == 1 && !cells_[i].is_half)
            return std::pair{cells_[i].file, i};
    return {};
}

bool Registers::is_supported(const RegisterFile& file, ir::Type type, unsigned first) {
    if (file.lanes == 1) return first == 0 && unsigned{type.bits} * type.lanes <= file.bits;
    if (type.bits == file.bits) return true;
    const bool whole_bytes = type.bits % 8 == 0 && type.container() == type.bits;
    return is_packed(file) && whole_bytes && !type.is_mask();
}

// A scalar is as wide as its file; of a vector each lane has its container.
llvm::Type* Registers::storage(const RegisterFile& of) const {
    if (of.lanes == 1) return e_.b.getIntNTy(of.bits);
    return llvm::FixedVectorType::get(e_.b.getIntNTy(container_of(of)), of.lanes);
}

Value* Registers::in_block(Value* offset) const {
    return e_.b.CreateInBoundsGEP(e_.b.getInt8Ty(), e_.function->getArg(1), offset);
}

Value* Registers::load_scalar(const RegisterFile& of, Value* place) {
    return e_.b.CreateTrunc(e_.b.CreateAlignedLoad(e_.b.getInt64Ty(), place, llvm::Align(8)), storage(of));
}
void Registers::store_scalar(Value* value, Value* place) {
    e_.b.CreateAlignedStore(e_.b.CreateZExt(value, e_.b.getInt64Ty()), place, llvm::Align(8));
}

void Registers::load_cell(const Cell& cell) {
    Value* const place = in_block(e_.b.getInt64(cell.offset));
    Value* value = nullptr;
    if (file(cell.file).lanes != 1) {
        value = e_.b.CreateAlignedLoad(cell.type, place, alignment(cell.offset));
    } else if (cell.is_half) {
        llvm::Type* const half = e_.b.getIntNTy(half_bits);
        value = e_.b.CreateTrunc(e_.b.CreateAlignedLoad(half, place, llvm::Align(4)), cell.type);
    } else {
        value = load_scalar(file(cell.file), place);
    }
    e_.b.CreateStore(value, cell.variable);
}

void Registers::store_cell(const Cell& cell, Value* value) {
    Value* const place = in_block(e_.b.getInt64(cell.offset));
    if (file(cell.file).lanes != 1) {
        e_.b.CreateAlignedStore(value, place, alignment(cell.offset));
    } else if (cell.is_half) {
        e_.b.CreateAlignedStore(e_.b.CreateZExt(value, e_.b.getIntNTy(half_bits)), place, llvm::Align(4));
    } else {
        store_scalar(value, place);
    }
}

void Registers::make_variables() {
    for (Cell& cell : cells_)
        if (is_variable(cell)) cell.variable = e_.variable(cell.type);
}

void Registers::load_all() {
    for (const Cell& cell : cells_)
        if (is_variable(cell)) load_cell(cell);
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts of registers, in variables or in the block: both have one form

Value* Registers::low_part(Value* from, ir::Type type) {
    return e_.b.CreateBitCast(e_.b.CreateTrunc(from, e_.b.getIntNTy(type.bits * type.lanes)), e_.element_type(type));
}

Value* Registers::with_low_part(Value* before, ir::Type type, Value* value) {
    const unsigned bits = type.bits * type.lanes, all = before->getType()->getIntegerBitWidth();
    value = e_.b.CreateBitCast(value, e_.b.getIntNTy(bits));
    if (bits == all) return value;
    Value* const above = e_.b.CreateAnd(before, e_.b.getInt(llvm::APInt::getHighBitsSet(all, all - bits)));
    return e_.b.CreateOr(above, e_.b.CreateZExt(value, before->getType()));
}

Value* Registers::part(const RegisterFile& of, Value* place, unsigned first, ir::Type type) {
    const unsigned lane_bits = type.bits == of.bits ? container_of(of) : type.bits;
    llvm::Type* const lanes = type.lanes == 1 ? static_cast<llvm::Type*>(e_.b.getIntNTy(lane_bits))
                                              : llvm::FixedVectorType::get(e_.b.getIntNTy(lane_bits), type.lanes);
    Value* const begin = e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), place, first * (lane_bits / 8));
    return e_.b.CreateTrunc(e_.b.CreateAlignedLoad(lanes, begin, llvm::Align(lane_bits / 8)), e_.element_type(type));
}

void Registers::put_part(const RegisterFile& of, Value* place, unsigned first, ir::Type type, Value* value,
                         Value* mask) {
    if (mask != nullptr) value = e_.b.CreateSelect(mask, value, part(of, place, first, type));
    const unsigned lane_bits = type.bits == of.bits ? container_of(of) : type.bits;
    value = e_.b.CreateZExt(value, value->getType()->getWithNewBitWidth(lane_bits));
    Value* const begin = e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), place, first * (lane_bits / 8));
    e_.b.CreateAlignedStore(value, begin, llvm::Align(lane_bits / 8));
}

// ---------------------------------------------------------------------------------------------------------------------
// Registers in variables

Value* Registers::whole(unsigned number) {
    const Cell& cell = cells_[number];
    Value* const value = e_.b.CreateLoad(cell.type, cell.variable);
    if (!cell.halved) return value;
    llvm::Type* const wide = storage(file(cell.file));
    const Cell& above = cells_[number + 1];
    Value* const high = e_.b.CreateZExt(e_.b.CreateLoad(above.type, above.variable), wide);
    return e_.b.CreateOr(e_.b.CreateShl(high, half_bits), e_.b.CreateZExt(value, wide));
}

void Registers::set(const Cell& cell, Value* value) {
    e_.b.CreateStore(value, cell.variable);
    store_cell(cell, value);
}

void Registers::put_whole(unsigned number, Value* value) {
    const Cell& cell = cells_[number];
    set(cell, e_.b.CreateTrunc(value, cell.type));
    if (!cell.halved) return;
    const Cell& above = cells_[number + 1];
    set(above, e_.b.CreateTrunc(e_.b.CreateLShr(value, half_bits), above.type));
}

Elements Registers::get(const ir::Instruction& instruction, ir::Type type) {
    Elements made;
    for (unsigned i = 0; i < type.count; ++i) {
        const unsigned number = find(instruction.object, instruction.number + i);
        const Cell& cell = cells_[number];
        const RegisterFile& of = file(cell.file);
        const bool in_low = cell.halved && unsigned{type.bits} * type.lanes <= half_bits;
        made.push_back(of.lanes != 1 ? part(of, place_of(cell), instruction.first, type)
                       : in_low      ? low_part(e_.b.CreateLoad(cell.type, cell.variable), type)
                                     : low_part(whole(number), type));
    }
    return made;
}

void Registers::put(const ir::Instruction& instruction, ir::Type type, const Elements& values, Value* mask) {
    Elements before;
    if (mask != nullptr && file(instruction.object).lanes == 1) before = get(instruction, type);
    for (unsigned i = 0; i < type.count; ++i) {
        const unsigned number = find(instruction.object, instruction.number + i);
        const Cell& cell = cells_[number];
        const RegisterFile& of = file(cell.file);
        if (of.lanes != 1) {
            Value* value = values[i];
            if (mask != nullptr)
                value = e_.b.CreateSelect(mask, value, part(of, place_of(cell), instruction.first, type));
            if (is_variable(cell)) put_part(of, cell.variable, instruction.first, type, value, nullptr);
            put_part(of, in_block(e_.b.getInt64(cell.offset)), instruction.first, type, value, nullptr);
            continue;
        }
        Value* const value = mask != nullptr ? e_.b.CreateSelect(mask, values[i], before[i]) : values[i];
        if (cell.halved && unsigned{type.bits} * type.lanes <= half_bits) {
            Value* const low = e_.b.CreateLoad(cell.type, cell.variable);
            set(cell, with_low_part(low, type, value));
        } else {
            put_whole(number, with_low_part(whole(number), type, value));
        }
    }
}

// A container for each lane, in the block.
Value* Registers::get_lanes(Index index, std::uint64_t number, Value* first, ir::Type type) {
    const unsigned container = container_of(file(index));
    Value* const offset = e_.b.CreateAdd(e_.b.CreateMul(first, e_.b.getInt64(container / 8)),
                                         e_.b.getInt64(e_.target.layout->offset(index, number)));
    auto* const lanes = llvm::FixedVectorType::get(e_.b.getIntNTy(container), type.lanes);
    return e_.b.CreateTrunc(e_.b.CreateAlignedLoad(lanes, in_block(offset), llvm::Align(container / 8)),
                            e_.element_type(type));
}

void Registers::put_lanes(Index index, std::uint64_t number, Value* first, ir::Type type, Value* value, Value* mask) {
    const unsigned container = container_of(file(index));
    if (mask != nullptr) value = e_.b.CreateSelect(mask, value, get_lanes(index, number, first, type));
    Value* const offset = e_.b.CreateAdd(e_.b.CreateMul(first, e_.b.getInt64(container / 8)),
                                         e_.b.getInt64(e_.target.layout->offset(index, number)));
    value = e_.b.CreateZExt(value, llvm::FixedVectorType::get(e_.b.getIntNTy(container), type.lanes));
    e_.b.CreateAlignedStore(value, in_block(offset), llvm::Align(container / 8));
}

// ---------------------------------------------------------------------------------------------------------------------
// By a number that is computed. A scalar is taken out of its eight bytes and put back whole.

Value* Registers::offset_at(Index index, Value* number) {
    Value* const wide = e_.b.CreateZExt(number, e_.b.getInt64Ty());
    return e_.b.CreateAdd(e_.b.getInt64(e_.target.layout->offset(index, 0)),
                          e_.b.CreateMul(wide, e_.b.getInt64(e_.target.layout->register_size(index))));
}

Elements Registers::get_at(const ir::Instruction& instruction, ir::Type type, Value* number) {
    const RegisterFile& of = file(instruction.object);
    Value* const place = in_block(offset_at(instruction.object, number));
    if (of.lanes != 1) return {part(of, place, instruction.first, type)};
    return {low_part(load_scalar(of, place), type)};
}

void Registers::put_at(const ir::Instruction& instruction, ir::Type type, Value* number, const Elements& values,
                       Value* mask) {
    const RegisterFile& of = file(instruction.object);
    Value* const place = in_block(offset_at(instruction.object, number));
    if (of.lanes != 1) {
        put_part(of, place, instruction.first, type, values[0], mask);
    } else {
        Value* const before = load_scalar(of, place);
        Value* const value = mask != nullptr ? e_.b.CreateSelect(mask, values[0], low_part(before, type)) : values[0];
        store_scalar(with_low_part(before, type, value), place);
    }
    reload_file(instruction.object);
}

// ---------------------------------------------------------------------------------------------------------------------
// The block

Registers::Snapshot Registers::snapshot(const RegisterSet& of) {
    Snapshot held;
    for (const unsigned i : of.set_bits())
        held[i] = e_.b.CreateAlignedLoad(cells_[i].type, place_of(cells_[i]), alignment(cells_[i].offset));
    return held;
}

void Registers::put_back(const Snapshot& before) {
    for (const auto& [cell, value] : before) store_cell(cells_[cell], value);
}

void Registers::reload_file(Index index) {
    for (const Cell& cell : cells_)
        if (cell.file == index && is_variable(cell)) load_cell(cell);
}

// ---------------------------------------------------------------------------------------------------------------------
// Late results, of registers of one lane

void Registers::land(unsigned number, Value* bits, Value* valid) {
    const Cell& cell = cells_[number];
    Value* const value = e_.b.CreateTrunc(bits, cell.type);
    set(cell, e_.b.CreateSelect(valid, value, e_.b.CreateLoad(cell.type, cell.variable)));
}

void Registers::land_at(Index index, Value* offset, Value* bits, Value* valid) {
    Value* const place = in_block(offset);
    Value* const before = e_.b.CreateAlignedLoad(e_.b.getInt64Ty(), place, llvm::Align(8));
    e_.b.CreateAlignedStore(e_.b.CreateSelect(valid, bits, before), place, llvm::Align(8));
    reload_file(index);
}

}  // namespace isaforge::jit
