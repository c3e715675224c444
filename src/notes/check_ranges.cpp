// What the ranges of the opcode space say: whether each holds what it states, whether they lie side by side, and whether
// every format has one and every one a format.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "notes/findings.hpp"

namespace isaforge::notes {

namespace {

std::string prefix_text(std::uint64_t value, unsigned width) {
    std::string out;
    for (unsigned i = width; i-- > 0;) out += value >> i & 1 ? '1' : '0';
    return out;
}

class RangeChecker {
public:
    RangeChecker(const Model& model, const RangeTable& table, Findings& findings)
        : model_(model), table_(table), findings_(findings), space_(space_bits(table)) {}

    void check() {
        for (const Range& range : table_.ranges) {
            if (check_bounds(range)) {
                check_numbers(range);
                sound_.push_back(&range);
            }
        }
        std::ranges::stable_sort(sound_, {}, [&](const Range* range) { return first_unit(*range); });
        for (std::size_t i = 1; i < sound_.size(); ++i) check_neighbours(*sound_[i - 1], *sound_[i]);
        if (names_formats(table_)) {
            check_named_formats();
        } else {
            check_widths();
        }
    }

private:
    std::uint64_t first_unit(const Range& range) const { return range.low << (space_ - range.low_fixed); }
    std::uint64_t end_unit(const Range& range) const { return (range.high + 1) << (space_ - range.low_fixed); }

    bool check_bounds(const Range& range) {
        if (is_sound(range, space_)) return true;
        if (range.low_bits != range.high_bits || range.low_bits != space_) {
            const bool low = range.low_bits != space_;
            findings_.error(low ? range.low_where : range.high_where,
                            fmt::format("this bound has {} bits, the others have {}",
                                        low ? range.low_bits : range.high_bits, space_));
        } else if (range.low_fixed != range.high_fixed) {
            const std::size_t finding = findings_.error(
                range.high_where,
                fmt::format("the bounds differ in their opcode bits: {} and {}", range.low_fixed, range.high_fixed));
            findings_[finding].note(range.low_where, "the lower bound is here");
        } else {
            const std::size_t finding = findings_.error(range.low_where, "this range ends before it begins");
            findings_[finding].note(range.high_where, "the upper bound is here");
        }
        return false;
    }

    void check_numbers(const Range& range) {
        const std::uint64_t holds = held(range);
        if (range.max && !range.max->unknown && range.max->value != holds) {
            const std::size_t finding = findings_.error(
                range.max->where,
                fmt::format("this range is said to hold {}; its bounds hold {}", range.max->value, holds));
            findings_[finding].note(range.where,
                                    fmt::format("{} to {} of {} bits", range.low, range.high, range.low_fixed));
            findings_.wrong_capacity[&range] = finding;
        }
        if (range.cost && !range.cost->unknown && range.cost->value != cost(range, space_)) {
            const std::size_t finding = findings_.error(
                range.cost->where, fmt::format("an opcode of {} bits costs {} of {}, not {}", range.low_fixed,
                                               cost(range, space_), std::uint64_t{1} << space_, range.cost->value));
            findings_[finding].note(range.low_where, fmt::format("{} bits are free here", space_ - range.low_fixed));
        }
        check_current(range, holds);
    }

    void check_current(const Range& range, std::uint64_t holds) {
        if (!range.current || range.current->unknown) return;
        const bool stated = range.max && !range.max->unknown;
        const std::uint64_t most = stated ? std::max(range.max->value, holds) : holds;
        if (range.current->value > most) {
            const std::size_t finding = findings_.error(
                range.current->where, fmt::format("{} opcodes in a range of {}", range.current->value, most));
            findings_[finding].note(range.where, fmt::format("the bounds hold {}", holds));
            return;  // what is free then is of no interest
        }
        if (range.current->value > holds) {
            findings_[findings_.wrong_capacity[&range]].note(
                range.current->where, fmt::format("{} opcodes are said to be in it", range.current->value));
        }
        if (!range.free || range.free->unknown) return;
        const auto agrees = [&](std::uint64_t max) { return range.free->value == max - range.current->value; };
        if (range.current->value <= holds && agrees(holds)) return;
        const std::uint64_t max = stated ? range.max->value : holds;
        if (max >= range.current->value && agrees(max)) return;
        const std::size_t finding = findings_.error(
            range.free->where, fmt::format("{} - {} is {}, not {}", max, range.current->value,
                                           max - std::min(max, range.current->value), range.free->value));
        findings_[finding].note(range.current->where, "of these opcodes");
        findings_.wrong_current[&range] = finding;
    }

    void check_neighbours(const Range& low, const Range& high) {
        const std::uint64_t end = end_unit(low), start = first_unit(high);
        if (end == start) return;
        const bool overlap = start < end;
        if (!overlap && sound_.size() < table_.ranges.size()) return;  // an unreadable range may lie there
        const std::uint64_t units = overlap ? std::min(end, end_unit(high)) - start : start - end;
        const std::string what =
            overlap ? fmt::format("this range overlaps the one that ends at {}", prefix_text(low.high, low.low_fixed))
                    : fmt::format("{} of {} lie between this range and the one before", counted(units, "word"),
                                  std::uint64_t{1} << space_);
        for (const Range* wrong : {&high, &low}) {
            const auto known = findings_.wrong_capacity.find(wrong);
            if (known == findings_.wrong_capacity.end()) continue;
            findings_[known->second].note(
                wrong == &high ? low.where : high.where,
                overlap ? fmt::format("it overlaps this range in {}", counted(units, "word"))
                        : fmt::format("{} lie between it and this range", counted(units, "word")));
            return;
        }
        const std::size_t finding =
            findings_.error(high.low_where, overlap ? fmt::format("{} in {}", what, counted(units, "word")) : what);
        findings_[finding].note(low.high_where, overlap ? "that range is here" : "it ends here");
    }

    // --- formats ------------------------------------------------------------------------------------------------------

    void check_named_formats() {
        for (const Range& range : table_.ranges) {
            if (range.low_fixed != range.high_fixed) continue;
            for (const FormatName& name : range.formats) {
                const Format* const format = model_.find(name.name);
                if (!format || width_of(format->opcode(), 0) == range.low_fixed) continue;
                const BarField& opcode = format->opcode();
                const std::size_t finding = findings_.error(
                    name.where, fmt::format("[{}] has {} of {}; this range gives {}", name.name,
                                            counted(width_of(opcode, 0), "bit"), opcode.name, range.low_fixed));
                findings_[finding].note(opcode.where, "its bar is here");
            }
        }
        std::set<std::string> named;
        for (const Range& range : table_.ranges) {
            for (const FormatName& name : range.formats) named.insert(key_of(name.name));
        }
        for (const Format& format : model_.formats) {
            if (named.contains(format.key)) continue;
            const std::size_t finding =
                findings_.error(format.main->where, fmt::format("[{}] has no range of opcodes", format.name));
            findings_[finding].note(table_.ranges.front().where, "the ranges begin here");
        }
    }

    void check_widths() {
        std::string drawn;
        std::vector<unsigned> widths;
        for (const Format& format : model_.formats) widths.push_back(width_of(format.opcode(), 0));
        std::ranges::sort(widths);
        widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
        for (const unsigned width : widths) drawn += fmt::format("{}{}", drawn.empty() ? "" : ", ", width);
        for (const Range& range : table_.ranges) {
            if (!is_sound(range, space_) || widths.empty() || std::ranges::binary_search(widths, range.low_fixed))
                continue;
            const std::size_t finding = findings_.error(
                range.where, fmt::format("no format has an opcode of {} bits, as this range gives", range.low_fixed));
            findings_[finding].note(model_.formats.front().opcode().where,
                                    fmt::format("the formats have {} bits; this is the first", drawn));
            findings_.homeless[&range] = finding;
        }
        for (const Format& format : model_.formats) {
            const unsigned width = width_of(format.opcode(), 0);
            const bool has = std::ranges::any_of(table_.ranges, [&](const Range& range) {
                return range.low_fixed == width || range.high_fixed == width;
            });
            if (has) continue;
            const std::size_t finding = findings_.error(
                format.opcode().where,
                fmt::format("[{}] has no range: none is for {} bits of {}", format.name, width, format.opcode().name));
            findings_[finding].note(table_.ranges.front().where, "the ranges begin here");
        }
    }

    const Model& model_;
    const RangeTable& table_;
    Findings& findings_;
    unsigned space_;
    std::vector<const Range*> sound_;
};

// Two tables of one space: what they say about opcodes of one width is compared.
void compare_tables(const RangeTable& first, const RangeTable& second, Findings& findings) {
    const unsigned space = space_bits(first);
    if (space != space_bits(second)) return;
    const auto only_one = [&](const RangeTable& table, unsigned width) -> const Range* {
        const Range* found = nullptr;
        for (const Range& range : table.ranges) {
            if (range.low_fixed != width || !is_sound(range, space)) continue;
            if (found) return nullptr;
            found = &range;
        }
        return found;
    };
    for (const Range& range : second.ranges) {
        const Range* const here = only_one(second, range.low_fixed);
        const Range* const there = only_one(first, range.low_fixed);
        if (!here || !there || (here->low == there->low && here->high == there->high)) continue;
        const unsigned width = range.low_fixed;
        const std::size_t finding = findings.error(
            here->where,
            fmt::format("two statements of the opcodes of {} bits: {} from {} here, {} from {} before", width,
                        held(*here), prefix_text(here->low, width), held(*there), prefix_text(there->low, width)));
        findings[finding].note(there->where, "the other is here");
    }
}

}  // namespace

void check_ranges(const Model& model, Findings& findings) {
    const std::vector<RangeTable>& tables = model.notes.tables;
    for (const RangeTable& table : tables) RangeChecker(model, table, findings).check();
    constexpr std::size_t most = 32;  // tables compared with each other
    for (std::size_t i = 1; i < std::min(tables.size(), most); ++i) compare_tables(tables[i - 1], tables[i], findings);
}

}  // namespace isaforge::notes
