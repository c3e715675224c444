// How runs end, what is reported and traced, memory, counts and pictures.
#include <gtest/gtest.h>

#include <png.h>

#include <cstdio>
#include <filesystem>

#include "semantics/bench_machine.hpp"

namespace isaforge {
namespace {

const char* const declarations = R"(registers r : 3 of u32 "r{n}"
registers v : 1 of u16 lanes 4 "v{n}"
register count : u8
memory data : u8 little
memory io : u16 big
)";

const std::vector<std::string> lines = {"r[1] = data.u32[r[2]]",
                                        "data.u16[r[2]] = r[1][15:0]",
                                        "io.u32[r[2]] = r[1]",
                                        "r[count] = 5",
                                        "pc = r[1]",
                                        "stop()",
                                        "signal(\"irq\"); signal(\"irq\")",
                                        "signal(\"beep\")",
                                        "v[1] = 7",
                                        "r[3] = r[3] + 1",
                                        "pc = 0 after 1",
                                        "data.u64[r[2]] = u64(r[1])",
                                        "count = data.u8[u32(count)]",
                                        "r[1] = u32(io[r[2]])"};

RunResult run_one(BenchMachine& bench, std::uint32_t line) {
    bench.program({line, 5});
    return bench.machine().run(5);
}

TEST(Run, StopsWhereAccessesLeaveTheMemory) {
    BenchMachine bench(declarations, lines);
    struct {
        std::uint32_t line;
        std::uint64_t address;
        StopReason reason;
        const char* message;
    } cases[] = {
        {0, 4092, StopReason::stopped, ""},
        {0, 4093, StopReason::bad_read,
         "bad read of 32 bits at address 0x1000 by the instruction at 0x0 `op0`: nothing is mapped there"},
        {0, 0xffffffff, StopReason::bad_read,
         "bad read of 32 bits at address 0xffffffff by the instruction at 0x0 `op0`: nothing is mapped there"},
        {1, 4094, StopReason::stopped, ""},
        {1, 4095, StopReason::bad_write,
         "bad write of 16 bits at address 0x1000 by the instruction at 0x0 `op1`: nothing is mapped there"},
        {2, 2046, StopReason::stopped, ""},
        {2, 2047, StopReason::bad_write,
         "bad write of 32 bits at address 0x800 by the instruction at 0x0 `op2`: nothing is mapped there"},
        {11, 4088, StopReason::stopped, ""},
        {11, 4089, StopReason::bad_write,
         "bad write of 64 bits at address 0x1000 by the instruction at 0x0 `op11`: nothing is mapped there"},
    };
    for (const auto& each : cases) {
        bench.set("r2", each.address);
        RunResult result = run_one(bench, each.line);
        EXPECT_EQ(result.reason, each.reason) << each.address;
        EXPECT_EQ(result.message, each.message);
    }
}

TEST(Run, MemoriesHaveTheirByteOrderAndUnits) {
    BenchMachine bench(declarations, lines);
    bench.set("r1", 0x11223344);
    bench.set("r2", 3);
    run_one(bench, 2);
    auto io = bench.machine().memory(1);
    EXPECT_EQ((std::vector<int>(io.begin() + 6, io.begin() + 10)), (std::vector<int>{0x11, 0x22, 0x33, 0x44}));
    run_one(bench, 13);
    EXPECT_EQ(bench.get("r1"), 0x1122u);
    bench.set("r2", 9);
    run_one(bench, 1);
    EXPECT_EQ(bench.machine().memory(0)[9], 0x22);
    EXPECT_EQ(bench.machine().memory(0)[10], 0x11);
}

TEST(Run, SaysWhyItEnded) {
    BenchMachine bench(declarations, lines);
    bench.set("count", 9);
    EXPECT_EQ(run_one(bench, 3).message, "there is no register number 9, asked for by the instruction at 0x0 `op3`");
    bench.set("r1", 77);
    RunResult result = run_one(bench, 4);
    EXPECT_EQ(result.reason, StopReason::bad_execute);
    EXPECT_EQ(result.address, 77u);
    EXPECT_EQ(result.message, "pc is 0x4d, which cannot be executed: nothing is mapped there");
    EXPECT_EQ(run_one(bench, 99).message, "illegal instruction 0x00000063 at 0x0");
    bench.program({9, 9, 9});
    EXPECT_EQ(bench.machine().run(2).message, "stopped after the allowed number of instructions, before 0x2 `op9`");
    bench.program({9, 9});
    EXPECT_EQ(bench.machine().run().reason, StopReason::bad_execute);
    BenchMachine empty(declarations, lines);
    empty.program({});
    EXPECT_EQ(empty.machine().run().reason, StopReason::bad_execute);
}

TEST(Run, CanGoOnAfterAFaultIsMended) {
    BenchMachine bench(declarations, lines);
    bench.set("r2", 5000);
    bench.program({9, 0, 9, 5});
    EXPECT_EQ(bench.machine().run().reason, StopReason::bad_read);
    EXPECT_EQ(bench.machine().pc(), 1u);
    bench.set("r2", 0);
    EXPECT_EQ(bench.machine().run().reason, StopReason::stopped);
    EXPECT_EQ(bench.get("r3"), 2u);
    EXPECT_EQ(bench.machine().run().instructions, 0u);  // a stopped machine stays so
}

TEST(Run, CountsSignalsAndInstructions) {
    BenchMachine bench(declarations, lines, "", {.memory_bytes = 64, .count_instructions = true});
    bench.program({6, 7, 10, 9, 5});
    bench.machine().run(9);
    using Signals = std::vector<std::pair<std::string, std::uint64_t>>;
    using Counts = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
    EXPECT_EQ(bench.machine().signals(), (Signals{{"irq", 6}, {"beep", 2}}));
    EXPECT_EQ(bench.machine().counts(), (Counts{{0, 3}, {1, 2}, {2, 2}, {3, 2}}));
    bench.machine().reset();
    EXPECT_TRUE(bench.machine().signals().empty());
    EXPECT_TRUE(bench.machine().counts().empty());
}

TEST(Run, AlignmentIsAskedForWhereWanted) {
    BenchMachine bench(declarations, lines, "", {.memory_bytes = 4096, .require_alignment = true});
    bench.set("r2", 2);
    EXPECT_EQ(run_one(bench, 0).message, "misaligned access of 32 bits at address 0x2 by the instruction at 0x0 `op0`");
    bench.set("r2", 4);
    EXPECT_TRUE(run_one(bench, 0).ok());
}

TEST(Trace, SaysWhatChanged) {
    BenchMachine bench(declarations, lines);
    Machine& machine = bench.machine();
    auto codec = std::make_shared<const Codec>(std::shared_ptr<const Isa>(std::shared_ptr<void>(), &bench.isa()));
    bench.set("r1", 0xabcd);
    bench.set("r2", 16);
    bench.program({9, 1, 0, 8, 3, 10, 6});
    const char* expected[] = {
        "       0      0: 00000009 op9                                  r3=00000001",
        "       1      1: 00000001 op1                                  data[0x10]=abcd",
        "       2      2: 00000000 op0                                  r1=0000abcd",
        "       3      3: 00000008 op8                                  v1=0007:0007:0007:0007",
        "       4      4: 00000003 op3                                  r0=00000005",
        "       5      5: 0000000a op10",
        "       6      6: 00000006 op6                                  pc=00000000",
    };
    for (const char* line : expected) {
        TraceRecord record;
        ASSERT_TRUE(machine.step(&record).ok());
        EXPECT_EQ(to_text(record, *codec), line);
    }
}

// Many lanes are told as what lies together and goes up or down by one step, unless one by one is shorter.
TEST(Reports, ManyLanes) {
    TraceRecord::Change change;
    change.name = "v1", change.bits = 16;
    const auto text = [&](auto lane) {
        change.lanes.clear();
        for (std::uint64_t i = 0; i < 16; ++i) change.lanes.push_back(lane(i) & 0xffff);
        return to_text(change);
    };
    EXPECT_EQ(text([](auto) { return 7; }), "v1={all: 0007}");
    EXPECT_EQ(text([](auto i) { return 4 * i; }), "v1={all: 0000 +4}");
    EXPECT_EQ(text([](auto i) { return 100 - i; }), "v1={all: 0064 -1}");
    EXPECT_EQ(text([](auto i) { return i < 3 ? 7 : i; }), "v1={0..2: 0007; 3..15: 0003 +1}");
    EXPECT_EQ(text([](auto i) { return i == 5 ? 1 : 0; }), "v1={0..4: 0000; 5: 0001; 6..15: 0000}");
    EXPECT_EQ(text([](auto i) { return i == 15 ? 1 : 2; }), "v1={0..14: 0002; 15: 0001}");
    EXPECT_EQ(text([](auto i) { return i * i; }),
              "v1=0000:0001:0004:0009:0010:0019:0024:0031:0040:0051:0064:0079:0090:00a9:00c4:00e1");
    change.lanes = {7, 7, 7, 7};
    EXPECT_EQ(to_text(change), "v1=0007:0007:0007:0007");
}

TEST(Reports, RegistersAndMemory) {
    BenchMachine bench(declarations, lines);
    for (unsigned i = 0; i < 20; ++i) bench.machine().memory(0)[i] = static_cast<std::uint8_t>('A' + i);
    EXPECT_EQ(memory_dump(bench.machine(), 0, 0, 18),
              "00000000  41 42 43 44 45 46 47 48 49 4a 4b 4c 4d 4e 4f 50  |ABCDEFGHIJKLMNOP|\n"
              "00000010  51 52                                            |QR|\n");
    EXPECT_EQ(memory_dump(bench.machine(), 0, 4094, 100),
              "00000ffe  00 00                                            |..|\n");
    EXPECT_EQ(memory_dump(bench.machine(), 0, 5000, 1), "");
    bench.set("r5", 0xbeef);
    EXPECT_NE(register_dump(bench.machine()).find("      r5 0000beef"), std::string::npos);
}

TEST(Pictures, ComeBackAsTheyWereWritten) {
    std::uint8_t memory[64] = {};
    struct {
        PixelFormat format;
        std::vector<std::uint8_t> bytes, rgb;
    } cases[] = {
        {PixelFormat::xrgb8888, {3, 2, 1, 0, 6, 5, 4, 0}, {1, 2, 3, 4, 5, 6}},
        {PixelFormat::rgb888, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}},
        {PixelFormat::rgb565, {0x00, 0xf8, 0xff, 0x07}, {255, 0, 0, 0, 255, 255}},
        {PixelFormat::gray8, {7, 200}, {7, 7, 7, 200, 200, 200}},
    };
    for (const auto& each : cases) {
        std::copy(each.bytes.begin(), each.bytes.end(), memory + 4);
        std::string png;
        ASSERT_EQ(make_png(memory, {4, 2, 1, each.format}, png), "");
        png_image image{};
        image.version = PNG_IMAGE_VERSION;
        ASSERT_NE(png_image_begin_read_from_memory(&image, png.data(), png.size()), 0);
        image.format = PNG_FORMAT_RGB;
        std::vector<std::uint8_t> rgb(PNG_IMAGE_SIZE(image));
        ASSERT_NE(png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr), 0);
        EXPECT_EQ(rgb, each.rgb);
    }
    std::string png;
    EXPECT_EQ(make_png(memory, {60, 2, 1}, png), "the picture lies partly outside the memory, which ends at 0x40");
    EXPECT_EQ(make_png(memory, {~std::uint64_t{0}, 2, 1}, png),
              "the picture lies partly outside the memory, which ends at 0x40");
    EXPECT_EQ(make_png(memory, {0, 0, 1}, png), "a picture has 1 to 32768 pixels a side");
    EXPECT_EQ(png, "");
}

}  // namespace
}  // namespace isaforge
