// Notes that are wrong by accident. Every digit of the toy's notes that says something about bits, ranges or counts is
// changed, one at a time, and each change is found. Random damage never crashes or hangs the reader, the checker or the
// importer.
#include <gtest/gtest.h>

#include <random>

#include "effort.hpp"
#include "notes/reading.hpp"

namespace isaforge {
namespace {

bool is_a_digit(char c) { return c >= '0' && c <= '9'; }

// The lines whose numbers nothing else in the notes determines.
bool is_free(std::string_view line) {
    return line.find("data size") != std::string_view::npos || line.find("with 16 registers") != std::string_view::npos;
}

TEST(Mutation, OfAnyDigitIsFound) {
    const std::string clean(toy_notes);
    std::size_t start = 0, tried = 0;
    while (start < clean.size()) {
        const std::size_t end = clean.find('\n', start);
        const std::string line = clean.substr(start, end - start);
        for (std::size_t i = 0; i < line.size() && !is_free(line); ++i) {
            if (!is_a_digit(line[i])) continue;
            for (char digit = '0'; digit <= '9'; ++digit) {
                if (digit == line[i]) continue;
                std::string text = clean;
                text[start + i] = digit;
                ++tried;
                EXPECT_GT(count_findings(text), 0U) << line << "\nwith " << digit << " at column " << i + 1;
            }
        }
        start = end + 1;
    }
    EXPECT_GT(tried, 900U);
}

// A pattern of mode bits that gains or loses a letter.
TEST(Mutation, OfAPatternsLengthIsFound) {
    const std::string clean(toy_notes);
    for (const std::string pattern : {"\"ttm\"", "l0 ->", "l1 ->"}) {
        const std::size_t at = clean.find(pattern);
        ASSERT_NE(at, std::string::npos);
        const std::size_t letter = at + (pattern.front() == '"' ? 1 : 0);
        EXPECT_GT(count_findings(clean.substr(0, letter) + clean.substr(letter + 1)), 0U) << pattern;
        EXPECT_GT(count_findings(clean.substr(0, letter) + clean[letter] + clean.substr(letter)), 0U) << pattern;
    }
}

TEST(Mutation, OfARangesBoundByOneIsFound) {
    const std::string clean(toy_notes);
    std::size_t tried = 0;
    for (std::size_t i = clean.find("0000xxxx"); i < clean.find("max opcode"); ++i) {
        const bool bit = (clean[i] == '0' || clean[i] == '1') && clean[i + 1] == 'x';
        if (!bit) continue;
        std::string text = clean;
        text[i] = 'x';
        EXPECT_GT(count_findings(text), 0U) << text.substr(i, 20);
        ++tried;
    }
    EXPECT_EQ(tried, 6U);
}

// Every notation that the toy does not have.
constexpr std::string_view other_notes = R"([D]   |OP(07)|MOD(03)|RA(05)|RB(05)|IMM(12)|   r-r-i  4
[D.l] |OP(07)|MOD(05)|RA(05)|RB(05)|IMM(26)|   r-r-i  4
[D] format {
    [D]   |OP(07)|MOD(03)|RA(05)|RB(05)|IMM(12)| length: 4B
    [D.l] |OP(07)|MOD(05)|RA(05)|RB(05)|IMM(26)| length: 6B
    for scalar [R-R-I] instructions:
        MOD(03): "tti"
        [D.l] MOD(05): "ttmoo"
        ('tt' is size: 8, 16, 32, 64)
        ('m' is mask: 0 unmasked, 1 masked)
        ('i' is extra immediate)
        ('oo' are extra opcode bits)
    vector instructions:
        MOD(03): "a--"
        MOD(05): "a--nn"
        ('a' is mode: ...)
        ('nn' is number of registers)
}
[E] |OP(16)|MOD(06)|RA(05)|RB(05)| {
    - length: 4B
    special moves:
        MOD(06):
            x m00tt -> file_0 - file_2
            x m01tt -> file_2 - file_0
            x m1000 -> VFLG - file_0
        ('tt', 'tt' is size: 8, 16, 32, 64)
        ('m' is mask: 0 unmasked, 1 masked)
        ('x' signifies unused bit)
}
[P] |OP(07)|MOD(04)|RA(05)| {
    - length: 2B
        MOD(04):
            - MOD(04) is treated as a nested opcode
}
0000001 xxxxxxxxx -> 1111011 xxxxxxxxx   (max: 123) (current: 112) [D] [D.l] [P]
1111100 000000000 -> 1111110 111111111   1536; formats: (E)
512 combinations left
)";

TEST(RandomDamage, NeverCrashesOrHangs) {
    std::mt19937_64 random(7);
    const std::string pieces = "01x|()[]{}:;,.'\"- \n\tABlr/?_";
    for (unsigned round = 0; round < test::times_effort(500); ++round) {
        std::string text(round % 2 == 0 ? toy_notes : other_notes);
        const std::size_t changes = 1 + random() % 12;
        for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
            const std::size_t at = random() % text.size();
            switch (random() % 5) {
                case 0: text[at] = pieces[random() % pieces.size()]; break;
                case 1: text.insert(at, 1, pieces[random() % pieces.size()]); break;
                case 2: text.erase(at, 1 + random() % 40); break;
                case 3: text.insert(at, text.substr(random() % text.size(), random() % 200)); break;
                case 4: text[at] = static_cast<char>(random()); break;
            }
        }
        SourceManager sources;
        Diagnostics diagnostics;
        const Notes notes = read_notes(sources.add("notes.txt", text), sources, diagnostics);
        std::vector<ListedInstruction> list;
        const std::string rows = "scalar\tD\tadd\nvector\tA\tvadd\tAddition\nx\tP\tnop\nx\tE\tmove\n";
        if (round % 3 == 0) list = read_instruction_list(sources.add("list.tsv", rows), sources, diagnostics);
        check_notes(notes, list, diagnostics);
        to_text(diagnostics, sources);
        // A draft of whatever is left of the notes is a description that loads.
        const std::string draft = import_notes(notes, list, sources, "toy");
        SourceManager ours;
        Diagnostics found;
        EXPECT_TRUE(load_isa_text("toy.isa", draft, ours, found)) << to_text(found, ours) << text;
    }
}

TEST(RandomDamage, OfVeryLongNotesComesToAnEnd) {
    std::string text;
    for (int i = 0; i < 3000; ++i)
        text += "[A" + std::to_string(i) + "] |OP(04)|MOD(03)|RA(09)| {\n- length: 2B\nMOD(03): \"ttm\"\n}\n";
    for (int i = 0; i < 3000; ++i) text += "0000xxxxxxxxxxxx ... 1101xxxxxxxxxxxx  max: 14;\n";
    EXPECT_GT(count_findings(text), 0U);
}

}  // namespace
}  // namespace isaforge
