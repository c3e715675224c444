// The allocator on a made-up machine of 2,000 rows in 20 formats, and the minimiser on random covers.
#include <benchmark/benchmark.h>

#include <random>

#include "allocator/bdd.hpp"
#include "allocator/cover.hpp"
#include "allocator/large_space.hpp"

namespace {

using namespace isaforge::allocator;

void allocate_2000_rows(benchmark::State& state) {
    const Problem problem = large_problem();
    for (auto _ : state) benchmark::DoNotOptimize(solve(problem).assignment);
}

void decide_2000_rows(benchmark::State& state) {
    const Problem problem = large_problem();
    for (auto _ : state) benchmark::DoNotOptimize(fits(problem, most_placements));
}

void minimise_300_cubes(benchmark::State& state) {
    std::mt19937_64 random(3);
    Bdd bdd;
    Bdd::Ref wanted = Bdd::none;
    for (unsigned i = 0; i < 300; ++i) {
        const Bits some = random(), more = random();
        const Bits mask = (some | more) & leading_bits(16);
        wanted = bdd.either(wanted, bdd.cube({mask, random() & mask}));
    }
    for (auto _ : state) {
        Bdd work = bdd;
        benchmark::DoNotOptimize(minimise(work, wanted, wanted));
    }
}

BENCHMARK(allocate_2000_rows)->Unit(benchmark::kMillisecond);
BENCHMARK(decide_2000_rows)->Unit(benchmark::kMillisecond);
BENCHMARK(minimise_300_cubes)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
