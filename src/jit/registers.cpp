#include "jit/registers.hpp"

namespace isaforge::jit {

using llvm::Value;

namespace {

unsigned container_of(const RegisterFile& file) { return ir::Type::integer(file.bits).container(); }

// Lanes that fill their containers lie as bits in a row.
bool is_packed(const RegisterFile& file) { return container_of(file) == file.bits; }

}  // namespace

unsigned Registers::add(Index index, std::uint64_t number) {
    const auto [found, added] = numbers_.try_emplace({index, number}, static_cast<unsigned>(cells_.size()));
    if (added) cells_.push_back({index, e_.target.layout->offset(index, number), storage(file(index)), nullptr});
    return found->second;
}

void Registers::note_writes(const ir::Graph& graph, const ir::Instruction& instruction, RegisterSet& written) const {
    if (instruction.op != ir::Op::put || instruction.delay != 0) return;
    for (unsigned i = 0; i < graph.type(instruction.operands[0]).count; ++i)
        written.set(find(instruction.object, instruction.number + i));
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

Value* Registers::load_cell(const RegisterFile& of, Value* place, llvm::Align align) {
    if (of.lanes != 1) return e_.b.CreateAlignedLoad(storage(of), place, align);
    return e_.b.CreateTrunc(e_.b.CreateAlignedLoad(e_.b.getInt64Ty(), place, align), storage(of));
}

void Registers::store_cell(const RegisterFile& of, Value* value, Value* place, llvm::Align align) {
    if (of.lanes == 1) value = e_.b.CreateZExt(value, e_.b.getInt64Ty());
    e_.b.CreateAlignedStore(value, place, align);
}

void Registers::make_variables() {
    for (Cell& cell : cells_) cell.variable = e_.variable(cell.type);
}

void Registers::load_all() {
    for (const Cell& cell : cells_) {
        Value* const place = in_block(e_.b.getInt64(cell.offset));
        e_.b.CreateStore(load_cell(file(cell.file), place, alignment(cell.offset)), cell.variable);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Parts of registers, in variables or in the block: both have one form

Value* Registers::part(const RegisterFile& of, Value* place, unsigned first, ir::Type type) {
    llvm::Type* const wanted = e_.element_type(type);
    if (of.lanes == 1) {
        Value* const low =
            e_.b.CreateTrunc(e_.b.CreateLoad(storage(of), place), e_.b.getIntNTy(type.bits * type.lanes));
        return e_.b.CreateBitCast(low, wanted);
    }
    const unsigned lane_bits = type.bits == of.bits ? container_of(of) : type.bits;
    llvm::Type* const lanes = type.lanes == 1 ? static_cast<llvm::Type*>(e_.b.getIntNTy(lane_bits))
                                              : llvm::FixedVectorType::get(e_.b.getIntNTy(lane_bits), type.lanes);
    Value* const begin = e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), place, first * (lane_bits / 8));
    return e_.b.CreateTrunc(e_.b.CreateAlignedLoad(lanes, begin, llvm::Align(lane_bits / 8)), wanted);
}

void Registers::put_part(const RegisterFile& of, Value* place, unsigned first, ir::Type type, Value* value,
                         Value* mask) {
    if (mask != nullptr) value = e_.b.CreateSelect(mask, value, part(of, place, first, type));
    if (of.lanes == 1) {
        const unsigned bits = type.bits * type.lanes;
        Value* whole = e_.b.CreateBitCast(value, e_.b.getIntNTy(bits));
        if (bits < of.bits) {
            Value* const above = e_.b.CreateAnd(e_.b.CreateLoad(storage(of), place),
                                                e_.b.getInt(llvm::APInt::getHighBitsSet(of.bits, of.bits - bits)));
            whole = e_.b.CreateOr(above, e_.b.CreateZExt(whole, storage(of)));
        }
        e_.b.CreateStore(whole, place);
        return;
    }
    const unsigned lane_bits = type.bits == of.bits ? container_of(of) : type.bits;
    value = e_.b.CreateZExt(value, value->getType()->getWithNewBitWidth(lane_bits));
    Value* const begin = e_.b.CreateConstInBoundsGEP1_64(e_.b.getInt8Ty(), place, first * (lane_bits / 8));
    e_.b.CreateAlignedStore(value, begin, llvm::Align(lane_bits / 8));
}

Elements Registers::get(const ir::Instruction& instruction, ir::Type type) {
    Elements made;
    for (unsigned i = 0; i < type.count; ++i) {
        const Cell& cell = cells_[find(instruction.object, instruction.number + i)];
        made.push_back(part(file(cell.file), cell.variable, instruction.first, type));
    }
    return made;
}

void Registers::put(const ir::Instruction& instruction, ir::Type type, const Elements& values, Value* mask) {
    for (unsigned i = 0; i < type.count; ++i) {
        const Cell& cell = cells_[find(instruction.object, instruction.number + i)];
        put_part(file(cell.file), cell.variable, instruction.first, type, values[i], mask);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// By a number that is computed. A scalar is taken out of its eight bytes and put back whole.

Value* Registers::offset_at(Index index, Value* number) {
    Value* const wide = e_.b.CreateZExt(number, e_.b.getInt64Ty());
    return e_.b.CreateAdd(e_.b.getInt64(e_.target.layout->offset(index, 0)),
                          e_.b.CreateMul(wide, e_.b.getInt64(e_.target.layout->register_size(index))));
}

Elements Registers::get_at(const ir::Instruction& instruction, ir::Type type, Value* number, const RegisterSet& dirty) {
    write_back_file(instruction.object, dirty);
    const RegisterFile& of = file(instruction.object);
    Value* const place = in_block(offset_at(instruction.object, number));
    if (of.lanes != 1) return {part(of, place, instruction.first, type)};
    llvm::AllocaInst* const scalar = e_.variable(storage(of));
    e_.b.CreateStore(load_cell(of, place, llvm::Align(8)), scalar);
    return {part(of, scalar, instruction.first, type)};
}

void Registers::put_at(const ir::Instruction& instruction, ir::Type type, Value* number, const Elements& values,
                       Value* mask, const RegisterSet& dirty) {
    write_back_file(instruction.object, dirty);
    const RegisterFile& of = file(instruction.object);
    Value* const place = in_block(offset_at(instruction.object, number));
    if (of.lanes != 1) {
        put_part(of, place, instruction.first, type, values[0], mask);
    } else {
        llvm::AllocaInst* const scalar = e_.variable(storage(of));
        e_.b.CreateStore(load_cell(of, place, llvm::Align(8)), scalar);
        put_part(of, scalar, instruction.first, type, values[0], mask);
        store_cell(of, e_.b.CreateLoad(storage(of), scalar), place, llvm::Align(8));
    }
    reload_file(instruction.object);
}

// ---------------------------------------------------------------------------------------------------------------------
// The block

Registers::Snapshot Registers::snapshot(const RegisterSet& of) {
    Snapshot held;
    for (const unsigned i : of.set_bits()) held[i] = e_.b.CreateLoad(cells_[i].type, cells_[i].variable);
    return held;
}

void Registers::write_back(const RegisterSet& dirty, const Snapshot& before) {
    for (const unsigned i : dirty.set_bits()) {
        const Cell& cell = cells_[i];
        const auto held = before.find(i);
        Value* const value = held != before.end() ? held->second : e_.b.CreateLoad(cell.type, cell.variable);
        store_cell(file(cell.file), value, in_block(e_.b.getInt64(cell.offset)), alignment(cell.offset));
    }
}

void Registers::write_back_file(Index index, const RegisterSet& dirty) {
    RegisterSet of_file = dirty;
    for (const unsigned i : dirty.set_bits())
        if (cells_[i].file != index) of_file.reset(i);
    write_back(of_file);
}

void Registers::reload_file(Index index) {
    for (const Cell& cell : cells_) {
        if (cell.file != index) continue;
        Value* const place = in_block(e_.b.getInt64(cell.offset));
        e_.b.CreateStore(load_cell(file(index), place, alignment(cell.offset)), cell.variable);
    }
}

// ---------------------------------------------------------------------------------------------------------------------
// Late results, of registers of one lane

void Registers::land(unsigned number, Value* bits, Value* valid) {
    const Cell& cell = cells_[number];
    Value* const value = e_.b.CreateTrunc(bits, cell.type);
    Value* const before = e_.b.CreateLoad(cell.type, cell.variable);
    e_.b.CreateStore(e_.b.CreateSelect(valid, value, before), cell.variable);
}

void Registers::land_at(Index index, Value* offset, Value* bits, Value* valid, const RegisterSet& dirty) {
    write_back_file(index, dirty);
    Value* const place = in_block(offset);
    Value* const before = e_.b.CreateAlignedLoad(e_.b.getInt64Ty(), place, llvm::Align(8));
    e_.b.CreateAlignedStore(e_.b.CreateSelect(valid, bits, before), place, llvm::Align(8));
    reload_file(index);
}

}  // namespace isaforge::jit
