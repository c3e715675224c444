#include "allocator/explain.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "allocator/fit.hpp"
#include "allocator/room.hpp"
#include "allocator/words.hpp"

namespace isaforge::allocator {

namespace {

using Ref = Bdd::Ref;

constexpr std::uint64_t most_trial_placements = 20000;  // of one change that is tried
constexpr std::size_t most_trials = 2000;               // of all changes; on large problems each counts for several
constexpr std::size_t work_of_words = 20;               // of a trial where codes are chosen one by one, in others
constexpr std::uint64_t most_growth = 1u << 20;         // of a pool, in opcodes

std::vector<Demand> demands_of(Classes& classes, std::size_t index, bool at_least) {
    return demands_of(classes.bdd, classes.list[index], index, at_least);
}

Fit fit_of(Classes& classes, bool at_least) {
    std::vector<Supply> supplies;
    std::vector<Demand> demands;
    for (std::size_t i = 0; i < classes.list.size(); ++i) {
        supplies.push_back({classes.list[i].width, classes.list[i].allowed});
        for (const Demand& demand : demands_of(classes, i, at_least)) demands.push_back(demand);
    }
    return Fit(classes.bdd, supplies, demands);
}

bool names(const PoolRange& pool, const std::set<unsigned>& formats) {
    return std::any_of(pool.formats.begin(), pool.formats.end(), [&](unsigned f) { return formats.contains(f); });
}

bool named(const Problem& problem, unsigned format) {
    return std::any_of(problem.pools.begin(), problem.pools.end(),
                       [&](const PoolRange& pool) { return names(pool, {format}); });
}

Shortage::Part part_of(Classes& classes, std::size_t pool, Ref words, unsigned width) {
    const auto blocks = [&](Ref set) {
        return classes.bdd.count(classes.bdd.touched(classes.bdd.both(words, set), width), width);
    };
    return {pool, blocks(Bdd::all), blocks(classes.fixed), blocks(classes.reserved)};
}

// The smallest number in low..high that `good` holds for, where it holds for all above one number, or nothing.
template <typename Good>
std::optional<std::uint64_t> smallest(std::uint64_t low, std::uint64_t high, const Good& good) {
    if (low > high || !good(high)) return std::nullopt;
    while (low < high) {
        const std::uint64_t middle = low + (high - low) / 2;
        if (good(middle)) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

class Changes {
public:
    Changes(const Problem& problem, const std::optional<Shortage>& shortage) : problem_(problem) {
        if (shortage && !shortage->fragmented && !shortage->searched) {
            for (const auto& demand : shortage->demands) formats_.insert(demand.formats.begin(), demand.formats.end());
        } else {
            for (const Item& item : problem.items) formats_.insert(item.forms.front().format);
        }
    }

    std::vector<Change> find() {
        for (const unsigned format : formats_) drop_rows_of(format);
        if (changes_.empty()) drop_rows();
        for (std::size_t i = 0; i < problem_.pools.size(); ++i) {
            if (!names(problem_.pools[i], formats_)) continue;
            grow(i, true);
            grow(i, false);
        }
        for (const unsigned format : formats_) {
            add_bit(format, true);
            add_bit(format, false);
        }
        return std::move(changes_);
    }

private:
    bool good(const Problem& problem) {
        trials_ += 1 + problem.items.size() / 500 + problem.formats.size() / 50;
        if (!blocks_only_) trials_ += work_of_words;
        return trials_ <= most_trials && fits(problem, most_trial_placements) == Answer::yes;
    }

    // What was found when the trials had run out may not be the smallest.
    void add(Change change) {
        if (trials_ <= most_trials) changes_.push_back(std::move(change));
    }

    // The problem with only these items.
    Problem with_items(const std::vector<std::size_t>& kept) const {
        Problem problem = problem_;
        problem.related.clear();
        problem.items.clear();
        for (const std::size_t item : kept) problem.items.push_back(problem_.items[item]);
        return problem;
    }

    bool is_of(std::size_t item, unsigned format) const { return problem_.items[item].forms.front().format == format; }

    // The last rows of one format.
    void drop_rows_of(unsigned format) {
        const auto without = [&](std::uint64_t count) {
            std::vector<std::size_t> kept;
            for (std::size_t i = problem_.items.size(); i-- > 0;) {
                if (count != 0 && is_of(i, format)) {
                    --count;
                } else {
                    kept.push_back(i);
                }
            }
            std::reverse(kept.begin(), kept.end());
            return with_items(kept);
        };
        std::uint64_t rows = 0;
        for (std::size_t i = 0; i < problem_.items.size(); ++i) rows += is_of(i, format);
        if (const auto count = smallest(1, rows, [&](std::uint64_t n) { return good(without(n)); })) {
            add({Change::Kind::drop_rows, 0, 0, {{format, *count}}});
        }
    }

    // Where no one format can make room: as many of the first as fit, then of the second beside them, and so on.
    void drop_rows() {
        std::map<unsigned, std::vector<std::size_t>> rows;
        for (std::size_t i = 0; i < problem_.items.size(); ++i) {
            rows[problem_.items[i].forms.front().format].push_back(i);
        }
        std::vector<std::size_t> kept;
        Change change{Change::Kind::drop_rows, 0, 0, {}};
        for (const auto& of_format : rows) {
            const std::vector<std::size_t>& items = of_format.second;
            const auto with = [&](std::uint64_t dropped) {
                std::vector<std::size_t> more = kept;
                more.insert(more.end(), items.begin(), items.end() - static_cast<std::ptrdiff_t>(dropped));
                std::sort(more.begin(), more.end());
                return more;
            };
            const auto dropped = smallest(
                0, items.size(), [&](std::uint64_t n) { return n == items.size() || good(with_items(with(n))); });
            if (*dropped != 0) change.rows.push_back({of_format.first, *dropped});
            kept = with(*dropped);
        }
        if (good(with_items(kept))) add(std::move(change));
    }

    // A pool into the space behind or before it that nobody else has.
    void grow(std::size_t index, bool up) {
        const PoolRange& pool = problem_.pools[index];
        Classes classes(problem_, Grouping::by_pools);
        Ref taken = Bdd::none;
        for (std::size_t i = 0; i < classes.pools.size(); ++i) {
            if (i != index) taken = classes.bdd.either(taken, classes.pools[i]);
        }
        for (const FixedRow& row : problem_.fixed) {
            if (!names(pool, {row.shape.format}))
                taken = classes.bdd.either(taken, classes.bdd.cube(row.shape.constants));
        }
        const std::uint64_t last = pool.width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << pool.width) - 1;
        const std::uint64_t edge = std::min(most_growth, up ? last - pool.high : pool.low);
        const auto grown = [&](std::uint64_t by) {
            PoolRange range = pool;
            (up ? range.high : range.low) += up ? by : ~by + 1;
            return range;
        };
        const auto blocked = smallest(1, edge, [&](std::uint64_t by) {
            const PoolRange range = grown(by);
            const Ref words = classes.bdd.turned_range(range.width, range.low, range.high, problem_.skipped);
            return classes.bdd.both(classes.bdd.without(words, classes.pools[index]), taken) != Bdd::none;
        });
        const auto by = smallest(1, blocked ? *blocked - 1 : edge, [&](std::uint64_t amount) {
            Problem problem = problem_;
            problem.pools[index] = grown(amount);
            return good(problem);
        });
        if (by) add({up ? Change::Kind::grow_pool_up : Change::Kind::grow_pool_down, index, *by, {}});
    }

    // One more bit for all rows of a format: behind the opcode, or as an extra one.
    void add_bit(unsigned format, bool in_block) {
        Problem problem = problem_;
        unsigned widest = 0;
        for (Item& item : problem.items) {
            if (item.forms.front().format != format) continue;
            Bits used = item.chosen;
            unsigned bits = 64;
            for (const Shape& form : item.forms) {
                used |= form.constants.mask;
                bits = std::min(bits, form.length - std::min(form.length, problem.skipped));
            }
            unsigned at = static_cast<unsigned>(std::countl_one(used)) + !in_block;
            while (at < bits && (used & leading_bit(at))) ++at;
            if (at >= bits) return;
            item.chosen |= leading_bit(at);
            widest = std::max(widest, at + 1);
        }
        if (!good(problem)) return;
        add({in_block ? Change::Kind::wider_opcode : Change::Kind::extra_bit, format, widest, {}});
    }

    const Problem& problem_;
    const bool blocks_only_ = blocks_are_words(problem_);
    std::set<unsigned> formats_;
    std::vector<Change> changes_;
    std::size_t trials_ = 0;
};

// Constant bits at the end of all blocks alike only make them look narrower than they are.
unsigned common_tail(const Classes& classes, const Cut& cut) {
    std::set<unsigned> tails;
    for (const std::size_t index : cut.supplies) {
        const Class& group = classes.list[index];
        const Bits chosen = group.block_mask();
        if (group.width != cut.width || chosen == 0) return 0;
        tails.insert(group.width - (64 - static_cast<unsigned>(std::countr_zero(chosen))));
    }
    return tails.size() == 1 ? *tails.begin() : 0;
}

}  // namespace

Answer answer_of(Classes& classes, std::uint64_t most, std::uint64_t& placements) {
    Fit fit = fit_of(classes, false);
    Answer answer = fit.search(most);
    placements = fit.placements();
    if (answer == Answer::no && !classes.exact) {
        // The numbers of blocks themselves may not be the smallest: it is a no only if the least that they can be is too much.
        Fit least = fit_of(classes, true);
        if (least.search(most) != Answer::no) answer = Answer::gave_up;
        placements += least.placements();
    }
    return answer;
}

Shortage explain(Classes& classes) {
    Shortage shortage;
    Cut cut = fit_of(classes, true).shortage();
    shortage.fragmented = cut.supplies.empty();
    if (shortage.fragmented) {
        for (std::size_t i = 0; i < classes.list.size(); ++i) {
            cut.supplies.push_back(i);
            cut.width = std::max(cut.width, classes.list[i].width);
        }
    }
    const unsigned tail = common_tail(classes, cut);
    shortage.width = cut.width - tail;
    shortage.needed = cut.needed;
    shortage.available = cut.available;
    std::set<unsigned> formats;
    for (const std::size_t index : cut.supplies) {
        const Class& group = classes.list[index];
        std::uint64_t blocks = 0;
        for (const Demand& demand : demands_of(classes, index, true)) blocks += demand.blocks * demand.count;
        if (blocks == 0) continue;
        shortage.demands.push_back({group.formats, group.items.size(), group.width - tail, group.extra_bits,
                                    blocks << (cut.width - group.width)});
        formats.insert(group.formats.begin(), group.formats.end());
    }
    bool all_named = true;
    Ref outside = Bdd::all;
    for (const unsigned format : formats) all_named = all_named && named(classes.problem, format);
    for (std::size_t i = 0; i < classes.pools.size(); ++i) {
        outside = classes.bdd.without(outside, classes.pools[i]);
        if (!names(classes.problem.pools[i], formats)) continue;
        shortage.parts.push_back(part_of(classes, i, classes.pools[i], shortage.width));
    }
    if (!all_named) shortage.parts.push_back(part_of(classes, classes.pools.size(), outside, shortage.width));
    return shortage;
}

std::vector<Change> smallest_changes(const Problem& problem, const std::optional<Shortage>& shortage) {
    return Changes(problem, shortage).find();
}

}  // namespace isaforge::allocator
