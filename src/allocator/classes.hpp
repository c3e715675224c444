// The classes of a problem: rows that may share blocks, what each class may use, and how many blocks it needs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "allocator/bdd.hpp"
#include "allocator/problem.hpp"

namespace isaforge::allocator {

// Rows that are placed together: one row, or a chunk of an aligned table.
struct Part {
    unsigned size = 1;                // its codes start at a multiple of this
    std::vector<std::size_t> items;   // in a row from there
};

// A block with room for some rows of its class, the first codes taken or not.
struct Slot {
    enum class Kind { opened, behind_chunk, fresh };
    Kind kind = Kind::fresh;
    std::uint64_t block = 0;          // opened: its number; behind_chunk: blocks from the chunk's start
    std::size_t part = 0;             // behind_chunk: which
    std::vector<bool> taken;          // by extra code
    std::vector<bool> before;         // opened: the same, without the rows that are being placed
};

// Where a part of less than a block goes.
struct SlotPlace {
    std::size_t part = 0, slot = 0;
    std::uint64_t code = 0;           // extra code of the first row
};

struct Class {
    std::vector<unsigned> formats;
    unsigned width = 0;               // leading bits of a block
    Bits chosen = 0;
    Cube constants;                   // that all its forms have, in the block and behind
    unsigned block_bits = 0;          // chosen bits in the block …
    unsigned extra_bits = 0;          // … and behind it
    Bdd::Ref allowed = Bdd::none;     // blocks that it may open
    std::vector<std::size_t> items;
    std::vector<Part> parts;          // in the order of items
    std::vector<Slot> slots;          // opened ones first, then behind chunks, then fresh
    std::vector<SlotPlace> places;    // of the parts that are smaller than a block
    std::vector<std::size_t> chunks;  // the parts that are larger
    std::uint64_t fresh = 0;          // blocks to open, beside the chunks
    bool exact = true;                // no cleverer packing needs fewer

    std::uint64_t block_codes() const { return std::uint64_t{1} << extra_bits; }
    Bits block_mask() const { return chosen & leading_bits(width); }
    // Codes as numbers, and in place with the constants.
    Bits word(std::uint64_t code) const;
    Bits block(std::uint64_t number) const;  // the block's leading bits
    // The blocks numbered low..high below the first `from` leading bits, with the constants there.
    Bdd::Ref blocks(Bdd& bdd, std::uint64_t low, std::uint64_t high, unsigned from = 0) const;
    // Where a chunk of this many codes, more than a block, begins: leading bits of the aligned block around it.
    unsigned chunk_depth(unsigned size) const;
    std::uint64_t chunk_blocks(std::size_t part) const {
        return (parts[part].items.size() + block_codes() - 1) >> extra_bits;
    }
};

// What a number's bits are in place, and back: its most significant bit is the first of `mask`.
Bits spread(std::uint64_t number, Bits mask);
std::uint64_t gather(Bits word, Bits mask);

// Which rows are a class, of those with the same pools, opcode and extra bits: the smaller classes are, the more places there
// are for them, and the more blocks may be left with room in them.
enum class Grouping {
    by_length,  // those of one format and one length
    by_format,  // those of one format
    by_pools,   // all
};

// A problem's classes. Nothing where a row is outside of what the allocator handles, which make_problem has excluded.
struct Classes {
    Classes(const Problem& problem, Grouping grouping);

    const Problem& problem;
    Bdd bdd;
    Bdd::Ref fixed = Bdd::none;       // words of rows that have a number
    Bdd::Ref reserved = Bdd::none;
    std::vector<Bdd::Ref> pools;
    std::vector<Class> list;
    bool exact = true;                // all of them are

    // Words that the formats may use: in their pools, outside of those of others.
    Bdd::Ref region(const std::vector<unsigned>& formats);
};

}  // namespace isaforge::allocator
