// Registers inside a region: each that is named is a variable, which LLVM turns into values. What is written goes into the
// block of registers, too, at once: a store for each costs less than all of them at each of the many ways out of a region,
// and what nobody reads any more need not be kept in the host's registers. Registers of many lanes stay in the block. Registers that are found at run time are read and
// written in the block itself. A wide register whose low half is written by itself is two variables, so that the high one
// need not be put together with it.
#pragma once

#include <llvm/ADT/BitVector.h>

#include <map>
#include <optional>
#include <vector>

#include "jit/emit.hpp"

namespace isaforge::jit {

// One bit for each of the region's registers.
using RegisterSet = llvm::BitVector;

class Registers {
public:
    explicit Registers(Emission& e) : e_(e) {}

    // Before anything is emitted: the register is wanted, and lay_out() gives all of them numbers, of which there are size().
    enum class Use { reads, writes_whole, writes_low, lands };
    void add(Index file, std::uint64_t number, Use use);
    void lay_out();
    Use use_of(Index file, ir::Type written, unsigned delay) const;
    // Every register that a put without delay writes.
    void note_writes(const ir::Graph& graph, const ir::Instruction& instruction, RegisterSet& written) const;
    std::size_t size() const { return cells_.size(); }

    // Whether these bits of a register can be reached here.
    static bool is_supported(const RegisterFile& file, ir::Type type, unsigned first);

    // In the entry.
    void make_variables();
    void load_all();

    Elements get(const ir::Instruction& instruction, ir::Type type);
    void put(const ir::Instruction& instruction, ir::Type type, const Elements& values, llvm::Value* mask);
    // With the number given.
    Elements get_at(const ir::Instruction& instruction, ir::Type type, llvm::Value* number);
    void put_at(const ir::Instruction& instruction, ir::Type type, llvm::Value* number, const Elements& values,
                llvm::Value* mask);

    // Some lanes of a register that has many, from a lane on that is a number of code; as wide as the register's.
    llvm::Value* get_lanes(Index file, std::uint64_t number, llvm::Value* first, ir::Type type);
    void put_lanes(Index file, std::uint64_t number, llvm::Value* first, ir::Type type, llvm::Value* value,
                   llvm::Value* mask);

    // What variables hold, to be put back into the block later.
    using Snapshot = std::map<unsigned, llvm::Value*>;
    Snapshot snapshot(const RegisterSet& of);
    void put_back(const Snapshot& before);

    // A late result lands: 64 bits as the block has them.
    void land(unsigned cell, llvm::Value* bits, llvm::Value* valid);
    void land_at(Index file, llvm::Value* offset, llvm::Value* bits, llvm::Value* valid);
    std::uint32_t offset(unsigned cell) const { return cells_[cell].offset; }
    // The file and the cell of the register that lies there, if it is one for late results.
    std::optional<std::pair<Index, unsigned>> at(std::uint32_t offset) const;
    unsigned find(Index file, std::uint64_t number) const { return numbers_.at({file, number}).cell; }
    // Where in the block register `number` is.
    llvm::Value* offset_at(Index file, llvm::Value* number);

private:
    struct Cell {
        Index file = 0;
        std::uint32_t offset = 0;
        llvm::Type* type = nullptr;
        bool halved = false;  // the next cell has the bits above
        bool is_half = false;
        llvm::AllocaInst* variable = nullptr;
    };
    struct Wanted {
        unsigned cell = 0;
        bool writes_low = false, lands = false;
    };
    static constexpr unsigned half_bits = 32;

    const RegisterFile& file(Index index) const { return e_.target.isa->register_files[index]; }
    llvm::Type* storage(const RegisterFile& file) const;
    llvm::Value* in_block(llvm::Value* offset) const;
    // Registers of many lanes have no variables: few of them would be in the host's registers at a time.
    bool is_variable(const Cell& cell) const { return file(cell.file).lanes <= most_lanes_at_once; }
    llvm::Value* place_of(const Cell& cell) const {
        return is_variable(cell) ? cell.variable : in_block(e_.b.getInt64(cell.offset));
    }
    llvm::Align alignment(std::uint32_t offset) const { return llvm::commonAlignment(llvm::Align(64), offset); }
    void load_cell(const Cell& cell);
    void store_cell(const Cell& cell, llvm::Value* value);
    llvm::Value* load_scalar(const RegisterFile& file, llvm::Value* place);
    void store_scalar(llvm::Value* value, llvm::Value* place);
    llvm::Value* whole(unsigned cell);
    void put_whole(unsigned cell, llvm::Value* value);
    llvm::Value* low_part(llvm::Value* from, ir::Type type);
    llvm::Value* with_low_part(llvm::Value* before, ir::Type type, llvm::Value* value);
    llvm::Value* part(const RegisterFile& file, llvm::Value* variable, unsigned first, ir::Type type);
    void put_part(const RegisterFile& file, llvm::Value* variable, unsigned first, ir::Type type, llvm::Value* value,
                  llvm::Value* mask);
    void set(const Cell& cell, llvm::Value* value);
    void reload_file(Index file);

    Emission& e_;
    std::map<std::pair<Index, std::uint64_t>, Wanted> numbers_;
    std::vector<Cell> cells_;
};

}  // namespace isaforge::jit
