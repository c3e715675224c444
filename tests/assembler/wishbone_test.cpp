// Whole programs of random statements through the assembler, word for word against the reference encoder.
#include <gtest/gtest.h>

#include <cstring>

#include "isaforge/assembler.hpp"
#include "reference/wishbone_gpu.hpp"

namespace isaforge {
namespace {

constexpr std::uint32_t statements_per_label = 50;

struct Program {
    std::string text;
    std::vector<std::string> statements;
    wishbone_reference::Labels labels;
};

// Labels stand all over the program, several on one place, so that jumps go both ways.
Program random_program(std::mt19937_64& random, std::uint32_t size) {
    Program program;
    std::vector<std::string> names;
    for (std::uint32_t i = 0; i < size; i += statements_per_label) names.push_back("label_" + std::to_string(i));
    for (std::uint32_t i = 0; i < size; ++i) {
        if (i % statements_per_label == 0) {
            program.labels["label_" + std::to_string(i)] = i;
            program.text += "label_" + std::to_string(i) + ": also_" + std::to_string(i) + ":\n";
        }
        program.statements.push_back(wishbone_reference::random_statement(random, names));
        program.text += program.statements.back() + (random() % 8 == 0   ? " // a comment\n"
                                                     : random() % 4 == 0 ? " "
                                                                         : "\n");
    }
    return program;
}

TEST(WishbonePrograms, AHundredThousandStatementsEqualTheReferenceEncoder) {
    std::mt19937_64 random(7);
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa("wishbone-gpu", sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    const Codec codec(isa);
    const Program program = random_program(random, 100000);
    Object object;
    AssembleOptions options;
    options.flat = true;
    ASSERT_TRUE(assemble(codec, sources.add("random.s", program.text), sources, options, object, diagnostics))
        << to_text(diagnostics, sources);
    const auto text = std::find_if(object.sections.begin(), object.sections.end(),
                                   [](const Section& section) { return section.executable; });
    ASSERT_NE(text, object.sections.end());
    ASSERT_EQ(text->bytes.size(), program.statements.size() * 4);
    for (std::uint32_t i = 0; i < program.statements.size(); ++i) {
        std::uint32_t word = 0;
        std::memcpy(&word, text->bytes.data() + std::size_t{i} * 4, sizeof word);
        const auto expected = wishbone_reference::encode(program.statements[i], i, program.labels);
        ASSERT_TRUE(expected) << program.statements[i];
        ASSERT_EQ(word, *expected) << program.statements[i] << " at " << i;
    }
}

}  // namespace
}  // namespace isaforge
