#include "manual/tools.hpp"

#include <algorithm>
#include <functional>

namespace isaforge::manual {

namespace {

constexpr unsigned tries = 5;
constexpr std::uint64_t address = 256;  // where examples stand
constexpr unsigned most_leading = 48;

// The same example for the same instruction, whatever others there are.
std::uint64_t seed_of(const Isa& isa, const Form& form) {
    std::uint64_t out = 0xcbf29ce484222325;
    for (const char c : isa.instruction_of(form).names[0]) out = (out ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return out ^ form.bits;
}

}  // namespace

Tools::Tools(const Edition& edition) : effects(edition), edition_(edition), reader_(*edition.codec) {
    const Isa& isa = edition.isa;
    places_.assign(isa.forms.size(), no_index);
    for (Index form = 0; form < isa.forms.size(); ++form) {
        cubes_.push_back(encoding::cube_of(isa, isa.forms[form]));
        if (!isa.forms[form].alias) order_.push_back(form);
    }
    std::ranges::stable_sort(order_, [&](Index a, Index b) { return cubes_[a].value < cubes_[b].value; });
    for (Index place = 0; place < order_.size(); ++place) places_[order_[place]] = place;
}

std::optional<Example> Tools::example(Index index) {
    const Form& form = edition_.isa.forms[index];
    Sampler sampler(*edition_.codec, seed_of(edition_.isa, form),
                    form.alias ? SampledText::other : SampledText::printed);
    std::optional<Example> best;
    Sampled sampled;
    for (unsigned i = 0; i < tries; ++i) {
        if (!sampler.statement(index, address, sampled)) break;
        if (best && best->text.size() <= sampled.view().size()) continue;  // short ones are easier to read
        Example example{std::string(sampled.view()), form.alias, sampled.image, sampled.bits, {}};
        if (assembles(example)) best = std::move(example);
    }
    if (best) {
        best->bytes.resize(max_instruction_bits / 8);
        edition_.codec->store(best->image, best->bits, best->bytes.data());
        best->bytes.resize(best->bits / 8);
    }
    return best;
}

bool Tools::assembles(const Example& example) {
    const char *const text = example.text.c_str(), *const end = text + example.text.size();
    return example.alias ? reader_.reads(text, end, address)
                         : reader_.reads_back(example.image, example.bits, text, end, address);
}

std::string leading_bits(const encoding::Cube& cube, unsigned bits) {
    unsigned last = 0;
    for (unsigned i = 0; i < std::min(bits, most_leading); ++i) {
        if (cube.fixes(i)) last = i + 1;
    }
    last = (last + 3) / 4 * 4;
    std::string out;
    for (unsigned i = 0; i < last; ++i) {
        if (i > 0 && i % 4 == 0) out += ' ';
        out += cube.fixes(i) ? (cube.one(i) ? '1' : '0') : 'x';
    }
    return out;
}

std::string opcode_words(const Form& form) {
    std::string out;
    for (const Field& field : form.fields) {
        if (!field.fixed || field.in_tail) continue;
        const std::uint64_t value = form.fixed_value(field);
        if (!out.empty()) out += ", ";
        out += value < 10 ? fmt::format("{} {}", field.name, value) : fmt::format("{} {:#x}", field.name, value);
    }
    return out;
}

std::string bytes_text(const std::vector<std::uint8_t>& bytes) { return fmt::format("{:02x}", fmt::join(bytes, " ")); }

}  // namespace isaforge::manual
