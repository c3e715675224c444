// Draws the fields of a form until the word is an instruction, and writes its text.
#include <algorithm>
#include <cstring>
#include <string>

#include "codec/tables.hpp"
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
    std::string words;

    // A field that is given: no_index for none.
    Index given = no_index;
    std::uint64_t given_code = 0;

    std::uint64_t code_of(const Form& form, Index field);
    Image image_of(const Form& form);
    bool statement(Index form, unsigned tries, std::uint64_t address, Sampled& out);
    bool targets_exist(Index form, const Sampled& out, std::uint64_t address);
    bool write(Index form, std::uint64_t address, Sampled& out);
};

Sampler::Sampler(const Codec& codec, std::uint64_t seed, SampledText text)
    : state_(std::make_unique<State>(codec, seed, text)) {}
Sampler::~Sampler() = default;

std::uint64_t Sampler::State::code_of(const Form& form, Index index) {
    const Field& field = form.fields[index];
    if (field.fixed) return form.fixed_value(field);
    if (index == given) return given_code;
    return field.type < codec.isa().operand_types.size() ? draw.code(field.type, tail) : 0;
}

Image Sampler::State::image_of(const Form& form) {
    Image image = form.written;
    tail.clear();
    for (Index i = 0; i < form.fields.size(); ++i) {
        const std::size_t before = tail.size();
        form.fields[i].place.insert(image, code_of(form, i));
        for (std::size_t k = before; k < tail.size(); ++k) tail[k].field = i;
    }
    if (given != no_index && form.bits < max_instruction_bits)
        image.set(form.bits, std::min(64u, max_instruction_bits - form.bits), random.next());  // it may call for a tail
    const auto index = static_cast<Index>(codec.isa().forms.index_of(form));
    for (const sample::TailPart& part : tail) {
        const unsigned at = codec::tail_at(codec, index, part.field, image);
        for (const BitPiece& piece : part.place->pieces) {
            if (at + piece.position + piece.width <= max_instruction_bits)
                image.set(at + piece.position, piece.width, part.value >> piece.shift);
        }
    }
    return image;
}

// Whether what the instruction refers to lies behind the beginning of the code.
bool Sampler::State::targets_exist(Index form, const Sampled& out, std::uint64_t address) {
    bool exist = true;
    codec.operands(form, out.image, address, [&](const Operand& operand) {
        if (operand.relative) exist &= operand.value >= 0;
    });
    return exist;
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

bool Sampler::State::statement(Index index, unsigned tries, std::uint64_t address, Sampled& out) {
    const Form& form = codec.isa().forms[index];
    for (unsigned i = 0; i < tries; ++i) {
        out.image = image_of(form);
        out.form = codec.decode(out.image, max_instruction_bits, out.bits);
        if (out.form == no_index) continue;
        for (unsigned bit = out.bits; bit < max_instruction_bits;) {
            const unsigned width = std::min(64 - bit % 64, max_instruction_bits - bit);
            out.image.set(bit, width, 0);  // of a tail that turned out not to be there
            bit += width;
        }
        if (targets_exist(out.form, out, address) && write(index, address, out)) return true;
    }
    return false;
}

bool Sampler::statement(Index form, std::uint64_t address, Sampled& out) {
    constexpr unsigned tries = 200;
    state_->given = no_index;
    return state_->statement(form, tries, address, out);
}

bool Sampler::statement_with(Index form, Index field, std::uint64_t code, std::uint64_t address, Sampled& out) {
    constexpr unsigned tries = 8;  // most codes that have no instruction have none whatever the other fields hold
    const Field& given = state_->codec.isa().forms[form].fields[field];
    if (state_->codec.as_written(given.type, code) != code) return false;  // no statement is assembled to it
    state_->given = field;
    state_->given_code = code;
    return state_->statement(form, tries, address, out);
}

Index Sampler::choose(const std::vector<Index>& instructions) {
    const Index instruction = instructions[state_->random.below(instructions.size())];
    const std::vector<Index>& forms = state_->codec.isa().instructions[instruction].forms;
    return forms[state_->random.below(forms.size())];
}

}  // namespace isaforge
