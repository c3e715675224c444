// CLRX's way of writing: the same bytes as LLVM's line, which llvm-mc gave; and whole sources as people wrote them.
#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "isaforge/assembler.hpp"

namespace isaforge {
namespace {

const Codec& codec(const std::string& variant, const std::string& dialect) {
    static SourceManager sources;
    static std::map<std::pair<std::string, std::string>, std::unique_ptr<const Codec>> all;
    std::unique_ptr<const Codec>& made = all[{variant, dialect}];
    if (!made) {
        Diagnostics diagnostics;
        LoadOptions options;
        options.dialect = dialect;
        const auto isa = load_isa(variant, sources, diagnostics, options);
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

Made assembled(const std::string& variant, const std::string& source, const std::string& dialect = {}) {
    SourceManager sources;
    Diagnostics diagnostics;
    Made made;
    const FileId file = sources.add("t.s", source);
    assemble(codec(variant, dialect), file, sources, {}, made.object, diagnostics);
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

// What CLRX alone takes, or takes for something else than LLVM does, with the bytes that it is said to give.
struct Line {
    const char *variant, *text, *bytes;
    bool everywhere = false;  // another word for the same, which both dialects read
};
constexpr Line own_lines[] = {
    {"gcn1.0", "v_mul_i32_i24 v55, s27, -v90", "370012d21bb40240"},
    {"gcn1.0", "v_mov_b32 v55, -abs(s27)", "370102d31b000020"},
    {"gcn1.0", "v_add_i32 v55, s[10:11], s27, -v90", "370a4ad21bb40240"},
    {"gcn1.0", "v_addc_u32 v55, s[6:7], v27, -v90, s[24:25]", "370650d21bb56240"},
    {"gcn1.2", "v_bfm_b32 v55, s27, -v90", "370093d21bb40240"},
    {"gcn1.4", "v_addc_co_u32 v55, s[6:7], v27, -v90, s[24:25]", "37061cd11bb56240"},
    {"gcn1.0", "v_mov_b32 v55, v27 clamp", "370802d31b010000"},
    {"gcn1.0", "v_add_f32 v154, v21, v107 abs:3", "9a0306d215d70200"},
    {"gcn1.0", "v_add_f32 v154, v21, v107 neg:[0,1]", "9a0006d215d70240"},
    {"gcn1.0", "v_add_f32 v154, v21, v107 neg:3 abs:3", "9a0306d215d70260"},
    {"gcn1.0", "v_mad_legacy_f32 v55, v79, v166, v229 neg:[0,0,1]", "370080d24f4d9787"},
    {"gcn1.0", "v_cndmask_b32 v154, abs(v21), abs(v107), s[6:7] clamp", "9a0b00d215d71a00"},
    {"gcn1.4", "v_add_f32 v55, s27, v90 op_sel:[1,0,1]", "374801d11bb40200"},
    {"gcn1.4", "v_cvt_f16_f32 v55, v27 op_sel:[0,1]", "37404ad11b010000"},
    {"gcn1.4", "v_cmp_gt_u32 s[42:43], v50, v107 op_sel:[1,1,0]", "2a18ccd032d70200"},
    {"gcn1.4", "v_alignbit_b32 v55, v79, v166, v229 op_sel:0xb", "3758ced14f4d9707"},
    {"gcn1.4", "v_pk_mad_i16 v55, v79, v166, v229 neg_lo:3", "374080d34f4d977f", true},
    {"gcn1.4", "v_mad_mix_f32 v55, v79, v166, v229", "3740a0d34f4d971f"},
    {"gcn1.2", "v_cndmask_b32 v154, v61, v107, vcc dst_sel:byte3 src0_sel:byte2 src1_sel:byte1", "f9d634013d030201"},
    {"gcn1.2", "v_cndmask_b32 v154, v65, v107, vcc dst_un:preserve", "f9d6340141160606"},
    {"gcn1.2", "v_mov_b32 v158, sext(-abs(v79))", "f9023c7f4f063e00"},
    {"gcn1.4", "v_mov_b32 v154, sext(s61) dst_sel:byte0 src0_sel:byte0 clamp", "f902347f3d208800"},
    {"gcn1.2", "v_cmp_class_f32 vcc, v78, v201 dst_sel:w0 dst_un:preserve", "f992217c4e140606"},
    {"gcn1.2", "v_cmp_class_f32 vcc, v78, v201 clamp", "6a8010d04e930300"},
    {"gcn1.2", "v_cmp_class_f32 vcc, v78, v201 row_half_mirror", "fa92217c4e4101ff"},
    {"gcn1.2", "v_cndmask_b32 v154, v190, v107, vcc bank_mask:0 row_mask:0", "fad63401bee40000"},
    {"gcn1.2", "v_cndmask_b32_dpp v154, v190, v107, vcc", "fad63401bee400ff"},
    {"gcn1.2", "v_cndmask_b32 v154, v190, v107, vcc quad_perm:[0,0,0,0] bound_ctrl:0:0", "fad63401be0000ff"},
    {"gcn1.2", "v_cndmask_b32 v154, v190, v107, vcc quad_perm:[0,0,0,0] bound_ctrl : 1", "fad63401be0008ff", true},
    {"gcn1.2", "v_cndmask_b32 v154, v190, v107, vcc wave_shl : 1", "fad63401be3001ff", true},
    {"gcn1.1", "s_add_u32 s21, s4, -4.5h", "04ff158080c40000", true},
    {"gcn1.1", "v_madak_f32 v154, v21, v107, 6.9551627h", "15d73443f5460000", true},
    {"gcn1.1", "v_cvt_f32_f16 v158, -23.56h", "ff163c7fe4cd0000", true},
    {"gcn1.1", "v_cvt_f32_f64 v158, -0.5l", "f11e3c7f", true},
    {"gcn1.0", "v_writelane_b32 v26, v21, s94", "15bd3404"},
    {"gcn1.2", "v_readlane_b32 s55, v27, v90", "370089d21bb50200"},
    {"gcn1.0", "v_readfirstlane_b32 s30, s79", "4f043c7e"},
    {"gcn1.4", "v_swap_b32 v55, v27 vop3", "370091d11b010000"},
    {"gcn1.2", "v_interp_p2_f16 v42, v22, attr39.z, s29 high", "2a0076d2a72d7600"},
    {"gcn1.2", "v_interp_p1_f32 v42, v16, attr39.z high:1", "2a0070d2a7210200"},
    {"gcn1.1", "v_qsad_u8 v[55:56], v[79:80], v166, v[229:230]", "3700e4d24f4d9707", true},
    {"gcn1.1", "v_mqsad_u32_u8 v[55:58], v[79:80], v166, s[28:31]", "3700ead24f4d7300"},
    {"gcn1.1", "flat_atomic_add v47, v[187:188], v65", "0000c8dcbb41002f"},
    {"gcn1.1", "flat_load_ubyte v[47:48], v[187:188] glc slc tfe", "000023dcbb00802f"},
    {"gcn1.2", "flat_atomic_swap_x2 v[47:49], v[187:188], v[65:66] glc slc tfe", "000083ddbb41802f"},
    {"gcn1.1", "flat_store_byte v[191:192], v84 glc slc tfe", "000063dcbf548000"},
    {"gcn1.0", "buffer_load_format_x v61, v18, s[80:83], s35 offset:603", "5b0200e0123d1423"},
    {"gcn1.0", "image_load v157, v[121:124], s[84:91]", "000100f0799d1500"},
    {"gcn1.0", "image_load v[157:158], v[121:124], s[84:91] tfe", "000101f0799d1500"},
    {"gcn1.0", "image_atomic_add v[157:159], v[121:124], s[84:87] dmask:11 unorm glc r128 da", "00fb44f0799d1500"},
    {"gcn1.0", "image_gather4 v[157:160], v[121:124], s[84:87], s[72:75] dmask:11 unorm glc r128 da",
     "00fb00f1799d5502"},
    {"gcn1.2", "image_load v157, v[121:124], s[84:91] d16:1", "000100f0799d1580"},
    {"gcn1.0", "exp mrt0, v116, v116, v93, off done compr vm", "071c00f8745d0000"},
    {"gcn1.0", "exp param5, v116, v93, v27, v124 done:1 compr:0 vm:0", "5f0a00f8745d1b7c", true},
    {"gcn1.0", "exp param0025, v116, v93, v27, v124 done vm", "9f1b00f8745d1b7c", true},
    {"gcn1.0", "ds_gws_sema_v v71 offset:52583 gds", "67cd6ad847000000"},
    {"gcn1.1", "s_buffer_load_dword s51, s[60:63], lit(253)", "ffbc19c2fd000000", true},
    {"gcn1.0", "s_add_u32_e64 s21, s4, 32", "04ff158020000000"},
    {"gcn1.0", "s_add_u32_e64 s21, 32, s4", "ff04158020000000"},
    {"gcn1.0", "s_sub_u32_e32 s21, s4, s61", "043d9580"},
    {"gcn1.0", "s_mov_b32_e64 s86, -4", "ff03d6befcffffff"},
    {"gcn1.0", "s_cmp_eq_i32_e64 51, s69", "ff4500bf33000000"},
    {"gcn1.0", "v_addc_u32 v154, vcc[0:1], v21, v107, vcc[0:1]", "15d73451"},
    {"gcn1.0", "buffer_load_format_x v[61:62], s[80:83], s35 offset:603 glc slc tfe", "5b4200e0003dd423"},
    {"gcn1.0", "tbuffer_load_format_x v[61:62], v18, s[80:83], s35 idxen offset:2004 glc slc tfe format:[@6,@3]",
     "d467b0e9123dd423"},
    {"gcn1.4", "v_cndmask_b32 v154, sext(-abs(v65)), v107, vcc mul:2", "f9d6340141463e06"},
    {"gcn1.2", "s_buffer_atomic_cmpswap_x2 s[52:55], s[60:63], 0x5b", "1e0d86c15b000000"},
};

TEST(Clrx, WhatOnlyItTakes) {
    for (const Line& line : own_lines) {
        const Made made = assembled(line.variant, std::string(line.text) + "\n", "clrx");
        EXPECT_EQ(made.messages, "");
        EXPECT_EQ(made.hex(".text"), line.bytes) << line.variant << ": " << line.text;
        const Made there = assembled(line.variant, std::string(line.text) + "\n");
        EXPECT_EQ(there.hex(".text") == line.bytes, line.everywhere) << "without its dialect: " << line.text;
    }
}

// LLVM's own way is read there too, with the same bytes, but for what goes without saying.
TEST(Clrx, LlvmsLinesInItsDialect) {
    for (const Pair& pair : pairs)
        EXPECT_EQ(assembled(pair.variant, std::string(pair.llvm) + "\n", "clrx").hex(".text"), pair.bytes) << pair.llvm;
    EXPECT_EQ(assembled("gcn1.1", "flat_atomic_add v[2:3], v4\n", "clrx").hex(".text"), "0000c8dc02040000");
    EXPECT_EQ(assembled("gcn1.2", "buffer_load_dword v1, off, s[4:7], s1\n", "clrx").hex(".text"), "000050e000010101");
}

// A source that says whose it is and was read in the other dialect: the object tells, and it can be read again.
TEST(Clrx, SourcesThatSayWhoseTheyAre) {
    EXPECT_EQ(assembled("gcn1.2", ".gpu Fiji\n.rawcode\ns_nop 1\n").object.dialect, "clrx");
    EXPECT_EQ(assembled("gcn1.2", ".gpu Fiji\n.rawcode\ns_nop 1\n", "clrx").object.dialect, "");
    EXPECT_EQ(assembled("gcn1.2", "s_nop 1\n").object.dialect, "");
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
