// Any text as a program: it assembles or is reported, into an object or flat. What comes out can be listed and written, the
// same each time; its code is disassembled to text that assembles to the same bytes.
#include "source.hpp"

using namespace isaforge;

namespace {

void write_all(testing::Assembled& made, const Codec& codec) {
    std::string elf, out, error;
    if (write_elf(made.object, elf, error)) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(elf.data());
        fuzz::require(read_elf(std::span(bytes, elf.size()), error).has_value());
    } else {
        fuzz::require(error.find("invalid") == std::string::npos);  // it is said what is wrong
    }
    place_sections(made.object);
    if (apply_relocations(made.object, codec, made.diagnostics)) write_memh(made.object, out, error);
}

void disassemble_code(const testing::Assembled& made, const Codec& codec) {
    for (const Section& section : made.object.sections) {
        if (!section.executable || section.bytes.empty() || section.bytes.size() > 512) continue;
        fuzz::round_trip(codec, read_binary(section.bytes, codec.isa()), false);
    }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate_behind(
        data, size, most, seed, [](std::string& text, fuzz::Random& random, std::uint8_t machine) {
            fuzz::change_text(text, random, fuzz::source_pieces(),
                              [&](fuzz::Random& r) { return fuzz::source_line(r, fuzz::tools(machine)); });
        });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const Codec& codec = *fuzz::tools(data[0]).codec;
    const std::string_view text = fuzz::text_of(data + 1, size - 1);
    const bool flat = data[size - 1] % 2 == 0;
    const auto assembled = fuzz::assemble_text(codec, text, flat);
    testing::Assembled& made = *assembled;
    fuzz::require(made.good == made.diagnostics.ok());
    to_text(made.diagnostics, made.sources);
    listing_text(made.listing, made.object, made.sources, made.file);
    listing_json(made.listing, made.object, made.sources, made.file);
    if (!made.good) return 0;
    if (flat) {
        disassemble_code(made, codec);
    } else {
        const auto again = fuzz::assemble_text(codec, text, flat);
        std::string first, second, error;
        fuzz::require(write_elf(made.object, first, error) == write_elf(again->object, second, error) &&
                      first == second);
    }
    write_all(made, codec);
    return 0;
}
