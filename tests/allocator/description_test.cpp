// Whole descriptions: numbers into the text, and what stays where it is when rows are added.
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "isaforge/allocate.hpp"
#include "isaforge/isa.hpp"

namespace isaforge {
namespace {

const std::string head = R"(isa sample "Sample"
code unit 16 little
registers r : 3 of u16 "r{n}"
pool 0001 .. 1110 for A, B, C
format A | OPCODE:4 | X:r | Y:r | Z:r | -:3 |
format B | OPCODE:6 | X:r | EXT:1 | Y:r | -:3 |
format C | OPCODE:8 | X:r | -:5 |
)";

struct Loaded {
    SourceManager sources;
    Diagnostics diagnostics;
    std::shared_ptr<const Isa> isa;

    explicit Loaded(const std::string& text, bool draft) {
        LoadOptions options;
        options.draft = draft;
        isa = load_isa_text("sample.isa", text, sources, diagnostics, options);
        EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    }
};

std::string allocated(const std::string& text, const std::string& previous = "") {
    Loaded loaded(text, true);
    std::vector<AutoChoice> choices;
    std::shared_ptr<const Isa> draft = loaded.isa;
    if (!previous.empty()) {
        draft = keep_numbers(*draft, *Loaded(previous, true).isa, choices, loaded.diagnostics);
    }
    EXPECT_TRUE(allocate(*draft, choices, loaded.diagnostics)) << to_text(loaded.diagnostics, loaded.sources);
    return with_numbers(text, 1, choices);
}

// The fixed bits of each form, by mnemonic and format.
std::map<std::string, std::pair<Image, Image>> encodings(const Isa& isa) {
    std::map<std::string, std::pair<Image, Image>> out;
    for (const Form& form : isa.forms) {
        out.emplace(isa.instructions[form.instruction].names[0] + " " + isa.formats[form.format].name + " " +
                        std::to_string(out.size()),
                    std::pair(form.mask, form.value));
    }
    return out;
}

struct Same {
    bool operator()(const std::pair<Image, Image>& a, const std::pair<Image, Image>& b) const {
        return a.first == b.first && a.second == b.second;
    }
};

void expect_equal(const Isa& a, const Isa& b) {
    const auto x = encodings(a), y = encodings(b);
    ASSERT_EQ(x.size(), y.size());
    for (const auto& [name, bits] : x) EXPECT_TRUE(y.contains(name) && Same{}(bits, y.at(name))) << name;
}

TEST(Description, TextWithNumbersIsWhatTheLoaderMakesOfAuto) {
    const std::string text = head + R"(instructions A [OPCODE] "{name} {X}, {Y}, {Z}" {
    auto  add  // first
    auto  sub
    7     mul
}
instructions B [OPCODE, EXT] "{name} {X}, {Y}" {
    auto auto  ld
    auto auto  st
    auto 1     ldu
}
instructions C [bits OPCODE] "{name} {X}" {
    auto      inc
    01100000  dec
}
)";
    const std::string result = allocated(text);
    EXPECT_EQ(result.find("auto"), std::string::npos) << result;
    EXPECT_NE(result.find("  add  // first\n"), std::string::npos) << result;
    EXPECT_NE(result.find("    7     mul\n"), std::string::npos) << result;
    expect_equal(*Loaded(text, false).isa, *Loaded(result, false).isa);
    Loaded checked(result, false);
    check_isa(*checked.isa, checked.diagnostics);
    EXPECT_TRUE(checked.diagnostics.ok()) << to_text(checked.diagnostics, checked.sources);
}

TEST(Description, NumbersHaveTheDigitsOfTheirField) {
    const auto choice = [](std::uint32_t offset, std::uint64_t value, unsigned width, bool bits = false) {
        return AutoChoice{{1, offset, 4}, value, width, bits};
    };
    // What stands behind keeps its column where there are blanks.
    EXPECT_EQ(with_numbers("    auto   add", 1, {choice(4, 10, 7)}), "    0x0a   add");
    EXPECT_EQ(with_numbers("    auto   add", 1, {choice(4, 10, 12)}), "    0x00a  add");
    EXPECT_EQ(with_numbers("    auto   add", 1, {choice(4, 10, 16)}), "    0x000a add");
    EXPECT_EQ(with_numbers("    auto add", 1, {choice(4, 10, 16)}), "    0x000a add");
    EXPECT_EQ(with_numbers("    auto add", 1, {choice(4, 1, 2)}), "    1    add");
    EXPECT_EQ(with_numbers("    auto     add", 1, {choice(4, 5, 5, true)}), "    00101    add");
    EXPECT_EQ(with_numbers("auto auto   add\nauto add", 1, {choice(0, 10, 12), choice(5, 1, 1), choice(16, 2, 7)}),
              "0x00a 1     add\n0x02 add");
    EXPECT_EQ(with_numbers("auto", 1, {choice(0, 1, 4)}), "0x1");
    EXPECT_EQ(with_numbers("auto,auto", 2, {choice(0, 1, 4)}), "auto,auto");
}

TEST(Description, ANewRowMovesNothing) {
    std::string rows = "    auto  add\n    auto  sub\n    auto  and\n";
    const auto text = [&] {
        return head + "instructions A [OPCODE] \"{name} {X}, {Y}, {Z}\" {\n" + rows + "}\n" +
               "instructions C [OPCODE] \"{name} {X}\" {\n    auto  inc\n    auto  dec\n}\n";
    };
    std::string last = allocated(text());
    for (int i = 0; i < 8; ++i) {
        // First in its table: a row must not be known by where it stands.
        rows = "    auto  new" + std::to_string(i) + "\n" + rows;
        const std::string next = allocated(text(), last);
        const auto before = encodings(*Loaded(last, false).isa);
        Loaded after(next, false);
        std::size_t found = 0;
        for (const Form& form : after.isa->forms) {
            const std::string name = after.isa->instructions[form.instruction].names[0];
            for (const auto& [old, bits] : before) {
                if (!old.starts_with(name + " ")) continue;
                EXPECT_TRUE(bits.second == form.value) << name;
                ++found;
            }
        }
        EXPECT_EQ(found, before.size());
        EXPECT_EQ(after.isa->forms.size(), before.size() + 1);
        last = next;
    }
    // Rows added to the output itself: their numbers are fixed there.
    EXPECT_EQ(allocated(last), last);
}

TEST(Description, ANumberThatAnotherRowHasNowCannotBeKept) {
    const auto text = [](const std::string& rows) {
        return head + "instructions A [OPCODE] \"{name} {X}, {Y}, {Z}\" {\n" + rows + "}\n";
    };
    const std::string before = allocated(text("    auto  add\n"));
    const std::string number = before.substr(before.find("0x"), 3);
    Loaded now(text("    auto  add\n    " + number + "  sub\n"), true), previous(before, true);
    std::vector<AutoChoice> choices;
    EXPECT_FALSE(keep_numbers(*now.isa, *previous.isa, choices, now.diagnostics));
    ASSERT_EQ(now.diagnostics.errors(), 1u);
    EXPECT_EQ(now.diagnostics.all()[0].message, "the number that add had before overlaps with sub now");
}

TEST(Description, RowsOfAnAlignedTableShareABlock) {
    const std::string text = head + R"(instructions C [OPCODE] "{name} {X}" {
    auto  inc
    0x41  dec
}
instructions C [OPCODE] "{name} {X}, 1" aligned 4 {
    auto  b0
    auto  b1
    auto  b2
    auto  b3
    auto  b4
    auto  b5
}
)";
    Loaded loaded(text, false);
    std::vector<std::uint64_t> codes;
    for (const Form& form : loaded.isa->forms) {
        if (loaded.isa->instructions[form.instruction].names[0][0] == 'b') codes.push_back(form.value.get(8, 8));
    }
    ASSERT_EQ(codes.size(), 6u);
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(codes[i], (i < 4 ? codes[0] : codes[4]) + i % 4);
    EXPECT_EQ(codes[0] % 4, 0u);
    EXPECT_EQ(codes[4] % 4, 0u);
}

TEST(Description, LongAndShortFormsOfARowAreOneBitApart) {
    const std::string text = R"(isa sample "Sample"
code unit 16 little
registers r : 3 of u16 "r{n}"
format H  | OPCODE:7 | X:r | I:u6 |
format HL | OPCODE:7 | X:r | I:u22 |
instructions H [OPCODE, LONG] "{name} {X}, {I}" also HL with OPCODE = LONG "{name} {X}, {I}" {
    auto auto  beq
    auto auto  bne
    auto auto  blt
    auto auto  bge
    auto auto  ble
}
)";
    Loaded loaded(text, true);
    std::vector<AutoChoice> choices;
    AllocationReport report;
    ASSERT_TRUE(allocate(*loaded.isa, choices, loaded.diagnostics, &report));
    EXPECT_EQ(choices.size(), 10u);
    EXPECT_EQ(report.rows, 10u);
    EXPECT_EQ(report.ours.apart, 0u);
    EXPECT_EQ(report.ours.length_bits, 1u);
    std::map<std::string, std::vector<std::uint64_t>> codes;
    Loaded complete(text, false);
    for (const Form& form : complete.isa->forms) {
        codes[complete.isa->instructions[form.instruction].names[0]].push_back(form.value.get(9, 7));
    }
    for (const auto& [name, pair] : codes) {
        ASSERT_EQ(pair.size(), 2u);
        EXPECT_EQ(__builtin_popcountll(pair[0] ^ pair[1]), 1) << name;
    }
}

TEST(Description, ShippedOnesCostLessThanTheirOrder) {
    for (const auto& [name, title] : builtin_isas()) {
        SourceManager sources;
        Diagnostics diagnostics;
        LoadOptions options;
        options.draft = true;
        const auto draft = load_isa(name, sources, diagnostics, options);
        ASSERT_TRUE(draft);
        std::vector<AutoChoice> choices;
        AllocationReport report;
        ASSERT_TRUE(allocate(*draft, choices, diagnostics, &report)) << to_text(diagnostics, sources);
        EXPECT_LE(report.ours.cost, report.in_order.value_or(report.ours).cost) << name;
        EXPECT_LE(report.ours.cost, report.first_fit.value_or(report.ours).cost) << name;
    }
}

// Other orders than the cheapest are what the report compares with: numbers that are given cost what it says.
TEST(Orders, AreThoseOfTheReport) {
    const std::string text = head + R"(
instructions A [OPCODE] "{name} {X}, {Y}, {Z}" {
    auto  add
    auto  sub
}
instructions C [OPCODE] "{name} {X}" {
    auto  inc
    auto  dec
    auto  neg
}
instructions B [OPCODE, EXT] "{name} {X}, {Y}" {
    auto auto  mov
    auto auto  not
    auto auto  abs
}
)";
    const Loaded loaded(text, true);
    std::set<std::string> all;
    for (const AllocationOrder order : {AllocationOrder::cheapest, AllocationOrder::pools, AllocationOrder::rows}) {
        std::vector<AutoChoice> choices;
        Diagnostics diagnostics;
        AllocationReport report, again;
        ASSERT_TRUE(allocate(*loaded.isa, choices, diagnostics, &report, order));
        const std::string numbered = with_numbers(text, 1, choices);
        const Loaded finished(numbered, true);
        ASSERT_TRUE(allocate(*finished.isa, choices, diagnostics, &again));
        const AllocationFigures expected = order == AllocationOrder::pools  ? *report.in_order
                                           : order == AllocationOrder::rows ? *report.first_fit
                                                                            : report.ours;
        EXPECT_EQ(again.ours.cost, expected.cost - expected.apart) << numbered;
        all.insert(numbered);
    }
    EXPECT_EQ(all.size(), 3U);
}

}  // namespace
}  // namespace isaforge
