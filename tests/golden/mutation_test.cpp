// Descriptions that are wrong by accident. Random damage to the shipped descriptions must never crash, hang or exhaust
// memory: it loads, or it is reported. And no digit of a bar, an opcode or a width of the WISHBONE GPU can be changed
// without a message that names the place.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "effort.hpp"
#include "isaforge/isa.hpp"

namespace isaforge {
namespace {

namespace fs = std::filesystem;

std::string read_file(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

std::vector<std::string> shipped_descriptions() {
    std::vector<std::string> texts;
    for (const char* folder : {"isas", "tests/isas", "examples"}) {
        const fs::path root = fs::path(ISAFORGE_SOURCE_DIR) / folder;
        if (!fs::exists(root)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(root)) {
            if (entry.path().extension() == ".isa") texts.push_back(read_file(entry.path()));
        }
    }
    return texts;
}

std::string diagnose(const std::string& text, std::size_t* defects = nullptr) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("mutant.isa", text, sources, diagnostics);
    if (isa) check_isa(*isa, diagnostics);
    if (defects) *defects = diagnostics.errors() + diagnostics.warnings();
    return to_text(diagnostics, sources);
}

// --- random damage ----------------------------------------------------------------------------------------------------

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t limit) { return limit == 0 ? 0 : random() % limit; }

// Pieces that mean something to the language, so that damage gets past the lexer.
constexpr std::string_view pieces[] = {
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "|",
    ":",
    "\"",
    "=",
    "..",
    "/",
    "-",
    "--",
    "+",
    "*",
    ";",
    ",",
    "\n",
    " ",
    "0",
    "1",
    "63",
    "64",
    "65",
    "4096",
    "0xffffffffffffffff",
    "99999999999999999999",
    "u0",
    "u1",
    "u64",
    "s64",
    "f32",
    "b16",
    "if ",
    "else ",
    "then ",
    "only ",
    "also ",
    "with ",
    "by ",
    "in ",
    "step ",
    "alias ",
    "reserved ",
    "as ",
    "after ",
    "lanes ",
    "when ",
    "any ",
    "pc",
    "{any A B by ', '}",
    "{2*n + 1}",
    "{-n}",
    "isa x\n",
    "variants a b\n",
    "include \"x\"\n",
    "opcodes accounted\n",
    "code unit 8 big\n",
    "constant k = k\n",
    "/*",
    "*/",
    "//",
    "\\",
    "\xff",
    "\xe2\x80\x93",
    "for i in 0..99999 { ",
    "return ",
    "let x = ",
    "<<",
    ">>",
    "?",
    "~",
    "!",
    "&&",
    "++",
};

void damage(Random& random, std::string& text) {
    const std::size_t at = below(random, text.size());
    const std::size_t length = 1 + below(random, random() % 8 == 0 ? 200 : 6);
    switch (random() % 7) {
        case 0: text[at] = static_cast<char>(random()); break;
        case 1: text.erase(at, length); break;
        case 2: text.insert(at, pieces[below(random, std::size(pieces))]); break;
        case 3: text.insert(at, text.substr(below(random, text.size()), length)); break;
        case 4: text.replace(at, length, pieces[below(random, std::size(pieces))]); break;
        case 5: text.replace(at, length, text.substr(below(random, text.size()), length)); break;
        case 6: text.resize(std::max<std::size_t>(at, 1)); break;
    }
    if (text.empty()) text = " ";
}

TEST(DamagedDescriptions, NeverCrashOrHang) {
    const std::vector<std::string> originals = shipped_descriptions();
    ASSERT_FALSE(originals.empty());
    for (unsigned seed = 1; seed <= test::times_effort(2000); ++seed) {
        Random random(seed);
        std::string text = originals[below(random, originals.size())];
        for (std::size_t i = 1 + below(random, 4); i > 0; --i) damage(random, text);
        const std::string report = diagnose(text);
        ASSERT_LT(report.size(), std::size_t{1} << 20) << "seed " << seed;
    }
}

// --- one digit --------------------------------------------------------------------------------------------------------

struct Line {
    std::size_t begin = 0;
    std::string_view text;
};

std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        lines.push_back({begin, text.substr(begin, end - begin)});
        begin = end + 1;
    }
    return lines;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Whether the digit at `at` belongs to a number and not to a name such as C2.
bool begins_no_name(std::string_view line, std::size_t at) {
    while (at > 0 && (std::isalnum(static_cast<unsigned char>(line[at - 1])) || line[at - 1] == '_')) --at;
    return is_digit(line[at]);
}

// The digits of a line that say where bits are: all of a bar; the columns of an instruction row; the pattern of an
// operand row, before its text; the width in the head of an operand, an enumeration or registers; the width and the part
// of a number.
std::vector<std::size_t> digits_of_bits(std::string_view line, std::string_view block) {
    std::size_t first = 0, last = 0;
    const std::size_t comment = std::min(line.find("//"), line.size());
    const auto starts = [&](std::string_view word) { return line.starts_with(word); };
    if (starts("format ") || line.find_first_not_of(' ') == line.find('|')) {
        first = std::min(line.find('|'), line.size());
        last = comment;
    } else if (starts("operand ") || starts("enum ") || starts("register") || starts("memory ") || starts("code ")) {
        first = std::min(line.find(starts("code ") ? ' ' : ':'), line.size());
        last = std::min(line.find_first_of("\"{", first), comment);
    } else if (starts("number ")) {
        first = std::min(line.find('='), line.size());
        const std::size_t range = line.find(" in "), relocation = line.find("relocation");
        last = std::min({range, relocation, comment});
    } else if (starts("    ") && block == "instructions") {
        last = 4;
        while (last < line.size() &&
               (is_digit(line[last]) || line[last] == ' ' || line[last] == '.' || line[last] == '-'))
            ++last;
        if (last < line.size() && std::isalpha(static_cast<unsigned char>(line[last])) && is_digit(line[last - 1]))
            last = 4;
    } else if (starts("    ") && block == "operand") {
        last = std::min({line.find('"'), line.find("reserved"), comment});
    }
    std::vector<std::size_t> out;
    for (std::size_t i = first; i < std::min(last, line.size()); ++i) {
        // The width in a built-in type's name (u32, s18) counts too.
        const bool of_type = i > 0 && std::string_view("usifb0123456789").find(line[i - 1]) != std::string_view::npos;
        if (is_digit(line[i]) && (begins_no_name(line, i) || of_type)) out.push_back(i);
    }
    return out;
}

struct Mutation {
    std::size_t line = 0, column = 0;
    char digit = '0';
    std::string text;
};

std::vector<Mutation> single_digit_mutations(const std::string& original) {
    std::vector<Mutation> out;
    std::string block;
    const auto lines = lines_of(original);
    for (std::size_t number = 0; number < lines.size(); ++number) {
        const std::string_view line = lines[number].text;
        if (!line.empty() && std::isalpha(static_cast<unsigned char>(line[0]))) block = line.substr(0, line.find(' '));
        for (const std::size_t at : digits_of_bits(line, block)) {
            for (char digit = '0'; digit <= '9'; ++digit) {
                if (digit == line[at]) continue;
                Mutation mutation{number + 1, at + 1, digit, original};
                mutation.text[lines[number].begin + at] = digit;
                out.push_back(std::move(mutation));
            }
        }
    }
    return out;
}

TEST(OneDigit, OfTheWishboneGpuCannotChangeUnnoticed) {
    std::string original = read_file(fs::path(ISAFORGE_SOURCE_DIR) / "isas/wishbone-gpu.isa");
    const std::size_t page = original.find("\npage ");
    ASSERT_NE(page, std::string::npos);
    original.replace(page + 1, 2, "//");  // its file is not beside the text
    std::size_t defects = 0;
    const std::string clean = diagnose(original, &defects);
    ASSERT_EQ(defects, 0u) << clean;
    const auto lines = lines_of(original);
    const std::vector<Mutation> mutations = single_digit_mutations(original);
    ASSERT_GT(mutations.size(), 1000u);
    std::size_t unnoticed = 0;
    std::string list;
    for (const Mutation& mutation : mutations) {
        const std::string report = diagnose(mutation.text, &defects);
        if (defects != 0 && report.find("mutant.isa:") != std::string::npos) continue;
        ++unnoticed;
        std::string changed(lines[mutation.line - 1].text);
        changed[mutation.column - 1] = mutation.digit;
        list += std::to_string(mutation.line) + ":" + std::to_string(mutation.column) + ": " + changed + "\n";
    }
    EXPECT_EQ(unnoticed, 0u) << "of " << mutations.size() << " mutations\n" << list;
}

}  // namespace
}  // namespace isaforge
