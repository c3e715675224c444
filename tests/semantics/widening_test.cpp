// Unsigned values beside wider ones: as if the conversion were written out.
#include <gtest/gtest.h>

#include <random>

#include "semantics/bench_machine.hpp"

namespace isaforge {
namespace {

const char* const declarations = R"(registers w : 2 of u64 "w{n}"
registers s : 2 of u32 "s{n}"
registers b : 2 of u8 "b{n}"
registers f : 2 of u1 "f{n}"
registers t : 2 of u5 "t{n}"
registers v : 2 of u32 lanes 8 "v{n}"
registers c : 2 of u8 lanes 8 "c{n}"
memory mem : u8 little
function narrow_first(x, y, k) { if k { return x }
                                 return y }
function three(x, y, z, k, l) { if k { return x } else if l { return y } else { return z } }
)";

// What is written, and the same with conversions; `D` is where the result goes.
struct Pair {
    const char* shorter;
    const char* longer;
};
const Pair pairs[] = {
    {"s[0] = s[1] + b[1]", "s[0] = s[1] + u32(b[1])"},
    {"s[0] = b[1] - s[1]", "s[0] = u32(b[1]) - s[1]"},
    {"w[0] = w[1] * t[1]", "w[0] = w[1] * u64(t[1])"},
    {"w[0] = w[1] / s[1]", "w[0] = w[1] / u64(s[1])"},
    {"s[0] = b[1] % t[1]", "s[0] = u32(b[1] % u8(t[1]))"},
    {"s[0] = s[1] & f[1] | b[1] ^ t[1]", "s[0] = s[1] & u32(f[1]) | u32(b[1] ^ u8(t[1]))"},
    {"f[0] = s[1] < b[1]", "f[0] = s[1] < u32(b[1])"},
    {"f[0] = f[1] == b[1]", "f[0] = u8(f[1]) == b[1]"},
    {"f[0] = t[1] >= s[1]", "f[0] = u32(t[1]) >= s[1]"},
    {"w[0] = f[1] ? s[1] : w[1]", "w[0] = f[1] ? u64(s[1]) : w[1]"},
    {"w[0] = b[1] >> t[1]", "w[0] = u64(b[1] >> t[1])"},
    {"s[0] += f[1]", "s[0] = s[0] + u32(f[1])"},
    {"s[0] <<= b[1]", "s[0] = s[0] << b[1]"},
    {"s[0][15:8] = t[1]", "s[0][15:8] = u8(t[1])"},
    {"mem.u32[64] = b[1]; s[0] = mem.u32[64]", "mem.u32[64] = u32(b[1]); s[0] = mem.u32[64]"},
    {"mem.u64[64] = w[1]; s[0] = mem.u16[64]", "mem.u64[64] = w[1]; s[0] = u32(mem.u16[64])"},
    {"s[0] = min(s[1], b[1]) + max(t[1], b[1])", "s[0] = min(s[1], u32(b[1])) + u32(max(u8(t[1]), b[1]))"},
    {"f[0] = add_carry(s[1], b[1], f[1])", "f[0] = add_carry(s[1], u32(b[1]), f[1])"},
    {"s[0] = mul_high_unsigned(b[1], s[1])", "s[0] = mul_high_unsigned(u32(b[1]), s[1])"},
    {"w[0] = narrow_first(b[1], s[1], f[1])", "w[0] = u64(narrow_first(u32(b[1]), s[1], f[1]))"},
    {"w[0] = narrow_first(s[1], b[1], f[1])", "w[0] = u64(narrow_first(s[1], u32(b[1]), f[1]))"},
    {"w[0] = three(t[1], w[1], b[1], f[1], t[1][0])", "w[0] = three(u64(t[1]), w[1], u64(b[1]), f[1], t[1][0])"},
    {"{ let x = s[1]; x = b[1]; s[0] = x }", "s[0] = u32(b[1])"},
    {"v[0] = v[1] + c[1]", "v[0] = v[1] + u32(c[1])"},
    {"v[0] = v[1] - b[1]", "v[0] = v[1] - u32(b[1])"},
    {"v[0] = v[1] < c[1]", "v[0] = u32(v[1] < u32(c[1]))"},
    {"v[0] = f[1]", "v[0] = u32(f[1])"},
    {"c[0] = v[1][3:0]", "c[0] = u8(v[1][3:0])"},
};

TEST(Widening, IsAsIfItWereWritten) {
    std::vector<std::string> meanings;
    for (const Pair& pair : pairs) {
        meanings.emplace_back(pair.shorter);
        meanings.emplace_back(pair.longer);
    }
    BenchMachine bench(declarations, meanings);
    ASSERT_TRUE(bench);
    std::mt19937_64 random{5};
    struct File {
        const char* name;
        unsigned bits, lanes;
    };
    const File files[] = {{"w", 64, 1}, {"s", 32, 1}, {"b", 8, 1}, {"f", 1, 1}, {"t", 5, 1}, {"v", 32, 8}, {"c", 8, 8}};
    for (int round = 0; round < 100; ++round) {
        for (std::size_t i = 0; i < std::size(pairs); ++i) {
            const auto seed = random();
            std::vector<std::uint64_t> results[2];
            for (std::size_t side = 0; side < 2; ++side) {
                std::mt19937_64 same{seed};
                for (const File& file : files)
                    for (unsigned n = 0; n < 4; ++n)
                        for (unsigned lane = 0; lane < file.lanes; ++lane)
                            bench.set(file.name + std::to_string(n), edgy(same, file.bits), lane);
                ASSERT_TRUE(bench.execute(2 * i + side).ok());
                for (const File& file : files)
                    for (unsigned n = 0; n < 4; ++n)
                        for (unsigned lane = 0; lane < file.lanes; ++lane)
                            results[side].push_back(bench.get(file.name + std::to_string(n), lane));
            }
            ASSERT_EQ(results[0], results[1]) << pairs[i].shorter;
        }
    }
}

}  // namespace
}  // namespace isaforge
