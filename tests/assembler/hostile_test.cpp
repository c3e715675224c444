// Sources that are cut off, that multiply themselves, or that never end what they begin: what is wrong is said where it
// is, a limit is named, and nothing outside of the text is read.
#include <fmt/format.h>

#include <fstream>
#include <regex>
#include <set>

#include "assembler/assemble_text.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;

const Codec& fabrisc() {
    static SourceManager sources;
    static Diagnostics diagnostics;
    static const Codec codec(load_isa("fabrisc-2022-05-15", sources, diagnostics));
    return codec;
}

std::string messages_of(const std::string& text, const Codec& codec = testing::gpu()) {
    return assemble_text(text, {}, codec)->messages();
}

bool says(const std::string& text, const std::string& message, const Codec& codec = testing::gpu()) {
    const std::string said = messages_of(text, codec);
    EXPECT_NE(said.find(message), std::string::npos) << said.substr(0, 2000);
    return said.find(message) != std::string::npos;
}

std::string repeated(unsigned count, const std::string& text) {
    std::string out;
    for (unsigned i = 0; i < count; ++i) out += text;
    return out;
}

// Under the sanitizers, a byte behind the text is an error: there each beginning of these is one that reads it or not.
TEST(CutOff, EveryBeginningOfAProgramIsReadToItsEndAndNoFurther) {
    for (const std::string text : {"#def a b\n.equ x, a + 1\n",
                                   "#def a b\n.set ::a::b, a\n",
                                   "#def a b\na = 5 + a\n",
                                   "#def a 'x\n.byte a, 'a', '\\n\n",
                                   ".ascii \"ab\\x41\\n\", \"c\"\n",
                                   ".macro m x=1, y:req, z:vararg\n.byte \\x, \\y, \\z\n.endm\nm 1, 2, 3\n",
                                   ".irp x, 1, 2, (3)\n.byte \\x\n.endr\n",
                                   ".for i = 0, i < 3, i + 1\n.byte i\n.endr\n",
                                   ".octa 0x123, 5\n",
                                   ".float 1.5, -inf, 0f2.5, .5, 0x1p3\n",
                                   ".if 1 == 1\n.elseif 2 <> 3\n.else\n.endif\n",
                                   ".ifc a, \"a\"\n.endif\n",
                                   ".section .x, \"aw\", @progbits, 4\n",
                                   ".enum > 5, a, b\n",
                                   ".scope s\nx = 1\n.ends\n.using s\n.byte ::s::x\n",
                                   "1: .word 1b, 1f - .\n1:\n",
                                   ".byte 1 ? 2 : 3, 0b101, 0x1f, 017, 1e3\n",
                                   ".file 1 \"a\" \"b\"\n.loc 1 2 3\n",
                                   "add r1, /* two */ r2,\n  r3;\n",
                                   "/* a */ /* b */ add r1, r2, r3;\n",
                                   ".type f, @function\n.size f, 4\n"}) {
        for (std::size_t size = 0; size <= text.size(); ++size) {
            std::string begin = text.substr(0, size);
            begin.shrink_to_fit();
            messages_of(begin);
            messages_of(begin, fabrisc());
        }
    }
}

TEST(CutOff, ACommentThatDoesNotEndIsAnErrorWhereItBegins) {
    const Codec& gcn = testing::sample("gcn-sample", "gcn1.2");
    for (const char* text :
         {".byte 1\n/* here\n.byte 2\n", ".byte 1 /* here\n.byte 2\n", "/*\n", ".macro m\n/* open\n.endm\nm\n"}) {
        const std::string said = messages_of(text, gcn);
        EXPECT_NE(said.find("this comment does not end: '*/' is missing"), std::string::npos) << text << said;
    }
    EXPECT_NE(messages_of(".byte 1\n  /* here\n", gcn).find("t.s:2:3: error: this comment"), std::string::npos);
    for (const char* text :
         {".byte 1 /* a */ /* b\nc */\n", ".ascii \"/*\"\n", "// /*\n", ".byte 1\n.end\n/* not read\n"})
        EXPECT_EQ(messages_of(text, gcn), "") << text;
}

TEST(CutOff, AByteOrderMarkIsNoPartOfTheText) {
    const auto made = assemble_text("\xef\xbb\xbf.byte 1, nowhere2\nnowhere2 = 2\n");
    EXPECT_EQ(made->hex(".text"), "0102") << made->messages();
    EXPECT_NE(messages_of("\xef\xbb\xbf.byte 1\n.bite 2\n").find("t.s:2:1: error"), std::string::npos);
}

TEST(Limits, AreNamedWhereTheyAreReached) {
    std::string doubling = "#def a0 1\n";
    for (int i = 1; i < 40; ++i) doubling += fmt::format("#def a{} a{} + a{}\n", i, i - 1, i - 1);
    EXPECT_TRUE(says(doubling + ".byte a12\n.byte a30\n", "more than 20000 definitions are replaced here", fabrisc()));
    EXPECT_TRUE(says(
        "#def long " + repeated(1000, "1 + ") + "1\n#def longer " + repeated(20, "long + ") + "long\n.byte longer\n",
        "with its definitions replaced, this has more than 65536 bytes", fabrisc()));
    EXPECT_TRUE(says(".macro m\nm\n.endm\nm\n", "nest more than 200 deep"));
    EXPECT_TRUE(says(".macro m\nm\nm\n.endm\nm\n", "nest more than 200 deep"));
    EXPECT_TRUE(says(repeated(1001, ".if 1\n"), "conditions nest more than 1000 deep"));
    EXPECT_TRUE(says(".byte " + repeated(300, "(") + "1\n", "nests more than 200 deep"));
    EXPECT_TRUE(says(".byte " + repeated(1100, "x * ") + "1\n", "nests more than 1000 deep"));
    EXPECT_TRUE(says(".rept 0x7fffffffffffffff\n.endr\n", "more than 536870912 bytes of text are repeated"));
    EXPECT_TRUE(says(".space 0x7fffffffffffffff\n", "exceeds the limit of 1073741824 bytes"));
    EXPECT_TRUE(says(".fill 0x7fffffffffffffff, 8\n", "exceeds the limit of 1073741824 bytes"));
    EXPECT_TRUE(says(".p2align 40\n", "0..28"));
    EXPECT_TRUE(says(repeated(201, ".scope s\n"), "scopes nest more than 200 deep"));
    std::string chain = "a0 = a1 + 0\n";
    for (int i = 1; i < 3000; ++i) chain += fmt::format("a{} = a{} + a{}\n", i, i + 1, i + 1);
    EXPECT_TRUE(says(chain + ".word a0\n", "more than 2000 deep"));
    EXPECT_TRUE(says(chain + ".word a2970\na3000 = 1\n", "more than 100000 steps"));
}

TEST(Limits, NoSectionIsEnteredBeyondTheLast) {
    std::string many;
    for (int i = 0; i < 4100; ++i) many += fmt::format(".section s{}\n", i);
    EXPECT_TRUE(says(many + ".bss\n.lcomm x, 4\n.rodata\n", "there are more than 4096 sections"));
}

// An expression of any length is no problem to the left.
TEST(Limits, DoNotCountWhatStandsSideBySide) {
    EXPECT_EQ(assemble_text(".word 1" + repeated(100'000, " + 1") + "\n")->hex(".text"), "a1860100");
}

TEST(Messages, NameTheMacrosThatLedThere) {
    const std::string nested =
        ".macro inner x\n .word \\x\n.endm\n.macro outer\n inner nowhere + 1 - 3.5\n.endm\n\n outer\n";
    const std::string said = messages_of(nested);
    const std::size_t inner = said.find("t.s:");
    EXPECT_NE(inner, std::string::npos) << said;
    EXPECT_LT(said.find("note: in expansion of macro 'inner'"),
              said.find("t.s:8:2: note: in expansion of macro 'outer'"))
        << said;
    // Found when all is read: still the calls are known.
    AssembleOptions flat;
    flat.flat = true;
    const auto late = assemble_text(".macro inner\n .word nowhere\n.endm\n.macro outer\n inner\n.endm\n outer\n", flat);
    EXPECT_NE(late->messages().find("'nowhere' is not defined"), std::string::npos);
    EXPECT_NE(late->messages().find("note: in expansion of macro 'inner'"), std::string::npos) << late->messages();
    EXPECT_NE(late->messages().find("t.s:7:2: note: in expansion of macro 'outer'"), std::string::npos)
        << late->messages();
}

// The description was read with other sources than the program's, as a library's user may do.
TEST(Messages, OfPseudoInstructionsSayTheirForm) {
    SourceManager sources;
    Diagnostics diagnostics;
    const Codec codec(load_isa("rv64gc", sources, diagnostics));
    EXPECT_TRUE(
        says("li , nowhere\n", "t.s:1:1: error: 'li' needs a value for 'x'; the form is `li x, number`", codec));
}

TEST(Messages, AreBoundedHoweverDeepTheMacros) {
    const std::string said =
        messages_of(".macro m n\n .if \\n\n m \"\\n-1\"\n .else\n .word wrong +\n .endif\n.endm\n m 50\n");
    std::size_t notes = 0;
    for (std::size_t at = said.find("note: in expansion"); at != std::string::npos;
         at = said.find("note: in expansion", at + 1))
        ++notes;
    EXPECT_EQ(notes, 6u) << said;
    EXPECT_NE(said.find("t.s:8:2: note: in expansion of macro 'm' (and 45 more between)"), std::string::npos) << said;
}

TEST(Labels, BehindTheirMarkAreNeitherModifiersNorDefinitions) {
    AssembleOptions flat;
    flat.flat = true;
    const auto bytes = [&](const std::string& text) {
        const auto made = assemble_text(text, flat, fabrisc());
        return made->good ? made->hex(".text") : made->messages();
    };
    const std::string plain = bytes("JMP: @there;\n.there:\n JMP: @there;\n");
    EXPECT_EQ(bytes("JMP: @m;\n.m:\n JMP: @m;\n"), plain);
    EXPECT_EQ(bytes("JMP: @n;\n.n:\n JMP: @n;\n"), plain);
    EXPECT_EQ(bytes("#def there 5\nJMP: @there;\n.there:\n JMP: @there;\n"), plain);
}

// Many statements in one line, and many words in one, are read once.
TEST(LongLines, AreTheSameWithAnyNumberOfThreads) {
    const Codec& gcn = testing::sample("gcn-sample", "gcn1.2");
    std::string line = "s_mov_b32 s0, s1";
    for (int i = 0; i < 20'000; ++i) line += "\n";
    std::string statements;
    for (int i = 0; i < 50'000; ++i) statements += "fadd r1, r2, r3; ";
    for (const auto& [text, codec] : {std::pair(line, &gcn), std::pair(statements, &testing::gpu())}) {
        AssembleOptions one, four;
        one.threads = 1;
        four.threads = 4;
        EXPECT_EQ(assemble_text(text, one, *codec)->hex(".text"), assemble_text(text, four, *codec)->hex(".text"));
    }
    std::string words = ".irp x";
    for (int i = 0; i < 40'000; ++i) words += ", 1";
    EXPECT_EQ(assemble_text(words + "\n.byte \\x\n.endr\n")->hex(".text").size(), 80'000u);
}

TEST(Messages, AreCountedWhenTheyAreNoLongerKept) {
    Diagnostics few(3);
    SourceManager sources;
    const FileId file = sources.add("t.s", repeated(5'000, "fadd r1, r2\n"));
    Object object;
    EXPECT_FALSE(assemble(testing::gpu(), file, sources, {}, object, few));
    EXPECT_EQ(few.all().size(), 3u);
    EXPECT_EQ(few.errors(), 5'000u);
}

// The page that describes the assembler names each directive, in a place where it is explained and in an example that
// is run, and no other.
TEST(Documentation, NamesEveryDirective) {
    std::ifstream file(ISAFORGE_SOURCE_DIR "/docs/assembler.md");
    const std::string page((std::istreambuf_iterator<char>(file)), {});
    ASSERT_FALSE(page.empty());
    std::set<std::string> known, told, shown;
    for (const std::string_view name : assembler_directives()) known.insert(std::string(name));
    std::string outside, inside;
    bool in_block = false;
    for (std::size_t at = 0; at < page.size();) {
        const std::size_t end = std::min(page.find('\n', at), page.size());
        const std::string line = page.substr(at, end - at) + "\n";
        at = end + 1;
        if (line.starts_with("```")) {
            in_block = !in_block;
        } else {
            (in_block ? inside : outside) += line;
        }
    }
    const std::regex code("`(\\.[0-9]?[a-z][a-z0-9_-]*)"), word("(?:^|[^a-zA-Z0-9_.])(\\.[0-9]?[a-z][a-z0-9_-]*)");
    for (std::sregex_iterator one(outside.begin(), outside.end(), code); one != std::sregex_iterator(); ++one)
        told.insert((*one)[1]);
    for (std::sregex_iterator one(inside.begin(), inside.end(), word); one != std::sregex_iterator(); ++one)
        shown.insert((*one)[1]);
    for (const std::string& name : known) {
        EXPECT_TRUE(told.contains(name)) << name << " is not explained";
        EXPECT_TRUE(shown.contains(name)) << name << " has no example";
    }
    for (const std::string& name : told) EXPECT_TRUE(known.contains(name)) << name << " is none";
}

}  // namespace
}  // namespace isaforge
