// What the pages of instructions ask of each edition: examples, effects, the order of opcodes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "disassembler/statement_reader.hpp"
#include "encoding/diagram.hpp"
#include "isaforge/sample.hpp"
#include "manual/effects.hpp"
#include "manual/site.hpp"

namespace isaforge::manual {

// A statement that was assembled while the manual was made, and came to these bits.
struct Example {
    std::string text;                 // without the statement's end
    bool alias = false;               // of a form that is not printed: its bits are read in another way
    Image image;
    unsigned bits = 0;
    std::vector<std::uint8_t> bytes;  // as they lie in memory
};

class Tools {
public:
    explicit Tools(const Edition& edition);

    // Nothing where no word is an instruction of the form.
    std::optional<Example> example(Index form);

    // Whether the text comes to the same bits in this edition too.
    bool assembles(const Example& example);

    EffectFinder effects;
    // Forms that are printed, by their leading bits; bits that are open count as 0.
    const std::vector<Index>& order() const { return order_; }
    const encoding::Cube& cube(Index form) const { return cubes_[form]; }
    // Where a form stands in the order; no_index for aliases.
    Index place_of(Index form) const { return places_[form]; }

private:
    const Edition& edition_;
    disassembler::StatementReader reader_;
    std::vector<encoding::Cube> cubes_;
    std::vector<Index> order_, places_;
};

// "1010 00xx xxxx": the leading bits of a form up to the last that is fixed, 48 at most.
std::string leading_bits(const encoding::Cube& cube, unsigned bits);

// "OP 0x1c, EXT 1": the fields that a form fixes.
std::string opcode_words(const Form& form);

// "26 c5 00 85"
std::string bytes_text(const std::vector<std::uint8_t>& bytes);

}  // namespace isaforge::manual
