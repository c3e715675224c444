// Places that meanings assign: lanes of another size, lanes that are kept, single lanes, low parts, names for expressions; and
// leave().
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>

#include "semantics/bench_machine.hpp"

namespace isaforge {
namespace {

const char* const declarations = R"(registers v : 2 of u8 lanes 16 "v{n}"
registers w : 2 of u64 "w{n}"
registers s : 3 of u32 "s{n}"
where first = s[0], third = elements(v[2], 32), sum = s[1] + s[2]
function twice(x) = x + x
function check(x) { if x == 7 { s[7] = 1; leave() } }
)";

class Places : public testing::Test {
protected:
    using Bytes = std::array<std::uint8_t, 16>;

    void fill(BenchMachine& bench) {
        for (unsigned n = 0; n < 4; ++n)
            for (unsigned lane = 0; lane < 16; ++lane) {
                v[n][lane] = static_cast<std::uint8_t>(random());
                bench.set("v" + std::to_string(n), v[n][lane], lane);
            }
        for (unsigned n = 0; n < 4; ++n) bench.set("w" + std::to_string(n), w[n] = random());
        for (unsigned n = 0; n < 8; ++n)
            bench.set("s" + std::to_string(n), s[n] = static_cast<std::uint32_t>(random()));
    }
    void expect(BenchMachine& bench) {
        for (unsigned n = 0; n < 4; ++n)
            for (unsigned lane = 0; lane < 16; ++lane)
                ASSERT_EQ(bench.get("v" + std::to_string(n), lane), v[n][lane]) << "v" << n << " lane " << lane;
        for (unsigned n = 0; n < 4; ++n) ASSERT_EQ(bench.get("w" + std::to_string(n)), w[n]) << "w" << n;
        for (unsigned n = 0; n < 8; ++n) ASSERT_EQ(bench.get("s" + std::to_string(n)), s[n]) << "s" << n;
    }
    template <class T>
    T lane(unsigned n, unsigned i) const {
        T value;
        std::memcpy(&value, v[n].data() + i * sizeof(T), sizeof(T));
        return value;
    }
    template <class T>
    void set_lane(unsigned n, unsigned i, T value) {
        std::memcpy(v[n].data() + i * sizeof(T), &value, sizeof(T));
    }

    std::mt19937_64 random{11};
    Bytes v[4];
    std::uint64_t w[4];
    std::uint32_t s[8];
};

TEST_F(Places, LanesOfAnotherSizeAreAssigned) {
    BenchMachine bench(declarations, {"elements(v[0], 32) = elements(v[1], 32) + elements(v[2], 32)",
                                      "elements(v[0], 16, 3) = elements(v[0], 16, 3) - elements(v[1], 16, 3)",
                                      "elements(v[3], 64) = w[1]", "third = third + first",
                                      R"({ let x = elements(v[1], 32)
elements(v[1], 32) = elements(v[0], 32)
elements(v[0], 32) = x })"});
    ASSERT_TRUE(bench);
    for (int round = 0; round < 200; ++round) {
        fill(bench);
        bench.execute(0);
        for (unsigned i = 0; i < 4; ++i) set_lane(0, i, lane<std::uint32_t>(1, i) + lane<std::uint32_t>(2, i));
        expect(bench);
        bench.execute(1);
        for (unsigned i = 0; i < 3; ++i)
            set_lane(0, i, static_cast<std::uint16_t>(lane<std::uint16_t>(0, i) - lane<std::uint16_t>(1, i)));
        expect(bench);
        bench.execute(2);
        for (unsigned i = 0; i < 2; ++i) set_lane(3, i, w[1]);
        expect(bench);
        bench.execute(3);
        for (unsigned i = 0; i < 4; ++i) set_lane(2, i, lane<std::uint32_t>(2, i) + s[0]);
        expect(bench);
        bench.execute(4);
        std::swap(v[0], v[1]);
        expect(bench);
    }
}

TEST_F(Places, ProtectedLanesKeepWhatTheyHad) {
    BenchMachine bench(declarations,
                       {"elements(protect(v[0], s[0]), 32) = elements(v[1], 32)", "protect(v[1], 0x00ff) = v[2] + v[3]",
                        "protect(w[0], s[1]) = w[1]", "elements(protect(v[2], s[2]), 16, 5) = elements(v[3], 16, 5)",
                        "element(elements(protect(v[3], s[3]), 32), 2) = s[4]"});
    ASSERT_TRUE(bench);
    for (int round = 0; round < 300; ++round) {
        fill(bench);
        bench.execute(0);
        for (unsigned i = 0; i < 16; ++i)
            if ((s[0] >> i & 1) == 0) v[0][i] = v[1][i];
        expect(bench);
        bench.execute(1);
        for (unsigned i = 8; i < 16; ++i) v[1][i] = static_cast<std::uint8_t>(v[2][i] + v[3][i]);
        expect(bench);
        bench.execute(2);
        if ((s[1] & 1) == 0) w[0] = w[1];
        expect(bench);
        bench.execute(3);
        for (unsigned i = 0; i < 10; ++i)
            if ((s[2] >> i & 1) == 0) v[2][i] = v[3][i];
        expect(bench);
        bench.execute(4);
        for (unsigned i = 0; i < 4; ++i)
            if ((s[3] >> (8 + i) & 1) == 0) v[3][8 + i] = static_cast<std::uint8_t>(s[4] >> 8 * i);
        expect(bench);
    }
}

TEST_F(Places, PartsAndSingleLanes) {
    BenchMachine bench(
        declarations,
        {"w[0][31:0] = s[1]", "s[2][7:0] = s[3][15:8]", "extending(w[1], 16) = s[4][15:0]",
         "element(elements(v[0], 16), 5) = s[0][15:0]", "s[5] = element(elements(v[1], 32), 3)",
         "w[2][15:0] = w[2][15:0] + w[3][15:0]", "w[3] = u64(bits(w[0])) + u64(lanes(v[0])) + u64(number(v[3]))",
         "s[6] = s[1] + sum", "w[3] = s64(extending(w[1], 8))", "w[0] = u64(elements(v[3], 32, 1)) + 1"});
    ASSERT_TRUE(bench);
    for (int round = 0; round < 200; ++round) {
        fill(bench);
        bench.execute(0);
        w[0] = (w[0] & 0xffffffff00000000) | s[1];
        bench.execute(1);
        s[2] = (s[2] & 0xffffff00) | (s[3] >> 8 & 0xff);
        bench.execute(2);
        w[1] = static_cast<std::uint64_t>(static_cast<std::int16_t>(s[4]));
        bench.execute(3);
        set_lane(0, 5, static_cast<std::uint16_t>(s[0]));
        bench.execute(4);
        s[5] = lane<std::uint32_t>(1, 3);
        bench.execute(5);
        w[2] = (w[2] & ~std::uint64_t{0xffff}) | ((w[2] + w[3]) & 0xffff);
        bench.execute(6);
        w[3] = 64 + 16 + 3;
        bench.execute(7);
        s[6] = s[1] + s[1] + s[2];
        expect(bench);
        bench.execute(8);
        w[3] = w[1] & 0xff;
        expect(bench);
        bench.execute(9);
        w[0] = std::uint64_t{lane<std::uint32_t>(3, 0)} + 1;
        expect(bench);
    }
}

// next_place() counts in s7: each of these asks for a place once, reads it, and writes the same one.
TEST_F(Places, ACompoundAssignmentFindsItsTargetOnce) {
    const char* const more = R"(memory mem : u8 little
function next_place() { s[7] = s[7] + 1; return s[7] & 3 }
function cell() = mem.u32[256 + u64(next_place()) * 4]
function bump() { s[6] = s[6] + 1; return s[6] }
)";
    BenchMachine bench(std::string(declarations) + more,
                       {"mem.u32[0x100 + u64(next_place()) * 4] += s[5]", "s[next_place()] += s[5]", "cell() ^= s[5]",
                        "s[next_place()][15:8] += s[5][7:0]", "s[4][next_place()] ^= 1",
                        "element(elements(v[next_place()], 32), 2) += s[5]", "s[0] ++ s[next_place()] += w[0]",
                        "s[0], s[next_place()] -= w[0]", "w[next_place()] <<= 3", "s[6] += bump()",
                        "mem.u16[0x100 + u64(lane_numbers(2)) * u64(next_place())] += s[5][15:0]",
                        "elements(v[next_place()], 16) *= elements(v[0], 16)"});
    ASSERT_TRUE(bench);
    std::array<std::uint8_t, 32> cells{};
    for (int round = 0; round < 50; ++round) {
        fill(bench);
        for (std::uint8_t& each : cells) each = static_cast<std::uint8_t>(random());
        bench.machine().load_data(0, 0x100, cells);
        const auto cell = [&](unsigned offset, auto& value, bool store) {
            if (store) std::memcpy(cells.data() + offset, &value, sizeof value);
            if (!store) std::memcpy(&value, cells.data() + offset, sizeof value);
        };
        const auto change = [&](unsigned offset, auto by, auto how) {
            decltype(by) value{};
            cell(offset, value, false);
            value = static_cast<decltype(by)>(how(value, by));
            cell(offset, value, true);
        };
        const auto plus = [](auto a, auto b) { return a + b; };
        auto place = [&] { return ++s[7] & 3; };
        for (std::size_t line = 0; line < 12; ++line) {
            const RunResult result = bench.execute(line);
            ASSERT_TRUE(result.ok()) << result.message;
            const unsigned at = line == 9 ? 0 : place();
            const std::uint64_t both = std::uint64_t{s[0]} << 32 | s[at];
            switch (line) {
                case 0: change(at * 4, s[5], plus); break;
                case 1: s[at] += s[5]; break;
                case 2: change(at * 4, s[5], [](auto a, auto b) { return a ^ b; }); break;
                case 3: s[at] = (s[at] & 0xffff00ff) | (((s[at] >> 8) + s[5]) & 0xff) << 8; break;
                case 4: s[4] ^= 1u << at; break;
                case 5: set_lane(at, 2, lane<std::uint32_t>(at, 2) + s[5]); break;
                case 6:
                case 7: {
                    const std::uint64_t sum = line == 6 ? both + w[0] : both - w[0];
                    s[0] = static_cast<std::uint32_t>(sum >> 32);
                    s[at] = static_cast<std::uint32_t>(sum);
                    break;
                }
                case 8: w[at] <<= 3; break;
                case 9: s[6] += s[6] + 1; break;
                case 10: {
                    // Both lanes are loaded before one is stored.
                    std::uint16_t values[2];
                    for (unsigned i = 0; i < 2; ++i) cell(i * at, values[i], false);
                    for (unsigned i = 0; i < 2; ++i) {
                        auto sum = static_cast<std::uint16_t>(values[i] + s[5]);
                        cell(i * at, sum, true);
                    }
                    break;
                }
                default:
                    for (unsigned i = 0; i < 8; ++i) {
                        const unsigned product = unsigned{lane<std::uint16_t>(at, i)} * lane<std::uint16_t>(0, i);
                        set_lane(at, i, static_cast<std::uint16_t>(product));
                    }
            }
            expect(bench);
            std::array<std::uint8_t, 32> now{};
            ASSERT_TRUE(bench.machine().peek(0, 0x100, now));
            ASSERT_EQ(now, cells) << line;
        }
    }
}

TEST_F(Places, LeavingEndsTheInstruction) {
    BenchMachine bench(declarations, {"{ check(s[0]); s[1] = 5 }",
                                      "{ s[2] = 1; if s[3] == 0 { s[4] = 9; leave() } else "
                                      "{ s[4] = 8 }\ns[5] = 2 }",
                                      "{ leave(); s[0] = 1 }"});
    ASSERT_TRUE(bench);
    for (std::uint32_t chosen : {7u, 6u})
        for (std::uint32_t other : {0u, 3u}) {
            fill(bench);
            bench.set("s0", s[0] = chosen);
            bench.set("s3", s[3] = other);
            bench.execute(0);
            if (chosen == 7)
                s[7] = 1;
            else
                s[1] = 5;
            bench.execute(1);
            s[2] = 1;
            s[4] = other == 0 ? 9 : 8;
            if (other != 0) s[5] = 2;
            bench.execute(2);
            expect(bench);
        }
}

// The interleaved ways out of branches, run for so long that all links are made.
TEST_F(Places, BranchesFindTheirWay) {
    BenchMachine bench(declarations,
                       {"if s[0] < s[1] { pc = u32(3) }", "{ s[2] = s[2] + 1; s[0] = s[0] + 3; pc = u32(0) }", "stop()",
                        "{ s[3] = s[3] + 1; if s[1] != 0 { s[1] = s[1] - 1; pc = u32(1) } }",
                        "{ s[4] = next(); if s[5] == 9 { pc = u32(2) } else { s[5] = s[5] + 1; pc = u32(0) } }"});
    ASSERT_TRUE(bench);
    bench.program({0, 1, 2, 3, 4});
    fill(bench);
    for (unsigned n = 0; n < 8; ++n) bench.set("s" + std::to_string(n), s[n] = n == 1 ? 100 : 0);
    ASSERT_EQ(bench.machine().run(1'000'000).reason, StopReason::limit);
    for (unsigned pc = 0, steps = 0; steps < 1'000'000; ++steps) switch (pc) {
            case 0: pc = s[0] < s[1] ? 3 : 1; break;
            case 1: ++s[2], s[0] += 3, pc = 0; break;
            case 3:
                ++s[3];
                pc = s[1] != 0 ? (--s[1], 1) : 4;
                break;
            default: s[4] = 5, pc = s[5] == 9 ? 2 : (++s[5], 0); break;
        }
    expect(bench);
}

TEST_F(Places, GroupsChangePlaces) {
    BenchMachine bench(declarations, {"w[0] = swap_groups(w[1], w[2])", "s[0] = carryless_mul(s[1], s[2])",
                                      "s[3] = carryless_mul_high(s[1], s[2])", "w[3] = wide_quotient(w[0], w[1], w[2])",
                                      "w[3] = wide_remainder(w[0], w[1], w[2])"});
    ASSERT_TRUE(bench);
    for (int round = 0; round < 500; ++round) {
        fill(bench);
        bench.execute(0);
        unsigned size = 1u << w[2] % 6;
        std::uint64_t swapped = 0;
        for (unsigned bit = 0; bit < 64; ++bit)
            swapped |= (w[1] >> bit & 1) << (bit / size % 2 == 0 ? bit + size : bit - size);
        w[0] = swapped;
        bench.execute(1);
        bench.execute(2);
        std::uint64_t product = 0;
        for (unsigned bit = 0; bit < 32; ++bit)
            if ((s[2] >> bit & 1) != 0) product ^= std::uint64_t{s[1]} << bit;
        s[0] = static_cast<std::uint32_t>(product);
        s[3] = static_cast<std::uint32_t>(product >> 32);
        expect(bench);
        if (round % 2 == 0) bench.set("w0", w[0] >>= random() % 64);
        std::uint64_t quotient = 0, rest = w[0];  // by shifting and subtracting
        bool fits = w[2] > w[0];
        for (unsigned bit = 64; fits && bit-- > 0;) {
            bool carry = rest >> 63 != 0;
            rest = rest << 1 | (w[1] >> bit & 1);
            if (carry || rest >= w[2]) rest -= w[2], quotient |= std::uint64_t{1} << bit;
        }
        bench.execute(3);
        w[3] = fits ? quotient : ~std::uint64_t{0};
        expect(bench);
        bench.execute(4);
        w[3] = fits ? rest : w[1];
        expect(bench);
    }
}

}  // namespace
}  // namespace isaforge
