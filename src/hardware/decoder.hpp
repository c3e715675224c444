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

// The operand in these bits of the word has to be one of these codes.
struct Check {
    std::size_t codes = 0;  // Decoder::codes
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

// Where an operand stands in some forms.
struct Alternative {
    Slices of;
    bool is_signed = false;  // its highest bit is repeated above
    Match when;              // of the last one empty: all others
    std::vector<std::string> formats;
};

// An operand, by the name that formats give it: wide enough for all forms.
struct Member {
    std::string name;
    std::string field;  // in the description
    unsigned width = 0;
    std::string types;  // of operands, for readers
    std::vector<Alternative> alternatives;
};

// What an instruction does, one bit each.
struct Effect {
    std::string name;  // "loads", "reads_A"
    std::string says;
};

// The length that words of `when` have, in units; of the last one all others.
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

// Bits that numbers up to `most` need; 1 at least.
unsigned bits_for(std::uint64_t most);

}  // namespace isaforge::hardware
