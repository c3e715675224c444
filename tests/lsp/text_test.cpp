// Texts as editors change them.
#include "lsp/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "lsp/document.hpp"
#include "support/splitmix.hpp"

namespace isaforge::lsp {
namespace {

TEST(LspText, ColumnsAreUnitsOfUtf16) {
    const Text text("a\xc3\xa9\xf0\x9f\x98\x80z\r\n\nend");
    EXPECT_EQ(text.lines(), 3u);
    EXPECT_EQ(text.line_text(0), "a\xc3\xa9\xf0\x9f\x98\x80z");
    EXPECT_EQ(text.offset_of({0, 2}), 3u);
    EXPECT_EQ(text.offset_of({0, 3}), 3u);  // inside of a character that takes two
    EXPECT_EQ(text.offset_of({0, 4}), 7u);
    EXPECT_EQ(text.offset_of({0, 99}), 8u);
    EXPECT_EQ(text.offset_of({9, 0}), text.str().size());
    EXPECT_EQ(text.position_of(7).character, 4u);
    EXPECT_EQ(text.position_of(11).line, 2u);
}

TEST(LspText, ColumnsAreBytesWhereThatWasSaid) {
    const Text text("a\xc3\xa9z", Text::Columns::utf8);
    EXPECT_EQ(text.offset_of({0, 3}), 3u);
    EXPECT_EQ(text.offset_of({0, 2}), 1u);  // inside of a character
    EXPECT_EQ(text.position_of(3).character, 3u);
}

TEST(LspText, WhatIsNoUtf8IsCounted) {
    const Text text("\x80\xff\xf0");
    for (std::uint32_t i = 0; i <= 3; ++i) EXPECT_LE(text.offset_of(text.position_of(i)), 3u);
}

TEST(LspText, AnyEditKeepsLines) {
    SplitMix64 random(1);
    Text text("one\ntwo\nthree");
    std::string model = text.str();
    for (int i = 0; i < 2000; ++i) {
        const auto begin = static_cast<std::uint32_t>(random.next() % (model.size() + 1));
        const auto end =
            begin + static_cast<std::uint32_t>(random.next() % (std::min<std::size_t>(model.size() - begin, 8) + 1));
        const std::string with = random.next() % 2 ? "x\n" : "y";
        text.replace({begin, end}, with);
        model.replace(begin, end - begin, with);
        ASSERT_EQ(text.str(), model);
        ASSERT_EQ(text.lines(), static_cast<std::uint32_t>(std::count(model.begin(), model.end(), '\n')) + 1);
    }
}

TEST(LspDocument, PlacesMoveWithEdits) {
    Document document;
    document.text = Text("0123456789");
    document.edit({2, 4}, "abc");  // 01abc456789
    document.edit({8, 8}, "\n");
    EXPECT_EQ(document.now(1), 1u);
    EXPECT_EQ(document.now(5), 6u);
    EXPECT_EQ(document.now(9), 11u);
    EXPECT_EQ(document.then(11), 9u);
    EXPECT_EQ(document.then(6), 5u);
    EXPECT_EQ(document.then(3), 2u);
    document.took(document.revision);
    EXPECT_EQ(document.now(9), 9u);
}

TEST(LspDocument, Paths) {
    EXPECT_EQ(path_of("file:///a%20b/%C3%A9.s"), "/a b/\xc3\xa9.s");
    EXPECT_EQ(uri_of("/a b/\xc3\xa9.s"), "file:///a%20b/%C3%A9.s");
    EXPECT_EQ(path_of("file://host/x%zz"), "/x%zz");
    EXPECT_EQ(path_of("untitled:1"), "");
    EXPECT_EQ(path_of("file:///a%00b"), "");
}

}  // namespace
}  // namespace isaforge::lsp
