// Sets of words, for decoders: which words a form takes, which codes an operand has, and what has to be looked at to tell one
// set from another.
//
// They are found in the rows of the description, not in the codec's tables: these are what decoders are compared with.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "allocator/bdd.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::hardware {

// Bits high..low of something.
struct Slice {
    unsigned high = 0, low = 0;
    bool operator==(const Slice&) const = default;
    bool operator<(const Slice& other) const { return std::pair(high, low) < std::pair(other.high, other.low); }
};

// Bits side by side, the first slice being the most significant.
using Slices = std::vector<Slice>;
unsigned width_of(const Slices& slices);

// The bits of a place, in the order of the field's value.
Slices slices_of(const BitPlace& place);

// Whether bits have one of several patterns. Without patterns they never have; a pattern without bits is always there.
struct Match {
    Slices of;
    std::vector<std::string> patterns;  // of 0, 1 and -, the most significant bit first

    bool is_always() const { return of.empty() && !patterns.empty(); }
};

class WordSets {
public:
    using Set = allocator::Bdd::Ref;

    explicit WordSets(const Isa& isa) : isa_(isa) {}

    // The words that have a form's fixed bits …
    Set bits_of(const Form& form);
    // … and in whose operands every code is one that the operand has.
    Set claims_of(const Form& form);
    // The codes of an operand, as words that begin with them.
    Set codes_of(Index type);

    Set either(Set a, Set b) { return bdd_.either(a, b); }
    Set both(Set a, Set b) { return bdd_.both(a, b); }
    Set without(Set a, Set b) { return bdd_.without(a, b); }
    static constexpr Set none = allocator::Bdd::none, all = allocator::Bdd::all;

    // What is looked at to find the words of `wanted`, which has none of `unwanted`; others may come out anyhow.
    Match match(Set wanted, Set unwanted);
    // The codes of an operand of so many bits, exactly.
    Match match_codes(Set codes, unsigned width);
    // Bits of the word that a mask has, in the order of a bar, and a pattern of them for a value.
    Slices slices_of_mask(const Image& mask, unsigned bits) const;
    std::string pattern_of(const Image& all, const Image& mask, const Image& value, unsigned bits) const;

    // Why sets cannot be relied on; empty: they can.
    const std::string& problem() const { return problem_; }

private:
    using Levels = std::vector<unsigned>;  // of the bits of a code, from the lowest on

    unsigned level_of(unsigned position) const { return isa_.leading_bit_position(position); }
    Set bit(unsigned level, bool one);
    Set cube(const Levels& levels, std::uint64_t mask, std::uint64_t value);
    Set range(const Levels& levels, std::uint64_t low, std::uint64_t high);
    Set constrained(const Levels& levels, const Constraint& constraint);
    Set numbers(const OperandType& type, const Levels& levels);
    Set rows(const OperandType& type, const Levels& levels);
    Set valid(Index type, const Levels& levels);
    Match match_cubes(const std::vector<allocator::Cube>& cover, bool of_code, unsigned width) const;

    const Isa& isa_;
    allocator::Bdd bdd_;
    std::map<std::pair<Index, Levels>, Set> known_;
    std::string problem_;
};

}  // namespace isaforge::hardware
