// Checks of the witness itself: values worked out by hand from the rules, a few for each kind of operation.
#include "fabrisc_model.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace fabrisc_reference {
namespace {

// One instruction on named fields; registers 1, 2, 3, 4 are RA, RB, RC, RD.
class Bench {
public:
    using u64 = std::uint64_t;

    explicit Bench(Revision revision = Revision::may_last, unsigned wlen = 32, unsigned mxvl = 128)
        : configuration_{revision, wlen, mxvl}, layout_(layout_of(revision)) {
        state.special[layout_.csr] = u64(3) << layout_.rounding | u64(63) << layout_.vlen;
        state.memory.resize(0x1000);
    }

    Bench& operands(u64 a, u64 b = 0, u64 c = 0, u64 d = 0) {
        const u64 values[] = {a, b, c, d};
        for (unsigned i = 0; i < 4; ++i) state.scalar[i + 1] = values[i];
        return *this;
    }
    Bench& elements(unsigned number, std::vector<std::uint8_t> bytes) {
        std::copy(bytes.begin(), bytes.end(), state.vector[number].begin());
        return *this;
    }

    // Gives register 1 afterwards.
    u64 run(const std::string& name, unsigned size, std::map<std::string, Field, std::less<>> more = {}) {
        Instruction instruction;
        instruction.name = name;
        instruction.fields = std::move(more);
        const char* names[] = {"RA", "RB", "RC", "RD"};
        for (unsigned i = 0; i < 4; ++i) instruction.fields.try_emplace(names[i], Field{i + 1, 5});
        instruction.fields["SIZE"] = {size == 8 ? 0u : size == 16 ? 1u : size == 32 ? 2u : 3u, 2};
        auto operation = Operation::of(configuration_, instruction);
        EXPECT_TRUE(operation) << name;
        if (operation) operation->run(state);
        return state.scalar[1];
    }

    State state;

private:
    Configuration configuration_;
    const Layout& layout_;
};

Field imm(std::uint64_t code, unsigned width = 10) { return {code, width}; }

TEST(FabriscModel, Integers) {
    EXPECT_EQ(Bench().operands(0xaabbccdd, 0x7f, 1).run("ADD", 8), 0xaabbcc80u);  // bits above stay
    EXPECT_EQ(Bench().operands(0, 5, 7).run("SUB", 32), 0xfffffffeu);
    EXPECT_EQ(Bench().operands(0, 0b1100, 0b1010).run("IMP", 8), 0b11111011u);
    EXPECT_EQ(Bench().operands(0, 0b1100, 0b1010).run("NIMP", 8), 0b0100u);
    EXPECT_EQ(Bench().operands(0, 0x80, 9).run("ARSH", 8), 0xc0u);  // by 1
    EXPECT_EQ(Bench().operands(0, 0x80, 9).run("LRSH", 8), 0x40u);
    EXPECT_EQ(Bench().operands(0, 0x8001, 4).run("LRT", 16), 0x0018u);
    EXPECT_EQ(Bench().operands(0, 0x8001, 4).run("RRT", 16), 0x1800u);
    EXPECT_EQ(Bench().operands(100, 7, 3).run("MAC", 32), 121u);
    EXPECT_EQ(Bench().operands(0, 0x80000000, 2).run("UMUL", 32), 0xffffffffu);  // -2^31 * 2, high half
    EXPECT_EQ(Bench().operands(0, 7, 0).run("DIV", 32), 0xffffffffu);
    EXPECT_EQ(Bench().operands(0, 7, 0).run("REM", 32), 7u);
    EXPECT_EQ(Bench().operands(0, 0x80, 0xff).run("DIV", 8), 0x80u);
    EXPECT_EQ(Bench().operands(0, 0xf9, 2).run("REM", 8), 0xffu);  // -7 % 2 = -1
    EXPECT_EQ(Bench().operands(0, 0x12345678, 3).run("SWP", 32), 0x34127856u);
    EXPECT_EQ(Bench().operands(0, 0x12345678, 4).run("SWP", 32), 0x56781234u);
    EXPECT_EQ(Bench().operands(0, 0x00f0).run("CTLZ", 16), 8u);
    EXPECT_EQ(Bench().operands(0, 0x00f0).run("CTTZ", 16), 4u);
    EXPECT_EQ(Bench().operands(0, 0).run("CTZ", 16), 16u);
}

TEST(FabriscModel, Immediates) {
    EXPECT_EQ(Bench().operands(0, 1).run("IADD", 32, {{"IMM", imm(0x3ff)}}), 0u);          // -1
    EXPECT_EQ(Bench().operands(0, 0xffff).run("IAND", 16, {{"IMM", imm(0x3ff)}}), 0x3ffu); // no sign
    EXPECT_EQ(Bench().operands(0, 0x81).run("IASH", 8, {{"IMM", imm(0x3ff)}}), 0xc0u);     // right by 1
    EXPECT_EQ(Bench().operands(0, 0x81).run("ILSH", 8, {{"IMM", imm(0x3ff)}}), 0x40u);
    EXPECT_EQ(Bench().operands(0, 0x81).run("IRT", 8, {{"IMM", imm(1)}}), 0x03u);
    EXPECT_EQ(Bench().operands(0, 0x3f800000).run("IFADD", 32, {{"IMM", imm(2)}}), 0x40400000u);  // 1 + 2
    EXPECT_EQ(Bench().operands(0xff).run("GBF", 8, {{"IMM", imm(0x8001, 16)}}), 1u);
    EXPECT_EQ(Bench().operands(0).run("SBF", 32, {{"IMM", imm(0x8001, 16)}, {"EXTEND", {1, 1}}}), 0xffff8001u);
}

TEST(FabriscModel, ThroughTheCarry) {
    Bench bench(Revision::may);
    bench.state.flags = 1;
    EXPECT_EQ(bench.operands(0, 0x81, 2).run("LSHC", 8), 0x06u);  // 1000'0001 -> 0000'0110, the carry came in
    EXPECT_EQ(bench.state.flags, 0u);                            // bit 6 went out
    bench.state.flags = 1;
    EXPECT_EQ(bench.operands(0, 0x82, 2).run("RSHC", 8), 0xe0u);  // 0010'0000 | 0100'0000 | 1000'0000
    EXPECT_EQ(bench.state.flags, 1u | 64u);
    bench.state.flags = 1;
    EXPECT_EQ(bench.operands(0, 0xff, 0).run("ADDC", 8), 0u);
    EXPECT_EQ(bench.state.flags, 1u | 32u);
}

TEST(FabriscModel, Multiword) {
    Bench bench;
    EXPECT_EQ(bench.operands(0, 0xffffffff, 0, 1).run("MWADD", 32), 0u);
    EXPECT_EQ(bench.state.scalar[4], 1u);
    EXPECT_EQ(bench.operands(0, 0xffffffff, 0xffffffff, 5).run("MWMUL", 32), 6u);
    EXPECT_EQ(bench.state.scalar[4], 0xfffffffeu);
    EXPECT_EQ(bench.operands(0, 0, 3, 1).run("MWDIV", 32), 0x55555555u);
    EXPECT_EQ(bench.state.scalar[4], 1u);
    EXPECT_EQ(bench.operands(0, 0x80000001, 4, 0xf).run("MLLSH", 32), 0x1fu);
    EXPECT_EQ(bench.state.scalar[4], 8u);
}

TEST(FabriscModel, Casts) {
    auto from_to = [](unsigned from, unsigned to) {
        return std::map<std::string, Field, std::less<>>{{"FROM", {from, 2}}, {"TO", {to, 2}}};
    };
    EXPECT_EQ(Bench().operands(0x11111111, 0x80).run("IIC", 8, from_to(0, 1)), 0x1111ff80u);
    EXPECT_EQ(Bench().operands(0, 0xffff).run("IFC", 8, from_to(1, 2)), 0xbf800000u);
    EXPECT_EQ(Bench().operands(0, 0xc2f70000).run("FIC", 8, from_to(2, 0)), 0x84u);  // -123.5: -124, to even
    EXPECT_EQ(Bench().operands(0, 0x7fc00000).run("FIC", 8, from_to(2, 1)), 0x7fffu);
    EXPECT_EQ(Bench().operands(0, 0x3c00).run("FFC", 8, from_to(1, 2)), 0x3f800000u);
}

TEST(FabriscModel, VectorsMasksAndReductions) {
    Bench bench;
    bench.elements(2, {1, 2, 3, 4}).elements(3, {10, 20, 30, 40}).elements(1, {9, 9, 9, 9});
    bench.state.special[4] = 0b0101;  // VMSK
    bench.state.special[7] = 2;       // three elements
    bench.run("ADD", 8, {{"VECTOR", {1, 2}}, {"MASK", {1, 1}}});
    EXPECT_EQ((std::vector<unsigned>(bench.state.vector[1].begin(), bench.state.vector[1].begin() + 4)),
              (std::vector<unsigned>{9, 22, 9, 9}));
    bench.operands(0);
    EXPECT_EQ(bench.run("RSUB", 8), 0xfcu);                    // 1 - 2 - 3
    EXPECT_EQ(bench.run("RSUB", 8, {{"BACK", {1, 1}}}), 0u);   // 3 - 2 - 1
    EXPECT_EQ(bench.run("RSUB", 8, {{"MASK", {1, 1}}}), 2u);   // the one in the middle
    bench.operands(100);
    EXPECT_EQ(bench.run("RMAC", 8), 114u);
    bench.run("VVIMSKC", 8, {{"COND", {2, 2}}, {"RA", {2, 5}}, {"RB", {3, 5}}});
    EXPECT_EQ(bench.state.special[4], 0b0111u);
}

TEST(FabriscModel, Traps) {
    Bench bench;
    bench.state.special[7] |= 1 << 9;  // AEXC
    bench.state.special[3] = 0x400;    // UEHP
    bench.state.pc = 0x20;
    EXPECT_EQ(bench.operands(3, 0x7f, 1).run("ADD", 8), 3u);
    EXPECT_EQ(bench.state.pc, 0x400u);
    EXPECT_EQ(bench.state.special[0], 0x20u);
    EXPECT_EQ(bench.state.special[6], 2u);  // OVFL
}

TEST(FabriscModel, MemoryAndBranches) {
    Bench bench;
    bench.operands(0, 0x100);
    bench.state.memory[0x104] = 0x34;
    bench.state.memory[0x105] = 0x12;
    EXPECT_EQ(bench.run("LMLD", 16, {{"IMM", imm(4, 26)}, {"UPDATE", {1, 2}}}), 0x1234u);
    EXPECT_EQ(bench.state.scalar[2], 0x102u);
    bench.state.pc = 0x40;
    bench.operands(0xff, 1).run("BLT", 8, {{"T", {0xffe, 12}}});
    EXPECT_EQ(bench.state.pc, 0x3cu);
}

}  // namespace
}  // namespace fabrisc_reference
