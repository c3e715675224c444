// Named fields of registers: of single ones, of one register of a file and of all, in names for expressions, as modes, and
// with `only`.
#include <gtest/gtest.h>

#include "semantics/bench_machine.hpp"

namespace isaforge {
namespace {

const char* const declarations = R"(registers s : 3 of u32 "s{n}" {
    LOW = 15:0, HIGH = 31:16
    7 "csr" { VLEN = 5:0, RMD = 7:6, TRAP = 26 }
}
registers p : 1 of u8 { "p0" { A, B, C } "p1" { A = 7 } }
register flags : u4 { CARRY, ZERO = 1, SIGN, OVER }
registers wide : 1 of u16 lanes 4 "w{n}" { TOP = 15, BYTE = 7:0 }
constant at = 4
register by_name : u32 { X = 2 * at + 3:2 * at, Y }
where control = s[7]
mode length : u6 = control.VLEN
function set(r, x) { r.HIGH = x[15:0] }
)";

TEST(Fields, AreReadAndWritten) {
    BenchMachine bench(
        declarations,
        {"s[1].HIGH = s[2].LOW", "s[7].TRAP = 1", "s[0] = u32(s[7].RMD)", "control.VLEN = 5", "set(s[3], s[2])",
         "p[0].C = p[1].A", "flags.SIGN = flags.ZERO", "by_name.X = s[1][3:0]", "by_name.Y = 1", "s[5] = u32(length)",
         "wide[0].BYTE = wide[1].BYTE", "s[4] = if control.RMD == 2 then 1 else 0"});
    ASSERT_TRUE(bench);
    bench.set("s1", 0x11112222);
    bench.set("s2", 0x33334444);
    bench.execute(0);
    EXPECT_EQ(bench.get("s1"), 0x44442222u);
    bench.set("s7", 0x00000080);
    bench.execute(1);
    EXPECT_EQ(bench.get("csr"), 0x04000080u);
    bench.execute(2);
    EXPECT_EQ(bench.get("s0"), 2u);
    bench.execute(11);
    EXPECT_EQ(bench.get("s4"), 1u);
    bench.execute(3);
    EXPECT_EQ(bench.get("s7"), 0x04000085u);
    bench.execute(9);
    EXPECT_EQ(bench.get("s5"), 5u);
    bench.execute(4);
    EXPECT_EQ(bench.get("s3"), 0x44440000u);
    bench.set("p0", 0xf0);
    bench.set("p1", 0x80);
    bench.execute(5);
    EXPECT_EQ(bench.get("p0"), 0xf4u);
    bench.set("flags", 0xb);
    bench.execute(6);
    EXPECT_EQ(bench.get("flags"), 0xfu);
    bench.execute(7);
    bench.execute(8);
    EXPECT_EQ(bench.get("by_name"), 0x1200u);
    for (unsigned lane = 0; lane < 4; ++lane) {
        bench.set("w0", 0x5500 + lane, lane);
        bench.set("w1", 0x66a0 + lane, lane);
    }
    bench.execute(10);
    for (unsigned lane = 0; lane < 4; ++lane) EXPECT_EQ(bench.get("w0", lane), 0x55a0 + lane);
}

// next() counts in s6: the register with the field is looked for once.
TEST(Fields, OfACompoundAssignmentAreFoundOnce) {
    BenchMachine bench(std::string(declarations) + "function another() { s[6] = s[6] + 1; return s[6] & 3 }\n",
                       {"s[another()].HIGH += 3", "s[another()].LOW ^= s[another()].HIGH"});
    ASSERT_TRUE(bench);
    bench.set("s1", 0xffff0001);
    bench.execute(0);
    EXPECT_EQ(bench.get("s6"), 1u);
    EXPECT_EQ(bench.get("s1"), 0x00020001u);
    bench.set("s2", 0x0000ffff);
    bench.set("s3", 0x12340000);
    bench.execute(1);
    EXPECT_EQ(bench.get("s6"), 3u);
    EXPECT_EQ(bench.get("s2"), 0x0000edcbu);
}

TEST(Fields, MayBeThoseOfAVariant) {
    const std::string text = R"(isa sample "Sample"
code unit 16 little
variants old new
register status : u32 {
    ATTRIBUTE = 23 only old, HALT = 23 only new
}
format N | OP:16 |
instructions N [OP] "{name}" {
    1  a  status.ATTRIBUTE = 1  only old
    2  b  status.HALT = 1       only new
    3  c  status.HALT = 0
}
)";
    for (const char* variant : {"old", "new"}) {
        SourceManager sources;
        Diagnostics diagnostics;
        auto isa = load_isa_text("sample.isa", text, sources, diagnostics, {.variant = variant});
        ASSERT_TRUE(isa) << to_text(diagnostics, sources);
        check_isa(*isa, diagnostics);
        const std::string said = to_text(diagnostics, sources);
        EXPECT_EQ(said.find("`status` has no field `HALT`") != std::string::npos, variant == std::string("old"))
            << said;
    }
}

}  // namespace
}  // namespace isaforge
