// What is too much for a description is an error that names the limit: no text overflows the stack, fills the memory or runs
// on. Some of these descriptions ended the process before there were limits.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "isaforge/isa.hpp"

namespace isaforge {
namespace {

const std::string machine =
    "isa m \"m\"\ncode unit 32 little\nregisters r : 4 of u32 \"r{n}\"\nformat R | OP:16 | D:r | A:r | B:r | -:4 |\n";
const std::string table = "instructions R [OP] \"{name} {D}, {A}, {B}\" {\n";

std::string repeated(const std::string& what, unsigned count) {
    std::string out;
    for (unsigned i = 0; i < count; ++i) out += what;
    return out;
}

template <typename Line>
std::string lines(unsigned count, Line&& line) {
    std::string out;
    for (unsigned i = 0; i < count; ++i) out += line(std::to_string(i)) + "\n";
    return out;
}

// The first error, or what else was said first.
std::string said(const std::string& text) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa_text("m.isa", text, sources, diagnostics);
    if (isa) check_isa(*isa, diagnostics);
    for (const Diagnostic& one : diagnostics.all()) {
        if (one.severity == Severity::error) return one.message;
    }
    return diagnostics.all().empty() ? "nothing" : diagnostics.all()[0].message;
}

std::string said_of_meaning(const std::string& meaning) { return said(machine + table + "1 a  " + meaning + "\n}\n"); }

const std::string too_deep = "nested or chained more than 200 deep";
const std::string too_deep_together = "nested more than 200 deep, with the functions and names that are used here";

TEST(Limits, AChainOfAnyOperatorHasOne) {
    for (const char* op : {"+",  "-", "*",  "/",  "%",  "&",  "|",  "^",  "<<", ">>", "==",  "!=", "<",
                           "<=", ">", ">=", "&&", "||", "++", "+.", "-.", "*.", "/.", "==.", "<."}) {
        const std::string chain = "1" + repeated(std::string(" ") + op + " 1", 50000);
        EXPECT_EQ(said("isa m \"m\"\nconstant a = " + chain + "\n"), too_deep) << op;
        EXPECT_EQ(said_of_meaning("D = " + chain), too_deep) << op;
    }
    EXPECT_EQ(said_of_meaning("D = A" + repeated(" + A", 150)), "nothing");
}

TEST(Limits, WhatIsRepeatedHasOne) {
    EXPECT_EQ(said(machine + table + "for n in 1..4096 {\nfor m in 1..4096 {\n    n  a{n}_{m}   D = A\n}\n}\n}\n"),
              "`for` and `use` make more than 4194304 characters");
    EXPECT_EQ(said(machine + table + "for n in 1..5000 { n  a{n}   D = A }\n}\n"), "more than 4096 repetitions");
    EXPECT_EQ(said(machine + table + "for n in 1..4000 { n  a{n}   D = A }\n}\n"), "nothing");
    std::string deep = "1  a   D = A";
    for (unsigned i = 0; i < 20; ++i) deep = "for n" + std::to_string(i) + " in 1 {\n" + deep + "\n}";
    EXPECT_EQ(said(machine + table + deep + "\n}\n"), "`for` and `use` in one another more than 16 deep");
    // Each part uses the one before twice.
    std::string parts = "part p0 { 1  a   D = A }\n";
    for (unsigned i = 1; i < 15; ++i) {
        const std::string before = "use p" + std::to_string(i - 1) + "\n";
        parts += "part p" + std::to_string(i) + " {\n" + repeated(before, 8) + "}\n";
    }
    EXPECT_EQ(said(machine + parts + table + "use p14\n}\n"), "`for` and `use` make more than 4194304 characters");
}

TEST(Limits, NestingHasOne) {
    const unsigned n = 50000;
    EXPECT_EQ(said_of_meaning("D = " + repeated("(", n) + "A" + repeated(")", n)), too_deep);
    EXPECT_EQ(said_of_meaning("D = " + repeated("~", n) + "A"), too_deep);
    EXPECT_EQ(said_of_meaning("D = " + repeated("- ", n) + "A"), too_deep);
    EXPECT_EQ(said_of_meaning("D = A" + repeated("[0]", n)), too_deep);
    EXPECT_EQ(said_of_meaning("D = A" + repeated("[31:0]", n)), too_deep);
    EXPECT_EQ(said_of_meaning("D = " + repeated("r[", n) + "0" + repeated("]", n)), too_deep);
    EXPECT_EQ(said_of_meaning("D = " + repeated("A == 0 ? 1 : ", n) + "0"), too_deep);
    EXPECT_EQ(said_of_meaning("D = " + repeated("if A == 0 then 1 else ", n) + "0"), too_deep);
    EXPECT_EQ(said_of_meaning("D = " + repeated("u(", n) + "8" + repeated(")", n)), too_deep);
    EXPECT_EQ(said_of_meaning("{ if A == 0 { D = 1 }" + repeated(" else if A == 1 { D = 2 }", n) + " }"), too_deep);
    EXPECT_EQ(said_of_meaning(repeated("{ if A == 0 ", n) + "{ D = 1 }" + repeated("}", n)), too_deep);
}

TEST(Limits, RowsInBlocksHaveOne) {
    const unsigned n = 50000;
    const auto nested = [&](const std::string& block, const std::string& row) {
        return repeated(block + " {\n", n) + row + "\n" + repeated("}\n", n) + "}\n";
    };
    EXPECT_EQ(said(machine + table + nested("if 1", "1  a   D = A")), too_deep);
    EXPECT_EQ(said(machine + "operand o : 1 {\n" + nested("if 1", "0 \"a\" = u1(0)")), too_deep);
    const std::string variants = "isa m \"m\"\nvariants a b\n" + machine.substr(machine.find('\n') + 1);
    EXPECT_EQ(said(variants + table + nested("only a", "1  a   D = A")), too_deep);
    EXPECT_EQ(said(variants + "operand o : 1 {\n" + nested("only a", "0 \"a\" = u1(0)")), too_deep);
}

TEST(Limits, WhatOtherDeclarationsBringAlongCounts) {
    const unsigned n = 5000;
    const auto next = [](const std::string& i) { return std::to_string(std::stoul(i) + 1); };
    const std::string functions =
        lines(n, [&](const std::string& i) { return "function f" + i + "(x) = f" + next(i) + "(x) + 1"; });
    EXPECT_EQ(said(machine + functions + "function f5000(x) = x\n" + table + "1 a  D = f0(A)\n}\n"), too_deep_together);
    std::string names = "where ";
    for (unsigned i = 0; i < n; ++i) names += "w" + std::to_string(i) + " = w" + std::to_string(i + 1) + " + 1, ";
    EXPECT_EQ(said(machine + names + "w5000 = r[0]\n" + table + "1 a  D = w0\n}\n"), too_deep_together);
    const std::string operands =
        lines(n, [&](const std::string& i) { return "operand o" + i + " : 4 { n:o" + next(i) + " \"{n}\" = n }"; });
    EXPECT_EQ(said(machine + operands + "operand o5000 : 4 { n:r \"{n}\" = n }\n"),
              "operands contain one another more than 32 deep");
    std::string doubling = lines(
        40, [&](const std::string& i) { return "function g" + i + "(x) = g" + next(i) + "(x) + g" + next(i) + "(x)"; });
    EXPECT_EQ(
        said(machine + doubling + "function g40(x) = x\n" + table + "1 a  D = g0(A)\n}\n"),
        "the meaning of this instruction is too large: more than 19000 steps, or 200000 expressions with those of "
        "its functions and loops");
}

TEST(Limits, CountsHaveThem) {
    const std::string many = "enum e : 24 {\n" + lines(100001, [](const std::string& i) { return "\"e" + i + "\""; });
    EXPECT_EQ(said(machine + many + "}\n"), "more than 100000 codes have a name");
    const std::string names = lines(1001, [](const std::string& i) { return "v" + i; });
    std::string on_one_line = names;
    std::replace(on_one_line.begin(), on_one_line.end(), '\n', ' ');
    EXPECT_EQ(said("isa m \"m\"\nvariants " + on_one_line + "\n"),
              "there are 1001 variants: at most 1000 are possible");
    EXPECT_EQ(said("isa m \"m\"\ndialects " + on_one_line + "\n"),
              "there are 1001 dialects: at most 1000 are possible");
    std::string encodings;
    for (unsigned i = 0; i < 600; ++i) encodings += "also R with D = 0 \"{name}_" + std::to_string(i) + " {A}, {B}\"\n";
    const std::string rows = lines(200, [](const std::string& i) { return i + " a" + i + "  D = A"; });
    EXPECT_EQ(said(machine + "instructions R [OP] \"{name} {D}, {A}, {B}\"\n" + encodings + "{\n" + rows + "}\n"),
              "more than 100000 instructions, each counted with all of its encodings");
    EXPECT_EQ(said(machine + lines(40000, [](const std::string& i) { return "register q" + i + " : u32"; })),
              "there are 40001 register files: at most 4096 are possible");
    const std::string cases = lines(5000, [](const std::string& i) { return i + ":24 \"t" + i + "\""; });
    EXPECT_EQ(said(machine + "operand o : 24 {\n" + cases + "}\n"),
              "there are 5000 rows of an operand: at most 4096 are possible");
    EXPECT_EQ(said(machine + lines(20000, [](const std::string&) { return std::string("pool 01 .. 01 for R"); })),
              "there are 20000 pools: at most 1000 are possible");
    EXPECT_EQ(said(machine + lines(20000, [](const std::string& i) { return "function f" + i + "(x) = x"; })),
              "there are 20000 functions: at most 10000 are possible");
    EXPECT_EQ(said(machine + table + "0..0xffffffff reserved\n}\n"),
              "the range 0..4294967295 is empty or longer than 4096");
    EXPECT_EQ(said_of_meaning("{ for i in 0..0xffffffff { D = A } }"), "a loop of more than 4096 rounds");
}

// However much is wrong, what is kept has an end.
TEST(Limits, ErrorsAreNotKeptWithoutEnd) {
    const unsigned n = 50000;
    const std::string wrong[] = {
        machine + table + lines(n, [](const std::string& i) { return i + " a" + i + "  D = Q" + i; }) + "}\n",
        machine + table + lines(n, [](const std::string& i) { return "x" + i + " a" + i + "  D = A"; }) + "}\n",
        machine + table + lines(n, [](const std::string& i) { return "1 a" + i + "  D = A"; }) + "}\n",
        machine + lines(n, [](const std::string& i) { return "constant c" + i + " = d" + i; }),
        machine + lines(n, [](const std::string& i) { return "formt c" + i; }),
        machine + lines(n, [](const std::string& i) { return "operand o" + i + " : 4 { n:nix \"{n}\" }"; }),
        machine + repeated("$", n),
    };
    for (const std::string& text : wrong) {
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa_text("m.isa", text, sources, diagnostics);
        if (isa) check_isa(*isa, diagnostics);
        EXPECT_FALSE(diagnostics.ok());
        EXPECT_LE(diagnostics.all().size(), 1000u);
    }
}

class Files : public testing::Test {
protected:
    Files() : folder_(std::filesystem::path(ISAFORGE_BINARY_DIR) / "limits_test_files") {
        std::filesystem::create_directories(folder_);
    }
    ~Files() override { std::filesystem::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) {
        std::ofstream(folder_ / name, std::ios::binary) << text;
        return (folder_ / name).string();
    }

    static std::string said_of(const std::string& path) {
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa(path, sources, diagnostics);
        if (isa) check_isa(*isa, diagnostics);
        for (const Diagnostic& one : diagnostics.all()) {
            if (one.severity == Severity::error) return one.message;
        }
        return "nothing";
    }

    std::filesystem::path folder_;
};

TEST_F(Files, IncludesHaveALimitOfDepthAndNumber) {
    for (unsigned i = 0; i < 20; ++i)
        write("a" + std::to_string(i) + ".inc", "include \"a" + std::to_string(i + 1) + ".inc\"\n");
    write("a20.inc", "constant c = 1\n");
    EXPECT_EQ(said_of(write("deep.isa", "isa m \"m\"\ninclude \"a0.inc\"\n")),
              "files include one another more than 16 deep");
    for (unsigned i = 0; i < 14; ++i)
        write("b" + std::to_string(i) + ".inc", repeated("include \"b" + std::to_string(i + 1) + ".inc\"\n", 2));
    write("b14.inc", "\n");
    EXPECT_EQ(said_of(write("many.isa", "isa m \"m\"\ninclude \"b0.inc\"\n")), "more than 1000 files are included");
}

TEST_F(Files, AByteOrderMarkIsNoPartOfTheText) {
    EXPECT_EQ(said_of(write("bom.isa", "\xef\xbb\xbf" + machine + table + "1 a  D = A\n}\n")), "nothing");
    const std::string path = write("utf16.isa", std::string("\xff\xfei\0s\0a\0", 8));
    EXPECT_EQ(said_of(path), "cannot read '" + path + "': it is UTF-16 text: save it as UTF-8");
}

TEST_F(Files, WhatNeverEndsIsNotReadToItsEnd) {
    EXPECT_EQ(said_of(write("zero.isa", "isa m \"m\"\ninclude \"/dev/zero\"\n")),
              "'/dev/zero' cannot be included: it is not a regular file");
}

}  // namespace
}  // namespace isaforge
