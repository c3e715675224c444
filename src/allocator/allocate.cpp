// The allocator's door: a draft in, numbers or an error with its proof out.
#include "isaforge/allocate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "allocator/bdd.hpp"
#include "allocator/model.hpp"
#include "allocator/problem.hpp"

namespace isaforge {

namespace {

using namespace allocator;

constexpr std::size_t most_notes = 60;  // of figures

AllocationFigures public_figures(const Figures& figures) {
    return {figures.length.bits,  figures.length.terms, figures.format.bits,
            figures.format.terms, figures.apart,        figures.cost()};
}

std::optional<AllocationFigures> public_figures(const std::optional<Figures>& figures) {
    return figures ? std::optional(public_figures(*figures)) : std::nullopt;
}

// The row to point at when a format is the matter.
Place first_row_of(const Isa& draft, const Model& model, const std::vector<unsigned>& formats) {
    for (const Choice& choice : model.choices) {
        const unsigned format = draft.forms[choice.forms.front()].format;
        if (formats.empty() || std::find(formats.begin(), formats.end(), format) != formats.end()) {
            return draft.auto_rows[choice.columns.front().first].where;
        }
    }
    return {};
}

void explain_no(const Isa& draft, const Model& model, const Outcome& outcome, Diagnostics& diagnostics) {
    const Problem& problem = model.problem;
    Diagnostic* error = nullptr;
    Place where = first_row_of(draft, model, {});
    if (!outcome.shortage) {
        error =
            &diagnostics.error(where, fmt::format("found no opcodes for the rows that wait for one: gave up after {} "
                                                  "placements, which does not prove that there are none",
                                                  outcome.placements));
    } else {
        const Shortage& shortage = *outcome.shortage;
        where = first_row_of(draft, model, shortage.demands.front().formats);
        error = &diagnostics.error(where, describe(problem, shortage));
        const std::vector<std::string> figures = describe_figures(problem, shortage);
        for (std::size_t i = 0; i < figures.size(); ++i) {
            if (i == most_notes) {
                error->note({}, fmt::format("and {} more of these", figures.size() - i));
                break;
            }
            Place place = where;
            if (i < shortage.demands.size()) {
                place = first_row_of(draft, model, shortage.demands[i].formats);
            } else if (const std::size_t pool = shortage.parts[i - shortage.demands.size()].pool;
                       pool < draft.pools.size()) {
                place = draft.pools[pool].where;
            }
            error->note(place, figures[i]);
        }
    }
    for (const std::vector<Change>& alike : grouped(outcome.changes)) {
        const Change& change = alike.front();
        const bool of_pool = change.kind == Change::Kind::grow_pool_up || change.kind == Change::Kind::grow_pool_down;
        Place place = where;
        if (of_pool) {
            place = draft.pools[change.subject].where;
        } else if (change.kind != Change::Kind::drop_rows) {
            place = draft.formats[change.subject].where;
        }
        error->note(place, "it fits if you " + describe(problem, alike));
    }
}

// What the pools hold now.
void count_pools(const Isa& draft, const Model& model, const Assignment& assignment, AllocationReport& report) {
    const Problem& problem = model.problem;
    Bdd bdd;
    const int turn = static_cast<int>(problem.skipped);
    const auto words = [&](const Cube& cube) {
        return bdd.cube({std::rotr(cube.mask, turn), std::rotr(cube.value, turn)});
    };
    Bdd::Ref fixed = Bdd::none, given = Bdd::none, reserved = Bdd::none;
    for (const FixedRow& row : problem.fixed) fixed = bdd.either(fixed, words(row.shape.constants));
    for (const ReservedWords& row : problem.reserved) reserved = bdd.either(reserved, words(row.pattern));
    for (std::size_t i = 0; i < problem.items.size(); ++i) {
        const Item& item = problem.items[i];
        for (const Shape& form : item.forms) {
            const Cube cube{item.chosen | form.constants.mask, (assignment[i] & item.chosen) | form.constants.value};
            given = bdd.either(given, words(cube));
        }
    }
    for (Index i = 0; i < draft.pools.size(); ++i) {
        const Pool& pool = draft.pools[i];
        if (pool.width > 63) continue;
        const Bdd::Ref all = bdd.range(pool.width, pool.low, pool.high);
        const Bdd::Ref with_fixed = bdd.both(all, bdd.touched(fixed, pool.width));
        const Bdd::Ref with_given = bdd.without(bdd.both(all, bdd.touched(given, pool.width)), with_fixed);
        Bdd::Ref rest = bdd.without(bdd.without(all, with_fixed), with_given);
        const Bdd::Ref with_reserved = bdd.both(rest, bdd.touched(reserved, pool.width));
        rest = bdd.without(rest, with_reserved);
        report.pools.push_back({i, bdd.count(with_fixed, pool.width), bdd.count(with_given, pool.width),
                                bdd.count(with_reserved, pool.width), bdd.count(rest, pool.width)});
    }
}

}  // namespace

bool allocate(const Isa& draft, std::vector<AutoChoice>& choices, Diagnostics& diagnostics, AllocationReport* report,
              AllocationOrder order) {
    const std::optional<Model> model = model_of(draft, diagnostics);
    if (!model) return false;
    const Outcome outcome = solve(model->problem);
    if (outcome.answer != Answer::yes) {
        explain_no(draft, *model, outcome, diagnostics);
        return false;
    }
    const Assignment* words = &outcome.assignment;
    if (order == AllocationOrder::pools) words = outcome.in_order ? &outcome.in_order_words : nullptr;
    if (order == AllocationOrder::rows) words = outcome.first_fit ? &outcome.first_fit_words : nullptr;
    if (model->problem.items.empty()) words = &outcome.assignment;
    if (!words) {
        diagnostics.error(first_row_of(draft, *model, {}), "opcodes fit, but not in this order");
        return false;
    }
    add_numbers(draft, *model, *words, choices);
    if (!report) return true;
    report->rows = model->problem.items.size();
    report->pairs = model->problem.related.size();
    report->ours = public_figures(outcome.ours);
    report->in_order = public_figures(outcome.in_order);
    report->first_fit = public_figures(outcome.first_fit);
    count_pools(draft, *model, *words, *report);
    return true;
}

}  // namespace isaforge
