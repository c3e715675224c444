// A large source is encoded on several threads. What they make has to be what one makes, whatever else stands between the
// instructions: labels, branches, macros, loops, conditions, definitions, comments, and symbols with the names of registers.
#include <fmt/format.h>

#include <random>

#include "assembler/assemble_text.hpp"
#include "isaforge/sample.hpp"

namespace isaforge::testing {
namespace {

std::string sampled_source(const Codec& codec, unsigned lines, const std::string& comment) {
    Sampler sampler(codec, 3, SampledText::other);
    std::mt19937_64 random(11);
    const std::string& end = codec.isa().surface.statement_end;
    std::vector<std::string> statements;
    while (statements.size() < 300) {
        Sampled out;
        if (sampler.statement(static_cast<Index>(random() % codec.isa().forms.size()), 0, out))
            statements.emplace_back(out.view());
    }
    std::string text;
    unsigned labels = 0;
    for (unsigned i = 0; i < lines; ++i) {
        const std::string& statement = statements[random() % statements.size()];
        switch (random() % 40) {
            case 0: text += ".rept 3\n  " + statement + end + "\n.endr\n"; break;
            case 1:
                text += fmt::format(".if {}\n", random() % 2) + statement + end + "\n.else\n\t" + statement + end +
                        "\n.endif\n";
                break;
            case 2: text += fmt::format("label{}: {}{}\n", labels++, statement, end); break;
            case 3: text += fmt::format("  {} {} {}\n", statement, end, comment); break;
            case 4: text += fmt::format(".macro m{}\n{}{}\n.endm\nm{}\n", i, statement, end, i); break;
            case 5: text += fmt::format(".eqv word{}, 5\n.long word{} + {}\n", i, i, random() % 9); break;
            default: text += (random() % 3 ? "  " : "\t") + statement + end + "\n";
        }
    }
    return text;
}

void compare(const Codec& codec, const std::string& text) {
    ASSERT_GT(text.size(), std::size_t{1} << 18);
    AssembleOptions one, several;
    one.threads = 1;
    several.threads = 4;
    const auto plain = assemble_text(text, one, codec);
    const auto ahead = assemble_text(text, several, codec);
    EXPECT_EQ(plain->good, ahead->good);
    EXPECT_EQ(plain->messages(), ahead->messages());
    ASSERT_EQ(plain->object.sections.size(), ahead->object.sections.size());
    for (std::size_t i = 0; i < plain->object.sections.size(); ++i)
        EXPECT_EQ(plain->object.sections[i].bytes, ahead->object.sections[i].bytes);
    EXPECT_EQ(plain->object.symbols.size(), ahead->object.symbols.size());
    ASSERT_EQ(plain->listing.entries.size(), ahead->listing.entries.size());
    for (std::size_t i = 0; i < plain->listing.entries.size(); ++i)
        EXPECT_EQ(plain->listing.entries[i].statement.offset, ahead->listing.entries[i].statement.offset);
}

TEST(Ahead, MakesWhatOneThreadMakes) {
    compare(gpu(), sampled_source(gpu(), 12000, "// comment"));
    compare(sample("gcn-sample", "gcn1.2"), sampled_source(sample("gcn-sample", "gcn1.2"), 12000, "// comment"));
}

TEST(Ahead, CommentsWithNumbersAreNoDivisions) {
    std::string text;
    for (unsigned i = 0; i < 8000; ++i)
        text += fmt::format("v_mul_f32 v{}, -100, v1 // {}\ns_waitcnt 0x7f // 3\n", i % 200, i % 7 + 2);
    compare(sample("gcn-sample", "gcn1.2"), text);
}

TEST(Ahead, MakesTheSameMistakes) {
    std::string text = sampled_source(gpu(), 12000, "/* comment */");
    for (std::size_t at = 1000; at < text.size(); at += text.size() / 20) text[at] = '@';
    compare(gpu(), text);
}

TEST(Ahead, KnowsNothingOfSymbolsWithNamesOfRegisters) {
    std::string text = sampled_source(gpu(), 12000, "");
    text.insert(text.find('\n', text.size() / 2) + 1, "r5 = 7\n");
    compare(gpu(), text);
}

}  // namespace
}  // namespace isaforge::testing
