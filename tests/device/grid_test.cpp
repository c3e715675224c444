// What groups of a dispatch share beside memory: global wave sync, at which they wait for each other, and the global data share.
#include <algorithm>
#include <numeric>
#include <set>

#include "device/kernels.hpp"
#include "effort.hpp"

namespace isaforge::test {
namespace {

constexpr const char* kernels = R"cl(
#include "items.h"
void wait_for_grid(uint groups) {
    meet();
    if (local_x() == 0) __builtin_amdgcn_ds_gws_barrier(groups - 1, 5);
    meet();
}
__kernel void init(uint value) { __builtin_amdgcn_ds_gws_init(value, 5); }
// Each group adds to its number what the next one has come to.
__kernel void add_next(__global uint *data, uint groups, uint rounds) {
    for (uint round = 0; round < rounds; ++round) {
        uint next = data[(group_x() + 1) % groups];
        wait_for_grid(groups);
        if (local_x() == 0) data[group_x()] += next;
        wait_for_grid(groups);
    }
}
// Of all groups but the first each one may go on when the first has said so, one after the other or all at once.
__kernel void one_by_one(__global uint *data) {
    if (group_x() == 0) {
        __builtin_amdgcn_ds_gws_sema_v(5);
        __builtin_amdgcn_ds_gws_sema_br(__builtin_amdgcn_workgroup_id_x() + 2, 5);
    } else {
        __builtin_amdgcn_ds_gws_sema_p(5);
        if (local_x() == 0) data[__atomic_fetch_add(data, 1, __ATOMIC_RELAXED) + 1] = group_x();
    }
}
__kernel void until_released(__global uint *data, uint groups) {
    if (group_x() != 0) {
        if (local_x() == 0) __atomic_fetch_add(data, 1, __ATOMIC_RELAXED);
        __builtin_amdgcn_ds_gws_sema_p(6);
        if (local_x() == 0) __atomic_fetch_add(data + 1, 1, __ATOMIC_RELAXED);
    } else {
        while (__atomic_fetch_add(data, 0, __ATOMIC_RELAXED) != groups - 1) {}
        while (__atomic_fetch_add(data + 1, 0, __ATOMIC_RELAXED) != groups - 1) __builtin_amdgcn_ds_gws_sema_release_all(6);
    }
}
// The global data share from byte 256 on, 64 bytes of it.
#define WITH_SHARE "s_mov_b32 m0, 0x01000040\n s_nop 0\n "
__kernel void count(__global uint *out) {
    uint at = 16, one = 1, added, appended;
    __asm volatile(WITH_SHARE "ds_add_rtn_u32 %0, %1, %2 offset:4 gds\n s_waitcnt lgkmcnt(0)" : "=&v"(added) : "v"(at), "v"(one));
    __asm volatile(WITH_SHARE "ds_append %0 offset:8 gds\n s_waitcnt lgkmcnt(0)" : "=&v"(appended));
    out[2 * global_x()] = added;
    out[2 * global_x() + 1] = appended;
}
__kernel void ends(__global uint *out) {
    uint at = 60, beyond = 64, value = 77, read = 1, nothing = 1;
    __asm volatile(WITH_SHARE "ds_write_b32 %2, %4 gds\n ds_write_b32 %3, %4 gds\n ds_read_b32 %0, %2 gds\n ds_read_b32 %1, %3 gds\n"
                   "s_waitcnt lgkmcnt(0)" : "=&v"(read), "=&v"(nothing) : "v"(at), "v"(beyond), "v"(value));
    out[0] = read;
    out[1] = nothing;
}
)cl";

struct Setting {
    const char* processor;
    unsigned threads;
    Engine engine;
};

class Grids : public testing::TestWithParam<Setting> {
protected:
    explicit Grids(const Checks& checks = {})
        : bench_({.processor = GetParam().processor,
                  .threads = GetParam().threads,
                  .engine = GetParam().engine,
                  .checks = checks},
                 compiled(kernels, GetParam().processor, "-O2 -cl-std=CL2.0")) {}
    void SetUp() override { ASSERT_TRUE(bench_.code); }
    ComputeDevice& device() { return *bench_.device; }

    void add_next(std::uint32_t groups) {
        std::vector<std::uint32_t> expected(groups), next(groups);
        std::iota(expected.begin(), expected.end(), 0);
        Buffer<std::uint32_t> data(device(), expected);
        for (int round = 0; round < 5; ++round) {
            std::rotate_copy(expected.begin(), expected.begin() + 1, expected.end(), next.begin());
            for (std::size_t i = 0; i < groups; ++i) expected[i] += next[i];
        }
        bench_.run("init", {64, 1, 1}, {64, 1, 1}, groups - 1);
        bench_.run("add_next", {128 * groups, 1, 1}, {128, 1, 1}, data, groups, std::uint32_t{5});
        EXPECT_EQ(data.values(), expected);
    }

    Bench bench_;
};

TEST_P(Grids, WaitForAllTheirGroups) { add_next(20); }

// More groups begin than usually live at the same time, for those that live wait for them.
TEST_P(Grids, GroupsThatWaitMakeWay) { add_next(device().resident_wavefronts()); }

// The resource knows nothing of what waited there before.
TEST_P(Grids, OneAfterTheOther) {
    for (const std::uint32_t groups : {7u, 1u, 12u}) add_next(groups);
}

TEST_P(Grids, SemaphoresLetSoManyGoOn) {
    Buffer<std::uint32_t> data(device(), std::vector<std::uint32_t>(4));
    bench_.run("init", {64, 1, 1}, {64, 1, 1}, std::uint32_t{0});
    bench_.run("one_by_one", {64 * 4, 1, 1}, {64, 1, 1}, data);
    EXPECT_EQ(data[0], 3u);
    EXPECT_EQ((std::set<std::uint32_t>{data[1], data[2], data[3]}), (std::set<std::uint32_t>{1, 2, 3}));
}

TEST_P(Grids, SemaphoresLetAllGoOn) {
    Buffer<std::uint32_t> data(device(), std::vector<std::uint32_t>(2));
    bench_.run("until_released", {64 * 10, 1, 1}, {64, 1, 1}, data, std::uint32_t{10});
    EXPECT_EQ(data.values(), (std::vector<std::uint32_t>{9, 9}));
}

// Whoever waits for what will not come is told where.
TEST_P(Grids, ADeadlockIsAnError) {
    Buffer<std::uint32_t> data(device(), std::vector<std::uint32_t>(4));
    bench_.run("init", {64, 1, 1}, {64, 1, 1}, std::uint32_t{4});
    const LaunchResult result =
        bench_.try_run("add_next", {64 * 4, 1, 1}, {64, 1, 1}, data, std::uint32_t{4}, std::uint32_t{1});
    EXPECT_FALSE(result.ok);
    EXPECT_NE(result.message.find("nothing will end the waiting before"), std::string::npos) << result.message;
    EXPECT_NE(result.message.find("ds_gws_barrier"), std::string::npos) << result.message;
    add_next(3);   // the device is as good as before
}

TEST_P(Grids, NoMoreGroupsThanThereIsRoomFor) {
    constexpr std::uint32_t groups = 1000;
    Buffer<std::uint32_t> data(device(), groups);
    bench_.run("init", {64, 1, 1}, {64, 1, 1}, groups - 1);
    const LaunchResult result =
        bench_.try_run("add_next", {64 * groups, 1, 1}, {64, 1, 1}, data, groups, std::uint32_t{1});
    EXPECT_FALSE(result.ok);
    EXPECT_NE(result.message.find("of 1000 groups have not begun"), std::string::npos) << result.message;
}

TEST_P(Grids, HaveADataShare) {
    constexpr std::uint32_t items = 64 * 20;
    for (std::uint32_t first = 0; first < 2 * items; first += items) {   // it keeps what it has
        Buffer<std::uint32_t> out(device(), 2 * items);
        bench_.run("count", {items, 1, 1}, {64, 1, 1}, out);
        std::vector<std::uint32_t> added, expected(items);
        std::map<std::uint32_t, unsigned> appended;
        for (std::uint32_t i = 0; i < items; ++i) {
            added.push_back(out[2 * i]);
            ++appended[out[2 * i + 1]];
        }
        std::sort(added.begin(), added.end());
        std::iota(expected.begin(), expected.end(), first);
        EXPECT_EQ(added, expected);
        ASSERT_EQ(appended.size(), 20u);
        for (const auto& [before, lanes] : appended) {
            EXPECT_EQ(before % 64, 0u);
            EXPECT_TRUE(before >= first && before < first + items) << before;
            EXPECT_EQ(lanes, 64u);
        }
    }
}

TEST_P(Grids, SeeOfTheDataShareWhatM0Says) {
    Buffer<std::uint32_t> out(device(), 2);
    bench_.run("ends", {1, 1, 1}, {64, 1, 1}, out);
    EXPECT_EQ(out.values(), (std::vector<std::uint32_t>{77, 0}));
}

// What comes before the grid's barrier is in order with what comes behind it.
class WatchedGrids : public Grids {
protected:
    WatchedGrids() : Grids(all_checks) {}
};

TEST_P(WatchedGrids, AreInOrder) {
    add_next(40);
    for (const Finding& finding : device().findings())
        ADD_FAILURE() << fmt::format("{:#x} {}: {}: {}", finding.address, finding.text, finding.check, finding.message);
}

// A sample is every second, another one for each processor.
std::vector<Setting> settings() {
    std::vector<Setting> made;
    bool is_taken = true;
    for (const char* processor : {"gfx700", "gfx803", "gfx900"}) {
        for (const auto& [threads, engine] : {std::pair(1u, Engine::interpreter), std::pair(2u, Engine::interpreter),
                                              std::pair(2u, Engine::compiler), std::pair(1u, Engine::compiler)}) {
            if (is_taken || effort() > 1) made.push_back({processor, threads, engine});
            is_taken = !is_taken;
        }
        is_taken = !is_taken;
    }
    return made;
}

std::string name_of(const testing::TestParamInfo<Setting>& each) {
    return fmt::format("{}_{}_{}", each.param.processor, each.param.threads,
                       each.param.engine == Engine::compiler ? "compiled" : "interpreted");
}

INSTANTIATE_TEST_SUITE_P(All, Grids, testing::ValuesIn(settings()), name_of);
INSTANTIATE_TEST_SUITE_P(All, WatchedGrids, testing::ValuesIn(settings()), name_of);

}  // namespace
}  // namespace isaforge::test
