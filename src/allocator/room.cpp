#include "allocator/room.hpp"

#include <algorithm>
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
        const std::uint64_t one = shift == 0 || shift > 64 ? 0 : std::uint64_t{1} << --shift;
        const bool wanted = tight && (from_ & one) != 0;
        if (!wanted) {
            if (const auto low = find(bdd_.half(set, level, false), level + 1, shift, tight, number)) return low;
        }
        return find(bdd_.half(set, level, true), level + 1, shift, wanted, number | one);
    }

private:
    const Bdd& bdd_;
    const Class& group_;
    std::uint64_t from_;
    bool inside_;
};

// New blocks for the parts that are smaller than one, by their number of codes alone.
std::uint64_t fewest_blocks(const Class& group) {
    std::uint64_t codes = 0, free = 0;
    for (const SlotPlace& place : group.places) codes += group.parts[place.part].items.size();
    for (const Slot& slot : group.slots) {
        if (slot.kind == Slot::Kind::opened) free += static_cast<std::uint64_t>(std::ranges::count(slot.before, false));
        if (slot.kind == Slot::Kind::behind_chunk) free += group.block_codes();
    }
    return codes <= free ? 0 : (codes - free + group.block_codes() - 1) >> group.extra_bits;
}

}  // namespace

std::vector<Demand> demands_of(Bdd& bdd, const Class& group, std::size_t index, bool at_least) {
    std::vector<Demand> demands;
    at_least = at_least && !group.exact;
    std::map<std::pair<unsigned, std::uint64_t>, std::uint64_t> chunks;  // size and blocks used: how many
    for (const std::size_t part : group.chunks) {
        // The last block of a chunk, if it is not full, might be one that fixed rows have opened.
        const std::uint64_t whole = group.parts[part].items.size() >> group.extra_bits;
        ++chunks[{group.parts[part].size, at_least ? whole : group.chunk_blocks(part)}];
    }
    for (const auto& [kind, count] : chunks) {
        if (kind.second == 0) continue;
        const unsigned depth = group.chunk_depth(kind.first);
        demands.push_back({index, depth, group.blocks(bdd, 0, kind.second - 1, depth), kind.second, count});
    }
    demands.push_back({index, group.width, Bdd::all, 1, at_least ? fewest_blocks(group) : group.fresh});
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

bool Room::leaves_room(std::size_t index, Ref blocks, const std::vector<bool>& placed,
                       const std::vector<Demand>& rest) {
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
