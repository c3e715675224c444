// Draws the fields of a form until the word is an instruction, and writes its text.
#include <algorithm>
#include <cstring>
#include <string>

#include "isaforge/sample.hpp"
#include "sample/draw.hpp"
#include "sample/wording.hpp"

namespace isaforge {

struct Sampler::State {
    State(const Codec& of, std::uint64_t seed, SampledText which)
        : codec(of), text(which), random(seed), draw(of.isa(), random), wording(of, random) {}

    const Codec& codec;
    SampledText text;
    sample::Random random;
    sample::Draw draw;
    sample::Wording wording;
    sample::Tail tail;
    std::vector<std::uint64_t> targets;
    std::string words;

    Image image_of(const Form& form);
    bool targets_exist(Index form, const Sampled& out, std::uint64_t address);
    bool write(Index form, std::uint64_t address, Sampled& out);
};

Sampler::Sampler(const Codec& codec, std::uint64_t seed, SampledText text)
    : state_(std::make_unique<State>(codec, seed, text)) {}
Sampler::~Sampler() = default;

Image Sampler::State::image_of(const Form& form) {
    Image image = form.value;
    tail.clear();
    for (const Field& field : form.fields) {
        const bool typed = field.type < codec.isa().operand_types.size();
        field.place.insert(image, field.fixed ? *field.fixed : typed ? draw.code(field.type, tail) : 0);
    }
    for (const auto& [place, value] : tail) {
        for (const BitPiece& piece : place->pieces) {
            if (form.bits + piece.position + piece.width <= max_instruction_bits)
                image.set(form.bits + piece.position, piece.width, value >> piece.shift);
        }
    }
    return image;
}

// Whether what the instruction refers to lies behind the beginning of the code.
bool Sampler::State::targets_exist(Index form, const Sampled& out, std::uint64_t address) {
    targets.clear();
    codec.targets(form, out.image, out.bits, address, targets);
    return std::ranges::all_of(targets, [](std::uint64_t target) { return target >> 63 == 0; });
}

bool Sampler::State::write(Index form, std::uint64_t address, Sampled& out) {
    if (text == SampledText::printed) {
        char* const end = codec.print(out.text, out.form, out.image, out.bits, address);
        *end = '\0';
        out.end = end;
        return true;
    }
    if (!wording.write(form, out.image, address, words) || words.size() >= Codec::max_text) return false;
    std::memcpy(out.text, words.c_str(), words.size() + 1);
    out.end = out.text + words.size();
    out.form = form;
    return true;
}

bool Sampler::statement(Index index, std::uint64_t address, Sampled& out) {
    const Form& form = state_->codec.isa().forms[index];
    constexpr unsigned tries = 200;
    for (unsigned i = 0; i < tries; ++i) {
        out.image = state_->image_of(form);
        out.form = state_->codec.decode(out.image, max_instruction_bits, out.bits);
        if (out.form == no_index) continue;
        for (unsigned bit = out.bits; bit < max_instruction_bits;) {
            const unsigned width = std::min(64 - bit % 64, max_instruction_bits - bit);
            out.image.set(bit, width, 0);  // of a tail that turned out not to be there
            bit += width;
        }
        if (state_->targets_exist(out.form, out, address) && state_->write(index, address, out)) return true;
    }
    return false;
}

Index Sampler::choose(const std::vector<Index>& instructions) {
    const Index instruction = instructions[state_->random.below(instructions.size())];
    const std::vector<Index>& forms = state_->codec.isa().instructions[instruction].forms;
    return forms[state_->random.below(forms.size())];
}

}  // namespace isaforge
