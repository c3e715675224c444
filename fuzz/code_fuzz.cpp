// Any bytes as code: what decodes is printed, and where that is certain to mean the same bits, it is read back as them; the
// disassembler's text assembles to the same bytes, whatever they are.
#include "disassembler/verify.hpp"
#include "source.hpp"

using namespace isaforge;

namespace {

void look_at(const Codec& codec, std::string_view code, std::size_t at, disassembler::Verifier& verifier) {
    const unsigned unit = codec.isa().unit_bytes();
    const std::size_t there = std::min<std::size_t>(code.size() - at, max_instruction_bits / 8) / unit * unit;
    if (there == 0) return;
    const Image image = codec.load(reinterpret_cast<const std::uint8_t*>(code.data()) + at, there);
    unsigned bits = 0, refused_bits = 0;
    std::string why;
    const Index form = codec.decode(image, static_cast<unsigned>(there * 8), bits);
    if (form == no_index) {
        codec.refused(image, static_cast<unsigned>(there * 8), refused_bits, why);
        return;
    }
    fuzz::require(bits != 0 && bits <= there * 8);
    char text[Codec::max_text + 1];
    char* const end = codec.print(text, form, image, bits, 0);
    fuzz::require(end <= text + Codec::max_text);
    *end = 0;
    Image whole = image;
    for (unsigned bit = bits; bit < max_instruction_bits; ++bit) whole.set(bit, 1, 0);
    const bool certain = verifier.is_certain(form, whole);
    fuzz::require(!certain || verifier.reads_back(whole, bits, text, end, 0));
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate_behind(data, size, most, seed,
                               [](std::string& code, fuzz::Random& random, std::uint8_t machine) {
                                   fuzz::change_code(code, random, fuzz::tools(machine));
                               });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const Codec& codec = *fuzz::tools(data[0]).codec;
    const std::string_view code = fuzz::text_of(data + 1, size - 1);
    disassembler::Verifier verifier(codec);
    for (const std::size_t at : fuzz::instruction_bounds(codec, code)) {
        if (at < code.size()) look_at(codec, code, at, verifier);
    }
    fuzz::round_trip(codec, read_binary({data + 1, size - 1}, codec.isa()), size % 2 == 0);
    return 0;
}
