// Random bytes through the disassembler and back, for machines with several lengths, literals behind instructions, other
// unit sizes and orders of bytes. What assembles from the text must be the same bytes, with and without labels.
#include <random>

#include "assembler/assemble_text.hpp"
#include "isaforge/disassembler.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;

std::vector<std::uint8_t> random_bytes(std::mt19937& random) {
    std::vector<std::uint8_t> bytes(200 + random() % 3000);
    const unsigned kind = random() % 3;
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random());
        if (kind == 1 && random() % 2) byte = 0;
        if (kind == 2 && random() % 3 == 0) byte = 0xFF;
    }
    return bytes;
}

// Puts random instructions of the description one after the other, so that many of them are whole.
std::vector<std::uint8_t> random_code(const Codec& codec, std::mt19937& random) {
    const Isa& isa = codec.isa();
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < 3000) {
        const Form& form = isa.forms[random() % isa.forms.size()];
        Image image;
        const bool small = random() % 2 == 0;
        for (std::uint64_t& word : image.words) {
            word = std::uint64_t{random()} << 32 | random();
            if (small) word &= std::uint64_t{random()} << 32 | random();
        }
        for (std::size_t i = 0; i < image.words.size(); ++i)
            image.words[i] = (image.words[i] & ~form.mask.words[i]) | (form.value.words[i] & form.mask.words[i]);
        std::uint8_t stored[max_instruction_bits / 8] = {};
        codec.store(image, form.bits + (random() % 4 == 0 ? 32 : 0), stored);
        bytes.insert(bytes.end(), stored, stored + form.bits / 8);
    }
    return bytes;
}

void expect_back(const Codec& codec, const std::vector<std::uint8_t>& bytes, bool labels) {
    const Object object = read_binary(bytes, codec.isa());
    DisassembleOptions style;
    style.labels = labels;
    const std::string text = disassemble(codec, object, style);
    AssembleOptions options;
    options.flat = true;
    const auto again = assemble_text(text, options, codec);
    ASSERT_EQ(again->messages().substr(0, 1000), "");
    ASSERT_EQ(again->object.sections[0].bytes.size(), bytes.size());
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        if (again->object.sections[0].bytes[i] == bytes[i]) continue;
        Place place;
        for (const ListingEntry& entry : again->listing.entries) {
            if (entry.offset <= i) place = entry.statement;
        }
        FAIL() << "byte " << i << ": " << again->sources.line_text(place);
    }
}

void expect_all_back(const Codec& codec) {
    std::mt19937 random(5);
    for (int round = 0; round < 60; ++round) {
        expect_back(codec, round % 2 ? random_bytes(random) : random_code(codec, random), round % 4 < 2);
        if (::testing::Test::HasFatalFailure()) return;
    }
}

TEST(DisassembleSamples, RandomBytesComeBack) {
    for (const char* name : {"fabrisc-sample", "big-endian-sample", "big-endian-words-sample"}) {
        SCOPED_TRACE(name);
        expect_all_back(testing::sample(name));
    }
    for (const char* variant : {"gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4"}) {
        SCOPED_TRACE(variant);
        expect_all_back(testing::sample("gcn-sample", variant));
    }
}

}  // namespace
}  // namespace isaforge
