// Numbers in the texts of operands, in every way that a hole may stand there and a program may write them: each value is
// either refused or makes bits that disassemble to that value again. The machines are small and random, and every value
// near what their bits hold is tried.
#include <fmt/format.h>

#include <cstdlib>
#include <random>

#include "assembler/assemble_text.hpp"
#include "effort.hpp"
#include "isaforge/disassembler.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;

// A number that an operand holds: how many bits, of which kind, how it is written, where it stands.
struct Hole {
    char kind = 'u';
    unsigned width = 4;
    std::string text = "{k}";
    bool tail = false;
    std::string range;

    std::string row() const {
        const std::string capture = fmt::format("k:{}{}{}", kind, width, range);
        return tail ? fmt::format("1 + {}  \"#{}\"", capture, text) : fmt::format("{}  \"#{}\"", capture, text);
    }
};

std::string description(const Hole& hole) {
    const unsigned bits = hole.tail ? 1 : hole.width;
    return fmt::format(
        "isa m \"m\"\ncode unit 8 little\nregisters r : 3 of u8 \"r{{n}}\"\n"
        "operand source : {} {{\n    {}\n{}}}\n"
        "format F | OP:{} | D:r | S:source |\n"
        "instructions F [OP] \"{{name}} {{D}}, {{S}}\" {{\n    1  op  D = D\n}}\n",
        bits, hole.row(), hole.tail ? "    0  \"none\"\n" : "", (bits + 3) % 8 == 0 ? 8 : 8 - (bits + 3) % 8);
}

Hole random_hole(std::mt19937& random) {
    const auto pick = [&](auto... choices) {
        const std::common_type_t<decltype(choices)...> list[] = {choices...};
        return list[random() % std::size(list)];
    };
    Hole hole;
    hole.kind = pick('u', 's', 'i');
    hole.tail = random() % 2 == 0;
    hole.width = hole.tail ? 8u : 2u + static_cast<unsigned>(random() % 7);
    hole.text = pick("{k}", "{k:hex}", "{k:hex}", "{2*k + 1}", "{k - 3:hex}");
    if (random() % 3 == 0 && hole.width > 2 && !hole.tail) hole.range = pick(" in 0..2", " in 1..3", " in 0..3 step 2");
    return hole;
}

std::unique_ptr<const Codec> machine(const std::string& text) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("m.isa", text, sources, diagnostics);
    EXPECT_TRUE(isa != nullptr) << text << to_text(diagnostics, sources);
    return isa ? std::make_unique<const Codec>(isa) : nullptr;
}

AssembleOptions flat() {
    AssembleOptions options;
    options.flat = true;
    return options;
}

// The number behind '#' in the first instruction that the object disassembles to.
std::optional<long long> number_of(const Codec& codec, const Object& object) {
    const std::string text = disassemble(codec, object, {});
    const std::size_t mark = text.find("op r1, #");
    if (mark == std::string::npos) return std::nullopt;
    return std::strtoll(text.c_str() + mark + 8, nullptr, 0);
}

// Known at once or later: a code that no text stands for is not written.
TEST(Holes, AReservedCodeIsRefused) {
    const auto codec = machine(R"(isa m "m"
code unit 16 little
registers r : 3 of u16 "r{n}"
operand source : 4 {
    1111  reserved
    n:4   "#{n}"
}
format RR | OP:4 | D:r | S:source | -:5 |
instructions RR [OP] "{name} {D}, {S}" {
    0  add
}
)");
    ASSERT_TRUE(codec);
    EXPECT_TRUE(assemble_text("add r1, #c\nc = 14\n", flat(), *codec)->good);
    EXPECT_FALSE(assemble_text("add r1, #15\n", flat(), *codec)->good);
    EXPECT_FALSE(assemble_text("c = 15\nadd r1, #c\n", flat(), *codec)->good);
    const auto later = assemble_text("add r1, #c\nc = 15\n", flat(), *codec);
    EXPECT_FALSE(later->good);
    EXPECT_NE(later->messages().find("the value gives a code that is reserved"), std::string::npos)
        << later->messages();
}

TEST(Holes, AValueComesBackOrIsRefused) {
    std::mt19937 random(20261122);
    unsigned accepted = 0, refused = 0;
    for (unsigned round = 0; round < test::times_effort(80); ++round) {
        const Hole hole = random_hole(random);
        const std::string text = description(hole);
        SCOPED_TRACE(text);
        const auto codec = machine(text);
        ASSERT_TRUE(codec);
        const long long span = 1LL << hole.width;
        const bool sum = hole.text.find('*') != std::string::npos || hole.text.find('-') != std::string::npos;
        for (long long value = -span - 9; value <= 2 * span + 9; ++value) {
            const std::string at_once = fmt::format("op r1, #{}\n", value);
            const std::string hexadecimal = fmt::format("op r1, #{}{:#x}\n", value < 0 ? "-" : "", std::abs(value));
            const std::string before = fmt::format("c = {}\nop r1, #c\n", value);
            const std::string expression = fmt::format("op r1, #({} + 7) - 7\n", value);
            const std::string later = fmt::format("op r1, #c\nc = {}\n", value);
            std::optional<bool> first;
            for (const std::string& program : {at_once, hexadecimal, before, expression, later}) {
                if (sum && program == later) continue;  // sums are of numbers that are known
                const auto made = assemble_text(program, flat(), *codec);
                if (!first) first = made->good;
                EXPECT_EQ(made->good, *first) << program << made->messages();
                ++(made->good ? accepted : refused);
                if (!made->good) continue;
                const auto back = number_of(*codec, made->object);
                ASSERT_TRUE(back) << program << disassemble(*codec, made->object, {});
                const bool same = hole.kind == 'i' ? (*back - value) % span == 0 : *back == value;
                EXPECT_TRUE(same) << program << "came back as " << *back;
            }
            if (::testing::Test::HasFailure()) return;
        }
    }
    EXPECT_GT(accepted, 10'000u);
    EXPECT_GT(refused, 10'000u);
}

TEST(Holes, AWordBehindTheInstructionIsKeptInEveryRadix) {
    const auto codec = machine(
        "isa m \"m\"\ncode unit 16 little\nregisters r : 3 of u16 \"r{n}\"\n"
        "operand source : 4 {\n    0 n:r  \"{n}\" = n\n    1 000 + k:u16  \"#{k:hex}\" = k\n}\n"
        "format MOV | OP:4 | D:r | S:source | -:5 |\n"
        "instructions MOV [OP] \"{name} {D}, {S}\" {\n    1  mov  D = S\n}\n");
    ASSERT_TRUE(codec);
    const auto made =
        assemble_text("mov r1, #500\nmov r1, #later\nmov r1, #later + 1\nlater = 0x1f4\n", flat(), *codec);
    ASSERT_TRUE(made->good) << made->messages();
    EXPECT_EQ(made->hex(".text"), "0013f4010013f4010013f501");
    EXPECT_NE(disassemble(*codec, made->object, {}).find("mov r1, #0x1f4"), std::string::npos);
    EXPECT_FALSE(assemble_text("mov r1, #0x10000\n", flat(), *codec)->good);
    EXPECT_FALSE(assemble_text("mov r1, #later\nlater = 0x10000\n", flat(), *codec)->good);
}

TEST(Holes, ALabelOfALinkerIsRelocatedInEveryRadix) {
    const auto codec = machine(
        "isa m \"m\"\ncode unit 16 little\nregisters r : 3 of u16 \"r{n}\"\n"
        "operand place : 16 { k:u16 \"{k:hex}\" = k }\n"
        "format L | OP:5 | D:r | -:8 | K:place |\n"
        "instructions L [OP] \"{name} {D}, {K}\" {\n    1  ld  D = K\n}\n");
    ASSERT_TRUE(codec);
    const auto made = assemble_text("ld r1, outside + 2\nld r2, here\nhere:\n", {}, *codec);
    ASSERT_TRUE(made->good) << made->messages();
    ASSERT_EQ(made->object.relocations.size(), 2u);
    EXPECT_EQ(made->object.relocations[0].addend, 2);
    EXPECT_EQ(assemble_text("ld r2, here\nhere:\n", flat(), *codec)->hex(".text").substr(4), "0400");
}

// `n:4 in 0..2` has no 3, however the program says it.
TEST(Holes, ARangeHoldsForSymbolsToo) {
    const auto codec = machine(
        "isa m \"m\"\ncode unit 8 little\nregisters r : 3 of u8 \"r{n}\"\noperand small : 4 { k:u4 in 0..2  \"{k}\" }\n"
        "format F | OP:4 | K:small |\ninstructions F [OP] \"{name} {K}\" {\n    1  op  r[0] = r[1]\n}\n");
    ASSERT_TRUE(codec);
    EXPECT_TRUE(assemble_text("op c\nc = 2\n", flat(), *codec)->good);
    const auto made = assemble_text("op c\nc = 3\n", flat(), *codec);
    EXPECT_FALSE(made->good);
    EXPECT_NE(made->messages().find("from 0 to 2"), std::string::npos) << made->messages();
}

}  // namespace
}  // namespace isaforge
