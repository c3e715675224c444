// The device itself: memory in place, faults, groups at edges, groups that wait for each other, launches at the same time, formats
// of code objects, what kernels print.
#include <atomic>
#include <numeric>
#include <thread>

#include "device/kernels.hpp"
#include "isaforge/assembler.hpp"

namespace isaforge::test {
namespace {

constexpr const char* kernels = R"(
#include "items.h"
__kernel void places(__global uint *out) {
    uint i = global_y() * size_x() + global_x();
    out[4 * i] = local_x() | local_y() << 8 | __builtin_amdgcn_workitem_id_z() << 16;
    out[4 * i + 1] = group_x() | group_y() << 8 | __builtin_amdgcn_workgroup_id_z() << 16;
    out[4 * i + 2] = __builtin_amdgcn_workgroup_size_x() | __builtin_amdgcn_workgroup_size_y() << 8;
    out[4 * i + 3] = __builtin_amdgcn_grid_size_x() | __builtin_amdgcn_grid_size_y() << 8;
}
__kernel void nothing(void) {}
__kernel void store(__global uint *data, uint at, uint value) { data[at] = value; }
__kernel void fill(__global uint *data, uint count, uint value) {
    for (uint i = global_x(); i < count; i += size_x()) data[i] = value;
}
__kernel void count(__global uint *counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }
// All groups come before one goes on.
__kernel void rendezvous(__global uint *counter, uint all) {
    if (local_x() == 0) {
        __atomic_fetch_add(counter, 1, __ATOMIC_ACQ_REL);
        while (__atomic_load_n(counter, __ATOMIC_ACQUIRE) < all) {}
    }
    meet();
}
__kernel void wait_for(__global uint *flag, __global uint *answer) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) __builtin_amdgcn_s_sleep(1);
    __atomic_store_n(answer, 1, __ATOMIC_RELEASE);
}
// One group writes both halves of a pair at once, the other counts how often it sees halves of two.
__kernel void halves(__global volatile ulong *pair, __global uint *torn, uint rounds) {
    if (group_x() == 0) {
        for (uint i = 0; i < rounds; ++i) *pair = i | (ulong)i << 32;
    } else {
        for (uint i = 0; i < rounds; ++i) {
            const ulong seen = *pair;
            *torn += (uint)seen != (uint)(seen >> 32);
        }
    }
}
// The first wavefront tells the others a number behind every barrier, and there is one barrier for each.
__kernel void tell(__global uint *wrong, __local volatile uint *told, uint rounds) {
    const uint first = __builtin_amdgcn_readfirstlane(local_x()) == 0;
    for (uint i = 0; i < rounds; ++i) {
        if (first) *told = i;
        __asm volatile("s_waitcnt lgkmcnt(0)\ns_barrier" ::: "memory");
        if (!first && *told != i) *wrong = 1;
    }
}
__kernel void spin(void) { for (;;) __builtin_amdgcn_s_sleep(1); }
__kernel void turn(__global uint *data, __local uint *own, __local uint *other) {
    own[local_x()] = data[global_x()];
    other[local_x()] = 1000 * local_x();
    meet();
    data[global_x()] = own[63 - local_x()] + other[local_x()];
}
// An array that is in private memory, for its index is not known before.
__kernel void private_array(__global uint *data, uint step) {
    uint array[32];
    for (uint i = 0; i < 32; ++i) array[i * step % 32] = data[i] + global_x();
    uint sum = 0;
    for (uint i = 0; i < 32; ++i) sum = sum * 3 + array[i];
    data[32 + global_x()] = sum;
}
__constant uint table[4] = {3, 5, 7, 11};
__global uint variable;
__kernel void of_table(__global uint *data) { variable = table[data[0] & 3]; data[1] = variable; }
)";

std::string at_level(int level) { return fmt::format("-O{} -cl-std=CL2.0", level); }

class Devices : public testing::TestWithParam<const char*> {
protected:
    explicit Devices(unsigned threads = 2)
        : bench_({.processor = GetParam(), .threads = threads}, compiled(kernels, GetParam(), at_level(2))) {}
    void SetUp() override { ASSERT_TRUE(bench_.code); }
    ComputeDevice& device() { return *bench_.device; }

    Bench bench_;
};

TEST_P(Devices, WorkItemsKnowTheirPlaces) {
    constexpr std::uint32_t width = 20, height = 7;   // groups of 8 by 3 do not fit
    Buffer<std::uint32_t> out(device(), 4 * width * height);
    bench_.run("places", {width, height, 1}, {8, 3, 1}, out);
    for (std::uint32_t y = 0; y < height; ++y)
        for (std::uint32_t x = 0; x < width; ++x) {
            const std::size_t i = 4 * (y * width + x);
            ASSERT_EQ(out[i], x % 8 | (y % 3) << 8) << x << ", " << y;
            ASSERT_EQ(out[i + 1], x / 8 | (y / 3) << 8);
            ASSERT_EQ(out[i + 2], 8u | 3u << 8);
            ASSERT_EQ(out[i + 3], width | height << 8);
        }
}

// At the edge a group has fewer wavefronts, and the barrier waits for none that is not there.
TEST_P(Devices, PartialGroupsMeet) {
    Buffer<std::uint32_t> counter(device(), 1);
    bench_.run("rendezvous", {600, 1, 1}, {256, 1, 1}, counter, std::uint32_t{3});
    EXPECT_EQ(counter[0], 3u);
}

TEST_P(Devices, GroupsThatWaitForEachOtherAllGoOn) {
    for (const unsigned threads : {1u, 3u}) {
        Bench bench({.processor = GetParam(), .threads = threads}, compiled(kernels, GetParam(), at_level(2)));
        const std::uint32_t groups = bench.device->resident_wavefronts() / 2;
        Buffer<std::uint32_t> counter(*bench.device, 1);
        bench.run("rendezvous", {64 * groups, 1, 1}, {64, 1, 1}, counter, groups);
        EXPECT_EQ(counter[0], groups);
    }
}

TEST_P(Devices, PairsAreNeverSeenHalfWritten) {
    Buffer<std::uint64_t> pair(device(), 1);
    Buffer<std::uint32_t> torn(device(), 1);
    bench_.run("halves", {2, 1, 1}, {1, 1, 1}, pair, torn, std::uint32_t{300000});
    EXPECT_EQ(torn[0], 0u);
}

TEST_P(Devices, TheFirstWavefrontGoesOnWhenAllHaveHeardIt) {
    Buffer<std::uint32_t> wrong(device(), 1);
    bench_.group_bytes = 4;
    for (const std::uint32_t harts : {2u, 3u, 4u})
        bench_.run("tell", {4 * 64 * harts, 1, 1}, {64 * harts, 1, 1}, wrong, std::uint32_t{0}, std::uint32_t{3000});
    EXPECT_EQ(wrong[0], 0u);
}

TEST_P(Devices, AKernelWithoutAnything) {
    const LaunchResult result = bench_.try_run("nothing", {64 * 3000, 1, 1}, {64, 1, 1});
    EXPECT_TRUE(result.ok) << result.message;
    EXPECT_EQ(result.instructions, 3000u);
}

// The host's memory is used where it lies, and not a byte beside it.
TEST_P(Devices, MemoryOfTheCaller) {
    std::vector<std::uint32_t> words(100, 7);
    auto* const bytes = reinterpret_cast<std::uint8_t*>(words.data());
    ASSERT_EQ(device().register_memory({bytes + 40, 200}, {}, "`words`"), "");
    const auto address = reinterpret_cast<std::uint64_t>(words.data());
    bench_.run("fill", {64, 1, 1}, {64, 1, 1}, address + 40, std::uint32_t{50}, std::uint32_t{9});
    for (std::size_t i = 0; i < words.size(); ++i) ASSERT_EQ(words[i], i >= 10 && i < 60 ? 9u : 7u) << i;

    const LaunchResult outside =
        bench_.try_run("store", {1, 1, 1}, {1, 1, 1}, address, std::uint32_t{60}, std::uint32_t{1});
    EXPECT_FALSE(outside.ok);
    EXPECT_EQ(outside.fault.data_address, address + 240);
    EXPECT_NE(outside.message.find("right behind `words`"), std::string::npos) << outside.message;
    EXPECT_EQ(words[60], 7u);

    device().unregister_memory(address + 40, 200);
    const LaunchResult after =
        bench_.try_run("store", {1, 1, 1}, {1, 1, 1}, address, std::uint32_t{20}, std::uint32_t{1});
    EXPECT_EQ(after.fault.reason, StopReason::bad_write) << after.message;
    EXPECT_EQ(words[20], 9u);
}

TEST_P(Devices, ConstantsAndCodeCannotBeWritten) {
    std::vector<std::uint32_t> words(8, 7);
    auto* const bytes = reinterpret_cast<std::uint8_t*>(words.data());
    ASSERT_EQ(device().register_memory({bytes, 32}, {.read = true, .write = false, .execute = false}, "words"), "");
    const auto address = reinterpret_cast<std::uint64_t>(bytes);
    const LaunchResult result =
        bench_.try_run("store", {1, 1, 1}, {1, 1, 1}, address, std::uint32_t{2}, std::uint32_t{1});
    EXPECT_NE(result.message.find("it lies in words (r--)"), std::string::npos) << result.message;
    device().unregister_memory(address, 32);
    const std::uint64_t code = bench_.code->find_kernel("store")->code;
    EXPECT_FALSE(bench_.try_run("store", {1, 1, 1}, {1, 1, 1}, code, std::uint32_t{0}, std::uint32_t{1}).ok);
}

TEST_P(Devices, AFaultSaysWhoAndWhere) {
    Buffer<std::uint32_t> data(device(), 1000);
    const LaunchResult result = bench_.try_run("places", {100, 4, 1}, {100, 2, 1}, data);
    ASSERT_FALSE(result.ok);
    EXPECT_EQ(result.fault.kernel, "places");
    EXPECT_EQ(result.fault.reason, StopReason::bad_write);
    EXPECT_EQ(result.fault.data_address, reinterpret_cast<std::uint64_t>(data.data()) + 4000);
    EXPECT_EQ(result.fault.group, (Extent{0, 1, 0}));
    EXPECT_NE(result.fault.instruction.find("store"), std::string::npos) << result.fault.instruction;
    EXPECT_NE(result.message.find("kernel `places`, group (0, 1, 0), wavefront"), std::string::npos) << result.message;
    // The device goes on.
    bench_.run("store", {1, 1, 1}, {1, 1, 1}, data, std::uint32_t{5}, std::uint32_t{55});
    EXPECT_EQ(data[5], 55u);
}

TEST_P(Devices, LinesOfTheSource) {
    Bench bench({.processor = GetParam(), .threads = 1},
                compiled(kernels, GetParam(), at_level(2) + " -gline-tables-only"));
    const LaunchResult result =
        bench.try_run("store", {1, 1, 1}, {1, 1, 1}, std::uint64_t{0x1000}, std::uint32_t{1}, std::uint32_t{1});
    EXPECT_NE(result.fault.source_line.find("kernels.cl:11"), std::string::npos) << result.message;
}

TEST_P(Devices, MemoryOfTheGroupThatALaunchGives) {
    std::vector<std::uint32_t> numbers(128);
    std::iota(numbers.begin(), numbers.end(), 0);
    Buffer<std::uint32_t> data(device(), numbers);
    bench_.group_bytes = 512;
    bench_.run("turn", {128, 1, 1}, {64, 1, 1}, data, std::uint32_t{0}, std::uint32_t{256});
    for (std::uint32_t i = 0; i < 128; ++i) ASSERT_EQ(data[i], i / 64 * 64 + 63 - i % 64 + 1000 * (i % 64));
}

TEST_P(Devices, PrivateMemoryIsEachItemsOwn) {
    for (const int level : {0, 2}) {
        Bench bench({.processor = GetParam(), .threads = 2}, compiled(kernels, GetParam(), at_level(level)));
        std::vector<std::uint32_t> numbers(32 + 256);
        std::iota(numbers.begin(), numbers.begin() + 32, 100);
        Buffer<std::uint32_t> data(*bench.device, numbers);
        bench.run("private_array", {256, 1, 1}, {128, 1, 1}, data, std::uint32_t{5});
        for (std::uint32_t item = 0; item < 256; ++item) {
            std::uint32_t array[32], sum = 0;
            for (std::uint32_t i = 0; i < 32; ++i) array[i * 5 % 32] = numbers[i] + item;
            for (const std::uint32_t each : array) sum = sum * 3 + each;
            ASSERT_EQ(data[32 + item], sum) << item << ", level " << level;
        }
    }
}

TEST_P(Devices, VariablesOfTheObject) {
    Buffer<std::uint32_t> data(device(), {2, 0});
    bench_.run("of_table", {1, 1, 1}, {1, 1, 1}, data);
    EXPECT_EQ(data[1], 7u);
    const auto variable = bench_.code->find_symbol("variable");
    ASSERT_TRUE(variable);
    EXPECT_EQ(*reinterpret_cast<const std::uint32_t*>(variable->address), 7u);  // NOLINT(performance-no-int-to-ptr)
}

TEST_P(Devices, LaunchesAtTheSameTime) {
    Buffer<std::uint32_t> flag(device(), 1), answer(device(), 1), counter(device(), 1);
    const KernelInfo* const waiting = bench_.code->find_kernel("wait_for");
    std::vector<std::uint8_t> block(waiting->kernarg_bytes);
    const std::uint64_t addresses[] = {reinterpret_cast<std::uint64_t>(flag.data()),
                                       reinterpret_cast<std::uint64_t>(answer.data())};
    std::memcpy(block.data(), addresses, sizeof addresses);
    std::string error;
    const auto launch =
        device().launch({.kernel = waiting, .grid = {1, 1, 1}, .group = {1, 1, 1}, .arguments = block}, error);
    ASSERT_TRUE(launch) << error;
    // While it waits others run, memory comes and goes, and the host is what it waits for.
    for (unsigned i = 0; i < 20; ++i) {
        Buffer<std::uint32_t> other(device(), 1000);
        bench_.run("fill", {256, 1, 1}, {64, 1, 1}, other, std::uint32_t{1000}, i);
        ASSERT_EQ(other[999], i);
        bench_.run("count", {128, 1, 1}, {64, 1, 1}, counter);
    }
    EXPECT_FALSE(launch->is_done());
    std::atomic_ref(flag[0]).store(1);
    EXPECT_TRUE(launch->wait().ok) << launch->wait().message;
    EXPECT_EQ(answer[0], 1u);
    EXPECT_EQ(counter[0], 20u * 128);
}

TEST_P(Devices, ManyThreadsLaunch) {
    Buffer<std::uint32_t> counter(device(), 1);
    {
        std::vector<std::jthread> threads;
        for (unsigned k = 0; k < 4; ++k)
            threads.emplace_back([&] {
                for (unsigned i = 0; i < 25; ++i) bench_.run("count", {64, 1, 1}, {64, 1, 1}, counter);
            });
    }
    EXPECT_EQ(counter[0], 4u * 25 * 64);
}

TEST_P(Devices, AKernelThatDoesNotEndIsEnded) {
    const KernelInfo* const kernel = bench_.code->find_kernel("spin");
    std::string error;
    const auto launch = device().launch({.kernel = kernel, .grid = {6400, 1, 1}, .group = {64, 1, 1}}, error);
    ASSERT_TRUE(launch) << error;
    launch->cancel("enough");
    EXPECT_NE(launch->wait().message.find("enough"), std::string::npos);
    const auto limited =
        device().launch({.kernel = kernel, .grid = {64, 1, 1}, .group = {64, 1, 1}, .most_instructions = 10000}, error);
    EXPECT_NE(limited->wait().message.find("10000 instructions"), std::string::npos) << limited->wait().message;
}

TEST_P(Devices, RequestsThatCannotBe) {
    std::string error;
    const KernelInfo* const kernel = bench_.code->find_kernel("nothing");
    EXPECT_FALSE(device().launch({.kernel = kernel, .grid = {64, 1, 1}, .group = {2048, 1, 1}}, error));
    EXPECT_NE(error.find("2048"), std::string::npos) << error;
    EXPECT_FALSE(
        device().launch({.kernel = kernel, .grid = {1, 1, 1}, .group = {1, 1, 1}, .group_bytes = 1 << 20}, error));
    EXPECT_NE(error.find("local data share"), std::string::npos) << error;
    EXPECT_FALSE(device().dispatch({.kernel_object = 0x1234, .grid = {1, 1, 1}, .group = {1, 1, 1}}, error));
    EXPECT_NE(error.find("0x1234"), std::string::npos) << error;
}

// What a runtime does: the packet's content, with memory of its own for everything, and a call when it is over.
TEST_P(Devices, PacketsAsARuntimeHasThem) {
    Buffer<std::uint32_t> data(device(), 64);
    Buffer<std::uint64_t> block(device(), 8);
    block[0] = reinterpret_cast<std::uint64_t>(data.data());
    block[1] = 64 | std::uint64_t{17} << 32;
    // The kernel asks the packet for the sizes of groups.
    Buffer<std::uint32_t> packet(device(), 16);
    packet[1] = 64 | 1 << 16;
    packet[2] = 1;
    packet[3] = 64;
    packet[4] = packet[5] = 1;
    std::atomic<bool> completed = false;
    DispatchPacket request;
    request.kernel_object = bench_.code->find_kernel("fill")->object;
    request.grid = request.group = {64, 1, 1};
    request.kernarg = reinterpret_cast<std::uint64_t>(block.data());
    request.packet = reinterpret_cast<std::uint64_t>(packet.data());
    request.completed = [&](const LaunchResult& result) { completed = result.ok; };
    std::string error;
    const auto launch = device().dispatch(request, error);
    ASSERT_TRUE(launch) << error;
    EXPECT_TRUE(launch->wait().ok) << launch->wait().message;
    while (!completed) std::this_thread::yield();
    EXPECT_EQ(data[63], 17u);
}

INSTANTIATE_TEST_SUITE_P(All, Devices, testing::Values("gfx700", "gfx803", "gfx900"),
                         [](const auto& processor) { return processor.param; });

// ---------------------------------------------------------------------------------------------------------------------

TEST(CodeObjects, OfVersionsTwoToFive) {
    for (const int version : {2, 3, 4, 5}) {
        const auto& object =
            compiled(kernels, "gfx900", fmt::format("{} -mcode-object-version={}", at_level(2), version),
                     version == 5 ? "clang-19" : "clang-14");
        std::string error;
        const auto info = read_code_object(object, error);
        ASSERT_TRUE(info) << error;
        EXPECT_EQ(info->version, static_cast<unsigned>(version));
        Bench bench({.processor = "gfx900", .threads = 1}, object);
        Buffer<std::uint32_t> out(*bench.device, 4 * 20 * 4);
        bench.run("places", {20, 4, 1}, {8, 2, 1}, out);
        EXPECT_EQ(out[4 * (3 * 20 + 19)], 3u | 1u << 8);
        EXPECT_EQ(out[4 * (3 * 20 + 19) + 1], 2u | 1u << 8);
    }
}

// As `clang -c` leaves it, with relocations to be made.
TEST(CodeObjects, ThatNobodyLinked) {
    for (const int level : {0, 2}) {
        Bench bench({.processor = "gfx803", .threads = 1}, compiled(kernels, "gfx803", at_level(level) + " -c"));
        Buffer<std::uint32_t> data(*bench.device, {3, 0});
        bench.run("of_table", {1, 1, 1}, {1, 1, 1}, data);
        EXPECT_EQ(data[1], 11u);
    }
}

TEST(CodeObjects, SymbolsThatAreMissingAndGiven) {
    const auto& object =
        compiled("extern __constant uint outside; __kernel void get(__global uint *data) { *data = outside; }",
                 "gfx900", at_level(2) + " -c");
    std::string error;
    const auto device = ComputeDevice::make({.processor = "gfx900", .threads = 1}, error);
    EXPECT_FALSE(device->load(object, {.name = "get.o", .symbols = {}}, error));
    EXPECT_EQ(error, "nothing defines `outside`");
    Buffer<std::uint32_t> value(*device, std::vector<std::uint32_t>{99}), data(*device, 1);
    const auto address = reinterpret_cast<std::uint64_t>(value.data());
    const auto code = device->load(object, {.name = "get.o", .symbols = {{"outside", address}}}, error);
    ASSERT_TRUE(code) << error;
    const auto argument = reinterpret_cast<std::uint64_t>(data.data());
    std::vector<std::uint8_t> block(8);
    std::memcpy(block.data(), &argument, 8);
    const auto launch = device->launch(
        {.kernel = code->find_kernel("get"), .grid = {1, 1, 1}, .group = {1, 1, 1}, .arguments = block}, error);
    ASSERT_TRUE(launch) << error;
    EXPECT_TRUE(launch->wait().ok) << launch->wait().message;
    EXPECT_EQ(data[0], 99u);
}

TEST(CodeObjects, ForAnotherGenerationAreRefused) {
    std::string error;
    const auto device = ComputeDevice::make({.processor = "gfx803", .threads = 1}, error);
    EXPECT_FALSE(device->load(compiled(kernels, "gfx900", at_level(2)), {.name = "", .symbols = {}}, error));
    EXPECT_EQ(error, "it is for gfx900, and this device is gfx803");
    EXPECT_FALSE(ComputeDevice::make({.processor = "gfx1030"}, error));
    EXPECT_EQ(error, "there is no processor 'gfx1030' here");
}

// Damaged files are refused, or are what they seem to be; nothing else happens.
TEST(CodeObjects, DamagedOnesDoNoHarm) {
    const std::vector<std::uint8_t> good = compiled(kernels, "gfx900", at_level(2));
    std::uint64_t state = 1;
    const auto random = [&] { return state = state * 6364136223846793005u + 1442695040888963407u, state >> 33; };
    for (int i = 0; i < 400; ++i) {
        std::vector<std::uint8_t> bad = good;
        for (std::uint64_t k = 1 + random() % 4; k > 0; --k)
            bad[random() % (i % 2 == 0 ? 1024 : bad.size())] ^= 1 << random() % 8;
        if (i % 5 == 0) bad.resize(random() % bad.size());
        std::string error;
        const auto info = read_code_object(bad, error);
        EXPECT_EQ(info.has_value(), error.empty());
    }
}

// What is loaded anew at an address where other code was is what runs.
TEST(CodeObjects, CodeThatReplacesOther) {
    std::string error;
    const auto device = ComputeDevice::make({.processor = "gfx900", .threads = 2}, error);
    Buffer<std::uint32_t> data(*device, 1);
    for (unsigned i = 0; i < 6; ++i) {
        const std::string source = fmt::format("__kernel void put(__global uint *data) {{ *data = {}; }}", 100 + i % 3);
        const auto code = device->load(compiled(source, "gfx900", "-O2"), {.name = "put.co", .symbols = {}}, error);
        ASSERT_TRUE(code) << error;
        const auto argument = reinterpret_cast<std::uint64_t>(data.data());
        std::vector<std::uint8_t> block(8);
        std::memcpy(block.data(), &argument, 8);
        const auto launch = device->launch(
            {.kernel = code->find_kernel("put"), .grid = {1, 1, 1}, .group = {1, 1, 1}, .arguments = block}, error);
        ASSERT_TRUE(launch) << error;
        ASSERT_TRUE(launch->wait().ok) << launch->wait().message;
        EXPECT_EQ(data[0], 100 + i % 3);
    }
}

}  // namespace
}  // namespace isaforge::test
