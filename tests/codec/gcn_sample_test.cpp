// The hard cases of AMD GCN, said in the description language alone. Expected bytes are those of llvm-mc (tonga); the test
// asks it again where it is installed.
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include "codec/plain_reader.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::test {
namespace {

const Codec& codec(const std::string& variant = "gcn1.2") {
    static std::map<std::string, std::unique_ptr<Codec>> made;
    auto& instance = made[variant];
    if (!instance) {
        static SourceManager sources;
        Diagnostics diagnostics;
        LoadOptions options;
        options.variant = variant;
        auto isa = load_isa(ISAFORGE_SOURCE_DIR "/tests/isas/gcn-sample.isa", sources, diagnostics, options);
        if (!isa) {
            ADD_FAILURE() << to_text(diagnostics, sources);
            std::abort();
        }
        instance = std::make_unique<Codec>(isa);
    }
    return *instance;
}

std::string hex(const Image& image, unsigned bits) {
    std::string out;
    for (unsigned i = 0; i < bits; i += 8) {
        char text[3];
        std::snprintf(text, sizeof text, "%02x", static_cast<unsigned>(image.get(i, 8)));
        out += text;
    }
    return out;
}

std::string assemble(const std::string& text, const std::string& variant = "gcn1.2") {
    PlainReader reader;
    reader.symbols["z"] = 4;
    const char* cursor = text.data();
    Encoded out;
    ReadFailure failure;
    if (!codec(variant).assemble(cursor, text.data() + text.size(), 0, reader, out, failure)) return failure.message;
    return hex(out.image, out.bits);
}

std::string print(const std::string& text) {
    PlainReader reader;
    const char* cursor = text.data();
    Encoded out;
    ReadFailure failure;
    if (!codec().assemble(cursor, text.data() + text.size(), 0, reader, out, failure)) return failure.message;
    unsigned bits = 0;
    const Index form = codec().decode(out.image, out.bits, bits);
    if (form == no_index || bits != out.bits) return "does not decode";
    char line[Codec::max_text];
    return {line, codec().print(line, form, out.image, bits, 0)};
}

struct Case {
    const char* text;
    const char* bytes;
};

const Case cases[] = {
    {"s_add_u32 s5, s1, s2", "01020580"},
    {"s_add_u32 s5, s1, 64", "01c00580"},
    {"s_add_u32 s5, s1, -16", "01d00580"},
    {"s_add_u32 s5, s1, 0x12345", "01ff058045230100"},
    {"s_add_u32 s5, s1, 1.0", "01f20580"},
    {"s_add_u32 s5, s1, 1.5", "01ff05800000c03f"},
    {"s_and_b64 s[4:5], vcc, exec", "6a7e8486"},
    {"s_and_b64 s[4:5], s[2:3], 7", "02878486"},
    {"s_lshl_b64 s[4:5], s[2:3], s7", "0207848e"},
    {"s_cselect_b32 vcc_lo, m0, scc", "7cfd6a85"},
    {"s_waitcnt vmcnt(0) & lgkmcnt(3)", "70038cbf"},
    {"s_waitcnt lgkmcnt(3) & vmcnt(0)", "70038cbf"},
    {"s_waitcnt expcnt(0)", "0f0f8cbf"},
    {"v_add_f32 v5, v1, v2", "01050a02"},
    {"v_add_f32_e32 v5, 1.0, v2", "f2040a02"},
    {"v_add_f32 v5, 0x12345, v2", "ff040a0245230100"},
    {"v_add_f32 v5, v1, s2", "050001d101050000"},
    {"v_add_f32_e64 v5, v1, v2", "050001d101050200"},
    {"v_add_f32 v5, |v1|, -v2 mul:2 clamp", "058101d101050248"},
    {"v_add_f32 v5, -|v1|, -1", "050101d101830120"},
    {"v_add_f32_sdwa v5, v1, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:WORD_1",
     "f9040a0201060005"},
    {"buffer_load_dword v5, off, s[8:11], s3 offset:4095 glc slc", "ff4f52e000050203"},
    {"buffer_load_dword v5, off, s[8:11], s3 slc glc offset:4095", "ff4f52e000050203"},
    {"buffer_load_dword v5, v7, s[8:11], s3 offen", "001050e007050203"},
    {"buffer_store_dword v5, v7, s[8:11], 0 idxen offset:4", "042070e007050280"},
};

std::string without_blanks(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    return text;
}

// The bytes llvm-mc gives to a line, or nothing where it is not installed.
std::string ask_llvm(const std::string& text) {
    const std::string command =
        "printf '%s\\n' '" + text + "' | llvm-mc -arch=amdgcn -mcpu=tonga -show-encoding 2>/dev/null";
    std::FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return {};
    std::string out;
    char buffer[256];
    while (std::fgets(buffer, sizeof buffer, pipe)) out += buffer;
    pclose(pipe);
    const std::size_t open = out.find("encoding: [");
    if (open == std::string::npos) return {};
    std::string bytes;
    for (const char c : out.substr(open + 11, out.find(']', open) - open - 11)) {
        if (std::isxdigit(static_cast<unsigned char>(c))) bytes += c;
        if (c == 'x') bytes.pop_back();
    }
    return bytes;
}

TEST(GcnSample, LineByLine) {
    const bool have_llvm = std::system("command -v llvm-mc >/dev/null 2>&1") == 0;
    if (!have_llvm) std::fprintf(stderr, "llvm-mc is not installed: expected bytes are compared with the table only\n");
    std::size_t agreed = 0;
    for (const Case& one : cases) {
        EXPECT_EQ(assemble(one.text), without_blanks(one.bytes)) << one.text;
        if (!have_llvm) continue;
        const std::string judged = ask_llvm(one.text);
        agreed += judged == without_blanks(one.bytes);
        if (!judged.empty()) {
            EXPECT_EQ(judged, without_blanks(one.bytes)) << one.text;
        }
    }
    // It insists on one order of the suffixes, so it refuses the two lines that have another.
    if (have_llvm) {
        EXPECT_EQ(agreed, std::size(cases) - 2);
    }
}

TEST(GcnSample, TextComesBackToTheSameBytes) {
    for (const Case& one : cases)
        EXPECT_EQ(assemble(print(one.text)), without_blanks(one.bytes)) << one.text << " as " << print(one.text);
}

TEST(GcnSample, OneTextHasOtherOpcodesInOtherVariants) {
    EXPECT_EQ(assemble("v_add_f32 v5, v1, v2", "gcn1.0"), "01050a06");
    EXPECT_EQ(assemble("v_add_f32 v5, v1, v2", "gcn1.2"), "01050a02");
    EXPECT_EQ(assemble("s_and_b32 s5, s1, s2", "gcn1.1"), "01020587");
    EXPECT_EQ(assemble("s_and_b32 s5, s103, s2", "gcn1.1"), "67020587");
    EXPECT_NE(assemble("s_and_b32 s5, s103, s2", "gcn1.2").find("expected"), std::string::npos);
    EXPECT_NE(assemble("v_add_f32_e64 v5, v1, v2", "gcn1.0").find("unknown instruction"), std::string::npos);
}

TEST(GcnSample, RegistersMayBeWrittenWithBracketsAndExpressions) {
    EXPECT_EQ(assemble("S_ADD_U32 S[5], s[1], S2"), "01020580");
    EXPECT_EQ(assemble("s_add_u32 s5, s[z], s2"), "04020580");
    EXPECT_EQ(assemble("s_and_b64 s[z:5], vcc, exec"), "6a7e8486");
    EXPECT_EQ(assemble("s_add_u32 s1, scc, s2"), "fd020180");                         // no `s` before a symbol `cc`
    EXPECT_NE(assemble("s_add_u32 sz, s1, s2").find("expected"), std::string::npos);  // a symbol stands in brackets
    EXPECT_NE(assemble("s_and_b64 s[4:6], vcc, exec").find("expected"), std::string::npos);
    EXPECT_NE(assemble("s_and_b64 s[5:6], vcc, exec").find("expected"), std::string::npos);
    EXPECT_NE(assemble("v_add_f32_e64 v5, 0x12345, v2").find("expected"), std::string::npos);
}

}  // namespace
}  // namespace isaforge::test
