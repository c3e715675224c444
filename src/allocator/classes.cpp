#include "allocator/classes.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace isaforge::allocator {

namespace {

using Ref = Bdd::Ref;
using PoolList = std::vector<std::size_t>;

// The bits that all forms of an item fix alike.
Cube common_constants(const Item& item) {
    Cube common = item.forms.front().constants;
    for (const Shape& form : item.forms) {
        common.mask &= form.constants.mask & ~(form.constants.value ^ common.value);
    }
    common.value &= common.mask;
    return common;
}

// The unbroken run at the front; a very long one ends with the last bit that is chosen.
unsigned block_width(Bits chosen, Bits constant) {
    const unsigned width = static_cast<unsigned>(std::countl_one(chosen | constant));
    if (width <= widest_block) return width;
    const Bits front = chosen & leading_bits(width);
    return front == 0 ? 0 : 64 - static_cast<unsigned>(std::countr_zero(front));
}

std::vector<unsigned> formats_of(const Item& item) {
    std::set<unsigned> formats;
    for (const Shape& form : item.forms) formats.insert(form.format);
    return {formats.begin(), formats.end()};
}

std::set<unsigned> lengths_of(const Item& item) {
    std::set<unsigned> lengths;
    for (const Shape& form : item.forms) lengths.insert(form.length);
    return lengths;
}

PoolList pools_of(const Problem& problem, unsigned format) {
    PoolList list;
    for (std::size_t i = 0; i < problem.pools.size(); ++i) {
        const auto& formats = problem.pools[i].formats;
        if (std::find(formats.begin(), formats.end(), format) != formats.end()) list.push_back(i);
    }
    return list;
}

std::set<PoolList> pools_of(const Problem& problem, const std::vector<unsigned>& formats) {
    std::set<PoolList> lists;
    for (const unsigned format : formats) lists.insert(pools_of(problem, format));
    return lists;
}

// Sorts rows into parts: chunks of aligned tables, and single rows.
void make_parts(const Problem& problem, Class& group) {
    std::map<unsigned, std::size_t> open;  // table: its last chunk
    const std::uint64_t most = std::uint64_t{1} << std::min(group.block_bits + group.extra_bits, 31u);
    for (const std::size_t item : group.items) {
        const unsigned size = static_cast<unsigned>(std::min<std::uint64_t>(problem.items[item].aligned, most));
        const auto found = open.find(problem.items[item].table);
        if (size > 1 && found != open.end() && group.parts[found->second].items.size() < size) {
            group.parts[found->second].items.push_back(item);
            continue;
        }
        open[problem.items[item].table] = group.parts.size();
        group.parts.push_back({size, {item}});
    }
}

// Codes free from `at` on, up to the next multiple of `size`.
unsigned room(const Slot& slot, std::size_t at, unsigned size) {
    unsigned count = 0;
    while (count < size && !slot.taken[at + count]) ++count;
    return count;
}

// Puts the parts that are smaller than a block into as few new blocks as possible: large ones first, each where the least
// room is left over.
class Packing {
public:
    explicit Packing(Class& group) : group_(group), codes_(group.block_codes()) {}

    void pack() {
        std::vector<std::size_t> small, singles;
        for (std::size_t i = 0; i < group_.parts.size(); ++i) {
            const Part& part = group_.parts[i];
            if (part.size > codes_) {
                add_chunk(i);
            } else {
                (part.size > 1 ? small : singles).push_back(i);
            }
        }
        note_exactness(small);
        std::stable_sort(small.begin(), small.end(), [&](std::size_t a, std::size_t b) {
            const Part &x = group_.parts[a], &y = group_.parts[b];
            return std::pair(x.size, x.items.size()) > std::pair(y.size, y.items.size());
        });
        for (const std::size_t part : small) place_small(part);
        for (const std::size_t part : singles) place_single(part);
    }

private:
    void add_chunk(std::size_t part) {
        group_.chunks.push_back(part);
        const std::uint64_t rest = group_.parts[part].items.size() % codes_;
        if (rest == 0) return;
        Slot slot{Slot::Kind::behind_chunk, group_.chunk_blocks(part) - 1, part, std::vector<bool>(codes_), {}};
        std::fill_n(slot.taken.begin(), rest, true);
        if (!group_.slots.empty() && group_.slots.front().kind == Slot::Kind::opened) group_.exact = false;
        group_.slots.push_back(std::move(slot));
    }

    // Chunks of several sizes with rows missing could be packed better than greedily.
    void note_exactness(const std::vector<std::size_t>& small) {
        std::set<unsigned> sizes;
        bool partial = false;
        for (const std::size_t part : small) {
            sizes.insert(group_.parts[part].size);
            partial |= group_.parts[part].items.size() < group_.parts[part].size;
        }
        if (sizes.size() > 1 && partial) group_.exact = false;
    }

    std::size_t fresh_slot() {
        group_.slots.push_back({Slot::Kind::fresh, group_.fresh++, 0, std::vector<bool>(codes_), {}});
        return group_.slots.size() - 1;
    }

    void take(std::size_t part, std::size_t slot, std::uint64_t code) {
        const std::size_t count = group_.parts[part].items.size();
        std::fill_n(group_.slots[slot].taken.begin() + static_cast<std::ptrdiff_t>(code), count, true);
        group_.places.push_back({part, slot, code});
    }

    void place_small(std::size_t part) {
        const unsigned size = group_.parts[part].size;
        const unsigned count = static_cast<unsigned>(group_.parts[part].items.size());
        unsigned best = size + 1;
        std::pair<std::size_t, std::size_t> where;
        for (std::size_t slot = 0; slot < group_.slots.size(); ++slot) {
            for (std::size_t at = 0; at < codes_; at += size) {
                const unsigned here = room(group_.slots[slot], at, size);
                if (here < count || here >= best) continue;
                best = here;
                where = {slot, at};
            }
        }
        if (best > size) where = {fresh_slot(), 0};
        take(part, where.first, where.second);
    }

    void place_single(std::size_t part) {
        for (; slot_ < group_.slots.size(); ++slot_, code_ = 0) {
            while (code_ < codes_ && group_.slots[slot_].taken[code_]) ++code_;
            if (code_ < codes_) return take(part, slot_, code_);
        }
        fresh_slot();
        take(part, slot_, code_ = 0);
    }

    Class& group_;
    const std::uint64_t codes_;
    std::size_t slot_ = 0;    // where the last single row went
    std::uint64_t code_ = 0;
};

// Blocks that fixed rows of a class have opened, and which of their codes are left.
class OpenedBlocks {
public:
    OpenedBlocks(Classes& classes, Class& group, bool shared, Ref usable, Ref& claimed)
        : classes_(classes), group_(group), shared_(shared), usable_(usable), claimed_(claimed) {}

    void find() {
        if (group_.extra_bits == 0) return;
        std::set<std::uint64_t> numbers;
        Ref foreign = Bdd::none;
        const auto lists = pools_of(classes_.problem, group_.formats);
        for (const FixedRow& row : classes_.problem.fixed) {
            if (belongs(row, lists)) {
                numbers.insert(gather(row.shape.constants.value, group_.block_mask()));
            } else {
                foreign = classes_.bdd.either(foreign, classes_.bdd.cube(row.shape.constants));
            }
        }
        for (const std::uint64_t number : numbers) {
            const Bits block = group_.block(number);
            if (classes_.bdd.follow(usable_, group_.width, block) == Bdd::none) continue;
            if (classes_.bdd.follow(foreign, group_.width, block) != Bdd::none) continue;
            if (classes_.bdd.follow(claimed_, group_.width, block) != Bdd::none) continue;
            add(number);
        }
    }

private:
    bool belongs(const FixedRow& row, const std::set<PoolList>& lists) const {
        const bool format =
            shared_ ? lists == std::set<PoolList>{pools_of(classes_.problem, row.shape.format)}
                    : std::find(group_.formats.begin(), group_.formats.end(), row.shape.format) != group_.formats.end();
        if (!format) return false;
        for (const std::size_t item : group_.items) {
            for (const Shape& form : classes_.problem.items[item].forms) {
                const Cube& constants = form.constants;
                if (row.shape.constants.mask == (constants.mask | group_.chosen) &&
                    ((row.shape.constants.value ^ constants.value) & constants.mask) == 0) {
                    return true;
                }
            }
        }
        return false;
    }

    void add(std::uint64_t number) {
        Slot slot{Slot::Kind::opened, number, 0, std::vector<bool>(group_.block_codes()), {}};
        const Ref taken = classes_.bdd.either(classes_.fixed, classes_.reserved);
        const Ref inside = classes_.bdd.follow(taken, group_.width, group_.block(number));
        bool some = false;
        for (std::uint64_t code = 0; code < slot.taken.size(); ++code) {
            const Bits word = spread(code, group_.chosen & ~leading_bits(group_.width));
            const Bits mask = (group_.chosen | group_.constants.mask) & ~leading_bits(group_.width);
            const Cube cube{mask, (word | group_.constants.value) & mask};
            slot.taken[code] = classes_.bdd.both(inside, classes_.bdd.cube(cube)) != Bdd::none;
            some |= !slot.taken[code];
        }
        if (!some) return;
        claimed_ = classes_.bdd.either(claimed_, group_.blocks(classes_.bdd, number, number));
        slot.before = slot.taken;
        group_.slots.push_back(std::move(slot));
    }

    Classes& classes_;
    Class& group_;
    bool shared_;
    Ref usable_;
    Ref& claimed_;
};

// A range of the leading bits as blocks, each turned as the problem's words are.
Ref pool_words(Bdd& bdd, const Problem& problem, const PoolRange& pool) {
    return problem.skipped == 0 ? bdd.range(pool.width, pool.low, pool.high)
                                : bdd.turned_range(pool.width, pool.low, pool.high, problem.skipped);
}

}  // namespace

Bits spread(std::uint64_t number, Bits mask) {
    Bits word = 0;
    for (; mask != 0; mask &= mask - 1, number >>= 1) {
        if (number & 1) word |= mask & (~mask + 1);
    }
    return word;
}

std::uint64_t gather(Bits word, Bits mask) {
    std::uint64_t number = 0;
    for (unsigned at = 0; mask != 0; mask &= mask - 1, ++at) {
        if (word & mask & (~mask + 1)) number |= std::uint64_t{1} << at;
    }
    return number;
}

Bits Class::word(std::uint64_t code) const { return spread(code, chosen) | constants.value; }

Bits Class::block(std::uint64_t number) const {
    return spread(number, block_mask()) | (constants.value & leading_bits(width));
}

Ref Class::blocks(Bdd& bdd, std::uint64_t low, std::uint64_t high, unsigned from) const {
    if (low > high) return Bdd::none;
    Ref any = Bdd::all, above = Bdd::all, below = Bdd::all;
    unsigned shift = 0;
    for (unsigned i = width; i-- > from;) {
        if (chosen & leading_bit(i)) {
            above = low >> shift & 1 ? bdd.node(i, Bdd::none, above) : bdd.node(i, above, any);
            below = high >> shift & 1 ? bdd.node(i, any, below) : bdd.node(i, below, Bdd::none);
            ++shift;
            continue;
        }
        for (Ref* const set : {&any, &above, &below}) {
            *set = constants.value & leading_bit(i) ? bdd.node(i, Bdd::none, *set) : bdd.node(i, *set, Bdd::none);
        }
    }
    return bdd.both(above, below);
}

unsigned Class::chunk_depth(unsigned size) const {
    unsigned bits = static_cast<unsigned>(std::bit_width(size / block_codes())) - 1;
    for (unsigned i = width; i-- > 0;) {
        if ((chosen & leading_bit(i)) && bits-- == 1) return i;
    }
    return 0;
}

Ref Classes::region(const std::vector<unsigned>& formats) {
    Ref region = Bdd::all;
    for (const unsigned format : formats) {
        Ref own = Bdd::none, foreign = Bdd::none;
        const PoolList mine = pools_of(problem, format);
        for (std::size_t i = 0; i < pools.size(); ++i) {
            Ref& side = std::find(mine.begin(), mine.end(), i) != mine.end() ? own : foreign;
            side = bdd.either(side, pools[i]);
        }
        // Where pools overlap, their words are left to the formats that all of them name.
        region = bdd.both(region, mine.empty() ? bdd.without(Bdd::all, foreign) : bdd.without(own, foreign));
    }
    return region;
}

Classes::Classes(const Problem& asked, Grouping grouping) : problem(asked) {
    const bool shared = grouping == Grouping::by_pools;
    for (const FixedRow& row : problem.fixed) fixed = bdd.either(fixed, bdd.cube(row.shape.constants));
    for (const ReservedWords& words : problem.reserved) reserved = bdd.either(reserved, bdd.cube(words.pattern));
    for (const PoolRange& pool : problem.pools) pools.push_back(pool_words(bdd, problem, pool));

    using Key = std::tuple<std::set<PoolList>, std::vector<unsigned>, std::set<unsigned>, Bits, Bits, Bits>;
    std::map<Key, std::size_t> known;
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
        const Item& item = problem.items[i];
        const Cube constants = common_constants(item);
        const unsigned width = block_width(item.chosen, constants.mask);
        const Bits in_block = leading_bits(width);
        const std::vector<unsigned> formats = formats_of(item);
        const Key key{pools_of(problem, formats),
                      shared ? std::vector<unsigned>{} : formats,
                      grouping == Grouping::by_length ? lengths_of(item) : std::set<unsigned>{},
                      item.chosen,
                      constants.mask & in_block,
                      constants.value & in_block};
        const auto [place, added] = known.emplace(key, list.size());
        if (added) {
            list.emplace_back();
            list.back().width = width;
            list.back().chosen = item.chosen;
            list.back().constants = constants;
            list.back().block_bits = static_cast<unsigned>(std::popcount(item.chosen & in_block));
            list.back().extra_bits = static_cast<unsigned>(std::popcount(item.chosen & ~in_block));
        }
        Class& group = list[place->second];
        group.items.push_back(i);
        group.constants.mask &= constants.mask & ~(constants.value ^ group.constants.value);
        group.constants.value &= group.constants.mask;
        group.formats.insert(group.formats.end(), formats.begin(), formats.end());
    }
    Ref claimed = Bdd::none;  // blocks that fixed rows have opened for a class: no other may use what is left of them
    for (Class& group : list) {
        std::sort(group.formats.begin(), group.formats.end());
        group.formats.erase(std::unique(group.formats.begin(), group.formats.end()), group.formats.end());
        const Bits in_block = leading_bits(group.width);
        const Ref tail = bdd.cube({group.constants.mask & ~in_block, group.constants.value & ~in_block});
        const auto spoilt = [&](Ref words) { return bdd.touched(bdd.both(words, tail), group.width); };
        const Ref own = bdd.cube({group.constants.mask & in_block, group.constants.value & in_block});
        const Ref usable = bdd.without(own, spoilt(bdd.without(Bdd::all, region(group.formats))));
        group.allowed = bdd.without(bdd.without(usable, spoilt(reserved)), bdd.touched(fixed, group.width));
        OpenedBlocks(*this, group, shared, usable, claimed).find();
        make_parts(problem, group);
        Packing(group).pack();
        exact &= group.exact;
    }
    for (Class& group : list) group.allowed = bdd.without(group.allowed, bdd.touched(claimed, group.width));
}

}  // namespace isaforge::allocator
