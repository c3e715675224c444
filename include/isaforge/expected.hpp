// What the grammar of a description allows behind the begin of a statement: what editors offer, and show of the operands.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/codec.hpp"

namespace isaforge {

// One way to go on.
struct Continuation {
    enum class Kind : std::uint8_t { mnemonic, registers, word, mark };
    Kind kind = Kind::word;
    std::string text;
    Index instruction = no_index;  // of a mnemonic
    Index type = no_index;         // of what is written in an operand: Isa::operand_types
    std::string place;             // … and the field's name
};

// How a form is written, and where in that the statement is.
struct Signature {
    struct Part {
        std::size_t begin = 0, end = 0;  // of the label
        Index field = no_index;          // Form::fields
    };
    Index form = no_index;
    std::string label;  // "v_add_f32 VDST, SRC0, SRC1"
    std::vector<Part> parts;
    std::optional<std::size_t> active;  // the part that comes next
};

// An operand that may come next.
struct ExpectedOperand {
    Index form = no_index, field = no_index;  // no_index: before the mnemonic
    Index type = no_index;
    std::string words;  // "r0 to r31 or a number"
};

struct Expected {
    std::vector<Continuation> continuations;  // each text once
    bool more = false;                        // there were more than was asked for
    bool numbers = false;                     // an expression may stand there, too
    std::vector<Signature> signatures;        // of the forms that fit so far, shortest encoding first
    std::vector<ExpectedOperand> operands;    // each type once
};

// What may stand behind `text`, the begin of a statement without label. Continuations begin with `prefix`, in the case that
// the description asks for, and are at most `most`. `address`: the statement's. Builds tables where they are needed first.
Expected expected_behind(const Codec& codec, std::string_view text, std::string_view prefix, std::uint64_t address,
                         ExpressionReader& reader, std::size_t most);

}  // namespace isaforge
