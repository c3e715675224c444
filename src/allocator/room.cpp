#include "allocator/room.hpp"

#include <map>

namespace isaforge::allocator {

namespace {

using Ref = Bdd::Ref;

constexpr std::uint64_t most_ahead = 2000;  // of one look ahead

// The smallest number from `from` on whose block is inside of `set`, or outside: one walk down the bits of a block.
class Seeker {
public:
    Seeker(const Bdd& bdd, const Class& group, std::uint64_t from, bool inside)
        : bdd_(bdd), group_(group), from_(from), inside_(inside) {}

    std::optional<std::uint64_t> find(Ref set, unsigned level = 0, unsigned shift = ~0u, bool tight = true,
                                      std::uint64_t number = 0) const {
        if (shift == ~0u) shift = group_.block_bits;
        if (set == (inside_ ? Bdd::none : Bdd::all)) return std::nullopt;
        if (level == group_.width) return number;
        const Bits bit = leading_bit(level);
        if (!(group_.chosen & bit)) {
            return find(bdd_.half(set, level, group_.constants.value & bit), level + 1, shift, tight, number);
        }
        --shift;
        const bool wanted = tight && (from_ >> shift & 1);
        if (!wanted) {
            if (const auto low = find(bdd_.half(set, level, false), level + 1, shift, tight, number)) return low;
        }
        return find(bdd_.half(set, level, true), level + 1, shift, wanted, number | std::uint64_t{1} << shift);
    }

private:
    const Bdd& bdd_;
    const Class& group_;
    std::uint64_t from_;
    bool inside_;
};

}  // namespace

std::vector<Demand> demands_of(Bdd& bdd, const Class& group, std::size_t index) {
    std::vector<Demand> demands;
    std::map<std::pair<unsigned, std::uint64_t>, std::uint64_t> chunks;  // size and blocks used: how many
    for (const std::size_t part : group.chunks) ++chunks[{group.parts[part].size, group.chunk_blocks(part)}];
    for (const auto& [kind, count] : chunks) {
        const unsigned depth = group.chunk_depth(kind.first);
        demands.push_back({index, depth, group.blocks(bdd, 0, kind.second - 1, depth), kind.second, count});
    }
    demands.push_back({index, group.width, Bdd::all, 1, group.fresh});
    return demands;
}

Room::Room(const Classes& classes) : classes_(classes), bdd_(classes.bdd), seen_(classes.list.size()) {
    for (const Class& group : classes.list) allowed_.push_back(group.allowed);
}

Ref Room::allowed(std::size_t index) {
    Ref taken = Bdd::none;
    for (; seen_[index] < log_.size(); ++seen_[index]) {
        if (log_[seen_[index]].first != index) taken = bdd_.either(taken, log_[seen_[index]].second);
    }
    if (taken != Bdd::none) allowed_[index] = bdd_.without(allowed_[index], bdd_.touched(taken, group(index).width));
    return allowed_[index];
}

void Room::take(std::size_t index, Ref blocks) {
    allowed(index);
    allowed_[index] = bdd_.without(allowed_[index], blocks);
    log_.push_back({index, blocks});
    ++seen_[index];
}

std::optional<std::uint64_t> Room::seek(std::size_t index, std::uint64_t from, bool free) {
    if (group(index).block_bits < 64 && from >> group(index).block_bits != 0) return std::nullopt;
    return Seeker(bdd_, group(index), from, free).find(allowed(index));
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> Room::run(std::size_t index, std::uint64_t from) {
    const auto first = seek(index, from, true);
    if (!first) return std::nullopt;
    const auto behind = seek(index, *first + 1, false);
    const std::uint64_t end = std::uint64_t{1} << group(index).block_bits;
    return std::pair(*first, behind.value_or(end) - 1);
}

bool Room::leaves_room(std::size_t index, Ref blocks, const std::vector<bool>& placed, const std::vector<Demand>& rest) {
    std::vector<Supply> supplies;
    std::vector<Demand> demands;
    const auto add = [&](std::size_t of, std::vector<Demand> more) {
        for (Demand& demand : more) {
            demand.supply = supplies.size();
            demands.push_back(demand);
        }
        supplies.push_back({group(of).width, bdd_.without(allowed(of), bdd_.touched(blocks, group(of).width))});
    };
    for (std::size_t i = 0; i < classes_.list.size(); ++i) {
        if (!placed[i] && i != index) add(i, demands_of(bdd_, group(i), i));
    }
    if (!rest.empty()) add(index, rest);
    if (demands.empty()) return true;
    return Fit(bdd_, supplies, demands).search(most_ahead) == Answer::yes;
}

}  // namespace isaforge::allocator
