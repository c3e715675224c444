// Dispatches on a machine of the test's own: registers that are set, groups that follow each other in the same place, faults,
// storage that comes and goes while harts run.
#include "machine/dispatcher.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <numeric>
#include <thread>

namespace isaforge {
namespace {

constexpr const char* description = R"(isa dispatches "Dispatches"
constant pc_bits = 64
code unit 16 little
registers r : 3 of u64 "r{n}"
registers v : 3 of u32 lanes 4 "v{n}"
memory data : u8 little holds code
memory own  : u8 little per group
format F | OP:8 | D:r | A:r | -:2 |
instructions F [OP] "{name} {D}, {A}" {
    1  add    D = D + A
    2  put    data.u64[D] = A
    3  get    D = data.u64[A]
    5  keep   own.u64[8 * u64(hart() % 2)] = D
    6  other  D = own.u64[8 - 8 * u64(hart() % 2)]
    7  meet   barrier()
    8  halt   stop()
    9  pass   yield()
    10 spread { v[1] = v[1] + 5
                v[2] = v[2] + 5 }
    11 sum    D = D + u64(element(v[1], 0)) + u64(element(v[2], 1))
    12 wait   { if data.u64[A] == 0 { pc = pc } }
}
)";

enum Code : std::uint16_t { add = 1, put, get, keep = 5, other, meet, halt, pass, spread, sum, wait };
std::uint16_t word(Code code, unsigned d = 0, unsigned a = 0) {
    return static_cast<std::uint16_t>(code << 8 | d << 5 | a << 2);
}

class Bench {
public:
    explicit Bench(unsigned threads, const std::vector<std::uint16_t>& words, Engine engine = Engine::automatic)
        : code_(words) {
        SourceManager sources;
        Diagnostics diagnostics;
        const auto isa = load_isa_text("dispatches.isa", description, sources, diagnostics);
        if (!isa) throw std::runtime_error(to_text(diagnostics, sources));
        MachineOptions options;
        options.engine = engine;
        dispatcher = std::make_unique<machine::Dispatcher>(std::make_shared<const Codec>(isa), options, threads);
        give(code_, {.read = true, .write = false, .execute = true});
    }

    template <typename T>
    std::uint64_t give(std::vector<T>& values, Permissions permissions = {}) {
        const auto address = reinterpret_cast<std::uint64_t>(values.data());
        const std::span bytes(reinterpret_cast<std::uint8_t*>(values.data()), values.size() * sizeof(T));
        EXPECT_EQ(dispatcher->add_storage(address, bytes, permissions, "given"), "");
        return address;
    }
    template <typename T>
    void take(std::vector<T>& values) {
        dispatcher->remove_storage(reinterpret_cast<std::uint64_t>(values.data()), values.size() * sizeof(T));
    }

    void start(machine::Dispatch& dispatch) {
        dispatch.address = reinterpret_cast<std::uint64_t>(code_.data());
        dispatch.completed = [this](machine::Dispatch&) {
            const std::lock_guard guard(lock_);
            ++completed_;
            changed_.notify_all();
        };
        EXPECT_TRUE(dispatcher->start(dispatch));
    }
    void wait_for(unsigned count) {
        std::unique_lock guard(lock_);
        changed_.wait(guard, [&] { return completed_ == count; });
    }
    void run(machine::Dispatch& dispatch) {
        completed_ = 0;
        start(dispatch);
        wait_for(1);
    }

    std::unique_ptr<machine::Dispatcher> dispatcher;

private:
    std::vector<std::uint16_t> code_;
    std::mutex lock_;
    std::condition_variable changed_;
    unsigned completed_ = 0;
};

constexpr Index r = 0, v = 1;

// Each hart begins with what is set and nothing else, whoever was in its place before.
TEST(Dispatcher, RegistersAreSetOrZero) {
    for (const Engine engine : {Engine::interpreter, Engine::compiler})
        for (const unsigned threads : {1u, 3u}) {
            // r3 is zero, or what the harts before have left there.
            Bench bench(threads, {word(spread), word(sum, 3), word(add, 3, 2), word(put, 1, 3), word(halt)}, engine);
            std::vector<std::uint64_t> out(3000);
            const std::uint64_t address = bench.give(out);
            machine::Dispatch dispatch;
            dispatch.groups = 1000;
            dispatch.group_harts = 3;
            dispatch.set_up = [&](machine::HartRegisters& registers, const machine::HartPlace& place) {
                const std::uint64_t hart = place.group * 3 + place.number;
                registers.set(r, 1, address + 8 * hart);
                registers.set(r, 2, hart);
                const std::uint32_t lanes[] = {100, 1, 2, 3};
                if (hart % 2 == 0) registers.set_lanes(v, 1, lanes);
                return hart % 7 != 0;
            };
            bench.run(dispatch);
            ASSERT_FALSE(dispatch.failed) << dispatch.fault.message;
            for (std::uint64_t hart = 0; hart < 3000; ++hart)
                ASSERT_EQ(out[hart], hart % 7 == 0 ? 0 : hart + 10 + (hart % 2 == 0 ? 100 : 0)) << hart;
        }
}

TEST(Dispatcher, GroupsHaveMemoryOfTheirOwn) {
    Bench bench(2, {word(other, 3), word(put, 1, 3), word(meet), word(keep, 2), word(meet), word(other, 3),
                    word(put, 4, 3), word(halt)});
    std::vector<std::uint64_t> before(400, 1), after(400);
    const std::uint64_t first = bench.give(before), second = bench.give(after);
    machine::Dispatch dispatch;
    dispatch.groups = 200;
    dispatch.group_harts = 2;
    dispatch.group_memory = {0, 16};
    dispatch.set_up = [&](machine::HartRegisters& registers, const machine::HartPlace& place) {
        const std::uint64_t hart = place.group * 2 + place.number;
        registers.set(r, 1, first + 8 * hart);
        registers.set(r, 4, second + 8 * hart);
        registers.set(r, 2, 1000 + hart);
        return true;
    };
    bench.run(dispatch);
    ASSERT_FALSE(dispatch.failed) << dispatch.fault.message;
    for (std::uint64_t hart = 0; hart < 400; ++hart) {
        ASSERT_EQ(before[hart], 0u);
        ASSERT_EQ(after[hart], 1000 + (hart ^ 1));
    }
    // As much as was asked for, and no more.
    dispatch.group_memory = {0, 8};
    dispatch.begun = dispatch.ended = 0;
    bench.run(dispatch);
    EXPECT_TRUE(dispatch.failed);
    EXPECT_EQ(dispatch.fault.data_address, 8u);
}

TEST(Dispatcher, AFaultEndsItAndIsTold) {
    Bench bench(2, {word(add, 3, 2), word(get, 3, 1), word(halt)});
    machine::Dispatch dispatch;
    dispatch.groups = 100000;
    dispatch.set_up = [&](machine::HartRegisters& registers, const machine::HartPlace& place) {
        registers.set(r, 1, 0x1234);
        registers.set(r, 2, place.group);
        return true;
    };
    dispatch.look_at = [](const machine::HartRegisters& registers) { return registers.get(r, 3); };
    bench.run(dispatch);
    ASSERT_TRUE(dispatch.failed);
    EXPECT_EQ(dispatch.fault.reason, StopReason::bad_read);
    EXPECT_EQ(dispatch.fault.data_address, 0x1234u);
    EXPECT_EQ(dispatch.fault.text, "get r3, r1");
    EXPECT_EQ(dispatch.fault.seen, dispatch.fault.place.group);
    EXPECT_LT(dispatch.instructions, 10000u);
}

// A hart that runs sees what is mapped while it runs, and what is not there any more it does not touch.
TEST(Dispatcher, StorageComesAndGoes) {
    Bench bench(2, {word(wait, 0, 1), word(get, 3, 2), word(put, 2, 3), word(halt)});
    std::vector<std::uint64_t> flag(1);
    const std::uint64_t address = bench.give(flag);
    std::vector<std::uint64_t> late(1, 77);
    machine::Dispatch dispatch;
    dispatch.groups = 50;
    dispatch.set_up = [&](machine::HartRegisters& registers, const machine::HartPlace&) {
        registers.set(r, 1, address);
        registers.set(r, 2, reinterpret_cast<std::uint64_t>(late.data()));
        return true;
    };
    bench.start(dispatch);
    for (int i = 0; i < 50; ++i) {
        std::vector<std::uint64_t> passing(100);
        bench.give(passing);
        bench.take(passing);
    }
    bench.give(late);
    std::atomic_ref(flag[0]).store(1);
    bench.wait_for(1);
    EXPECT_FALSE(dispatch.failed) << dispatch.fault.message;
}

TEST(Dispatcher, SeveralAtTheSameTimeAndAnEndOfTheirOwn) {
    std::vector<std::uint64_t> flag(1);
    machine::Dispatch waits, endless;
    {
        Bench bench(1, {word(wait, 0, 1), word(halt)});
        const std::uint64_t address = bench.give(flag);
        std::vector<std::uint64_t> never(1);
        const std::uint64_t other = bench.give(never);
        waits.groups = endless.groups = 300;
        waits.set_up = [address](machine::HartRegisters& registers, const machine::HartPlace&) {
            registers.set(r, 1, address);
            return true;
        };
        endless.set_up = [other](machine::HartRegisters& registers, const machine::HartPlace&) {
            registers.set(r, 1, other);
            return true;
        };
        bench.start(endless);
        bench.start(waits);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        std::atomic_ref(flag[0]).store(1);
        bench.wait_for(1);
        EXPECT_FALSE(waits.failed) << waits.fault.message;
        EXPECT_FALSE(endless.failed);
        bench.dispatcher->end(endless, "enough");
        bench.wait_for(2);
        EXPECT_EQ(endless.fault.message, "enough");
    }
}

}  // namespace
}  // namespace isaforge
