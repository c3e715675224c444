// Sets of words, for decoders: which words a form takes, which codes an operand has, what follows an instruction because of its
// operands, and what has to be looked at to tell one set from another.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "encoding/word_sets.hpp"
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

// The same bits so many further on.
Slices moved(const Slices& slices, unsigned by);

// Whether the highest bit of an operand's code is a sign.
bool is_signed(const OperandType& type);

// Whether bits have one of several patterns. Without patterns they never have; a pattern without bits is always there.
struct Match {
    Slices of;
    std::vector<std::string> patterns;  // of 0, 1 and -, the most significant bit first

    bool is_always() const { return of.empty() && !patterns.empty(); }
    bool operator==(const Match&) const = default;
};

// A value behind the instruction that an operand's code calls for.
struct Tail {
    unsigned width = 0;  // 0: it calls for none
    bool shared = false;
    bool is_signed = false;
    bool broken = false;       // it calls for two values that cannot be one
    Slices of;                 // the value's bits, counted from where it begins
    std::vector<Index> types;  // it has to be a code of each of these operands, which have not all
    bool operator==(const Tail&) const = default;
};

// Something that an operand's code counts for by a limit. Rows at one place with equal codes are one thing.
struct Thing {
    enum class Kind : std::uint8_t { row, shared_tail, own_tail } kind = Kind::row;
    const OperandRow* row = nullptr;
    std::vector<unsigned> levels;  // of the bits of the row's code, from the lowest on
    bool operator==(const Thing&) const = default;
};

class DecoderSets : public encoding::WordSets {
public:
    using Set = Ref;

    explicit DecoderSets(const Isa& isa);

    // The codes of an operand, as words that begin with them.
    Set codes_of(Index type);
    // Those of the operands in these bits of the word.
    Set codes_of(Index type, const Slices& of) { return valid(type, levels_of(of)); }

    bool can_have_tail(Index type) const { return can_have_tail_[type]; }
    // What follows a form's instructions, in each of its cases: the values, where they begin, and the words in which the
    // operands' codes call for that.
    struct TailPlace {
        Index field = no_index;  // of the form
        unsigned at = 0;
        Tail tail;
    };
    struct Layout {
        std::vector<TailPlace> tails;
        unsigned bits = 0;     // of the instruction with them
        bool broken = false;  // values that should be one cannot be
        Set codes = all;
    };
    std::vector<Layout> layouts_of(const Form& form);
    // The words of the layout in which each value is one that there is.
    Set kept_by(const Layout& layout);

    // What the codes of an operand count for by a limit, as words that begin with them.
    using Things = std::vector<Thing>;
    std::vector<std::pair<Things, Set>> things_of(Index type, Index limit);
    // The thing that the row of a code is; nothing where it has none.
    std::optional<Thing> thing_of(Index type, std::uint64_t code);
    // The words with this code in these bits.
    Set code_in(const Slices& of, std::uint64_t code);

    Set either(Set a, Set b) { return bdd_.either(a, b); }
    Set both(Set a, Set b) { return bdd_.both(a, b); }
    Set without(Set a, Set b) { return bdd_.without(a, b); }
    static constexpr Set none = allocator::Bdd::none, all = allocator::Bdd::all;

    // What is looked at to find the words of `wanted`, which has none of `unwanted`; others may come out anyhow.
    Match match(Set wanted, Set unwanted);
    // The same of an operand's codes, which have so many bits.
    Match match_codes(Set wanted, Set unwanted, unsigned width);
    // Bits of the word that a mask has, in the order of a bar, and a pattern of them for a value.
    Slices slices_of_mask(const Image& mask, unsigned bits) const;
    std::string pattern_of(const Image& all, const Image& mask, const Image& value, unsigned bits) const;

    // Why sets cannot be relied on; empty: they can.
    std::string problem() const {
        if (bdd_.exhausted()) return "what tells its instructions apart is too entangled";
        return unsure() ? "its operands have ranges or numbers of which it is not clear what codes they have"
                        : problem_;
    }

private:
    using Tails = std::vector<std::pair<Tail, Set>>;

    Levels levels_of(const Slices& slices) const;
    Levels levels_of(Index type) const { return code_levels(isa_.operand_types[type].width); }
    Tails tails_of(Index type, const Levels& levels);
    std::vector<std::pair<Things, Set>> things_of(Index type, Index limit, const Levels& levels);
    std::vector<Index> tail_order(const Form& form) const;
    static Thing thing(const OperandRow& row, const Levels& levels);
    void find_levels(Set set, std::set<Set>& seen, std::set<unsigned>& levels) const;
    Set packed(Set set, const std::vector<unsigned>& levels, std::map<Set, Set>& done);
    // `position_of`: of the bit of a level.
    Match match_at(Set wanted, Set unwanted, const std::function<unsigned(unsigned)>& position_of);

    std::vector<bool> can_have_tail_;  // by Isa::operand_types
    std::string problem_;
};

}  // namespace isaforge::hardware
