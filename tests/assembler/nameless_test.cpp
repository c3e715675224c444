// Statements without a mnemonic, which look like assignments to symbols.
#include "assembler/assemble_text.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;

// Of 16-bit units: r1 = r2 is 0x1280, r1 += r2 0x2280, r3 = -5 0x47fb.
const Codec& machine() {
    static SourceManager sources;
    static const Codec codec([] {
        Diagnostics diagnostics;
        auto isa = load_isa_text("machine.isa", R"isa(
isa machine
code unit 16 big
registers r : 3 of u16 "r{n}"
format RR | OP:4 | D:r | S:r | -:6 |
format RK | OP:4 | D:r | K:s9 |
format K  | OP:4 | K:u12 |
instructions RR [OP] "{D} = {S}" {
    1  move
    2  add   as "{D} += {S}"
}
instructions RK [OP] "{D} = {K}" {
    4  set
}
instructions K [OP] "{name} {K + 0}" {
    5  call
}
instructions K [OP] "call {K}" {
    6  call_label
}
)isa",
                                 sources, diagnostics);
        EXPECT_TRUE(isa) << to_text(diagnostics, sources);
        return isa;
    }());
    return codec;
}

std::string bytes_of(const std::string& text) {
    AssembleOptions options;
    options.flat = true;
    const auto made = assemble_text(text, options, machine());
    return made->good ? made->hex(".text") : made->messages();
}

TEST(Nameless, InstructionsAreNoAssignments) {
    EXPECT_EQ(bytes_of("r1 = r2\nr1 += r2\nr3 = -5\n"), "1280228047fb");
    EXPECT_EQ(bytes_of("r1=r2\n r1+=r2\n"), "12802280");
}

TEST(Nameless, SymbolsGetValuesNevertheless) {
    EXPECT_EQ(bytes_of("size = 5\nr1 = size\nlater = 7\n"), "4205");
    EXPECT_EQ(bytes_of("r1 = later\nlater = 7\n"), "4207");
    EXPECT_EQ(bytes_of("next = size + 1\nsize = 4\nr1 = next\n"), "4205");
    EXPECT_EQ(bytes_of("here: r1 = r2\nhere2 = . - here\nr1 = here2\n"), "12804202");
}

TEST(Nameless, WhatReadsBeyondTheMarkIsAnInstruction) {
    EXPECT_NE(bytes_of("r1 = 300\n").find("t.s:1:6: error: 300 is out of range: -256 to 255"), std::string::npos);
    EXPECT_NE(bytes_of("r1 = r2 r3\n").find("t.s:1:9: error: expected the end of the statement, found 'r3'"),
              std::string::npos)
        << bytes_of("r1 = r2 r3\n");
    EXPECT_NE(bytes_of("r1 * r2\n").find("t.s:1:4: error: expected '=' or '+=', found '*'"), std::string::npos);
}

// A sum takes no label, so that the form behind it does.
TEST(Nameless, ANumberAndALabelAreToldApart) { EXPECT_EQ(bytes_of("call 8\nf: call f\ncall g\ng:\n"), "500860026006"); }

}  // namespace
}  // namespace isaforge
