// Any description that is free of errors: random statements of it are instructions. As they decode they are printed, and what
// is printed is read back as the same bits. What programs read of them, with other numbers too, the reader reads so. What is
// proved of all codes holds for any.
#include "codec/printed_statements.hpp"
#include "description.hpp"
#include "disassembler/prove.hpp"
#include "disassembler/verify.hpp"
#include "isaforge/sample.hpp"

using namespace isaforge;

namespace {

constexpr unsigned most_forms = 24;

// With and without the text they are the same.
void look_at_operands(const Codec& codec, Index form, const Image& image) {
    char text[Codec::max_text + 64];
    std::vector<PrintedOperand> printed;
    const char* const end = codec.print(text, form, image, 0, {}, printed);
    std::size_t count = 0, behind = 0;
    codec.operands(form, image, 0, [&](const Operand& operand) {
        fuzz::require(count < printed.size());
        const PrintedOperand& one = printed[count++];
        fuzz::require(operand.kind == one.kind && operand.field == one.field && operand.type == one.type &&
                      operand.first == one.first && operand.value == one.value);
        fuzz::require(behind <= one.begin && one.begin <= one.end);
        behind = one.end;
    });
    fuzz::require(count == printed.size() && text + behind <= end);
}

// The first text of a form may be another one's as well, where the description says nothing against it; but what is certain
// to be read back is.
void look_at(const Codec& codec, disassembler::Verifier& verifier, const Sampled& sampled) {
    unsigned bits = 0;
    const Index form = codec.decode(sampled.image, max_instruction_bits, bits);
    fuzz::require(form == sampled.form && bits == sampled.bits);
    std::vector<std::uint64_t> codes;
    codec.fields(form, sampled.image, codes);
    look_at_operands(codec, form, sampled.image);
    std::uint8_t bytes[max_instruction_bits / 8] = {};
    codec.store(sampled.image, bits, bytes);
    fuzz::require(codec.load(bytes, bits / 8) == sampled.image);
    const bool certain = verifier.is_certain(form, sampled.image);
    fuzz::require(!certain || verifier.reads_back(sampled.image, sampled.bits, sampled.text, sampled.end, 0));
}

void look_at_proofs(const std::shared_ptr<const Isa>& isa, std::uint64_t seed) {
    constexpr unsigned most_looked_at = 4096;
    const auto with = std::make_shared<Isa>(*isa);
    with->read_back.push_back(disassembler::prove(isa));
    const Codec codec(with);
    disassembler::Verifier verifier(codec);
    fuzz::Random random(seed);
    for (unsigned i = 0; i < most_looked_at; ++i) {
        const Form& chosen = isa->forms[random.below(isa->forms.size())];
        Image image;  // one of the form's, or any
        for (std::size_t w = 0; w < image.words.size(); ++w) {
            const std::uint64_t fixed = i % 4 == 0 ? 0 : chosen.mask.words[w];
            image.words[w] = (random.next() & ~fixed) | (chosen.value.words[w] & fixed);
        }
        // Numbers are often small, or less than nothing.
        for (const Field& field : chosen.fields) {
            const std::uint64_t number = random.next() % 64;
            if (i % 4 == 1 && !field.fixed) field.place.insert(image, i % 8 == 1 ? number : ~number);
        }
        unsigned bits = 0;
        const Index form = codec.decode(image, max_instruction_bits, bits);
        if (form == no_index || !verifier.is_certain(form, image)) continue;
        for (unsigned bit = bits; bit < max_instruction_bits; ++bit) image.set(bit, 1, 0);
        char text[Codec::max_text + 1];
        char* const end = codec.print(text, form, image, bits, 0);
        *end = '\0';
        fuzz::require(verifier.reads_back(image, bits, text, end, 0));
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Loaded loaded;
    fuzz::load_text(loaded, fuzz::text_of(data, size));
    if (!loaded.isa) return 0;
    check_isa(*loaded.isa, loaded.diagnostics);
    if (!loaded.diagnostics.ok()) return 0;
    const Codec codec(loaded.isa);
    disassembler::Verifier verifier(codec);
    disassembler::StatementReader reader(codec);
    Sampler printed(codec, size), other(codec, size, SampledText::other);
    Sampled sampled;
    std::vector<std::string> statements;
    const std::size_t forms = loaded.isa->forms.size();
    for (Index i = 0; i < std::min<std::size_t>(forms, most_forms); ++i) {
        const Index form = static_cast<Index>((i * 7919u + size) % forms);
        for (int again = 0; again < 2; ++again) {
            if (printed.statement(form, 0, sampled)) look_at(codec, verifier, sampled);
        }
        if (!other.statement(form, 0, sampled)) continue;
        reader.reads(sampled.text, sampled.end, 0);
        statements.emplace_back(sampled.view());
    }
    fuzz::require(test::read_printed_statements(codec, statements, size, 8).wrong.empty());
    if (size % 8 == 0 && forms != 0) look_at_proofs(loaded.isa, size);
    return 0;
}
