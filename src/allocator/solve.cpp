// The work in order: is there an assignment, which is the cheapest that a bounded search finds, and where there is none, why.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>

#include "allocator/classes.hpp"
#include "allocator/cost.hpp"
#include "allocator/explain.hpp"
#include "allocator/fit.hpp"
#include "allocator/placement.hpp"
#include "allocator/problem.hpp"
#include "allocator/words.hpp"

namespace isaforge::allocator {

namespace {

// Bounds of the search for a cheap assignment: plans tried, plans in a row that did not help, and set operations spent.
constexpr unsigned most_plans = 600;
constexpr unsigned most_useless_plans = 200;
constexpr unsigned most_crowded_plans = 20;
constexpr std::size_t work_of_a_look = 20000;  // ahead
constexpr std::size_t most_work = 30000000;

// A generator of our own, so that every build searches alike.
class Random {
public:
    std::size_t below(std::size_t count) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::size_t>(state_ % count);
    }

private:
    std::uint64_t state_ = 0x2545F4914F6CDD1Du;
};

class PlanSearch {
public:
    PlanSearch(const Classes& classes, const Decoders& decoders) : classes_(classes), decoders_(decoders) {}

    std::optional<Placement> run() {
        for (const Policy policy :
             {Policy::low_aligned, Policy::low, Policy::beside, Policy::high_aligned, Policy::interleaved}) {
            if (best_ && work_ >= most_work) break;
            try_plan({by_length(), std::vector<Policy>(classes_.list.size(), policy)});
            try_plan({by_size(), std::vector<Policy>(classes_.list.size(), policy)});
        }
        if (!best_) return std::nullopt;
        Random random;
        unsigned useless = 0;
        for (unsigned i = 0; i < most_plans && useless < most_useless_plans && work_ < most_work; ++i) {
            useless = try_plan(changed(random)) ? 0 : useless + 1;
        }
        return std::move(best_);
    }

private:
    std::vector<std::size_t> sorted(auto key) const {
        std::vector<std::size_t> order(classes_.list.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
        return order;
    }

    // Large blocks first; among those of one width, the class with the most of them.
    std::vector<std::size_t> by_size() const {
        return sorted([&](std::size_t i) {
            return std::pair(classes_.list[i].width, ~static_cast<std::uint64_t>(classes_.list[i].items.size()));
        });
    }

    // The same, with what has one length together.
    std::vector<std::size_t> by_length() const {
        std::map<unsigned, unsigned> widest;  // length: its widest blocks
        const auto length = [&](std::size_t i) {
            return classes_.problem.items[classes_.list[i].items.front()].forms.front().length;
        };
        for (std::size_t i = 0; i < classes_.list.size(); ++i) {
            const unsigned width = classes_.list[i].width;
            const auto [place, added] = widest.emplace(length(i), width);
            if (!added) place->second = std::min(place->second, width);
        }
        return sorted([&](std::size_t i) {
            return std::tuple(widest[length(i)], length(i), classes_.list[i].width,
                              ~static_cast<std::uint64_t>(classes_.list[i].items.size()));
        });
    }

    // A step of the search: a class to another turn, another policy for one, or both.
    Plan changed(Random& random) const {
        Plan plan = here_plan_;
        const std::size_t kind = random.below(3);
        if (kind != 1) {
            const std::size_t from = random.below(plan.order.size()), to = random.below(plan.order.size());
            const std::size_t moved = plan.order[from];
            plan.order.erase(plan.order.begin() + static_cast<std::ptrdiff_t>(from));
            plan.order.insert(plan.order.begin() + static_cast<std::ptrdiff_t>(to), moved);
        }
        if (kind != 0) plan.policy[random.below(plan.policy.size())] = static_cast<Policy>(random.below(policies));
        return plan;
    }

    // Beside the cost, how often the format changes from one opcode to the next, and how high they are: of assignments that
    // cost the same, the tidiest.
    struct Score {
        unsigned cost = 0;
        std::size_t changes = 0;
        std::uint64_t height = 0;
        bool operator<(const Score& other) const {
            return std::tie(cost, changes, height) < std::tie(other.cost, other.changes, other.height);
        }
    };

    Score score_of(Placement& placement) const {
        const Problem& problem = classes_.problem;
        std::vector<std::pair<Bits, unsigned>> rows;
        for (const FixedRow& row : problem.fixed) rows.push_back({row.shape.constants.value, row.shape.format});
        Score score{decoders_.measure(placement, false).cost(), 0, 0};
        for (std::size_t i = 0; i < problem.items.size(); ++i) {
            rows.push_back({placement.assignment[i], problem.items[i].forms.front().format});
            score.height += placement.assignment[i] >> widest_block;
        }
        std::sort(rows.begin(), rows.end());
        for (std::size_t i = 1; i < rows.size(); ++i) score.changes += rows[i].second != rows[i - 1].second;
        return score;
    }

    // Mostly there is room enough to do without looking ahead.
    std::optional<Placement> placed(const Plan& plan) {
        std::size_t looks = 0;
        if (crowded_ < most_crowded_plans) {
            if (std::optional<Placement> placement = place(classes_, plan, false, looks)) return placement;
            ++crowded_;
        }
        std::optional<Placement> placement = place(classes_, plan, true, looks);
        work_ += looks * work_of_a_look;
        return placement;
    }

    // Whether it is cheaper than where the search stands; it goes there also where it is not costlier.
    bool try_plan(const Plan& plan) {
        std::optional<Placement> placement = placed(plan);
        if (!placement) return false;
        const Score score = score_of(*placement);
        work_ += placement->bdd.size() + 10 * classes_.list.size() * classes_.list.size();
        if (best_ && score.cost > here_) return false;
        const bool better = !best_ || score < best_score_;
        here_ = score.cost;
        here_plan_ = plan;
        if (!better) return false;
        best_ = std::move(placement);
        best_score_ = score;
        return true;
    }

    const Classes& classes_;
    const Decoders& decoders_;
    std::optional<Placement> best_;
    Score best_score_;
    unsigned here_ = 0;
    Plan here_plan_;
    std::size_t work_ = 0;
    unsigned crowded_ = 0;  // plans that could not do without looking ahead
};

// The formats as the pools list them, then those that no pool lists.
std::vector<unsigned> order_of_pools(const Problem& problem) {
    std::vector<const PoolRange*> pools;
    for (const PoolRange& pool : problem.pools) pools.push_back(&pool);
    std::vector<unsigned> order;
    for (const PoolRange* pool : pools) order.insert(order.end(), pool->formats.begin(), pool->formats.end());
    for (unsigned i = 0; i < problem.formats.size(); ++i) order.push_back(i);
    return order;
}

void choose(Classes& classes, Outcome& outcome) {
    const Decoders decoders(classes);
    std::optional<Placement> best = PlanSearch(classes, decoders).run();
    if (best) outcome.ours = decoders.measure(*best, true);
    // Another order may happen to be cheaper still.
    const auto compare = [&](const std::vector<unsigned>& formats, std::optional<Figures>& figures, Assignment& words) {
        std::optional<Placement> other = place_first_fit(classes, formats);
        if (!other) return;
        figures = decoders.measure(*other, true);
        words = other->assignment;
        if (best && outcome.ours.cost() <= figures->cost()) return;
        outcome.ours = *figures;
        best = std::move(other);
    };
    compare(order_of_pools(classes.problem), outcome.in_order, outcome.in_order_words);
    compare({}, outcome.first_fit, outcome.first_fit_words);
    if (!best) {
        outcome.answer = Answer::gave_up;
        return;
    }
    outcome.assignment = std::move(best->assignment);
}

// The figures of an assignment that was not made of blocks.
Figures measured(const Problem& problem, const Assignment& assignment) {
    Problem all = problem;
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
        const Item& item = problem.items[i];
        for (Shape form : item.forms) {
            form.constants.value = (form.constants.value & form.constants.mask & ~item.chosen) | assignment[i];
            form.constants.mask |= item.chosen;
            all.fixed.push_back({form, {}});
        }
    }
    all.items.clear();
    all.related.clear();
    Classes classes(all, Grouping::by_format);
    const Decoders decoders(classes);
    Placement placement{{}, {}, classes.bdd};
    Figures figures = decoders.measure(placement, true);
    figures.apart = count_apart(problem, assignment);
    return figures;
}

// Rows of one format that have several lengths are often cheaper apart, if there is room for that: then the length decoder can
// tell them by few bits.
void try_by_length(const Problem& problem, std::size_t classes_before, Outcome& outcome) {
    Classes classes(problem, Grouping::by_length);
    if (classes.list.size() == classes_before) return;
    Outcome other;
    other.answer = answer_of(classes, most_placements, other.placements);
    if (other.answer != Answer::yes) return;
    choose(classes, other);
    if (other.answer != Answer::yes || other.ours.cost() >= outcome.ours.cost()) return;
    outcome.assignment = std::move(other.assignment);
    outcome.ours = other.ours;
}

// Where blocks find no assignment, and rows of several classes may share one.
void ask_words(const Problem& problem, Outcome& outcome) {
    const WordsAnswer words = fit_words(problem, most_placements);
    outcome.answer = words.answer;
    outcome.placements += words.placements;
    outcome.shortage.reset();
    if (words.answer == Answer::yes) {
        outcome.assignment = words.assignment;
        outcome.ours = measured(problem, words.assignment);
    }
    if (words.answer != Answer::no) return;
    Shortage& shortage = outcome.shortage.emplace();
    shortage.searched = true;
    for (const FreeCodes& free : words.free) {
        std::vector<unsigned> formats;
        for (const Shape& form : problem.items[free.items.front()].forms) formats.push_back(form.format);
        shortage.demands.push_back({formats, free.items.size(), 0, 0, free.codes});
    }
}

}  // namespace

Outcome solve(const Problem& problem) {
    Outcome outcome;
    if (problem.items.empty()) {  // the figures of what has a number
        outcome.answer = Answer::yes;
        Classes classes(problem, Grouping::by_format);
        const Decoders decoders(classes);
        Placement placement{{}, {}, classes.bdd};
        outcome.ours = decoders.measure(placement, true);
        return outcome;
    }
    for (const Grouping grouping : {Grouping::by_format, Grouping::by_pools}) {
        const auto classes = std::make_unique<Classes>(problem, grouping);
        outcome.answer = answer_of(*classes, most_placements, outcome.placements);
        if (outcome.answer == Answer::yes) {
            choose(*classes, outcome);
            if (grouping == Grouping::by_format) try_by_length(problem, classes->list.size(), outcome);
            return outcome;
        }
        if (grouping == Grouping::by_pools && outcome.answer == Answer::no) outcome.shortage = explain(*classes);
    }
    if (!blocks_are_words(problem)) ask_words(problem, outcome);
    if (outcome.answer != Answer::yes) outcome.changes = smallest_changes(problem, outcome.shortage);
    return outcome;
}

Answer fits(const Problem& problem, std::uint64_t most) {
    std::uint64_t placements = 0;
    Answer answer = Answer::no;
    for (const Grouping grouping : {Grouping::by_pools, Grouping::by_format}) {
        Classes classes(problem, grouping);
        const Answer here = answer_of(classes, most, placements);
        if (here == Answer::yes) return here;
        if (answer != Answer::gave_up) answer = here;
    }
    if (answer != Answer::yes && !blocks_are_words(problem)) answer = fit_words(problem, most).answer;
    return answer;
}

}  // namespace isaforge::allocator
