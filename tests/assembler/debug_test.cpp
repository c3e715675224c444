// What a compiler writes for a debugger: lines of its own source, and numbers in groups of seven bits.
#include "assembler/assemble_text.hpp"

namespace isaforge::testing {
namespace {

std::vector<std::string> lines_of(const Assembled& assembled) {
    std::vector<std::string> out;
    for (const LineEntry& entry : assembled.object.lines)
        out.push_back(std::to_string(entry.offset) + " " + assembled.object.files[entry.file] + ":" +
                      std::to_string(entry.line));
    return out;
}

TEST(Debug, LinesAreThoseOfTheCompiledSource) {
    const auto assembled = assemble_text(R"(
.file 0 "/src" "main.c" md5 0x00112233445566778899aabbccddeeff
.file 1 "/src" "part.h"
.file 2 "/include/types.h"
.loc 0 3 1 prologue_end
    nop;
    nop;
.loc 1 17 0 is_stmt 0
.loc 1 18
    nop;
.loc 2 5
    nop;
)");
    ASSERT_TRUE(assembled->good) << assembled->messages();
    EXPECT_EQ(lines_of(*assembled), (std::vector<std::string>{"0 /src/main.c:3", "8 /src/part.h:17", "8 /src/part.h:18",
                                                              "12 /include/types.h:5"}));
    EXPECT_EQ(assembled->object.files[0], "/src/part.h");  // file 1 is the first of a line table
}

TEST(Debug, AFileHasToBeThere) {
    const auto assembled = assemble_text(".loc 7 1\n nop;\n");
    EXPECT_FALSE(assembled->good);
    EXPECT_NE(assembled->messages().find("there is no .file 7"), std::string::npos) << assembled->messages();
}

TEST(Debug, NumbersInGroupsOfSevenBits) {
    const auto assembled = assemble_text(R"(
.section .debug_x
.uleb128 0, 127, 128, 0x3fff, 624485
.sleb128 0, 63, 64, -64, -65, -123456
.uleb128 later - begin
begin:
.byte 1, 2, 3
later:
.uleb128 later - begin
)");
    ASSERT_TRUE(assembled->good) << assembled->messages();
    EXPECT_EQ(assembled->hex(".debug_x"),
              "00"
              "7f"
              "8001"
              "ff7f"
              "e58e26"
              "00"
              "3f"
              "c000"
              "40"
              "bf7f"
              "c0bb78"
              "8380808000"
              "010203"
              "03");
}

TEST(Debug, WhatDoesNotFitIsSaid) {
    EXPECT_NE(assemble_text(".uleb128 -1\n")->messages().find("must not be negative"), std::string::npos);
    EXPECT_NE(assemble_text(".uleb128 a\n.globl a\n")->messages().find("cannot wait for a linker"), std::string::npos);
}

}  // namespace
}  // namespace isaforge::testing
