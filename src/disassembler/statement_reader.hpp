// Reads single statements as the assembler does, where there are no symbols.
#pragma once

#include <memory>
#include <span>

#include "codec/reader.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::disassembler {

// Whether the reader's looks at the text are remembered.
enum class KeptLooks : std::uint8_t { none, all };

class StatementReader {
public:
    // `registers_are_symbols`: symbols have names of registers, so that these may be meant by them.
    explicit StatementReader(const Codec& codec, bool registers_are_symbols = false);
    ~StatementReader();

    // The text, which a NUL follows, is one statement and no number in it is out of range.
    bool reads(const char* text, const char* end, std::uint64_t address);
    // It is this instruction.
    bool reads_back(const Image& image, unsigned bits, const char* text, const char* end, std::uint64_t address,
                    KeptLooks looks = KeptLooks::none);

    // What the last reading came to: how long the instruction is, or why it was not read.
    unsigned bits() const;
    const ReadFailure& failure() const;

    std::span<const codec::Look> looks() const;
    // Whether a text was read whole, but broke a rule. That depends on more than on the texts of operands: on which registers are
    // the same, say.
    bool is_ruled_out() const;
    // See codec::Reader::glance. `whole`: the text, from the character before the operand to its end.
    codec::Glance glance(const codec::ReadStep& step, const Form& form, Index member, std::string_view whole,
                         std::size_t begin, std::size_t end, Index type, std::uint64_t code, std::uint64_t tail);

private:
    struct State;

    bool run(const char* text, const char* end, std::uint64_t address, KeptLooks looks);

    const Codec& codec_;
    std::unique_ptr<State> state_;
};

}  // namespace isaforge::disassembler
