// The counts: instructions of each format against what its range holds and states, and the totals. A total may count one
// of several things; it is wrong only where it is none of them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "notes/findings.hpp"

namespace isaforge::notes {

namespace {

std::optional<std::uint64_t> known(const std::optional<Count>& count) {
    return count && !count->unknown ? std::optional(count->value) : std::nullopt;
}

// Two counts of one format.
void check_contradictions(const Format& format, Findings& findings) {
    for (std::size_t i = 1; i < format.tallies.size(); ++i) {
        const Count &first = format.tallies.front(), &other = format.tallies[i];
        if (first.unknown || other.unknown || first.value == other.value) continue;
        const std::size_t finding =
            findings.error(other.where, fmt::format("[{}] has {} here and {} elsewhere", format.name,
                                                    counted(other.value, "instruction"), first.value));
        findings[finding].note(first.where, "the other count is here");
        return;
    }
}

class TallyChecker {
public:
    TallyChecker(const Model& model, const RangeTable& table, Findings& findings)
        : model_(model), table_(table), findings_(findings), space_(space_bits(table)) {}

    void check() {
        std::map<const Format*, unsigned> uses;
        for (const Range& range : table_.ranges) {
            for (const Format* format : formats_of(model_, table_, range)) ++uses[format];
        }
        for (const Range& range : table_.ranges) {
            if (!is_sound(range, space_)) continue;
            const auto formats = formats_of(model_, table_, range);
            // A format of two ranges of one table may be in either.
            if (std::ranges::all_of(formats, [&](const Format* format) { return uses[format] == 1; }))
                check_range(range, formats);
        }
    }

private:
    void check_range(const Range& range, const std::vector<const Format*>& formats) {
        std::vector<std::pair<const Format*, std::uint64_t>> tallies;
        std::uint64_t sum = 0;
        bool complete = true;
        for (const Format* format : formats) {
            if (format->tallies.empty() || format->tallies.front().unknown) {
                complete = false;
            } else {
                tallies.emplace_back(format, format->tallies.front().value);
                sum += tallies.back().second;
            }
        }
        if (tallies.empty()) return;
        const Count& first = tallies.front().first->tallies.front();
        const std::string least = complete ? "" : "at least ";
        const std::uint64_t holds = held(range);
        if (sum > holds) {
            const std::size_t finding = findings_.error(
                first.where, fmt::format("{}{} need opcodes of {} bits ({}); the range holds {}", least,
                                         counted(sum, "instruction"), range.low_fixed, tally_text(tallies), holds));
            findings_[finding].note(range.where, "the range is here");
            return;
        }
        const auto current = known(range.current);
        if (!current || (complete ? sum == *current : sum <= *current)) return;
        for (const Range& other : table_.ranges) {
            const auto homeless = findings_.homeless.find(&other);
            if (homeless == findings_.homeless.end() || !known(other.current) || sum > *current + *known(other.current))
                continue;
            findings_[homeless->second].note(
                range.current->where,
                fmt::format("of {} with {} bits ({}), {}{}, only {} are here", counted(formats.size(), "format"),
                            range.low_fixed, tally_text(tallies), least, sum, *current));
            return;
        }
        const std::size_t finding = findings_.error(
            range.current->where, fmt::format("{} opcodes are used here; the formats' counts give {}{}: {}", *current,
                                              least, sum, tally_text(tallies)));
        findings_[finding].note(first.where, "the counts begin here");
    }

    const Model& model_;
    const RangeTable& table_;
    Findings& findings_;
    unsigned space_;
};

// The numbers that a total may mean, each with words for it.
class TotalChecker {
public:
    TotalChecker(const Model& model, Findings& findings) : model_(model), findings_(findings) {
        for (const RangeTable& table : model.notes.tables) add_table(table);
        add_tallies();
    }

    void check(const Total& total) {
        if (total.count.unknown) return;
        std::vector<const Candidate*> kin;
        for (const Candidate& candidate : candidates_) {
            if (candidate.value == total.count.value &&
                (candidate.kind == total.kind || total.kind == TotalKind::unsaid))
                return;
            if (candidate.kind == total.kind || total.kind == TotalKind::unsaid) kin.push_back(&candidate);
        }
        if (kin.empty()) return;
        std::string sums;
        std::set<std::string> said;
        for (const Candidate* candidate : kin) {
            const std::string text = fmt::format("{} {}", candidate->value, candidate->words);
            if (said.insert(text).second) sums += fmt::format("{}{}", sums.empty() ? "" : ", ", text);
        }
        if (note_elsewhere(total)) return;
        const std::string message = fmt::format("{} is none of what adds up: {}", total.count.value, sums);
        const std::size_t finding = total.kind == TotalKind::unsaid ? findings_.warning(total.where, message)
                                                                    : findings_.error(total.where, message);
        findings_[finding].note(kin.front()->where, "counted from here on");
    }

private:
    struct Candidate {
        TotalKind kind;
        std::uint64_t value;
        std::string words;
        Place where;
    };

    void add_table(const RangeTable& table) {
        const unsigned space = space_bits(table);
        const Place where = table.ranges.front().where;
        std::uint64_t stated = 0, holds = 0, current = 0, free = 0, covered = 0, end = 0;
        bool all_current = true, all_free = true, all_stated = true;
        for (const Range& range : table.ranges) {
            if (!is_sound(range, space)) return;
            holds += held(range);
            stated += known(range.max).value_or(held(range));
            all_stated = all_stated && known(range.max);
            all_current = all_current && known(range.current);
            all_free = all_free && known(range.free);
            current += known(range.current).value_or(0);
            free += known(range.free).value_or(0);
            covered += held(range) * cost(range, space);
            end = std::max(end, (range.high + 1) * cost(range, space));
        }
        const std::uint64_t words = std::uint64_t{1} << space;
        if (all_stated) add(TotalKind::capacity, stated, "stated as maxima", where);
        add(TotalKind::capacity, holds, "opcodes in the ranges", where);
        if (all_current) add(TotalKind::used, current, "used in the ranges", where);
        if (all_free) add(TotalKind::left, free, "free in the ranges", where);
        if (all_current && current <= holds) add(TotalKind::left, holds - current, "not used in the ranges", where);
        if (end <= words) add(TotalKind::left, words - end, "words above the last range", where);
        if (covered <= words) add(TotalKind::left, words - covered, "words outside of the ranges", where);
    }

    void add_tallies() {
        std::uint64_t sum = 0;
        bool complete = true;
        const Count* first = nullptr;
        for (const Format& format : model_.formats) {
            if (format.tallies.empty()) continue;
            if (!first) first = &format.tallies.front();
            complete = complete && !format.tallies.front().unknown;
            sum += format.tallies.front().value;
        }
        if (first && complete) add(TotalKind::used, sum, "counted for the formats", first->where);
    }

    void add(TotalKind kind, std::uint64_t value, const char* words, Place where) {
        candidates_.push_back({kind, value, words, where});
    }

    // A total that would be right if a number were that has been found wrong already.
    bool note_elsewhere(const Total& total) {
        const auto& known_wrong =
            total.kind == TotalKind::capacity ? findings_.wrong_capacity : findings_.wrong_current;
        if (known_wrong.empty() || total.kind == TotalKind::unsaid) return false;
        findings_[known_wrong.begin()->second].note(total.where,
                                                    fmt::format("nor does this total of {} agree", total.count.value));
        return true;
    }

    const Model& model_;
    Findings& findings_;
    std::vector<Candidate> candidates_;
};

}  // namespace

void check_counts(const Model& model, Findings& findings) {
    for (const Format& format : model.formats) check_contradictions(format, findings);
    for (const RangeTable& table : model.notes.tables) TallyChecker(model, table, findings).check();
    TotalChecker totals(model, findings);
    for (const Total& total : model.notes.totals) totals.check(total);
}

}  // namespace isaforge::notes
