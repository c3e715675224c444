// The allocator's rules once more, in the plainest way: words of a few bits are listed one by one, and an assignment is
// searched for by trying everything. Shares nothing with the allocator but the problem.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "allocator/problem.hpp"

namespace isaforge::allocator {

class SmallSpace {
public:
    using Words = std::uint64_t;  // one bit for each word of up to six bits

    // `shared`: rows of all formats with the same pools may be in one block; otherwise only rows of one format.
    SmallSpace(const Problem& problem, unsigned bits, bool shared) : problem_(problem), bits_(bits), shared_(shared) {
        for (const FixedRow& row : problem.fixed) fixed_.push_back(words(row.shape.constants));
        for (const ReservedWords& reserved : problem.reserved) reserved_ |= words(reserved.pattern);
        for (std::size_t i = 0; i < problem.items.size(); ++i) add(i);
        for (Group& group : groups_) find_opened(group);
    }

    // Whether there is an assignment; nothing where the search takes too long.
    std::optional<bool> possible() {
        steps_ = 0;
        failed_.clear();
        const bool found = put(0, {}, 0);
        if (steps_ > most_steps) return std::nullopt;
        return found;
    }

    // What is wrong with an assignment; empty where nothing is.
    std::string wrong(const Assignment& assignment) const {
        State state;
        for (std::size_t i = 0; i < parts_.size(); ++i) {
            const Part& part = parts_[i];
            const std::uint64_t first = code(part.items[0], assignment[part.items[0]]);
            if (first % part.size != 0) return "a chunk is not aligned";
            for (std::size_t k = 0; k < part.items.size(); ++k) {
                if (code(part.items[k], assignment[part.items[k]]) != first + k) return "a chunk is not in a row";
            }
            const auto next = with(state, i, first);
            if (!next) return "part " + std::to_string(i) + " at code " + std::to_string(first) + " is in the way";
            state = *next;
        }
        return {};
    }

private:
    static constexpr std::size_t most_steps = 30000;

    struct Part {
        std::vector<std::size_t> items;
        std::uint64_t size = 1;
        std::size_t group = 0;
    };
    struct Group {
        std::set<std::set<std::size_t>> pools;
        std::set<unsigned> formats;  // where only one format's rows may be together
        Bits chosen = 0;
        Cube block;        // constants in it
        Cube tail;         // constants behind it that all rows have
        unsigned width = 0;
        unsigned table = 0;
        std::vector<std::size_t> items;
        Words opened = 0;  // blocks that fixed rows of the group have opened, with a code left
    };
    struct Taken {
        Words rows = 0, blocks = 0;
    };
    using State = std::vector<Taken>;  // by group

    static bool matches(const Cube& cube, Bits word) { return ((word ^ cube.value) & cube.mask) == 0; }

    Words words(const Cube& cube) const {
        Words set = 0;
        for (unsigned i = 0; i < 1u << bits_; ++i) {
            // Bits behind the small space are of no row here.
            if (((Bits{i} << (64 - bits_) ^ cube.value) & cube.mask & (~Bits{0} << (64 - bits_))) == 0)
                set |= Words{1} << i;
        }
        return set;
    }

    std::set<std::size_t> pools_of(unsigned format) const {
        std::set<std::size_t> set;
        for (std::size_t i = 0; i < problem_.pools.size(); ++i) {
            for (const unsigned named : problem_.pools[i].formats) {
                if (named == format) set.insert(i);
            }
        }
        return set;
    }

    Words region(unsigned format) const {
        const auto own = pools_of(format);
        Words set = 0;
        for (unsigned word = 0; word < 1u << bits_; ++word) {
            bool in_own = own.empty(), in_foreign = false;
            for (std::size_t i = 0; i < problem_.pools.size(); ++i) {
                const PoolRange& pool = problem_.pools[i];
                const std::uint64_t leading = word >> (bits_ - pool.width);
                if (leading < pool.low || leading > pool.high) continue;
                (own.contains(i) ? in_own : in_foreign) = true;
            }
            if (in_own && !in_foreign) set |= Words{1} << word;
        }
        return set;
    }

    void add(std::size_t index) {
        const Item& item = problem_.items[index];
        Group group;
        Bits mask = ~Bits{0}, value = item.forms[0].constants.value;
        for (const Shape& form : item.forms) {
            group.pools.insert(pools_of(form.format));
            if (!shared_) group.formats.insert(form.format);
            mask &= form.constants.mask & ~(form.constants.value ^ value);
        }
        group.chosen = item.chosen;
        while (group.width < 64 && ((item.chosen | mask) >> (63 - group.width) & 1)) ++group.width;
        const Bits front = leading_bits(group.width);
        group.block = {mask & front, value & mask & front};
        group.tail = {mask & ~front, value & mask & ~front};
        std::size_t at = 0;
        while (at < groups_.size() && !(groups_[at].pools == group.pools && groups_[at].formats == group.formats &&
                                        groups_[at].chosen == group.chosen && groups_[at].block == group.block)) {
            ++at;
        }
        if (at == groups_.size()) {
            groups_.push_back(group);
        } else {
            Cube& tail = groups_[at].tail;
            tail.mask &= group.tail.mask & ~(group.tail.value ^ tail.value);
            tail.value &= tail.mask;
        }
        groups_[at].items.push_back(index);
        const std::uint64_t size =
            std::min<std::uint64_t>(item.aligned, std::uint64_t{1} << std::popcount(item.chosen));
        for (auto part = parts_.rbegin(); size > 1 && part != parts_.rend(); ++part) {
            if (part->group != at || problem_.items[part->items[0]].table != item.table) continue;
            if (part->items.size() < part->size) {
                part->items.push_back(index);
                return;
            }
            break;
        }
        parts_.push_back({{index}, size, at});
    }

    std::uint64_t code(std::size_t item, Bits word) const {
        std::uint64_t code = 0;
        for (unsigned i = 0; i < 64; ++i) {
            if (problem_.items[item].chosen & leading_bit(i)) code = code << 1 | (word >> (63 - i) & 1);
        }
        return code;
    }

    Bits word(std::size_t item, std::uint64_t code) const {
        Bits word = 0;
        for (unsigned i = 64; i-- > 0;) {
            if (!(problem_.items[item].chosen & leading_bit(i))) continue;
            if (code & 1) word |= leading_bit(i);
            code >>= 1;
        }
        return word;
    }

    bool member(const FixedRow& row, const Group& group) const {
        if (shared_ && group.pools != std::set<std::set<std::size_t>>{pools_of(row.shape.format)}) return false;
        if (!shared_ && !group.formats.contains(row.shape.format)) return false;
        for (const std::size_t item : group.items) {
            for (const Shape& form : problem_.items[item].forms) {
                if (row.shape.constants.mask == (form.constants.mask | group.chosen) &&
                    matches(form.constants, row.shape.constants.value)) {
                    return true;
                }
            }
        }
        return false;
    }

    // Blocks of the group, unless an earlier group has them.
    void find_opened(Group& group) const {
        const Bits front = leading_bits(group.width);
        if ((group.chosen & ~front) == 0) return;
        for (std::size_t i = 0; i < problem_.fixed.size(); ++i) {
            if (!member(problem_.fixed[i], group)) continue;
            const Words block = words({front, problem_.fixed[i].shape.constants.value & front});
            bool own = true;
            for (std::size_t k = 0; k < problem_.fixed.size(); ++k) {
                own = own && (!(fixed_[k] & block) || member(problem_.fixed[k], group));
            }
            for (const std::size_t item : group.items) {
                for (const Shape& form : problem_.items[item].forms) {
                    own = own && !(block & words(group.tail) & ~region(form.format));
                }
            }
            Words left = 0;  // codes of which nothing is taken
            for (std::uint64_t code = 0; code < std::uint64_t{1} << std::popcount(group.chosen); ++code) {
                const Words row = words({group.chosen | group.block.mask | group.tail.mask,
                                         word(group.items[0], code) | group.block.value | group.tail.value});
                bool free = (row & block) != 0 && !(row & reserved_);
                for (const Words fixed : fixed_) free = free && !(fixed & row);
                if (free) left |= row;
            }
            for (const Group& other : groups_) own = own && (&other == &group || !(other.opened & block));
            if (own && left != 0) group.opened |= block;
        }
    }

    // What is taken when the part is put there too; nothing where it cannot be.
    std::optional<State> with(const State& before, std::size_t index, std::uint64_t first) const {
        State state = before;
        state.resize(groups_.size());
        const Part& part = parts_[index];
        const Group& group = groups_[part.group];
        for (std::size_t k = 0; k < part.items.size(); ++k) {
            const Item& item = problem_.items[part.items[k]];
            const Bits here = word(part.items[k], first + k);
            const Bits front = leading_bits(group.width);
            const Words block = words({front, (here | group.block.value) & front});
            const Words tail = words(group.tail);
            bool opened = false;
            for (std::size_t i = 0; i < problem_.fixed.size(); ++i) {
                if (!(fixed_[i] & block)) continue;
                const int extra = std::popcount(group.chosen & ~front);
                if (extra == 0 || !member(problem_.fixed[i], group)) return std::nullopt;
                opened = true;
            }
            for (const Shape& form : item.forms) {
                if (block & tail & ~region(form.format)) return std::nullopt;
            }
            Words rows = 0;
            for (const Shape& form : item.forms) {
                rows |= words({form.constants.mask | item.chosen, (form.constants.value & form.constants.mask) | here});
            }
            // In a block that fixed rows have opened, all that the code may stand for has to be free.
            const Words whole =
                words({item.chosen | group.block.mask | group.tail.mask, here | group.block.value | group.tail.value});
            if (opened ? (whole & reserved_) != 0 : (block & tail & reserved_) != 0) return std::nullopt;
            for (const Words fixed : fixed_) {
                if (fixed & (opened ? whole : rows)) return std::nullopt;
            }
            for (std::size_t i = 0; i < groups_.size(); ++i) {
                if ((state[i].blocks | groups_[i].opened) & block && i != part.group) return std::nullopt;
            }
            if (state[part.group].rows & whole) return std::nullopt;
            state[part.group].rows |= whole;
            state[part.group].blocks |= block;
        }
        return state;
    }

    bool put(std::size_t index, const State& state, std::uint64_t from) {
        if (index == parts_.size()) return true;
        if (++steps_ > most_steps) return false;
        std::string key = std::to_string(index) + "/" + std::to_string(from);
        for (const Taken& taken : state) key += "," + std::to_string(taken.rows) + ":" + std::to_string(taken.blocks);
        if (failed_.contains(key)) return false;
        const Part& part = parts_[index];
        const std::uint64_t codes = std::uint64_t{1} << std::popcount(groups_[part.group].chosen);
        for (std::uint64_t at = from; at + part.items.size() <= codes; at += part.size) {
            const auto next = with(state, index, at);
            if (!next) continue;
            // The next part, if it is just like this one, need not be tried at earlier codes.
            const bool alike = index + 1 < parts_.size() && parts_[index + 1].group == part.group &&
                               parts_[index + 1].size == part.size &&
                               parts_[index + 1].items.size() == part.items.size();
            if (put(index + 1, *next, alike ? at : 0)) return true;
        }
        failed_.insert(std::move(key));
        return false;
    }

    const Problem& problem_;
    unsigned bits_;
    bool shared_;
    std::vector<Words> fixed_;
    Words reserved_ = 0;
    std::vector<Group> groups_;
    std::vector<Part> parts_;
    std::size_t steps_ = 0;
    std::unordered_set<std::string> failed_;
};

// What any assignment has to keep, without a word of blocks: no word belongs to two rows, to a reserved pattern or to the
// pool of another format; chunks are aligned and in a row. Where the rule of blocks finds nothing, this has the last word.
class SmallWords {
public:
    using Words = std::uint64_t;

    SmallWords(const Problem& problem, unsigned bits) : problem_(problem), bits_(bits) {
        for (const FixedRow& row : problem.fixed) taken_ |= words(row.shape.constants);
        for (const ReservedWords& reserved : problem.reserved) taken_ |= words(reserved.pattern);
        for (std::size_t i = 0; i < problem.items.size(); ++i) {
            const Item& item = problem.items[i];
            const auto size = std::min<std::uint64_t>(item.aligned, std::uint64_t{1} << std::popcount(item.chosen));
            const auto open = std::find_if(chunks_.rbegin(), chunks_.rend(), [&](const Chunk& chunk) {
                const Item& first = problem.items[chunk.items[0]];
                return first.table == item.table && first.chosen == item.chosen && first.aligned == item.aligned;
            });
            if (size > 1 && open != chunks_.rend() && open->items.size() < size)
                open->items.push_back(i);
            else
                chunks_.push_back({{i}, size});
        }
    }

    std::optional<bool> possible() {
        const bool found = put(0, taken_);
        if (steps_ > most_steps) return std::nullopt;
        return found;
    }

    std::string wrong(const Assignment& assignment) const {
        Words taken = taken_;
        for (const Chunk& chunk : chunks_) {
            const std::uint64_t first = code(chunk.items[0], assignment[chunk.items[0]]);
            if (first % chunk.size != 0) return "a chunk is not aligned";
            for (std::size_t k = 0; k < chunk.items.size(); ++k) {
                if (code(chunk.items[k], assignment[chunk.items[k]]) != first + k) return "a chunk is not in a row";
            }
            const auto rows = rows_of(chunk, first, taken);
            if (!rows) return "a row is where it may not be";
            taken |= *rows;
        }
        return {};
    }

private:
    static constexpr std::size_t most_steps = 200000;

    struct Chunk {
        std::vector<std::size_t> items;
        std::uint64_t size = 1;
    };

    Words words(const Cube& cube) const {
        Words set = 0;
        for (unsigned i = 0; i < 1u << bits_; ++i) {
            if (((Bits{i} << (64 - bits_) ^ cube.value) & cube.mask & (~Bits{0} << (64 - bits_))) == 0)
                set |= Words{1} << i;
        }
        return set;
    }

    // Words that only pools of other formats have, or that are outside of the format's own.
    Words foreign(unsigned format) const {
        Words set = 0;
        for (unsigned word = 0; word < 1u << bits_; ++word) {
            bool has_pool = false, in_own = false, in_other = false;
            for (const PoolRange& pool : problem_.pools) {
                const bool own = std::count(pool.formats.begin(), pool.formats.end(), format) != 0;
                const std::uint64_t leading = word >> (bits_ - pool.width);
                const bool inside = leading >= pool.low && leading <= pool.high;
                has_pool |= own;
                (own ? in_own : in_other) |= inside;
            }
            if (in_other || (has_pool && !in_own)) set |= Words{1} << word;
        }
        return set;
    }

    std::uint64_t code(std::size_t item, Bits word) const {
        std::uint64_t code = 0;
        for (unsigned i = 0; i < 64; ++i) {
            if (problem_.items[item].chosen & leading_bit(i)) code = code << 1 | (word >> (63 - i) & 1);
        }
        return code;
    }

    // The words of a chunk whose first row has this code; nothing where some are not to be had.
    std::optional<Words> rows_of(const Chunk& chunk, std::uint64_t first, Words taken) const {
        Words all = 0;
        for (std::size_t k = 0; k < chunk.items.size(); ++k) {
            const Item& item = problem_.items[chunk.items[k]];
            for (const Shape& form : item.forms) {
                Words here = 0;
                for (unsigned i = 0; i < 1u << bits_; ++i) {
                    const Bits word = Bits{i} << (64 - bits_);
                    const bool constant = ((word ^ form.constants.value) & form.constants.mask & ~item.chosen &
                                           (~Bits{0} << (64 - bits_))) == 0;
                    if (constant && code(chunk.items[k], word) == first + k) here |= Words{1} << i;
                }
                if (here & (taken | all | foreign(form.format))) return std::nullopt;
                all |= here;
            }
        }
        return all;
    }

    bool put(std::size_t index, Words taken) {
        if (index == chunks_.size()) return true;
        if (++steps_ > most_steps) return false;
        if (!failed_.insert({index, taken}).second) return false;
        const Chunk& chunk = chunks_[index];
        const std::uint64_t codes = std::uint64_t{1} << std::popcount(problem_.items[chunk.items[0]].chosen);
        for (std::uint64_t at = 0; at + chunk.items.size() <= codes; at += chunk.size) {
            const auto rows = rows_of(chunk, at, taken);
            if (rows && put(index + 1, taken | *rows)) return true;
        }
        return false;
    }

    const Problem& problem_;
    unsigned bits_;
    Words taken_ = 0;
    std::vector<Chunk> chunks_;
    std::set<std::pair<std::size_t, Words>> failed_;
    std::size_t steps_ = 0;
};

// Whether there is an assignment: with blocks of one format each, with blocks shared where pools are, or of any kind.
inline std::optional<bool> possible(const Problem& problem, unsigned bits) {
    if (SmallSpace(problem, bits, false).possible().value_or(false)) return true;
    if (SmallSpace(problem, bits, true).possible().value_or(false)) return true;
    return SmallWords(problem, bits).possible();
}

inline std::string wrong(const Problem& problem, unsigned bits, const Assignment& assignment) {
    if (SmallSpace(problem, bits, false).wrong(assignment).empty()) return {};
    if (SmallSpace(problem, bits, true).wrong(assignment).empty()) return {};
    return SmallWords(problem, bits).wrong(assignment);
}

}  // namespace isaforge::allocator
