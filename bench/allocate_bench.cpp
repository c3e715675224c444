// The allocator on a made-up machine of 2,000 rows in 20 formats, and the minimiser on random covers.
#include <benchmark/benchmark.h>

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
    Bdd bdd;
    const Bdd::Ref wanted = three_hundred_cubes(bdd);
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
