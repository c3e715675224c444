#include "allocator/fit.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "allocator/flow.hpp"

namespace isaforge::allocator {

namespace {

constexpr std::size_t most_remembered = 1u << 18;  // failed states
constexpr std::size_t most_parts = 1u << 24;            // of all types together
constexpr std::uint64_t most_work = 200000000;          // edges of flows that are built

template <typename T>
void append(std::string& key, T value) {
    key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

}  // namespace

Fit::Fit(Bdd& bdd, const std::vector<Supply>& supplies, const std::vector<Demand>& demands) : bdd_(bdd) {
    // Classes that may use the same blocks are one here: they only add up.
    std::vector<std::size_t> merged(supplies.size());
    std::map<std::pair<unsigned, Ref>, std::size_t> known;
    for (std::size_t i = 0; i < supplies.size(); ++i) {
        const auto [place, added] = known.emplace(std::pair(supplies[i].width, supplies[i].allowed), supplies_.size());
        merged[i] = place->second;
        if (added) {
            supplies_.push_back(supplies[i]);
            members_.emplace_back();
        }
        members_[place->second].push_back(i);
    }
    std::map<std::tuple<unsigned, std::size_t, Ref, std::uint64_t>, std::uint64_t> sums;
    for (const Demand& demand : demands) {
        if (demand.count != 0) {
            sums[{demand.depth, merged[demand.supply], demand.pattern, demand.blocks}] += demand.count;
        }
    }
    for (const auto& [kind, count] : sums) {  // by depth
        const auto& [depth, supply, pattern, blocks] = kind;
        demands_.push_back({supply, depth, pattern, blocks, count});
    }
    last_.resize(supplies_.size());
    for (std::size_t i = 0; i < demands_.size(); ++i) last_[demands_[i].supply] = i + 1;
    std::vector<Ref> whole;
    for (std::size_t i = 0; i < supplies_.size(); ++i) {
        whole.push_back(last_[i] != 0 ? supplies_[i].allowed : Bdd::none);
        deepest_ = std::max(deepest_, supplies_[i].width);
    }
    root_ = intern(whole);
}

Fit::Type Fit::intern(const std::vector<Ref>& parts) {
    std::string key(reinterpret_cast<const char*>(parts.data()), parts.size() * sizeof(Ref));
    const auto [place, added] = known_types_.emplace(std::move(key), static_cast<Type>(types_.size()));
    if (!added) return place->second;
    if (types_.size() * (parts.size() + 8) >= most_parts) gave_up_ = true;
    unsigned top = deepest_;
    for (const Ref part : parts) top = std::min(top, bdd_.level(part));
    types_.push_back(parts);
    tops_.push_back(top);
    return place->second;
}

Fit::Type Fit::half(Type type, unsigned level, bool one) {
    std::vector<Ref> halves = parts(type);
    for (Ref& part : halves) part = bdd_.half(part, level, one);
    return intern(halves);
}

// The same space cut into parts of `to` leading bits.
Fit::State Fit::descend(const State& state, unsigned from, unsigned to) {
    std::map<Type, std::uint64_t> current(state.begin(), state.end());
    for (unsigned level = from; level < to; ++level) {
        std::map<Type, std::uint64_t> next;
        for (const auto& [type, count] : current) {
            if (top(type) != level) {
                next[type] += 2 * count;
                continue;
            }
            next[half(type, level, false)] += count;
            next[half(type, level, true)] += count;
        }
        current = std::move(next);
    }
    return {current.begin(), current.end()};
}

// A class that wants nothing from demand `next` on has no claim any more; parts are more alike then.
Fit::Type Fit::drop_finished(Type type, std::size_t next) {
    std::vector<Ref> left = parts(type);
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (last_[i] <= next) left[i] = Bdd::none;
    }
    return intern(left);
}

Fit::Type Fit::take(Type type, const Demand& demand) {
    std::vector<Ref> left = parts(type);
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (left[i] == Bdd::none) continue;
        left[i] = bdd_.without(left[i], bdd_.touched(demand.pattern, std::max(demand.depth, supplies_[i].width)));
    }
    return intern(left);
}

bool Fit::accepts(Type type, const Demand& demand) { return bdd_.contains(parts(type)[demand.supply], demand.pattern); }

bool Fit::dominated(Type type, Type by) {
    for (std::size_t i = 0; i < supplies_.size(); ++i) {
        if (!bdd_.contains(parts(by)[i], parts(type)[i])) return false;
    }
    return true;
}

// In units of the deepest blocks, for a part that begins at the type's own top level.
const Fit::Areas& Fit::areas(Type type) {
    if (const auto found = areas_.find(type); found != areas_.end()) return found->second;
    Areas sum;
    if (top(type) >= deepest_) {
        sum.push_back({type, 1});
    } else {
        std::map<Type, std::uint64_t> cells;
        for (const bool one : {false, true}) {
            const Type child = half(type, top(type), one);
            const unsigned shift = top(child) - top(type) - 1;
            for (const auto& [leaf, area] : areas(child)) cells[leaf] += area << shift;
        }
        sum.assign(cells.begin(), cells.end());
    }
    return areas_[type] = std::move(sum);
}

// What each supply must give from demand `next` on, in units.
std::vector<std::uint64_t> Fit::demanded(std::size_t next) const {
    std::vector<std::uint64_t> units(supplies_.size());
    for (std::size_t i = next; i < demands_.size(); ++i) {
        const Demand& demand = demands_[i];
        units[demand.supply] += (demand.blocks * demand.count) << (deepest_ - supplies_[demand.supply].width);
    }
    return units;
}

bool Fit::flows(std::size_t next, const State& state, unsigned depth, std::vector<bool>* short_side) {
    std::map<Type, std::uint64_t> cells;
    for (const auto& [type, count] : state) {
        for (const auto& [leaf, area] : areas(type)) cells[leaf] += (area * count) << (top(type) - depth);
    }
    const std::vector<std::uint64_t> units = demanded(next);
    work_ += cells.size() * supplies_.size();
    if (work_ > most_work) gave_up_ = true;
    const std::size_t source = supplies_.size() + cells.size(), sink = source + 1;
    Flow flow(sink + 1);
    std::uint64_t wanted = 0;
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i] != 0) flow.edge(source, i, units[i]);
        wanted += units[i];
    }
    std::size_t node = supplies_.size();
    for (const auto& [leaf, area] : cells) {
        for (std::size_t i = 0; i < units.size(); ++i) {
            if (units[i] != 0 && parts(leaf)[i] == Bdd::all) flow.edge(i, node, ~std::uint64_t{0} >> 1);
        }
        flow.edge(node++, sink, area);
    }
    const bool enough = flow.run(source, sink) == wanted;
    if (short_side && !enough) {
        short_side->assign(supplies_.size(), false);
        for (std::size_t i = 0; i < units.size(); ++i) (*short_side)[i] = units[i] != 0 && flow.reached(i);
    }
    return enough;
}

// Kinds of parts that could take the demand, those first that are worth least to the others.
std::vector<Fit::Type> Fit::candidates(const State& state, const Demand& demand) {
    struct Kind {
        std::uint64_t claims = 0, words = 0;
        Type type = 0;
    };
    std::vector<Kind> kinds;
    for (const auto& [type, count] : state) {
        if (count == 0 || !accepts(type, demand)) continue;
        Kind kind{0, 0, type};
        for (std::size_t i = 0; i < supplies_.size(); ++i) {
            kind.claims += parts(type)[i] != Bdd::none;
            for (const auto& [leaf, area] : areas(type)) {
                if (parts(leaf)[i] == Bdd::all) kind.words += area << (top(type) - demand.depth);
            }
        }
        kinds.push_back(kind);
    }
    std::stable_sort(kinds.begin(), kinds.end(), [](const Kind& a, const Kind& b) {
        return std::pair(a.claims, a.words) < std::pair(b.claims, b.words);
    });
    std::vector<Type> types;
    types.reserve(kinds.size());
    for (const Kind& kind : kinds) types.push_back(kind.type);
    return types;
}

bool Fit::distribute(std::size_t next, const std::vector<Type>& kinds, std::size_t at, std::uint64_t left,
                     State state) {
    if (left == 0) {
        if (++placements_ > most_placements_) gave_up_ = true;
        return place(next + 1, std::move(state), demands_[next].depth);
    }
    if (at == kinds.size() || gave_up_) return false;
    const Demand& demand = demands_[next];
    const auto count_of = [&](Type type) -> std::uint64_t {
        for (const auto& [known, count] : state) {
            if (known == type) return count;
        }
        return 0;
    };
    const std::uint64_t most = std::min(left, count_of(kinds[at]));
    std::uint64_t behind = 0;
    bool least_worth = demand.pattern == Bdd::all;
    for (std::size_t i = at + 1; i < kinds.size(); ++i) {
        behind += count_of(kinds[i]);
        least_worth = least_worth && dominated(kinds[at], kinds[i]);
    }
    // Where all the others are worth at least as much to everybody, nothing is gained by sparing this one.
    std::uint64_t least = behind >= left ? 0 : left - behind;
    if (least_worth) least = std::max(least, most);
    for (std::uint64_t count = most + 1; count-- > least;) {
        State after = state;
        for (auto& [type, number] : after) number -= type == kinds[at] ? count : 0;
        if (count != 0 && demand.pattern != Bdd::all) after.push_back({take(kinds[at], demand), count});
        if (distribute(next, kinds, at + 1, left - count, std::move(after))) return true;
        if (gave_up_) return false;
    }
    return false;
}

bool Fit::place(std::size_t next, State state, unsigned depth) {
    if (next == demands_.size()) return true;
    if (gave_up_ || bdd_.exhausted()) {
        gave_up_ = true;
        return false;
    }
    const Demand& demand = demands_[next];
    std::map<Type, std::uint64_t> merged;
    for (const auto& [type, count] : state) {
        if (count != 0) merged[drop_finished(type, next)] += count;
    }
    state = descend({merged.begin(), merged.end()}, depth, demand.depth);
    if (!flows(next, state, demand.depth)) return false;
    std::string key;
    append(key, next);
    for (const auto& entry : state) {
        append(key, entry.first);
        append(key, entry.second);
    }
    if (failed_.contains(key)) return false;
    if (distribute(next, candidates(state, demand), 0, demand.count, state)) return true;
    if (!gave_up_ && failed_.size() < most_remembered) failed_.insert(std::move(key));
    return false;
}

Answer Fit::search(std::uint64_t most) {
    most_placements_ = most;
    const bool found = place(0, {{root_, 1}}, 0);
    return found ? Answer::yes : gave_up_ ? Answer::gave_up : Answer::no;
}

Cut Fit::shortage() {
    Cut cut;
    std::vector<bool> side;
    if (flows(0, {{root_, 1}}, 0, &side)) return cut;
    const std::vector<std::uint64_t> units = demanded(0);
    const auto sums = [&](const std::vector<bool>& among) {
        std::uint64_t needed = 0, available = 0;
        for (std::size_t i = 0; i < among.size(); ++i) needed += among[i] ? units[i] : 0;
        for (const auto& [leaf, area] : areas(root_)) {
            bool usable = false;
            for (std::size_t i = 0; i < among.size(); ++i) usable |= among[i] && parts(leaf)[i] == Bdd::all;
            if (usable) available += area << top(root_);
        }
        return std::pair(needed, available);
    };
    for (std::size_t i = 0; i < side.size(); ++i) {  // as few as prove it
        if (!side[i]) continue;
        side[i] = false;
        const auto [needed, available] = sums(side);
        if (needed <= available) side[i] = true;
    }
    for (std::size_t i = 0; i < side.size(); ++i) {
        if (!side[i]) continue;
        cut.supplies.insert(cut.supplies.end(), members_[i].begin(), members_[i].end());
        cut.width = std::max(cut.width, supplies_[i].width);
    }
    std::sort(cut.supplies.begin(), cut.supplies.end());
    std::tie(cut.needed, cut.available) = sums(side);
    cut.needed >>= deepest_ - cut.width;
    cut.available >>= deepest_ - cut.width;
    return cut;
}

}  // namespace isaforge::allocator
