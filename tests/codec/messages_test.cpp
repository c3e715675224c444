// What is said of a statement that was not read: all that could have stood at the furthest place.
#include <gtest/gtest.h>

#include <string>

#include "isaforge/codec.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/source.hpp"

using namespace isaforge;

namespace {

class NoExpressions final : public ExpressionReader {
public:
    bool read(const char*&, const char*, NumberValue&) override { return false; }
};

// Of a statement of GCN 1.2 that is refused.
ReadFailure failure_of(const std::string& text) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa("gcn1.2", sources, diagnostics);
    ReadFailure failure;
    if (!isa) return failure;
    const Codec codec(isa);
    const char* cursor = text.data();
    NoExpressions none;
    Encoded encoded;
    EXPECT_FALSE(codec.assemble(cursor, text.data() + text.size(), 0, none, encoded, failure));
    return failure;
}

}  // namespace

TEST(Messages, PointIntoAModifierThatIsWrongInPart) {
    const std::string text = "v_cmp_ne_u16 vcc, v1, v2 src0_sel:DWORD src1_sel:WORD_x1";
    const ReadFailure failure = failure_of(text);
    EXPECT_EQ(failure.offset, text.find("WORD_x1"));
    EXPECT_TRUE(failure.message.starts_with(
        "expected BYTE_0, BYTE_1, BYTE_2, BYTE_3, WORD_0, WORD_1 or DWORD, found 'WORD_x1'"))
        << failure.message;
}

TEST(Messages, PointBehindMarksThatFit) {
    const std::string text = "v_cmpx_lt_u16 vcc, sext(v157), sext(vv159) clamp";
    const ReadFailure failure = failure_of(text);
    EXPECT_EQ(failure.offset, text.find("vv159"));
    EXPECT_TRUE(failure.message.starts_with("expected v0 to v255, found 'vv159'")) << failure.message;
}
