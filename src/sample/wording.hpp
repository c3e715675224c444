// Any of the texts that a description reads for given bits, where the disassembler always takes the first.
#pragma once

#include <string>
#include <string_view>

#include "sample/draw.hpp"

namespace isaforge::sample {

class Wording {
public:
    Wording(const Codec& codec, Random& random) : codec_(codec), random_(random) {}

    // One text of the form; false where a field has a code that no row of its operand claims.
    bool write(Index form, const Image& image, std::uint64_t address, std::string& out);

private:
    // What the parts of one text have in common; code: of the operand's row, not used by a form's own fields.
    struct Scope {
        const std::vector<Field>& fields;
        std::string_view name;
        std::uint64_t code = 0;
        Index form = no_index;  // whose fields they are; none: an operand's row
    };
    std::uint64_t code_of(const Scope& scope, Index field);
    bool text(const TextTemplate& text, const Scope& scope, std::string& out);
    bool element(const TextElement& element, const Scope& scope, std::string& out);
    bool any(const TextElement& element, const Scope& scope, std::string& out);
    bool operand(Index type, std::uint64_t code, std::string& out);
    bool table(const OperandType& type, Index index, std::uint64_t code, std::string& out);
    void number(const OperandType& type, std::uint64_t code, std::string& out);
    void integer(std::int64_t value, bool is_signed, std::string& out, unsigned radix);

    const Codec& codec_;
    Random& random_;
    const Image* image_ = nullptr;
    unsigned tail_at_ = 0;
    std::uint64_t address_ = 0;
};

}  // namespace isaforge::sample
