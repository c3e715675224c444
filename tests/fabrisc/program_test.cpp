// Programs: fields where the author's notes draw them, the shortest form that fits, reach and longer forms, the examples.
// Opcodes come from the descriptions; everything else is written out here from the most significant bit, as in the notes.
#include <bitset>

#include "assembler/assemble_text.hpp"
#include "codec/plain_reader.hpp"
#include "fabrisc/revision.hpp"
#include "isaforge/disassembler.hpp"

namespace isaforge::test {
namespace {

std::string hex_of(const std::vector<std::uint8_t>& bytes) {
    std::string out;
    for (const std::uint8_t byte : bytes) {
        char digits[3];
        std::snprintf(digits, sizeof digits, "%02x", byte);
        out += digits;
    }
    return out;
}

std::string bits(std::int64_t value, unsigned width) {
    return std::bitset<64>(static_cast<std::uint64_t>(value)).to_string().substr(64 - width);
}

// The leading bits first .. first+width-1 that form number `form` of an instruction fixes.
std::string opcode(const Isa& isa, const std::string& name, unsigned form, unsigned first, unsigned width) {
    for (const Instruction& instruction : isa.instructions) {
        if (instruction.names[0] != name) continue;
        const Form& found = isa.forms[instruction.forms.at(form)];
        std::string out;
        for (unsigned i = first; i < first + width; ++i) {
            const unsigned position = isa.leading_bit_position(i);
            EXPECT_EQ(found.mask.get(position, 1), 1u) << name << ", leading bit " << i;
            out += found.value.get(position, 1) ? '1' : '0';
        }
        return out;
    }
    ADD_FAILURE() << "no instruction " << name;
    return {};
}

// A bar as bytes: 16-bit units, each little-endian.
std::string bar(std::string digits) {
    std::erase(digits, ' ');
    EXPECT_EQ(digits.size() % 16, 0u) << digits;
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i + 16 <= digits.size(); i += 16) {
        const auto unit = std::bitset<16>(digits.substr(i, 16)).to_ulong();
        bytes.push_back(static_cast<std::uint8_t>(unit));
        bytes.push_back(static_cast<std::uint8_t>(unit >> 8));
    }
    return hex_of(bytes);
}

// The bytes of a program, or its error messages.
std::string assembled(const Codec& codec, const std::string& text) {
    AssembleOptions options;
    options.flat = true;
    const auto result = testing::assemble_text(text, options, codec);
    return result->good ? hex_of(result->object.sections[0].bytes) : result->messages();
}

class Bench {
public:
    explicit Bench(const char* name) : codec_(revision_codec(name)) {}

    // `text` has the opcode of `name` (of its form `form`) and then the bits `rest`.
    void expect(const std::string& text, unsigned width, const std::string& rest, unsigned form = 0) const {
        const std::string name = text.substr(0, text.find_first_of(".:;"));
        EXPECT_EQ(assembled(codec_, text), bar(opcode(codec_.isa(), name, form, 0, width) + rest)) << text;
    }
    std::string extra(const std::string& name, unsigned form, unsigned first, unsigned width) const {
        return opcode(codec_.isa(), name, form, first, width);
    }

private:
    const Codec& codec_;
};

TEST(FabriscFields, StandWhereTheNotesOf2022_03_18DrawThem) {
    const Bench bench("fabrisc-2022-03-18");
    bench.expect("ADD.32um: $1, $S2, $31;", 12, "0 1 1 10" + bits(1, 5) + bits(8, 5) + bits(31, 5));      // x mstt
    bench.expect("VADD.16u: &1, &2, &3;", 12, "0 0 1 01" + bits(1, 5) + bits(2, 5) + bits(3, 5));
    bench.expect("LL.64ma: $1, $2;", 12, "1 01 11" + bits(1, 5) + bits(2, 5) + bits(0, 5));               // m01tt
    bench.expect("SC.8ar: $1, $2, $3;", 12, "0 11 00" + bits(1, 5) + bits(2, 5) + bits(3, 5));
    bench.expect("IADD.16um: $1, $2, #-3;", 9, "1 0 1 01" + bits(1, 5) + bits(2, 5) + bits(-3, 8));       // mlstt
    bench.expect("IADD.16: $1, $2, #-300;", 9, "0 1 0 01" + bits(1, 5) + bits(2, 5) + bits(-300, 24));
    bench.expect("IAND.8: $1, $2, #255;", 9, "0 0 0 00" + bits(1, 5) + bits(2, 5) + bits(255, 8));
    bench.expect("CTO.8um: $1, $2;", 16, "00 1 1 00" + bits(1, 5) + bits(2, 5));                          // xx mstt
    bench.expect("RADD.64: $1, &2;", 16, "00 0 0 11" + bits(1, 5) + bits(2, 5));
    bench.expect("SIIC.16-64um: $1, $2;", 16, "1 1 0101" + bits(1, 5) + bits(2, 5));                      // ms0101
    bench.expect("SFMSK.32mLT: $1, $2;", 16, "10 1 0 10" + bits(1, 5) + bits(2, 5));                      // 10mstt
    bench.expect("SRCPY.32m: %CSR, $2;", 16, "0 1 00 10" + bits(23, 5) + bits(2, 5));                     // x m00tt
    bench.expect("SRCPY.32: $2, %13;", 16, "0 0 01 10" + bits(2, 5) + bits(13, 5), 1);
    bench.expect("SRCPY.m: &2, %VFLG;", 16, "0 1 1010" + bits(2, 5) + bits(0, 5), 4);                     // x m1010
    bench.expect("SRCPY: %VFLG, &2;", 16, "0 0 1011" + bits(0, 5) + bits(2, 5), 5);
    bench.expect("MLD.32m: $1, $2, #-5;", 6, "1 0 10" + bits(1, 5) + bits(2, 5) + bits(-5, 12));          // mltt
    bench.expect("MST.8l: $1, $2, #-5;", 6, "0 1 00" + bits(1, 5) + bits(2, 5) + bits(-5, 28));
    bench.expect("VMLD.m: &1, $2, #7;", 6, "0 01 0" + bits(1, 5) + bits(2, 5) + bits(7, 12));             // x aml
    bench.expect("VMST.t: &1, $2, #7000;", 6, "0 10 1" + bits(1, 5) + bits(2, 5) + bits(7000, 28), 1);
    bench.expect("IMLD.16: $1, $2, $3, #-1;", 6, "0 01" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(-1, 8));  // ltt
    bench.expect("IMST.64: $1, $2, $3, #999;", 6, "1 11" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(999, 24));
    bench.expect("VIMLD.mtl: &1, $2, $3, #1;", 6, "11 1" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(1, 24), 1);
    bench.expect("RIMLD.16m: $1, $2, $3, $4;", 9, "1 01" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(4, 5));
    bench.expect("VRIMST.t: &1, $2, $3, $4;", 9, "0 10" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(4, 5));
    bench.expect("BLD.VGPRhi: $1, #0x8001;", 7, "0100" + bits(1, 5) + bits(0x8001, 16), 4);
    bench.expect("BST.SPR: $1, #0x80000001;", 7, "1000" + bits(1, 5) + bits(0x80000001, 32), 8);
    bench.expect("BAF.DIV0: 20;", 7, "0 100" + bits(0, 5) + bits(10, 16));                                // lfff
    bench.expect("BSF.PAGl: -2;", 7, "1 011" + bits(0, 5) + bits(-1, 32));
    bench.expect("UBLE.64: $1, $2, 20;", 7, "0 11" + bits(1, 5) + bits(2, 5) + bits(10, 12));             // ltt
    bench.expect("FBTST.16LTZ: $1, -4;", 7, "0 10 01" + bits(1, 5) + bits(-2, 15));                       // l10tt
    bench.expect("BTST.16LEZ: $1, 0x10000;", 7, "1 11 01" + bits(1, 5) + bits(0x8000, 31));
    bench.expect("CAL: $RA, 8;", 6, "0" + bits(31, 5) + bits(4, 20));
    bench.expect("CAL.l: $RA, 8;", 6, "1" + bits(31, 5) + bits(4, 36));
    bench.expect("RCAL: $RA, $2, #-6;", 6, "0" + bits(31, 5) + bits(2, 5) + bits(-3, 15));
    bench.expect("CFMUL.16u: $7, $R0;", 7, "1 01" + bits(7, 3) + bits(4, 3));                             // stt
    bench.expect("CBZF: -4;", 7, bits(-2, 9));
    bench.expect("SYSCL: #257;", 7, bits(257, 9));
    bench.expect("RET: $RA;", 11, bits(31, 5));
    bench.expect("TEND;", 11, bits(0, 5));
}

TEST(FabriscFields, StandWhereTheNotesOf2022_05_02DrawThem) {
    const Bench bench("fabrisc-2022-05-02");
    bench.expect("ADD.32m: $P1, $S2, $RA;", 13, "10 1 0" + bits(1, 5) + bits(8, 5) + bits(31, 5));        // ttmx
    bench.expect("VADD.16: $V1, $V2, $V3;", 13, "01 0 0" + bits(1, 5) + bits(2, 5) + bits(3, 5));         // ttmv
    bench.expect("VADD.16mvs: $V1, $V2, $P3;", 13, "01 1 1" + bits(1, 5) + bits(2, 5) + bits(3, 5), 1);
    bench.expect("CAS.64LE: $P1, $P2, $P3;", 13, "11 0 1" + bits(1, 5) + bits(2, 5) + bits(3, 5));        // ttmf
    bench.expect("VGAT.8: $V1, $P2, $V3;", 13, "00 0 0" + bits(1, 5) + bits(2, 5) + bits(3, 5));
    bench.expect("IADD.16: $P1, $P2, #-512;", 10, "01" + bits(1, 5) + bits(2, 5) + bits(-512, 10));       // tt
    bench.expect("IADD.16: $P1, $P2, #-513;", 10, "01 0" + bits(1, 5) + bits(2, 5) + bits(-513, 25), 1);  // ttm
    bench.expect("IADD.16m: $P1, $P2, #1;", 10, "01 1" + bits(1, 5) + bits(2, 5) + bits(1, 25), 1);
    bench.expect("IUADD.16: $P1, $P2, #1023;", 10, "01" + bits(1, 5) + bits(2, 5) + bits(1023, 10));
    bench.expect("VCTO.16m: $V1, $V2;", 16, "01 1 000" + bits(1, 5) + bits(2, 5));                        // ttmxxx
    bench.expect("SIIC.16-64um: $P1, $P2;", 16, "01 11 1 1" + bits(1, 5) + bits(2, 5));                   // ttttms
    bench.expect("MOVTS.32mx8: $CSR, $P2;", 16, "10 1 111" + bits(17, 5) + bits(2, 5));                   // ttmnnn
    bench.expect("SWPFF.32: $P1;", 16, "10 0 000" + bits(1, 5) + bits(0, 5));
    bench.expect("SIMSK.32umLT: $P1, $P2;", 16, "10 1 1 10" + bits(1, 5) + bits(2, 5));                   // ttms10
    bench.expect("MLD.32m: $P1, $P2, #-5;", 7, "10 1" + bits(1, 5) + bits(2, 5) + bits(-5, 12));          // ttm
    bench.expect("MLD.32mda: $P1, $P2, #-5;", 7, "10 1 10" + bits(1, 5) + bits(2, 5) + bits(-5, 26), 1);  // ttmuu
    bench.expect("VMLD.m: $V1, $P2, #7;", 7, "10 0" + bits(1, 5) + bits(2, 5) + bits(7, 12));             // max
    bench.expect("VMST.tib: $V1, $P2, #7;", 7, "0 1 11 0" + bits(1, 5) + bits(2, 5) + bits(7, 26), 1);    // mauux
    bench.expect("IMLD.16: $P1, $P2, $P3, #-64;", 7, "01 0" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(-64, 7));
    bench.expect("VIMST.l: $V1, $P2, $P3, #1;", 7, "00000" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(1, 21), 1);
    bench.expect("RIMLD.16mia: $P1, $P2, $P3, $P4;", 7, "01 1 01" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(4, 5));
    bench.expect("VRIMST.mt: $V1, $P2, $P3, $P4;", 7, "11 00 0" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(4, 5));
    bench.expect("BLD.VFLGm: $P1, #0x8001;", 8, "11 1" + bits(1, 5) + bits(0x8001, 16));                  // ffm
    bench.expect("BST.SPR: $P1, #0x80000001;", 8, "01 0" + bits(1, 5) + bits(0x80000001, 32), 1);
    bench.expect("BAFH.DIV0: 20;", 8, "100" + bits(0, 5) + bits(10, 16));                                 // fff
    bench.expect("UFBTST.LTZ: $P1, -4;", 8, "10 1" + bits(1, 5) + bits(-2, 16));                          // ffs
    bench.expect("FBTST.LTZ: $P1, -4;", 8, "10 0" + bits(1, 5) + bits(-2, 16));
    bench.expect("FUBLE.64: $P1, $P2, 20;", 8, "11" + bits(1, 5) + bits(2, 5) + bits(10, 12));
    bench.expect("BEQ.64: $P1, $P2, 4096;", 8, "11" + bits(1, 5) + bits(2, 5) + bits(2048, 28), 1);
    bench.expect("CAL: $RA, 8;", 7, bits(31, 5) + bits(4, 20));
    bench.expect("CAL.l: $RA, 8;", 7, bits(31, 5) + bits(4, 36), 1);
    bench.expect("RCAL: $RA, $P2, #-6;", 7, bits(31, 5) + bits(2, 5) + bits(-3, 15));
    bench.expect("CMUL.16: $S1, $P4;", 8, "01" + bits(7, 3) + bits(4, 3));
    bench.expect("WINT: #511;", 7, bits(511, 9));
    bench.expect("CACOP: $S0;", 11, bits(6, 5));
    bench.expect("ERET;", 11, bits(0, 5));
}

TEST(FabriscFields, StandWhereTheNotesOf2022_05_15DrawThem) {
    const Bench bench("fabrisc-2022-05-15");
    bench.expect("MWADD.32m: $P1, $P2, $P3, $P4;", 7, "10 1 00" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(4, 5));
    bench.expect("RIMLD.32mdb: $P1, $P2, $P3, $P4;", 7, "10 1 11" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(4, 5));
    bench.expect("VRIMST.mia: $V1, $P2, $P3, $P4;", 9, "1 01" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(4, 5));
    bench.expect("ADD.64m: $P1, $P2, $P3;", 12, "11 1 00" + bits(1, 5) + bits(2, 5) + bits(3, 5));        // ttmvv
    bench.expect("ADD.64vv: $V1, $V2, $V3;", 12, "11 0 01" + bits(1, 5) + bits(2, 5) + bits(3, 5), 1);
    bench.expect("ADD.64vs: $V1, $V2, $P3;", 12, "11 0 10" + bits(1, 5) + bits(2, 5) + bits(3, 5), 2);
    bench.expect("VSCA.8m: $V1, $P2, $V3;", 12, "00 1 00" + bits(1, 5) + bits(2, 5) + bits(3, 5));
    bench.expect("CAS.32mNE: $P1, $P2, $P3;", 12, "10 1 01" + bits(1, 5) + bits(2, 5) + bits(3, 5));      // ttmcc
    bench.expect("CTO.16v: $V1, $V2;", 16, "01 0 00 1" + bits(1, 5) + bits(2, 5), 1);                     // ttm--v
    bench.expect("RSUB.16b: $P1, $V2;", 16, "01 0 00 1" + bits(1, 5) + bits(2, 5));                       // ttm--d
    bench.expect("IIC.16-64m: $P1, $P2;", 16, "01 1 0 11" + bits(1, 5) + bits(2, 5));                     // ttm-tt
    bench.expect("SWPTS.32x3: $VMSK, $P2;", 16, "10 0 010" + bits(4, 5) + bits(2, 5));                    // ttmnnn
    bench.expect("VSFMSKC.8LE: $V1, $P2;", 16, "00 0 0 11" + bits(1, 5) + bits(2, 5));                    // ttm-cc
    bench.expect("IMLD.64m: $P1, $P2, $P3, #63;", 7, "11 1" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(63, 7));
    bench.expect("LIMLD.8ia: $P1, $P2, $P3, #64;", 7, "00 0 01" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(64, 21));
    bench.expect("VIMLD.m: $V1, $P2, $P3, #1;", 9, "1" + bits(1, 5) + bits(2, 5) + bits(3, 5) + bits(1, 7));    // oom
    const auto extra = [&](const char* name) { return bench.extra(name, 0, 11, 1); };
    bench.expect("IADD.32m: $P1, $P2, #-512;", 7, "10 1 0" + extra("IADD") + bits(1, 5) + bits(2, 5) + bits(-512, 10));
    bench.expect("IAND.32vs: $V1, $V2, #1023;", 7, "10 0 1" + extra("IAND") + bits(1, 5) + bits(2, 5) + bits(1023, 10),
                 1);  // ttmvo
    bench.expect("LIADD.32: $P1, $P2, #-513;", 7, "10 0 0" + extra("LIADD") + bits(1, 5) + bits(2, 5) + bits(-513, 26));
    bench.expect("MST.16m: $P1, $P2, #-2048;", 7, "01 1 10" + bits(1, 5) + bits(2, 5) + bits(0, 10));     // ttmii
    bench.expect("VMST.t: $V1, $P2, #1025;", 8, "0 1 01" + bits(1, 5) + bits(2, 5) + bits(1, 10));        // omaii
    bench.expect("LVMST.mdb: $V1, $P2, #1;", 8, "1 0 11" + bits(1, 5) + bits(2, 5) + bits(1, 26));        // omauu
    bench.expect("BLE.8i: $S0, $S2, -2;", 7, "00 0 11" + bits(6, 5) + bits(8, 5) + bits(-1, 10));         // ttpii
    bench.expect("LCB.16fLT: $P1, $P2, -2;", 7, "01 1 10" + bits(1, 5) + bits(2, 5) + bits(-1, 26));      // ttpcc
    bench.expect("RCAL: $RA, $P2, #-6;", 7, "11111" + bits(31, 5) + bits(2, 5) + bits(-3, 10));           // iiiii
    bench.expect("CACOP: $P1, $P2, #0x7c00;", 7, "11111" + bits(1, 5) + bits(2, 5) + bits(0, 10));
    bench.expect("BLD.HLPRm: $P1, #0x8001;", 7, "11 1 0" + bits(1, 5) + bits(0x8001, 16));                // ffm-
    bench.expect("LBST.SPR: $P1, #0x80000001;", 7, "01 0 0" + bits(1, 5) + bits(0x80000001, 32));
    bench.expect("BTST.16LTZ: $P1, 6;", 7, "01 10" + bits(1, 5) + bits(3, 16));                           // ttff
    bench.expect("VVIMSKT.16NEZ: $V1;", 7, "01 01" + bits(1, 5) + bits(0, 16));
    bench.expect("JMP: -2;", 7, "1111" + bits(0, 5) + bits(-1, 16));                                      // iiii
    bench.expect("LCAL: $RA, 0x20000;", 7, "0000" + bits(31, 5) + bits(0x10000, 32));
    bench.expect("RJMP: $P1, #-2;", 7, "1111" + bits(1, 5) + bits(-1, 16));
    bench.expect("SBF.32mx: $P1, #0x123;", 7, "10 1 1" + bits(1, 5) + bits(0x123, 16));                   // ttmc
    bench.expect("CDIV.64: $S1, $P2;", 7, "11" + bench.extra("CDIV", 0, 9, 1) + bits(7, 3) + bits(2, 3)); // tto
    bench.expect("RSYSCL: $S0;", 11, bits(6, 5));
    bench.expect("CCAL: -512;", 7, bits(-256, 9));
    bench.expect("FNCLS;", 16, "");
}

TEST(FabriscFields, SizesOfCompressedInstructionsAreTwoBitsOfTheOpcode) {
    for (const Revision& revision : revisions) {
        const Isa& isa = revision_codec(revision.name).isa();
        for (const std::string family : {"CIADD", "CBEQZ"}) {
            const unsigned width = revision.date == std::string("2022-03-18") ? 6 : 7;
            const std::string first = opcode(isa, family + ".8", 0, 0, width);
            EXPECT_EQ(first.substr(width - 2), "00");
            for (const auto& [size, low] : {std::pair{".16", "01"}, {".32", "10"}, {".64", "11"}})
                EXPECT_EQ(opcode(isa, family + size, 0, 0, width), first.substr(0, width - 2) + low);
        }
    }
}

std::string last_line_of_error(const Codec& codec, const std::string& text) {
    const std::string message = assembled(codec, text);
    const std::size_t begin = message.find("error: ");
    return begin == std::string::npos ? message : message.substr(begin, message.find('\n', begin) - begin);
}

TEST(FabriscReach, TheShortestFormIsTakenUnlessTheProgramSaysWhich) {
    for (const char* name : {"fabrisc-2022-03-18", "fabrisc-2022-05-02"}) {
        const Codec& codec = revision_codec(name);
        const std::string two = name == std::string("fabrisc-2022-03-18") ? "$0, $1" : "$P0, $P1";
        const auto size = [&](const std::string& text) { return assembled(codec, text).size() / 2; };
        EXPECT_EQ(size("BEQ.32: " + two + ", @end; .skip 4090 \n.end:"), 4u + 4090);
        EXPECT_EQ(size("BEQ.32: " + two + ", @end; .skip 4092 \n.end:"), 6u + 4092);
        EXPECT_EQ(size(".end: BEQ.32: " + two + ", @end;"), 4u);
        EXPECT_EQ(size(".end: BEQ.32l: " + two + ", @end;"), 6u);
        EXPECT_EQ(last_line_of_error(codec, "BEQ.32s: " + two + ", @end; .skip 4092 \n.end:"),
                  "error: the target is 4096 away; the reach is -4096 to 4094");
    }
}

TEST(FabriscReach, AShortBranchSaysDistanceAndReachAndRelaxesOnRequest) {
    const std::string name = "fabrisc-2022-05-15";
    const std::string far = "BLE.8i: $S0, $S2, @end; .skip 4092 \n.end: FNCL;";
    EXPECT_EQ(last_line_of_error(revision_codec(name), far),
              "error: the target is 4096 away; the reach is -4096 to 4094");
    const Codec& relaxed = revision_codec(name, true);
    const auto begin = [&](const std::string& text) { return assembled(relaxed, text).substr(0, 12); };
    const auto same = [&](const std::string& text, const std::string& as) {
        EXPECT_EQ(begin(text), begin(as)) << text;
    };
    same(far, "LCB.8LE: $S0, $S2, @end; .skip 4092 \n.end: FNCL;");
    same("BEQ.64f: $S0, $S2, 8000;", "LCB.64fEQ: $S0, $S2, 8000;");
    same("IADD.8m: $S0, $S2, #512;", "LIADD.8m: $S0, $S2, #512;");
    same("IFREM.8: $S0, $S2, #512;", "ILFREM.8: $S0, $S2, #512;");
    same("MLD.8: $S0, $S2, #2048;", "LMLD.8: $S0, $S2, #2048;");
    same("VIMST.m: $V0, $S2, $S3, #64;", "LVIMST.m: $V0, $S2, $S3, #64;");
    same("SBF.16: $S0, #0x10000;", "LSBF.16: $S0, #0x10000;");
    same("BLD.SPR: $S0, #0x10000;", "LBLD.SPR: $S0, #0x10000;");
    same("CAL: $RA, 0x100000;", "LCAL: $RA, 0x100000;");
    same("JMP: 0x100000;", "LJMP: 0x100000;");
    same("BTST.8EQZ: $S0, 0x10000;", "LBTST.8EQZ: $S0, 0x10000;");
    same("RCAL: $RA, $S0, #0x8000;", "LRCAL: $RA, $S0, #0x8000;");
    same("RJMP: $S0, #0x100000;", "LEJMP: $S0, #0x100000;");
    EXPECT_EQ(begin("IADD.8: $S0, $S2, #511; NOP;").size(), 12u);  // four bytes and two: what fits stays short
    EXPECT_EQ(last_line_of_error(relaxed, "IADD.8: $S0, $S2, #33554432;"),
              "error: 33554432 is out of range: -33554432 to 33554431");
}

TEST(FabriscExamples, TheProgramOfTheAuthorAssemblesAndComesBack) {
    const Codec& codec = revision_codec("fabrisc-2022-05-15");
    SourceManager sources;
    Diagnostics diagnostics;
    std::string error;
    const auto file = sources.load(ISAFORGE_SOURCE_DIR "/examples/fabrisc/collatz-author.s", error);
    ASSERT_TRUE(file) << error;
    Object object;
    ASSERT_TRUE(assemble(codec, *file, sources, {}, object, diagnostics)) << to_text(diagnostics, sources);
    const std::vector<std::uint8_t> bytes = object.sections[0].bytes;
    EXPECT_EQ(bytes.size(), 16 * 4u + 2);
    const std::string text = disassemble(codec, object);
    EXPECT_NE(text.find("BLE.8: $S0, $S2, @end;"), std::string::npos) << text;
    EXPECT_EQ(assembled(codec, text), hex_of(bytes)) << text;
}

}  // namespace
}  // namespace isaforge::test
