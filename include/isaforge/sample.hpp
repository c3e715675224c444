// Random statements of an instruction set: of whatever a description can say, rare rows as often as common ones. They are
// for tests, of a description, of its assembler and against other tools.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "isaforge/codec.hpp"

namespace isaforge {

enum class SampledText {
    printed,  // as the disassembler writes it
    other,    // any text that the description reads: second texts, aliases, fields of an `any` in another order
};

struct Sampled {
    Index form = no_index;         // as it decodes; with SampledText::other the form whose text it is
    Image image;
    unsigned bits = 0;             // including a tail
    char text[Codec::max_text + 64];
    const char* end = text;        // of the text, which has no statement end; a NUL stands there

    std::string_view view() const { return {text, static_cast<std::size_t>(end - text)}; }
};

class Sampler {
public:
    // The codec must outlive the sampler. Equal seeds give equal statements.
    Sampler(const Codec& codec, std::uint64_t seed, SampledText text = SampledText::printed);
    ~Sampler();
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;

    // Any form of any of these instructions, each of which has one.
    Index choose(const std::vector<Index>& instructions);

    // The form with random fields. `address` is the instruction's, in address units of the code. False where many tries
    // found none, which is so for forms of which no word is an instruction.
    bool statement(Index form, std::uint64_t address, Sampled& out);

    // The same with a field of the form as given; false where no instruction has that code there.
    bool statement_with(Index form, Index field, std::uint64_t code, std::uint64_t address, Sampled& out);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace isaforge
