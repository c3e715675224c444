#include "allocator/cover.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace isaforge::allocator {

namespace {

using Ref = Bdd::Ref;

constexpr std::size_t most_cubes = 1u << 14;  // of a cover; past them the last cubes are missing
constexpr unsigned most_rounds = 6;

class QuickCover {
public:
    explicit QuickCover(Bdd& bdd) : bdd_(bdd) {}

    // Adds cubes below `prefix` for wanted..allowed; gives the set that they hold.
    Ref cover(Ref wanted, Ref allowed, const Cube& prefix) {
        if (wanted == Bdd::none || cubes.size() >= most_cubes) return Bdd::none;
        if (allowed == Bdd::all) {
            cubes.push_back(prefix);
            return Bdd::all;
        }
        const unsigned level = std::min(bdd_.level(wanted), bdd_.level(allowed));
        const Ref wanted0 = bdd_.half(wanted, level, false), wanted1 = bdd_.half(wanted, level, true);
        const Ref allowed0 = bdd_.half(allowed, level, false), allowed1 = bdd_.half(allowed, level, true);
        const Bits bit = leading_bit(level);
        // What only one half allows needs this bit; the rest is covered without looking at it.
        const Ref low = cover(bdd_.without(wanted0, allowed1), allowed0, {prefix.mask | bit, prefix.value});
        const Ref high = cover(bdd_.without(wanted1, allowed0), allowed1, {prefix.mask | bit, prefix.value | bit});
        const Ref rest = bdd_.either(bdd_.without(wanted0, low), bdd_.without(wanted1, high));
        const Ref shared = cover(rest, bdd_.both(allowed0, allowed1), prefix);
        return bdd_.node(level, bdd_.either(low, shared), bdd_.either(high, shared));
    }

    std::vector<Cube> cubes;

private:
    Bdd& bdd_;
};

unsigned literals(const std::vector<Cube>& cover) {
    unsigned sum = 0;
    for (const Cube& cube : cover) sum += static_cast<unsigned>(std::popcount(cube.mask));
    return sum;
}

std::pair<std::size_t, unsigned> size_of(const std::vector<Cube>& cover) { return {cover.size(), literals(cover)}; }

class Improver {
public:
    Improver(Bdd& bdd, Ref wanted, Ref allowed) : bdd_(bdd), wanted_(wanted), allowed_(allowed) {}

    // Makes each cube a prime by dropping literals: first those that the fewest other cubes have.
    void expand(std::vector<Cube>& cover, bool from_the_end) {
        unsigned uses[64] = {};
        for (const Cube& cube : cover) {
            for (unsigned i = 0; i < 64; ++i) uses[i] += (cube.mask & leading_bit(i)) != 0;
        }
        std::vector<unsigned> order;
        for (unsigned i = 0; i < 64; ++i) {
            if (uses[i] != 0) order.push_back(i);
        }
        if (from_the_end) std::reverse(order.begin(), order.end());
        std::stable_sort(order.begin(), order.end(), [&](unsigned a, unsigned b) { return uses[a] < uses[b]; });
        for (Cube& cube : cover) {
            for (const unsigned i : order) {
                if (!(cube.mask & leading_bit(i))) continue;
                const Bits mask = cube.mask & ~leading_bit(i);
                const Cube larger{mask, cube.value & mask};
                if (bdd_.contains(allowed_, bdd_.cube(larger))) cube = larger;
            }
        }
    }

    // Leaves out what the others hold: the cubes with the most literals first.
    void leave_out_redundant(std::vector<Cube>& cover) {
        std::stable_sort(cover.begin(), cover.end(),
                         [](const Cube& a, const Cube& b) { return std::popcount(a.mask) > std::popcount(b.mask); });
        const std::vector<Ref> behind = unions_behind(cover);
        std::vector<Cube> kept;
        Ref before = Bdd::none;
        for (std::size_t i = 0; i < cover.size(); ++i) {
            const Ref cube = bdd_.cube(cover[i]);
            if (bdd_.contains(bdd_.either(before, behind[i + 1]), bdd_.both(cube, wanted_))) continue;
            before = bdd_.either(before, cube);
            kept.push_back(cover[i]);
        }
        cover = std::move(kept);
    }

    // Shrinks each cube to what no other holds, so that it can expand to another side.
    void reduce(std::vector<Cube>& cover) {
        const std::vector<Ref> behind = unions_behind(cover);
        std::vector<Cube> kept;
        Ref before = Bdd::none;
        for (std::size_t i = 0; i < cover.size(); ++i) {
            const Ref own = bdd_.both(bdd_.cube(cover[i]), wanted_);
            const Ref needed = bdd_.without(own, bdd_.either(before, behind[i + 1]));
            if (needed == Bdd::none) continue;
            kept.push_back(bdd_.hull(needed));
            before = bdd_.either(before, bdd_.cube(kept.back()));
        }
        cover = std::move(kept);
    }

private:
    std::vector<Ref> unions_behind(const std::vector<Cube>& cover) {
        std::vector<Ref> behind(cover.size() + 1, Bdd::none);
        for (std::size_t i = cover.size(); i-- > 0;) behind[i] = bdd_.either(behind[i + 1], bdd_.cube(cover[i]));
        return behind;
    }

    Bdd& bdd_;
    Ref wanted_, allowed_;
};

}  // namespace

std::vector<Cube> quick_cover(Bdd& bdd, Ref wanted, Ref allowed) {
    QuickCover quick(bdd);
    quick.cover(wanted, allowed, {});
    return std::move(quick.cubes);
}

std::vector<Cube> minimise(Bdd& bdd, Ref wanted, Ref allowed) {
    std::vector<Cube> best = quick_cover(bdd, wanted, allowed);
    if (best.size() >= most_cubes) return best;
    Improver improver(bdd, wanted, allowed);
    std::vector<Cube> cover = best;
    for (unsigned round = 0; round < most_rounds && best.size() > 1; ++round) {
        improver.expand(cover, round % 2 == 0);
        improver.leave_out_redundant(cover);
        if (size_of(cover) < size_of(best)) best = cover;
        improver.reduce(cover);
        if (round % 2 == 1) std::reverse(cover.begin(), cover.end());
    }
    if (best.size() == 1) {  // one cube may grow to several primes: that of the fewest literals counts
        std::vector<Cube> whole = {bdd.hull(wanted)};
        improver.expand(best, true);
        improver.expand(whole, true);
        if (literals(whole) < literals(best)) best = whole;
    }
    return best;
}

}  // namespace isaforge::allocator
