// A list of instructions against the notes: names that are given twice, formats that nobody draws, and demand against
// supply. The list does not say which instructions share an opcode by means of extra opcode bits; the reading that needs
// the fewest opcodes is taken, so that a shortage that is reported is one in any reading.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "notes/findings.hpp"

namespace isaforge::notes {

namespace {

class ListChecker {
public:
    ListChecker(const Model& model, const std::vector<ListedInstruction>& list, Findings& findings)
        : model_(model), list_(list), findings_(findings) {}

    void check() {
        check_mnemonics();
        check_formats();
        check_unused();
        for (const Format& format : model_.formats) check_tally(format);
        for (const RangeTable& table : model_.notes.tables) check_current(table);
        check_supply();
    }

private:
    void check_mnemonics() {
        std::map<std::string, std::vector<const ListedInstruction*>> by_name;
        for (const ListedInstruction& row : list_) by_name[row.mnemonic].push_back(&row);
        for (const auto& [name, rows] : by_name) {
            if (rows.size() < 2) continue;
            const std::size_t finding = findings_.error(
                rows[1]->mnemonic_where,
                fmt::format("the mnemonic {} stands for {}", name, counted(rows.size(), "instruction")));
            for (const ListedInstruction* row : rows) {
                if (row != rows[1]) findings_[finding].note(row->mnemonic_where, fmt::format("\"{}\"", row->title));
            }
        }
    }

    void check_formats() {
        std::vector<std::string_view> names;
        for (const Format& format : model_.formats) names.push_back(format.name);
        for (const ListedInstruction& row : list_) {
            if (const Format* format = model_.find(row.format)) {
                rows_[format].push_back(&row);
            } else if (row.format == "?" || row.format.empty()) {
                findings_.error(row.format_where, fmt::format("{} has no format", row.mnemonic));
            } else {
                const std::size_t finding = findings_.error(
                    row.format_where,
                    fmt::format("{} has a format that is drawn nowhere: [{}]", row.mnemonic, row.format));
                findings_[finding].suggest(std::string(nearest(row.format, names)));
            }
        }
    }

    // A long form may be used by the rows of the short one.
    void check_unused() {
        for (const Format& format : model_.formats) {
            if (rows_.contains(&format)) continue;
            const Format* const brief = format.is_long() ? model_.find(format.family()) : nullptr;
            if (brief && rows_.contains(brief)) continue;
            findings_.warning(format.main->where,
                              fmt::format("no instruction of the list has the format [{}]", format.name));
        }
    }

    // The fewest opcodes that the rows of a format need.
    std::uint64_t least_demand(const Format& format) const {
        const auto rows = rows_.find(&format);
        if (rows == rows_.end()) return 0;
        const std::uint64_t shared = std::uint64_t{1} << model_.extra_opcode_bits(format);
        return (rows->second.size() + shared - 1) / shared;
    }

    std::string demand_text(const Format& format) const {
        const std::size_t rows = rows_.at(&format).size();
        const unsigned bits = model_.extra_opcode_bits(format);
        if (bits == 0) return counted(rows, "instruction");
        return fmt::format("{}, {} to an opcode at best", counted(rows, "instruction"), std::uint64_t{1} << bits);
    }

    void check_tally(const Format& format) {
        if (format.tallies.empty() || format.tallies.front().unknown || !rows_.contains(&format)) return;
        const Count& tally = format.tallies.front();
        if (least_demand(format) <= tally.value) return;
        const std::size_t finding = findings_.error(
            tally.where,
            fmt::format("[{}] is counted as {}; the list has {}", format.name, tally.value, demand_text(format)));
        findings_[finding].note(rows_.at(&format).front()->format_where, "the first of them is here");
        findings_.wrong_tally[&format] = finding;
    }

    // `current: 35` against the rows; only where nothing about it is open or reported.
    void check_current(const RangeTable& table) {
        for (const Range& range : table.ranges) {
            if (!is_sound(range, space_bits(table)) || !range.current || range.current->unknown) continue;
            const auto formats = formats_of(model_, table, range);
            const bool open = std::ranges::any_of(formats, [&](const Format* format) {
                return findings_.wrong_tally.contains(format) ||
                       (!format->tallies.empty() && format->tallies.front().unknown);
            });
            std::vector<std::pair<const Format*, std::uint64_t>> demands;
            const std::uint64_t sum = add_demands(formats, demands);
            if (open || sum <= range.current->value || !findings_.homeless.empty()) continue;
            const std::size_t finding = findings_.error(
                range.current->where, fmt::format("{} opcodes are used here; the list needs {} at least: {}",
                                                  range.current->value, sum, tally_text(demands)));
            findings_[finding].note(range.where, "in this range");
        }
    }

    std::uint64_t add_demands(const std::vector<const Format*>& formats,
                              std::vector<std::pair<const Format*, std::uint64_t>>& demands) const {
        std::uint64_t sum = 0;
        for (const Format* format : formats) {
            const std::uint64_t least = least_demand(*format);
            if (least == 0) continue;
            demands.emplace_back(format, least);
            sum += least;
        }
        return sum;
    }

    // Supply: what the best of the tables holds for these formats. Ranges that no format fits may yet become theirs.
    void check_supply() {
        std::map<std::vector<const Format*>, std::pair<std::uint64_t, const Range*>> best;  // units; one range of them
        for (const RangeTable& table : model_.notes.tables) {
            const unsigned space = space_bits(table);
            std::map<std::vector<const Format*>, std::pair<std::uint64_t, const Range*>> here;
            std::uint64_t homeless = 0;
            for (const Range& range : table.ranges) {
                if (!is_sound(range, space)) continue;
                const auto formats = formats_of(model_, table, range);
                const std::uint64_t units = held(range) * cost(range, space);
                if (formats.empty()) {
                    homeless += units;
                } else {
                    auto& entry = here[formats];
                    entry.first += units;
                    if (!entry.second) entry.second = &range;
                }
            }
            for (auto& [formats, supply] : here) {
                supply.first += homeless;
                auto& entry = best[formats];
                if (!entry.second || supply.first > entry.first) entry = supply;
            }
        }
        for (const auto& [formats, supply] : best) report_shortage(formats, supply.first, *supply.second);
    }

    void report_shortage(const std::vector<const Format*>& formats, std::uint64_t units, const Range& range) {
        std::vector<std::pair<const Format*, std::uint64_t>> demands;
        const std::uint64_t sum = add_demands(formats, demands);
        const std::uint64_t each = cost(range, range.low_bits);
        if (sum <= units / each) return;
        const std::size_t finding = findings_.error(
            range.where, fmt::format("the list needs {} opcodes of {} bits ({}), {} words; there are {}, {} words", sum,
                                     range.low_fixed, tally_text(demands), sum * each, units / each, units));
        for (const auto& [format, least] : demands) {
            findings_[finding].note(format->main->where, fmt::format("[{}]: {}", format->name, demand_text(*format)));
        }
    }

    const Model& model_;
    const std::vector<ListedInstruction>& list_;
    Findings& findings_;
    std::map<const Format*, std::vector<const ListedInstruction*>> rows_;
};

}  // namespace

void check_list(const Model& model, const std::vector<ListedInstruction>& list, Findings& findings) {
    ListChecker(model, list, findings).check();
}

}  // namespace isaforge::notes
