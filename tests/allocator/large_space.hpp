// A made-up machine of the size of a large real one: 2,000 rows in 20 formats of three lengths, with pools for half of the
// formats, extra opcode bits, an aligned table and some rows that have a number already.
#pragma once

#include <random>
#include <string>

#include "allocator/bdd.hpp"
#include "allocator/problem.hpp"

namespace isaforge::allocator {

inline Problem large_problem() {
    struct Kind {
        unsigned width, extra, rows, length;
    };
    constexpr Kind kinds[20] = {
        {8, 0, 30, 32},   {8, 1, 24, 32},   {9, 0, 40, 32},   {9, 2, 60, 48},   {10, 0, 70, 32},
        {10, 1, 60, 48},  {11, 0, 90, 32},  {11, 2, 80, 32},  {12, 0, 150, 32}, {12, 0, 120, 48},
        {12, 1, 160, 32}, {13, 0, 140, 32}, {13, 0, 130, 16}, {14, 0, 160, 32}, {14, 1, 170, 32},
        {15, 0, 110, 16}, {15, 0, 100, 32}, {16, 0, 146, 16}, {16, 0, 100, 32}, {10, 0, 60, 16},
    };
    Problem problem;
    std::uint64_t offset = 7;
    for (unsigned f = 0; f < 20; ++f) {
        problem.formats.push_back("F" + std::to_string(f));
        const Kind& kind = kinds[f];
        Item item;
        item.forms = {{f, kind.length, {}}};
        item.chosen = leading_bits(kind.width);
        for (unsigned i = 0; i < kind.extra; ++i) item.chosen |= leading_bit(kind.width + 2 + i);
        item.table = f;
        item.aligned = f == 8 ? 4 : 1;
        for (unsigned i = 0; i < kind.rows; ++i) problem.items.push_back(item);
        for (unsigned i = 1; i < kind.rows; i += 2) {
            problem.related.push_back({problem.items.size() - kind.rows + i - 1, problem.items.size() - kind.rows + i});
        }
        if (f % 5 == 0) {  // a row with a number, somewhere
            offset = offset * 37 % 199;
            const Bits word = (offset << 56 | offset << 48) & item.chosen;
            problem.fixed.push_back({{f, kind.length, {item.chosen, word}}, "fixed"});
        }
    }
    problem.reserved.push_back({{leading_bits(16), 0}, "all zeros"});
    problem.reserved.push_back({{leading_bits(16), leading_bits(16)}, "all ones"});
    problem.pools.push_back({"low", 4, 0, 9, {0, 1, 2, 3, 4, 5, 6, 7, 10, 15}});
    problem.pools.push_back({"high", 4, 12, 15, {8, 9, 11, 12, 13, 14, 16, 17, 18}});
    return problem;
}

// The union of 300 random cubes of 16 leading bits: much for a minimiser.
inline Bdd::Ref three_hundred_cubes(Bdd& bdd) {
    std::mt19937_64 random(3);
    Bdd::Ref wanted = Bdd::none;
    for (unsigned i = 0; i < 300; ++i) {
        const Bits some = random(), more = random();
        const Bits mask = (some | more) & leading_bits(16);
        wanted = bdd.either(wanted, bdd.cube({mask, random() & mask}));
    }
    return wanted;
}

}  // namespace isaforge::allocator
