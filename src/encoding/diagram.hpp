// A decision diagram over the leading bits of an instruction: which of a list of cubes hold a word. A cube is what an
// instruction, a reserved pattern or a block asks of the bits. The diagram is shared where the same cubes are left to
// decide, so that bits that nobody looks at cost nothing, wherever they stand.
//
// Leading bit i is the i-th of the bar, from the most significant of the first unit.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "isaforge/isa.hpp"
#include "isaforge/space.hpp"

namespace isaforge::encoding {

// Bit i of the bar is bit 63 - i % 64 of word i / 64: words compare as the bars do.
struct Cube {
    std::array<std::uint64_t, max_instruction_bits / 64> mask{}, value{};

    bool fixes(unsigned bit) const { return mask[bit / 64] >> (63 - bit % 64) & 1; }
    bool one(unsigned bit) const { return value[bit / 64] >> (63 - bit % 64) & 1; }
    void fix(unsigned bit, bool one);
    void free(unsigned bit);
    // Fixes the first `width` (0..64) bits.
    void fix_prefix(std::uint64_t prefix, unsigned width);
    unsigned fixed_bits() const;
    bool meets(const Cube& other) const;  // whether they share a word
};

Cube cube_of(const Isa& isa, const Image& mask, const Image& value, unsigned bits);
Cube cube_of(const Isa& isa, const Form& form);
Cube cube_of(const ReservedPattern& pattern);

// The aligned blocks that make up low..high, or all that lies outside of it, as prefixes of at most `width` (1..64) bits.
struct Prefix {
    std::uint64_t bits = 0;
    unsigned width = 0;
};
std::vector<Prefix> blocks_of(std::uint64_t low, std::uint64_t high, unsigned width);
std::vector<Prefix> blocks_outside(std::uint64_t low, std::uint64_t high, unsigned width);

class Diagram {
public:
    using Node = std::uint32_t;
    using Owners = std::vector<std::uint32_t>;  // cubes, by number, rising
    static constexpr unsigned leaf_level = max_instruction_bits;

    // Nothing where it would become too large.
    static std::optional<Diagram> build(const std::vector<Cube>& cubes);

    Node root() const { return root_; }
    std::size_t size() const { return nodes_.size(); }
    // The bit that a node looks at; leaf_level where it looks at none.
    unsigned level(Node node) const { return nodes_[node].level; }
    bool is_leaf(Node node) const { return nodes_[node].level == leaf_level; }
    Node zero(Node node) const { return nodes_[node].zero; }  // of inner nodes; a child's number is lower
    Node one(Node node) const { return nodes_[node].one; }
    const Owners& owners(Node leaf) const { return owners_[nodes_[leaf].zero]; }

    // For each node, the part of the space that comes to it. Nodes that look at bit `depth` or later are not gone on from.
    std::vector<Share> weights(unsigned depth = leaf_level) const;

private:
    friend class DiagramBuilder;
    struct Inner {
        unsigned level = leaf_level;
        Node zero = 0, one = 0;  // of a leaf, `zero` is the number of its owners
    };
    std::vector<Inner> nodes_;
    std::vector<Owners> owners_;
    Node root_ = 0;
};

}  // namespace isaforge::encoding
