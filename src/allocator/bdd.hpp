// Sets of leading bits: which words of the opcode space belong to something. A set is a binary decision diagram over the
// bits in the order of a bar, so that blocks, ranges and patterns with free bits anywhere all stay small, and equal sets
// are the same number. The allocator, the minimiser and the cost of decoders all work on these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace isaforge::allocator {

// The first 64 leading bits of an instruction, left-aligned: bit 63 is the first in a bar.
using Bits = std::uint64_t;

// The words whose bits in `mask` are those of `value`.
struct Cube {
    Bits mask = 0, value = 0;
    bool operator==(const Cube&) const = default;
    bool operator<(const Cube& other) const { return mask < other.mask || (mask == other.mask && value < other.value); }
};

// The first `width` leading bits.
constexpr Bits leading_bits(unsigned width) { return width == 0 ? 0 : ~Bits{0} << (64 - (width < 64 ? width : 64)); }
constexpr Bits leading_bit(unsigned index) { return Bits{1} << (63 - index); }

class Bdd {
public:
    using Ref = std::uint32_t;
    static constexpr Ref none = 0, all = 1;       // the empty set, and every word
    static constexpr unsigned variables = 256;    // whole instructions: the allocator only looks at the first 64 bits
    static constexpr std::size_t most_nodes = std::size_t{1} << 22;

    Bdd();

    Ref both(Ref a, Ref b) { return apply(Operation::both, a, b); }
    Ref either(Ref a, Ref b) { return apply(Operation::either, a, b); }
    Ref without(Ref a, Ref b) { return apply(Operation::without, a, b); }
    bool contains(Ref outer, Ref inner) { return without(inner, outer) == none; }

    Ref cube(const Cube& cube);
    // The words whose first `width` bits, as a number, lie in low..high.
    Ref range(unsigned width, std::uint64_t low, std::uint64_t high);
    // The same, in a space whose words are turned left by `turn` bits.
    Ref turned_range(unsigned width, std::uint64_t low, std::uint64_t high, unsigned turn);
    // The blocks of `width` leading bits that hold a word of the set.
    Ref touched(Ref set, unsigned width);
    // The words whose bit `level` is 1 and are in `high`, or is 0 and are in `low`, wherever these look.
    Ref choose(unsigned level, Ref low, Ref high) {
        const Ref one = node(level, none, all);
        return either(without(low, one), both(high, one));
    }
    // A node by its parts: words whose bit `level` is 0 are in the set if they are in `low`.
    Ref node(unsigned level, Ref low, Ref high);

    // The first bit that the set depends on; `variables` where there is none.
    unsigned level(Ref set) const { return nodes_[set].level; }
    Ref half(Ref set, unsigned level, bool one) const {
        return nodes_[set].level != level ? set : one ? nodes_[set].high : nodes_[set].low;
    }
    // What is left of the set below the block that is the first `width` bits of `word`.
    Ref follow(Ref set, unsigned width, Bits word) const;

    // The smallest cube that holds the set, which is not empty.
    Cube hull(Ref set) const;
    // The words of the set, each `width` bits wide; the set depends on no bit behind. Width at most 63.
    std::uint64_t count(Ref set, unsigned width) const;

    std::size_t size() const { return nodes_.size(); }
    // There was no room for a result; what came after is worthless.
    bool exhausted() const { return exhausted_; }

private:
    enum class Operation : std::uint8_t { both, either, without };
    struct Node {
        std::uint32_t level;
        Ref low, high;
    };
    struct Known {
        Ref a = 0, b = 0, result = 0;
        Operation operation = Operation::both;
        bool filled = false;
    };

    Ref apply(Operation operation, Ref a, Ref b);
    void grow_table();

    std::vector<Node> nodes_;
    std::vector<Ref> table_;
    std::vector<Known> known_;
    bool exhausted_ = false;
};

}  // namespace isaforge::allocator
