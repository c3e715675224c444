// Statements that end with a name: read one behind the other or each by itself, a source has to become the same object. Where there
// is a macro, each is looked at by itself.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "assembler/assemble_text.hpp"
#include "isaforge/sample.hpp"
#include "support/splitmix.hpp"

namespace isaforge::testing {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }

bool is_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Statements up to the number that they end with; one after the other with a distance, where there are such.
std::vector<std::string> heads(const Codec& codec) {
    Sampler sampler(codec, 5, SampledText::other);
    std::vector<std::string> out;
    const Isa& isa = codec.isa();
    const auto has_distance = [&](const Form& form) {
        return std::ranges::any_of(form.fields, [&](const Field& field) {
            const OperandType& type = isa.operand_types[field.type];
            return type.kind == OperandKind::number && type.number.relative;
        });
    };
    for (Index i = 0; i < isa.forms.size(); ++i) {
        if (!has_distance(isa.forms[i]) && i % 7 != 0) continue;
        for (unsigned times = has_distance(isa.forms[i]) ? 6 : 1; times-- != 0;) {
            Sampled one;
            if (!sampler.statement(i, 0, one)) continue;
            std::string_view text = one.view();
            std::size_t behind = text.find_last_not_of("0123456789abcdefx-") + 1;
            if (behind != 0 && text[behind - 1] == '#') --behind;
            if (behind == 0 || behind >= text.size() || text.find(' ') == std::string_view::npos) continue;
            if (text[behind - 1] != ' ' && text[behind - 1] != ',') continue;
            out.emplace_back(text.substr(0, behind));
        }
    }
    return out;
}

// A program of such statements, with labels before and behind them and names of other kinds.
std::string program(const Codec& codec, const std::vector<std::string>& heads, SplitMix64& random, unsigned lines) {
    const std::string& end = codec.isa().surface.statement_end;
    const std::string& suffix = codec.isa().surface.label_suffix;
    const std::string& prefix = codec.isa().surface.label_prefix;
    std::string text = ".weak weak_one\nknown = 8\n";
    unsigned labels = 0;
    for (unsigned i = 0; i < lines; ++i) {
        const auto label = [](unsigned number) {
            constexpr const char* kinds[] = {"L_{:x}", "block_{}", "r1_{}", "a0x{}", "x{}y", "loop{:04}"};
            return fmt::format(fmt::runtime(kinds[number % std::size(kinds)]), number);
        };
        if (random.next() % 5 == 0) text += prefix + label(labels++) + suffix + "\n";
        std::string name;
        switch (random.next() % 24) {
            case 0: name = "outside"; break;
            case 1: name = "weak_one"; break;
            case 2: name = "known"; break;
            case 3: name = "later"; break;
            case 4: name = "here + 4"; break;
            case 5: name = fmt::format("{}", 4 * (random.next() % 50)); break;
            case 6: name = "."; break;
            case 7: name = "r7"; break;
            default: {
                const unsigned far = random.next() % 4 == 0 ? 400 : 8;
                name = label(labels < far ? static_cast<unsigned>(random.next() % (labels + far))
                                          : labels - far + static_cast<unsigned>(random.next() % (2 * far)));
            }
        }
        if (is_name(name[0])) name = codec.isa().surface.label_reference_prefix + name;
        const std::string& head = heads[random.next() % heads.size()];
        text += fmt::format("  {}{}{}{}\n", head, name, random.next() % 9 == 0 ? " " : "", end);
    }
    for (unsigned i = 0; i < 400; ++i) text += prefix + fmt::format("more_{}", i) + suffix + "\n";
    return text + "later = 12\n" + prefix + "here" + suffix + "\n";
}

class EveryNamed : public ::testing::TestWithParam<const char*> {};

TEST_P(EveryNamed, IsTheSameBehindOthers) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(GetParam(), sources, diagnostics);
    ASSERT_TRUE(isa);
    const Codec codec(isa);
    const std::vector<std::string> all = heads(codec);
    ASSERT_GT(all.size(), 5u);
    SplitMix64 random(3);
    std::string text = program(codec, all, random, 6000);
    // What is no instruction is left out, so that the rest becomes an object. A symbol that is missing is told once.
    for (unsigned round = 0; round < 500; ++round) {
        const auto tried = assemble_text(text, {}, codec);
        if (tried->good) break;
        std::vector<bool> wrong(static_cast<std::size_t>(std::ranges::count(text, '\n')) + 2);
        for (const Diagnostic& one : tried->diagnostics.all()) {
            const auto line = std::count(text.begin(), text.begin() + one.place.offset, '\n');
            wrong[static_cast<std::size_t>(line)] = true;
        }
        std::string kept;
        std::size_t at = 0;
        for (std::size_t line = 0; at < text.size(); ++line) {
            const std::size_t next = text.find('\n', at) + 1;
            if (!wrong[line]) kept.append(text, at, next - at);
            at = next;
        }
        text = std::move(kept);
    }
    EXPECT_TRUE(assemble_text(text, {}, codec)->good);
    for (const unsigned threads : {1u, 3u}) {
        AssembleOptions options;
        options.threads = threads;
        const auto known = assemble_text(".align 1   \n.align 1\n" + text, options, codec);
        const auto read = assemble_text(".macro none\n.endm   \n" + text, options, codec);
        EXPECT_EQ(known->messages(), read->messages());
        ASSERT_EQ(known->object.sections.size(), read->object.sections.size());
        for (std::size_t i = 0; i < read->object.sections.size(); ++i)
            EXPECT_EQ(known->object.sections[i].bytes, read->object.sections[i].bytes) << GetParam();
        ASSERT_EQ(known->object.relocations.size(), read->object.relocations.size());
        for (std::size_t i = 0; i < read->object.relocations.size(); ++i) {
            const Relocation &one = known->object.relocations[i], &other = read->object.relocations[i];
            EXPECT_EQ(one.offset, other.offset);
            EXPECT_EQ(one.type, other.type);
            EXPECT_EQ(one.addend, other.addend);
            EXPECT_EQ(one.place.offset, other.place.offset);
        }
        ASSERT_EQ(known->listing.entries.size(), read->listing.entries.size());
        for (std::size_t i = 0; i < read->listing.entries.size(); ++i)
            EXPECT_EQ(known->listing.entries[i].statement.offset, read->listing.entries[i].statement.offset);
    }
}

INSTANTIATE_TEST_SUITE_P(Named, EveryNamed,
                         ::testing::Values("fabrisc-2022-03-18", "fabrisc-2022-05-02", "fabrisc-2022-05-15",
                                           "wishbone-gpu", "gcn1.0", "gcn1.2", "gcn1.4", "rv64gc", "rv32gc", "msp430",
                                           "bpf"),
                         [](const auto& one) {
                             std::string name = one.param;
                             std::ranges::replace_if(
                                 name, [](char c) { return !is_word(c) || c == '.'; }, '_');
                             return name;
                         });

// What is a register in one reading is no symbol in another encoding of the same statement.
TEST(Named, RegistersAreNoSymbolsOfOtherEncodings) {
    SourceManager sources;
    Diagnostics diagnostics;
    const Codec codec(load_isa("bpf", sources, diagnostics));
    const auto made = assemble_text("if w3 s< w4 goto outside\nif w3 s< 4 goto outside\n", {}, codec);
    EXPECT_EQ(made->messages(), "");
    EXPECT_EQ(made->hex(".text"), "ce43000000000000c603000004000000");
    EXPECT_EQ(made->object.relocations.size(), 2u);
}

}  // namespace
}  // namespace isaforge::testing
