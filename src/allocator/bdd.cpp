#include "allocator/bdd.hpp"

#include <algorithm>
#include <bit>
#include <unordered_map>

namespace isaforge::allocator {

namespace {

std::size_t mix(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    std::uint64_t h = a * 0x9E3779B97F4A7C15u + b;
    h = (h ^ (h >> 29)) * 0xBF58476D1CE4E5B9u + c;
    h = (h ^ (h >> 32)) * 0x94D049BB133111EBu;
    return h ^ (h >> 31);
}

}  // namespace

Bdd::Bdd() : nodes_{{variables, 0, 0}, {variables, 1, 1}}, table_(1u << 12), known_(1u << 13) {}

void Bdd::grow_table() {
    std::vector<Ref> table(table_.size() * 2);
    for (Ref ref = 2; ref < nodes_.size(); ++ref) {
        const Node& node = nodes_[ref];
        std::size_t slot = mix(node.level, node.low, node.high) & (table.size() - 1);
        while (table[slot] != 0) slot = (slot + 1) & (table.size() - 1);
        table[slot] = ref;
    }
    table_ = std::move(table);
}

Bdd::Ref Bdd::node(unsigned level, Ref low, Ref high) {
    if (low == high) return low;
    std::size_t slot = mix(level, low, high) & (table_.size() - 1);
    for (; table_[slot] != 0; slot = (slot + 1) & (table_.size() - 1)) {
        const Node& node = nodes_[table_[slot]];
        if (node.level == level && node.low == low && node.high == high) return table_[slot];
    }
    if (nodes_.size() >= most_nodes) {
        exhausted_ = true;
        return none;
    }
    const Ref ref = static_cast<Ref>(nodes_.size());
    nodes_.push_back({level, low, high});
    table_[slot] = ref;
    if (nodes_.size() * 2 > table_.size()) grow_table();
    return ref;
}

Bdd::Ref Bdd::apply(Operation operation, Ref a, Ref b) {
    switch (operation) {
        case Operation::both:
            if (a == none || b == none) return none;
            if (a == all || a == b) return b;
            if (b == all) return a;
            if (a > b) std::swap(a, b);
            break;
        case Operation::either:
            if (a == all || b == all) return all;
            if (a == none || a == b) return b;
            if (b == none) return a;
            if (a > b) std::swap(a, b);
            break;
        case Operation::without:
            if (a == none || b == all || a == b) return none;
            if (b == none) return a;
            break;
    }
    if (exhausted_) return none;
    const std::size_t slot = mix(a, b, static_cast<unsigned>(operation)) & (known_.size() - 1);
    if (const Known& known = known_[slot];
        known.filled && known.a == a && known.b == b && known.operation == operation) {
        return known.result;
    }
    const unsigned top = std::min(level(a), level(b));
    const Ref low = apply(operation, half(a, top, false), half(b, top, false));
    const Ref high = apply(operation, half(a, top, true), half(b, top, true));
    const Ref result = node(top, low, high);
    known_[slot] = {a, b, result, operation, true};
    return result;
}

Bdd::Ref Bdd::cube(const Cube& cube) {
    Ref result = all;
    for (unsigned i = 64; i-- > 0;) {
        if (!(cube.mask & leading_bit(i))) continue;
        result = cube.value & leading_bit(i) ? node(i, none, result) : node(i, result, none);
    }
    return result;
}

Bdd::Ref Bdd::range(unsigned width, std::uint64_t low, std::uint64_t high) {
    if (low > high) return none;
    Ref from = all, to = all;  // words at or above `low`, at or below `high`
    for (unsigned i = width; i-- > 0;) {
        const unsigned shift = width - 1 - i;
        from = low >> shift & 1 ? node(i, none, from) : node(i, from, all);
        to = high >> shift & 1 ? node(i, all, to) : node(i, to, none);
    }
    return both(from, to);
}

Bdd::Ref Bdd::turned_range(unsigned width, std::uint64_t low, std::uint64_t high, unsigned turn) {
    if (width == 0 || width > 64) return all;
    Ref result = none;
    while (low <= high) {  // the largest aligned block at `low` that ends at or below `high`
        unsigned free = std::min<unsigned>(width, low == 0 ? width : static_cast<unsigned>(std::countr_zero(low)));
        while (free > 0 && (free >= 64 || high - low < (std::uint64_t{1} << free) - 1)) --free;
        const Bits mask = leading_bits(width - free);
        const Bits value = (low << (64 - width)) & mask;
        result =
            either(result, cube({std::rotl(mask, static_cast<int>(turn)), std::rotl(value, static_cast<int>(turn))}));
        if (high - low < std::uint64_t{1} << free) break;
        low += std::uint64_t{1} << free;
        if (low == 0) break;
    }
    return result;
}

Bdd::Ref Bdd::touched(Ref set, unsigned width) {
    std::unordered_map<Ref, Ref> done;
    const auto visit = [&](const auto& self, Ref ref) -> Ref {
        if (ref == none || ref == all) return ref;
        if (level(ref) >= width) return all;
        if (const auto found = done.find(ref); found != done.end()) return found->second;
        const Node node = nodes_[ref];
        const Ref low = self(self, node.low);
        const Ref high = self(self, node.high);
        return done[ref] = this->node(node.level, low, high);
    };
    return visit(visit, set);
}

Bdd::Ref Bdd::follow(Ref set, unsigned width, Bits word) const {
    while (level(set) < width) set = half(set, level(set), word & leading_bit(level(set)));
    return set;
}

Cube Bdd::hull(Ref set) const {
    // Which bits are ever free, and which of the two values the others have: one visit of each node.
    std::vector<Ref> pending{set};
    std::unordered_map<Ref, bool> seen{{set, true}};
    Bits zeros = 0, ones = 0, skipped = 0;
    while (!pending.empty()) {
        const Ref ref = pending.back();
        pending.pop_back();
        for (const bool one : {false, true}) {
            const Ref child = one ? nodes_[ref].high : nodes_[ref].low;
            if (ref < 2 || child == none) continue;
            (one ? ones : zeros) |= leading_bit(level(ref));
            for (unsigned i = level(ref) + 1; i < std::min(level(child), 64u); ++i) skipped |= leading_bit(i);
            if (seen.emplace(child, true).second) pending.push_back(child);
        }
    }
    for (unsigned i = 0; i < std::min(level(set), 64u); ++i) skipped |= leading_bit(i);
    const Bits mask = (zeros ^ ones) & ~skipped;
    return {mask, ones & mask};
}

std::uint64_t Bdd::count(Ref set, unsigned width) const {
    std::unordered_map<Ref, std::uint64_t> done;
    // Words below a node, of the bits from the node's own level on.
    const auto visit = [&](const auto& self, Ref ref) -> std::uint64_t {
        if (ref < 2) return ref;
        if (const auto found = done.find(ref); found != done.end()) return found->second;
        std::uint64_t sum = 0;
        for (const Ref child : {nodes_[ref].low, nodes_[ref].high}) {
            sum += self(self, child) << (std::min(level(child), width) - level(ref) - 1);
        }
        return done[ref] = sum;
    };
    return visit(visit, set) << std::min(level(set), width);
}

}  // namespace isaforge::allocator
