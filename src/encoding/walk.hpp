// A diagram read in the order of the leading bits: as a list of blocks, and counted within bounds.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "encoding/claims.hpp"

namespace isaforge::encoding {

// Blocks low..high of the walk's depth that come to one node: a leaf, or a node that looks at later bits.
struct Cell {
    std::uint64_t low = 0, high = 0;
    Diagram::Node node = 0;
};

struct Walk {
    unsigned depth = 0;
    std::vector<Cell> cells;  // rising, without gaps
};

// How many forms there are, and how many of them fix each leading bit.
struct FixedBits {
    std::size_t forms = 0;
    std::array<std::size_t, max_instruction_bits> fixing{};
};
FixedBits fixed_bits_of(const std::vector<Claim>& claims);

// Where an encoding is scattered: the first of the leading bits that hardly any form fixes though most forms fix a later
// one. Nothing for a prefix code.
std::optional<unsigned> scattered_from(const std::vector<Claim>& claims);

// How many leading bits to list blocks by: 16; more, but 24 at most, where units are of other sizes and an opcode in front
// is longer; of a scattered encoding those that are not.
unsigned leading_depth(const Isa& isa, const std::vector<Claim>& claims);

// The blocks in order. Where `depth` makes too many of them, 16 bits have to do.
Walk walk(const Diagram& diagram, unsigned depth);

// The forms that have words below a node, rising.
std::vector<Index> forms_below(const Diagram& diagram, const std::vector<Claim>& claims, Diagram::Node node);

// The blocks of a range, in parts of the space: those with an instruction, of these those with room left, those with
// something reserved and no instruction, those with nothing; and the words that instructions take.
struct BlockCounts {
    Share used, partly, reserved, free, words_used;
};
BlockCounts count_blocks(const Diagram& diagram, const std::vector<Claim>& claims, const SpaceRange& range);

}  // namespace isaforge::encoding
