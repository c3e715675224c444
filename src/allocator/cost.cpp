#include "allocator/cost.hpp"

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include "allocator/cover.hpp"

namespace isaforge::allocator {

namespace {

using Ref = Bdd::Ref;

void add(Bdd& bdd, std::map<unsigned, Ref>& sets, unsigned key, Ref words) {
    Ref& set = sets.emplace(key, Bdd::none).first->second;
    set = bdd.either(set, words);
}

// One output per set, each a cover of its own; equal products are shared. Words of no set are free to come out anyhow.
DecoderCost decoder_cost(Bdd& bdd, const std::map<unsigned, Ref>& sets, bool thorough) {
    std::set<Cube> terms;
    Bits looked_at = 0;
    Ref used = Bdd::none;
    for (const auto& [key, words] : sets) used = bdd.either(used, words);
    for (const auto& [key, wanted] : sets) {
        const Ref allowed = bdd.without(Bdd::all, bdd.without(used, wanted));
        for (const Cube& cube : thorough ? minimise(bdd, wanted, allowed) : quick_cover(bdd, wanted, allowed)) {
            looked_at |= cube.mask;
            if (cube.mask != 0) terms.insert(cube);
        }
    }
    return {static_cast<unsigned>(std::popcount(looked_at)), static_cast<unsigned>(terms.size())};
}

}  // namespace

unsigned count_apart(const Problem& problem, const Assignment& assignment) {
    unsigned apart = 0;
    for (const auto& [a, b] : problem.related) {
        const Bits mask = problem.items[a].chosen | problem.items[b].chosen;
        apart += std::popcount((assignment[a] ^ assignment[b]) & mask) > 1;
    }
    return apart;
}

Decoders::Decoders(Classes& classes) : classes_(classes) {
    for (const FixedRow& row : classes.problem.fixed) {
        const Ref words = classes.bdd.cube(row.shape.constants);
        add(classes.bdd, fixed_formats_, row.shape.format, words);
        add(classes.bdd, fixed_lengths_, row.shape.length, words);
    }
    for (const Class& group : classes.list) {
        const Bits behind = ~leading_bits(group.width);
        const auto outputs_of = [&](std::size_t item) {
            std::set<std::tuple<unsigned, unsigned, Ref>> outputs;
            for (const Shape& form : classes.problem.items[item].forms) {
                const Cube tail{form.constants.mask & behind, form.constants.value & behind};
                outputs.insert({form.format, form.length, classes.bdd.cube(tail)});
            }
            if (outputs.size() == 1) {  // the whole block is its
                auto [format, length, tail] = *outputs.begin();
                outputs = {{format, length, Bdd::all}};
            }
            return outputs;
        };
        Group made;
        const auto first = outputs_of(group.items.front());
        for (const std::size_t item : group.items) made.alike = made.alike && outputs_of(item) == first;
        for (const auto& [format, length, tail] : first) made.outputs.push_back({format, length, tail});
        groups_.push_back(std::move(made));
    }
}

// Rows one by one: of classes with rows of several kinds, or in blocks that fixed rows have opened.
void Decoders::add_rows(Placement& placement, std::size_t index, bool opened_only, Sets& formats, Sets& lengths) const {
    const Class& group = classes_.list[index];
    for (const std::size_t item : group.items) {
        const Bits word = placement.assignment[item];
        if (opened_only && placement.bdd.follow(placement.blocks[index], group.width, word) != Bdd::none) continue;
        for (const Shape& form : classes_.problem.items[item].forms) {
            const Cube cube{form.constants.mask | group.chosen,
                            (word & group.chosen) | (form.constants.value & form.constants.mask)};
            const Ref words = placement.bdd.cube(cube);
            add(placement.bdd, formats, form.format, words);
            add(placement.bdd, lengths, form.length, words);
        }
    }
}

Figures Decoders::measure(Placement& placement, bool thorough) const {
    Sets formats = fixed_formats_, lengths = fixed_lengths_;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        if (groups_[i].alike) {
            for (const Output& output : groups_[i].outputs) {
                const Ref words = placement.bdd.both(placement.blocks[i], output.tail);
                add(placement.bdd, formats, output.format, words);
                add(placement.bdd, lengths, output.length, words);
            }
        }
        const bool opens = !classes_.list[i].slots.empty() && classes_.list[i].slots.front().kind == Slot::Kind::opened;
        if (!groups_[i].alike || opens) add_rows(placement, i, groups_[i].alike, formats, lengths);
    }
    return {decoder_cost(placement.bdd, lengths, thorough), decoder_cost(placement.bdd, formats, thorough),
            count_apart(classes_.problem, placement.assignment)};
}

}  // namespace isaforge::allocator
