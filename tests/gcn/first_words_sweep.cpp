// All 2^32 first words of each generation, with some second words: each is no instruction, or its text assembles back to
// exactly these bits. Like the other sweeps it can do one part of many: `--shard K/N`, K from 0; `--isa NAME` is one
// generation, and `--threads N` how many work at once. The last line for each says how many words passed and failed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "gcn/first_words.hpp"

namespace isaforge::test {
namespace {

struct Plan {
    std::vector<std::string> generations{"gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4"};
    unsigned shard = 0, shards = 1, threads = std::max(1u, std::thread::hardware_concurrency());
};

bool read_plan(int count, char** arguments, Plan& plan) {
    for (int i = 1; i < count; i += 2) {
        const std::string option = arguments[i];
        if (i + 1 >= count) return false;
        if (option == "--shard") {
            if (std::sscanf(arguments[i + 1], "%u/%u", &plan.shard, &plan.shards) != 2 || plan.shard >= plan.shards)
                return false;
        } else if (option == "--isa") {
            plan.generations = {arguments[i + 1]};
        } else if (option == "--threads") {
            plan.threads = static_cast<unsigned>(std::strtoul(arguments[i + 1], nullptr, 10));
            if (plan.threads == 0 || plan.threads > 1024) return false;
        } else {
            return false;
        }
    }
    return true;
}

// Words from `begin` to `end`, mixed so that instructions are as frequent in each part.
struct Part {
    std::uint64_t begin, end;
    WordCounts counts;
    std::string failures;

    void run(const Codec& codec, const std::string& name) {
        constexpr std::uint64_t report_every = std::uint64_t{1} << 25;
        FirstWords words(codec);
        const auto start = std::chrono::steady_clock::now();
        for (std::uint64_t index = begin; index < end; ++index) {
            words.check(static_cast<std::uint32_t>(index) * 2654435761u);
            if ((index + 1 - begin) % report_every != 0) continue;
            const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
            const double done = static_cast<double>(index + 1 - begin) / static_cast<double>(end - begin);
            std::fprintf(stderr, "%s: %5.1f %%, %.0f s of about %.0f s\n", name.c_str(), 100 * done, seconds.count(),
                         seconds.count() / done);
        }
        counts = words.counts();
        failures = words.failures();
    }
};

bool sweep(const std::string& name, const Plan& plan) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(name, sources, diagnostics);
    if (!isa) {
        std::fputs(to_text(diagnostics, sources).c_str(), stderr);
        return false;
    }
    const Codec codec(isa);
    const std::uint64_t parts = std::uint64_t{plan.shards} * plan.threads;
    const auto boundary = [&](std::uint64_t part) {
        const std::uint64_t words = std::uint64_t{1} << 32;
        return words / parts * part + words % parts * part / parts;
    };
    std::vector<Part> work;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < plan.threads; ++i) {
        const std::uint64_t part = std::uint64_t{plan.shard} * plan.threads + i;
        work.push_back({boundary(part), boundary(part + 1), {}, {}});
    }
    for (Part& part : work) threads.emplace_back([&] { part.run(codec, name); });
    WordCounts sum;
    for (unsigned i = 0; i < plan.threads; ++i) {
        threads[i].join();
        sum.add(work[i].counts);
        std::fputs(work[i].failures.c_str(), stdout);
    }
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf("%s: %llu instructions: %llu come back, %llu have a shorter form, %llu read too much\n", name.c_str(),
                number(sum.instructions), number(sum.returned), number(sum.shorter), number(sum.refused));
    std::printf("%s: %llu words passed, %llu failed\n", name.c_str(), number(sum.words), number(sum.failed));
    return sum.failed == 0;
}

int run(int count, char** arguments) {
    Plan plan;
    if (!read_plan(count, arguments, plan)) {
        std::fprintf(stderr, "usage: %s [--isa NAME] [--shard K/N] [--threads N]   with K from 0 to N - 1\n",
                     arguments[0]);
        return 2;
    }
    bool good = true;
    for (const std::string& name : plan.generations) good = sweep(name, plan) && good;
    return good ? 0 : 1;
}

}  // namespace
}  // namespace isaforge::test

int main(int count, char** arguments) { return isaforge::test::run(count, arguments); }
