// Statements that end with a name: read by programs (codec/programs.hpp) or by the reader, a source has to become the same object. Where
// there is a macro, no programs are made.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "assembler/assemble_text.hpp"
#include "assembler/plain_statements.hpp"
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

TEST_P(EveryNamed, IsWhatTheReaderReads) {
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

struct Named {
    std::vector<unsigned> bits;  // of its encodings
    std::string name;
};

// The last of the statements as a program reads it, the others having been read by the assembler before, the first twice: a
// program is made when an outline comes the third time.
std::optional<Named> last_known(const char* isa_name, std::vector<std::string> statements) {
    statements.insert(statements.begin(), statements[0]);
    SourceManager sources;
    Diagnostics diagnostics;
    const Codec codec(load_isa(isa_name, sources, diagnostics));
    assembler::PlainStatements programs(codec);
    std::optional<Named> out;
    for (const std::string& statement : statements) {
        const std::string text = statement + codec.isa().surface.statement_end + std::string(256, '\n');
        const char* p = text.data();
        Encoded encoded;
        out.reset();
        if (!programs.known_or_named(p, text.data() + text.size(), encoded)) {
            programs.note(text.data(), true);
            continue;
        }
        out = Named{{}, std::string(programs.name())};
        EXPECT_EQ(p, text.data() + statement.size());
        EXPECT_EQ(encoded.deferred_count, 1u);
        EXPECT_TRUE(programs.visit_encodings([&](const Encoded& one) {
            out->bits.push_back(one.bits);
            return false;
        }));
        EXPECT_EQ(encoded.bits, out->bits[0]);
    }
    return out;
}

TEST(Named, OneIsMadeForAllNames) {
    const auto jump = last_known("wishbone-gpu", {"jump block_0", "jump L_1a", "[cr1] jump x", "jump _start"});
    ASSERT_TRUE(jump);
    EXPECT_EQ(jump->name, "_start");
    EXPECT_EQ(jump->bits, std::vector{32u});
    EXPECT_TRUE(last_known("gcn1.2", {"s_cbranch_scc0 BB0_1", "s_cbranch_scc0 BB0_12", "s_cbranch_scc0 .Lend"}));
    EXPECT_TRUE(last_known("rv64gc", {"jal ra, malloc", "jal ra, free", "jal ra, a0_free"}));
}

TEST(Named, AllEncodingsAreKnown) {
    const auto branch = last_known("rv64gc", {"beqz a1, one", "beqz a2, two", "beqz a3, three_3"});
    ASSERT_TRUE(branch);
    EXPECT_GE(branch->bits.size(), 2u);
    EXPECT_TRUE(std::ranges::is_sorted(branch->bits));
    EXPECT_EQ(branch->bits[0], 16u);
    const auto marked = last_known("fabrisc-2022-05-15", {"JMP: @one", "JMP: @two", "JMP: @x1"});
    ASSERT_TRUE(marked);
    EXPECT_EQ(marked->name, "x1");
    // Of other registers there are none of two bytes.
    const auto long_one = last_known("rv64gc", {"beqz s2, one", "beqz s3, two", "beqz s4, three_3"});
    ASSERT_TRUE(long_one);
    EXPECT_EQ(long_one->bits[0], 32u);
}

TEST(Named, WhatIsMoreThanANameIsNot) {
    EXPECT_FALSE(last_known("wishbone-gpu", {"jump a + b", "jump a + b", "jump a + c"}));
    EXPECT_FALSE(last_known("wishbone-gpu", {"ploadaddr_l a", "ploadaddr_l b", "ploadaddr_l c"}));
    EXPECT_FALSE(last_known("wishbone-gpu", {"fadd r1, r2, x", "fadd r1, r2, x", "fadd r1, r2, x"}));
    EXPECT_FALSE(last_known("gcn1.2", {"s_mov_b32 s1, abc", "s_mov_b32 s1, abd", "s_mov_b32 s1, vcc_lo"}));
}

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
