// CLRX's way of writing: the same bytes as LLVM's line, which llvm-mc gave; and whole sources as people wrote them.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "isaforge/assembler.hpp"

namespace isaforge {
namespace {

const Codec& codec(const std::string& variant) {
    static SourceManager sources;
    static std::map<std::string, std::unique_ptr<const Codec>> all;
    std::unique_ptr<const Codec>& made = all[variant];
    if (!made) {
        Diagnostics diagnostics;
        const auto isa = load_isa(variant, sources, diagnostics);
        if (!isa) ADD_FAILURE() << to_text(diagnostics, sources);
        made = std::make_unique<Codec>(isa);
    }
    return *made;
}

struct Made {
    Object object;
    std::string messages;

    std::string hex(std::string_view section, std::size_t from = 0, std::size_t size = SIZE_MAX) const {
        const Index index = object.find_section(section);
        std::string out;
        for (std::size_t i = from; index != no_index && i < object.sections[index].bytes.size() && i - from < size;
             ++i) {
            constexpr char digits[] = "0123456789abcdef";
            const std::uint8_t byte = object.sections[index].bytes[i];
            out += digits[byte >> 4];
            out += digits[byte & 15];
        }
        return out;
    }
};

Made assembled(const std::string& variant, const std::string& source) {
    SourceManager sources;
    Diagnostics diagnostics;
    Made made;
    const FileId file = sources.add("t.s", source);
    assemble(codec(variant), file, sources, {}, made.object, diagnostics);
    made.messages = to_text(diagnostics, sources);
    return made;
}

struct Pair {
    const char *variant, *clrx, *llvm, *bytes;
};
constexpr Pair pairs[] = {
    {"gcn1.0", "v_add_f32 v1, v2, v3 vop3", "v_add_f32_e64 v1, v2, v3", "010006d202070200"},
    {"gcn1.0", "v_add_f32 v1, abs(v2), -abs(v3) mul:2", "v_add_f32_e64 v1, |v2|, -|v3| mul:2", "010306d202070248"},
    {"gcn1.0", "v_cmp_lg_i32 vcc, v1, v2", "v_cmp_ne_i32_e32 vcc, v1, v2", "01050a7d"},
    {"gcn1.0", "v_cmp_tru_u32 s[4:5], v1, v2", "v_cmp_t_u32_e64 s[4:5], v1, v2", "04008ed101050200"},
    {"gcn1.0", "s_mov_b32 s[3], vccz", "s_mov_b32 s3, src_vccz", "fb0383be"},
    {"gcn1.0", "S_MOV_B32 S3, EXECZ", "s_mov_b32 s3, src_execz", "fc0383be"},
    {"gcn1.0", "s_getreg_b32 s1, hwreg(trapsts, 3, 10)", "s_getreg_b32 s1, hwreg(HW_REG_TRAPSTS, 3, 10)", "c34801b9"},
    {"gcn1.0", "s_sendmsg sendmsg(gs, cut, 1)", "s_sendmsg sendmsg(MSG_GS, GS_OP_CUT, 1)", "120190bf"},
    {"gcn1.0", "s_sendmsg sendmsg(interrupt)", "s_sendmsg sendmsg(MSG_INTERRUPT)", "010090bf"},
    {"gcn1.0", "s_waitcnt vmcnt(3) & lgkmcnt(1)", "s_waitcnt vmcnt(3) lgkmcnt(1)", "73018cbf"},
    {"gcn1.0", "buffer_load_dword v1, v0, s[4:7], 0 offset:8", "buffer_load_dword v1, off, s[4:7], 0 offset:8",
     "080030e000010180"},
    {"gcn1.0", "buffer_store_dword v1, v2, s[4:7], s3 offen:1 glc:1 slc:0",
     "buffer_store_dword v1, v2, s[4:7], s3 offen glc", "005070e002010103"},
    {"gcn1.0", "exp param5, v1, v2, v3, v4 vm done", "exp param5 v1, v2, v3, v4 done vm", "5f1a00f801020304"},
    {"gcn1.0", "image_sample v[0:2], v[4:7], s[8:15], s[20:23] dmask:7 unorm",
     "image_sample v[0:2], v[4:7], s[8:15], s[20:23] dmask:0x7 unorm", "001780f00400a200"},
    {"gcn1.1", "flat_atomic_add v0, v[2:3], v4", "flat_atomic_add v[2:3], v4", "0000c8dc02040000"},
    {"gcn1.2", "v_mov_b32 v1, v2 dst_sel:b1 src0_sel:word1 dst_unused:preserve",
     "v_mov_b32_sdwa v1, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1", "f902027e02110500"},
    {"gcn1.2", "v_mov_b32 v1, sext(v2) src0_sel:b0",
     "v_mov_b32_sdwa v1, sext(v2) dst_sel:DWORD dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0", "f902027e02160800"},
    {"gcn1.2", "v_add_f32 v1, v2, v3 sdwa",
     "v_add_f32_sdwa v1, v2, v3 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD", "f906020202060606"},
    {"gcn1.2", "v_mov_b32 v1, v2 row_bcast15 bank_mask:3 row_mask:5",
     "v_mov_b32_dpp v1, v2 row_bcast:15 row_mask:0x5 bank_mask:0x3", "fa02027e02420153"},
    {"gcn1.2", "v_add_f32 v1, v2, v3 wave_shl", "v_add_f32_dpp v1, v2, v3 wave_shl:1 row_mask:0xf bank_mask:0xf",
     "fa060202023001ff"},
    {"gcn1.4", "global_load_dword v1, v[2:3], off inst_offset:-12", "global_load_dword v1, v[2:3], off offset:-12",
     "f49f50dc02007f01"},
    {"gcn1.4", "flat_load_dword v1, v[2:3] inst_offset:12 glc", "flat_load_dword v1, v[2:3] offset:12 glc",
     "0c0051dc02000001"},
};

TEST(Clrx, LinesMeanWhatTheyMeanThere) {
    for (const Pair& pair : pairs) {
        const Made there = assembled(pair.variant, std::string(pair.clrx) + "\n");
        EXPECT_EQ(there.messages, "");
        EXPECT_EQ(there.hex(".text"), pair.bytes) << pair.clrx;
        const Made here = assembled(pair.variant, std::string(pair.llvm) + "\n");
        EXPECT_EQ(here.hex(".text"), pair.bytes) << pair.llvm;
    }
}

// A directive of CLRX's says whose way of writing follows: comments, and several statements on a line.
TEST(Clrx, RawCode) {
    const Made made = assembled("gcn1.2",
                                ".rawcode; .gpu Fiji   # a comment\n"
                                "pool = %v[2:5]; n = 7//2\nv_mov_b32 pool[1], n; v_mov_b32 v9, @n  # 3\n"
                                ".ifarch GCN1.2; s_nop 1; .else; s_nop 2; .endif\n.iffmt raw; s_endpgm; .endif\n");
    EXPECT_EQ(made.messages, "");
    EXPECT_EQ(made.hex(".text"),
              "8302067e"
              "8302127e"
              "010080bf"
              "000081bf");
}

// The settings go to the header before the code; registers are counted where the source does not.
TEST(Clrx, KernelsWithTheirSettings) {
    const Made made = assembled("gcn1.2",
                                ".amdcl2\n.gpu Fiji\n.64bit\n.kernel add\n.config\n.dims x\n.sgprsnum 16\n"
                                ".localsize 1024\n.useargs\n.arg n, uint\n.text\n"
                                "v_mov_b32 v3, 5; s_endpgm\n");
    EXPECT_EQ(made.messages, "");
    const Index symbol = made.object.find_symbol("add");
    ASSERT_NE(symbol, no_index);
    EXPECT_EQ(made.object.symbols[symbol].value, 0u);
    EXPECT_EQ(made.hex(".text", 48, 8),
              "40000c00"
              "80000100");
    EXPECT_EQ(made.hex(".text", 256),
              "8502067e"
              "000081bf");
}

TEST(Clrx, MesasRegisters) {
    const Made made = assembled("gcn1.0",
                                ".gallium\n.gpu CapeVerde\n.kernel one\n.args\n.arg global, 8, 8, 8, zext, general\n"
                                ".config\n.dims xyz\n.tgsize\n.text\none: v_mov_b32 v5, s9\ns_endpgm\n");
    EXPECT_EQ(made.messages, "");
    EXPECT_EQ(made.hex(".AMDGPU.config"),
              "48b80000"
              "41000c00"
              "4cb80000"
              "88170000"
              "60b80000"
              "00000000");
}

TEST(Clrx, WrongDevices) {
    EXPECT_NE(assembled("gcn1.2", ".gpu Tahiti\n").messages.find("Tahiti is of gcn1.0"), std::string::npos);
    EXPECT_NE(assembled("gcn1.2", ".gpu Voodoo\n").messages.find("there is no device"), std::string::npos);
    EXPECT_NE(assembled("gcn1.2", ".ieeemode\n").messages.find("belongs behind .kernel"), std::string::npos);
}

}  // namespace
}  // namespace isaforge
