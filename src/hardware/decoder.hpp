// A decoder of an instruction set as hardware has it: what it looks at and what it gives, without a word of the language that
// it is written in. Printers make SystemVerilog and VHDL of it.
//
// It is a function of one word, as wide as the longest instruction with what follows it: unit u of an instruction is bits
// u * unit_bits and up, as in an Image. What it gives is one bundle. Where `illegal` is set nothing else means anything, and an
// operand means something only for forms that have it: what is given else is whatever makes the logic small.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hardware/sets.hpp"
#include "isaforge/isa.hpp"
#include "isaforge/source.hpp"

namespace isaforge::hardware {

// Codes of an operand that there are: a function of a code.
struct Codes {
    std::string name;  // "source"
    Index type = no_index;
    unsigned width = 0;
    Match match;
};

// Values that may follow an instruction: a function of the word, of which the operands' codes say where they are.
struct Following {
    std::string name;  // "follows_F"
    std::vector<std::string> fields;
    Match match;
};

// Things that are counted for a limit are numbers. Their highest bit says that there is one; the next, where it is needed, that it
// is like no other; then comes of which kind it is, and the code that it has.
struct Limited {
    Index limit = no_index;  // Isa::limits
    std::string name;        // "bus"
    bool has_own = false;
    unsigned kind_bits = 0, code_bits = 0;

    unsigned bits() const { return 1 + (has_own ? 1 : 0) + kind_bits + code_bits; }
};

// What an operand's codes count for by a limit: a function of a code; 0 where that is nothing.
struct Counts {
    struct Group {
        Match when;
        std::string head;  // the number's bits before the code
        Slices of;         // the bits of the code that are the number's last; those between are 0
        bool operator==(const Group&) const = default;
    };
    std::string name;  // "bus_of_source"
    Index type = no_index;
    std::size_t limited = 0;  // Decoder::limited
    unsigned width = 0;
    std::vector<Group> groups;
};

// No more than so many things are counted: a function of the word.
struct LimitKept {
    struct Item {
        std::string field;
        std::size_t counts = 0;  // Decoder::counts
        Slices of;
        bool operator==(const Item&) const = default;
    };
    std::string name;         // "keeps_bus"
    std::size_t limited = 0;  // Decoder::limited
    unsigned most = 0;
    std::vector<std::string> unsaid;  // numbers of what is there without an operand
    std::vector<Item> items;
};

// What an instruction has to be besides the bits that are fixed.
struct Check {
    enum class Kind : std::uint8_t {
        codes,      // the operand in these bits of the word is one of Decoder::codes
        following,  // Decoder::following
        limit,      // Decoder::limits
    } kind = Kind::codes;
    std::size_t number = 0;
    Slices of;
    bool operator==(const Check&) const = default;
};

// A form of an instruction: what it is called, and which bits make a word it.
struct Row {
    Index form = no_index;
    std::string name;                  // "add"
    std::string pattern;               // of the section's key
    std::string text;                  // how it is written, and its title
    std::vector<std::size_t> effects;  // Decoder::effects
    std::vector<Check> checks;         // besides the section's
};

// The forms of one format.
struct Section {
    std::string name;    // "REG"
    std::string source;  // of the format, as the description has it
    Match is;            // whether a word that is an instruction has this format
    Slices key;          // the bits that its forms fix
    std::vector<Row> rows;
    std::vector<Check> checks;  // of all rows
    bool disjoint = true;       // no two rows have a word in common; else the first one has it …
    bool fall_through = false;  // … unless its operands have no such codes
};

// Where an operand, or what follows because of it, stands in some words.
struct Alternative {
    Slices of;
    bool is_signed = false;  // its highest bit is repeated above
    Match when;              // of the last one empty: all others
    std::string says;        // for readers
};

// An operand, by the name that formats give it, or what follows the instruction because of it: wide enough for all forms.
struct Member {
    enum class Kind : std::uint8_t { operand, has_tail, tail } kind = Kind::operand;
    std::string name;   // "S", "S_has_tail", "S_tail"
    std::string field;  // in the description
    unsigned width = 0;
    std::string types;                      // of operands, for readers
    std::vector<Alternative> alternatives;  // but for has_tail, which is 1 …
    Match when;                             // … for these words
};

// What an instruction does, one bit each.
struct Effect {
    std::string name;  // "loads", "reads_A"
    std::string says;
};

// The length that words of `when` have with what follows, in units; of the last one all others.
struct Length {
    unsigned units = 0;
    Match when;
};

struct Decoder {
    std::shared_ptr<const Isa> isa;
    std::string name;  // "tiny"
    unsigned word_bits = 0;
    std::vector<Length> lengths;
    std::vector<Section> sections;
    std::vector<Codes> codes;
    std::vector<Following> following;
    std::vector<Limited> limited;
    std::vector<Counts> counts;
    std::vector<LimitKept> limits;
    std::vector<Member> members;
    std::vector<Effect> effects;

    unsigned length_bits() const;
    unsigned format_bits() const;
    unsigned form_bits() const;
    // Forms have numbers from 1 on, in the order of sections and rows; 0 is none.
    std::size_t form_count() const;

    // The bundle, from its most significant part on: illegal, length, format, form, effects, members.
    unsigned bundle_bits() const;
};

// Nothing, with an error in `diagnostics`, for a description that has what decoders are not made for: see docs/hardware.md.
std::optional<Decoder> decoder_of(std::shared_ptr<const Isa> isa, const SourceManager& sources,
                                  Diagnostics& diagnostics);

// Whether there are words that follow an instruction because of an operand.
bool has_tails(const Decoder& decoder);

// Bits that numbers up to `most` need; 1 at least.
unsigned bits_for(std::uint64_t most);

}  // namespace isaforge::hardware
