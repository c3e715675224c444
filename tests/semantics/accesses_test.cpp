// Which operands an instruction reads and which it writes.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <map>

#include "codec/plain_reader.hpp"
#include "semantics/forms.hpp"

namespace isaforge::test {
namespace {

struct Bench {
    std::shared_ptr<const Codec> codec;
    std::unique_ptr<semantics::FormGraphs> graphs;

    explicit Bench(const std::string& name) {
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa(name, sources, diagnostics);
        EXPECT_TRUE(isa) << to_text(diagnostics, sources);
        codec = std::make_shared<const Codec>(isa);
        graphs = std::make_unique<semantics::FormGraphs>(codec);
    }

    // `FIELD r`, `FIELD w` or `FIELD rw` of each operand that names registers.
    std::string of(const std::string& line) const {
        PlainReader reader;
        const char* cursor = line.data();
        Encoded encoded;
        ReadFailure failure;
        if (!codec->assemble(cursor, line.data() + line.size(), 0, reader, encoded, failure)) return failure.message;
        unsigned bits = 0;
        const Index form = codec->decode(encoded.image, encoded.bits, bits);
        std::string out;
        const std::vector<semantics::Access> accesses = graphs->accesses(form, encoded.image, out);
        if (accesses.empty()) return out;
        codec->operands(form, encoded.image, 0, [&](const Operand& operand) {
            if (operand.kind != Operand::Kind::registers) return;
            const semantics::Access access = accesses[operand.field];
            out +=
                fmt::format("{}{} {}{}", out.empty() ? "" : ", ", codec->isa().forms[form].fields[operand.field].name,
                            access.read ? "r" : "", access.written ? "w" : "");
        });
        return out;
    }
};

struct Case {
    const char *isa, *line, *accesses;
};
constexpr Case cases[] = {
    {"gcn1.2", "s_add_u32 s1, s1, s1", "SDST w, SSRC0 r, SSRC1 r"},
    {"gcn1.2", "s_and_b64 s[4:5], s[6:7], vcc", "SDST w, SSRC0 r, SSRC1 r"},
    {"gcn1.2", "s_cmp_eq_u32 s1, 5", "SSRC0 r"},
    {"gcn1.2", "s_addk_i32 s1, 5", "SDST rw"},
    {"gcn1.2", "v_add_f32 v1, v1, v1", "VDST w, SRC0 r, SRC1 r"},
    {"gcn1.2", "v_mac_f32 v1, v1, v1", "VDST rw, SRC0 r, SRC1 r"},
    {"gcn1.2", "v_add_f32 v1, -v2, |v3| clamp", "VDST w, SRC0 r, SRC1 r"},
    {"gcn1.2", "v_readfirstlane_b32 s1, v1", "SDST w, SRC0 r"},
    {"gcn1.2", "s_load_dwordx4 s[4:7], s[0:1], 0x10", "SDATA w, SBASE r"},
    {"gcn1.2", "ds_write_b32 v1, v2", "ADDR r, DATA0 r"},
    {"gcn1.4", "global_load_dwordx2 v[4:5], v[2:3], off", "VDST w, ADDR r"},
    {"gcn1.4", "global_store_dword v[2:3], v4, off", "ADDR r, DATA r"},
    {"wishbone-gpu", "add r1, r1, r2", "A r, B r, C w"},
    {"wishbone-gpu", "copy r1, r2", "A r, C w"},
};

TEST(Accesses, AreOfOperands) {
    std::map<std::string, Bench> benches;
    for (const Case& one : cases)
        EXPECT_EQ(benches.try_emplace(one.isa, one.isa).first->second.of(one.line), one.accesses) << one.line;
}

}  // namespace
}  // namespace isaforge::test
