// What the notes say about the bits of a mode field: patterns, and the legends of their letters.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "notes/findings.hpp"
#include "notes/scanner.hpp"

namespace isaforge::notes {

namespace {

std::string run_at(const std::string& bits, std::size_t first) {
    std::size_t end = first;
    while (end < bits.size() && bits[end] == bits[first]) ++end;
    return bits.substr(first, end - first);
}

unsigned letters_for(std::size_t values) {
    unsigned bits = 0;
    while (std::size_t{1} << bits < values) ++bits;
    return bits;
}

// The numbers that stand in a text, of which nobody means a width of six digits.
std::vector<unsigned> numbers_in(const std::string& text) {
    constexpr std::size_t most_digits = 5;
    std::vector<unsigned> out;
    std::string digits;
    for (const char c : text + " ") {
        if (c >= '0' && c <= '9') {
            digits += c;
            continue;
        }
        if (!digits.empty() && digits.size() <= most_digits) out.push_back(static_cast<unsigned>(std::stoul(digits)));
        digits.clear();
    }
    return out;
}

class ModeChecker {
public:
    ModeChecker(const Model& model, Findings& findings) : model_(model), findings_(findings) {}

    void check() {
        for (Index i = 0; i < model_.notes.blocks.size(); ++i) {
            const Block& block = model_.notes.blocks[i];
            for (const Group& group : block.groups) {
                for (const ModeLabel& label : group.labels) check_label(label, group, i);
                check_letters(group, block);
                for (const Legend& legend : group.legends) check_legend(legend, group);
                check_widths_in_legends(group, i);
            }
            check_choosers(block, i);
        }
    }

private:
    // --- widths -------------------------------------------------------------------------------------------------------

    // The label's width, the cell's and the patterns' are one number. Where two of the three agree, the third is wrong.
    void check_label(const ModeLabel& label, const Group& group, Index block) {
        const BarField* cell = nullptr;
        const Format* owner = nullptr;
        bool fits = false;
        for (const Format* format : model_.described_by(label, block)) {
            const BarField* const found = field_of(*format->main, label.field);
            if (!found) continue;
            const bool same = std::ranges::find(found->widths, label.width) != found->widths.end();
            if (!cell || (same && !fits)) {
                cell = found;
                owner = format;
            }
            fits = fits || same;
            if (!label.formats.empty() && !same) return report_label(label, group, *found, *format);
        }
        if (!cell) {
            if (!model_.described_by(label, block).empty()) {
                const Bar& bar = *model_.described_by(label, block).front()->main;
                const std::size_t finding =
                    findings_.error(label.where, fmt::format("no cell is called {}", label.field));
                findings_[finding].note(bar.where, fmt::format("[{}] is drawn here", bar.format.name));
            }
            return;
        }
        if (!fits) return report_label(label, group, *cell, *owner);
        for (const ModePattern& pattern : label.patterns) {
            if (pattern.bits.size() == label.width || is_prose(pattern, group, label.width)) continue;
            const std::size_t finding = findings_.error(
                pattern.where, fmt::format("this pattern has {}, {} has {}", counted(pattern.bits.size(), "bit"),
                                           label.field, label.width));
            findings_[finding].note(cell->where, fmt::format("[{}] draws {} bits", owner->name, label.width));
        }
        check_overlaps(label);
    }

    void report_label(const ModeLabel& label, const Group& group, const BarField& cell, const Format& format) {
        const unsigned drawn = cell.widths.front();
        const auto unfilled = findings_.unfilled.find(&format);
        const int missing = static_cast<int>(label.width) - static_cast<int>(drawn);
        const bool patterns_agree = std::ranges::all_of(
            label.patterns, [&](const ModePattern& pattern) { return pattern.bits.size() == label.width; });
        if (unfilled != findings_.unfilled.end() && patterns_agree &&
            std::ranges::all_of(unfilled->second.lacking, [&](int lacking) { return lacking == missing; })) {
            findings_[unfilled->second.finding].note(
                label.where,
                fmt::format("{} has {} here, with which the bar is full", label.field, counted(label.width, "bit")));
            return;
        }
        std::string patterns;
        for (const ModePattern& pattern : label.patterns) {
            if (is_prose(pattern, group, label.width)) continue;
            patterns = fmt::format(", and {} in the pattern", pattern.bits.size());
            if (pattern.bits.size() != label.width) break;
        }
        const std::size_t finding =
            findings_.error(label.where, fmt::format("{} has {} here, {} in the bar of [{}]{}", label.field,
                                                     counted(label.width, "bit"), drawn, format.name, patterns));
        findings_[finding].note(cell.where, fmt::format("[{}] draws {}", format.name, counted(drawn, "bit")));
    }

    // A line below a label that is no pattern after all: its width is wrong, and it shares nothing with the legends.
    bool is_prose(const ModePattern& pattern, const Group& group, unsigned width) const {
        if (!pattern.bare || pattern.bits.size() == width) return false;
        return std::ranges::none_of(pattern.bits, [&](char c) {
            return c == '0' || c == '1' || model_.notes.dont_care.find(c) != std::string::npos || legend_of(group, c);
        });
    }

    void check_overlaps(const ModeLabel& label) {
        constexpr std::size_t most = 256;  // patterns compared with each other
        const std::size_t count = std::min(label.patterns.size(), most);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < i; ++j) {
                const std::string &a = label.patterns[i].bits, &b = label.patterns[j].bits;
                if (a.size() != label.width || b.size() != label.width) continue;
                bool apart = false;
                for (std::size_t k = 0; k < a.size(); ++k)
                    apart = apart || (a[k] == '0' && b[k] == '1') || (a[k] == '1' && b[k] == '0');
                if (apart) continue;
                const std::size_t finding = findings_.error(
                    label.patterns[i].where, fmt::format("the pattern `{}` also matches bits of `{}`", a, b));
                findings_[finding].note(label.patterns[j].where, "that pattern is here");
                return;
            }
        }
    }

    // --- letters ------------------------------------------------------------------------------------------------------

    static const Legend* legend_of(const Group& group, char letter) {
        for (const Legend& legend : group.legends) {
            for (const std::string& letters : legend.letters) {
                if (letters.front() == letter) return &legend;
            }
        }
        return nullptr;
    }

    void check_letters(const Group& group, const Block& block) {
        std::set<char> used, said;
        std::string unsaid;
        const ModePattern* first = nullptr;
        for (const ModeLabel& label : group.labels) {
            for (const ModePattern& pattern : label.patterns) {
                if (is_prose(pattern, group, label.width)) continue;
                for (const char c : pattern.bits) {
                    if (!is_letter(c)) continue;
                    used.insert(c);
                    if (model_.notes.dont_care.find(c) != std::string::npos || !said.insert(c).second) continue;
                    if (std::ranges::any_of(block.groups, [&](const Group& any) { return legend_of(any, c); }))
                        continue;
                    unsaid += fmt::format("{}'{}'", unsaid.empty() ? "" : ", ", c);
                    if (!first) first = &pattern;
                }
            }
        }
        if (first) {
            const std::size_t finding = findings_.error(first->where, fmt::format("no legend says what {} is", unsaid));
            if (!group.legends.empty()) {
                findings_[finding].note(group.legends.front().where, "the legends begin here");
            } else if (group.where.known()) {
                findings_[finding].note(group.where, "nor has this group any legend");
            }
        }
        if (used.empty()) return;
        for (const Legend& legend : group.legends) {
            for (const std::string& letters : legend.letters) {
                if (used.contains(letters.front())) continue;
                const std::size_t finding = findings_.error(
                    legend.where, fmt::format("no pattern here has the letter '{}' of this legend", letters.front()));
                findings_[finding].note(group.labels.front().where, "the patterns begin here");
                break;
            }
        }
    }

    // --- legends ------------------------------------------------------------------------------------------------------

    void check_legend(const Legend& legend, const Group& group) {
        if (!check_runs(legend, group) || legend.values.empty()) return;
        const std::size_t letters = legend.letters.front().size();
        check_codes(legend, letters);
        const std::size_t values = legend.values.size();
        const bool coded =
            std::ranges::any_of(legend.values, [](const LegendValue& value) { return !value.code.empty(); });
        const unsigned needed = letters_for(values);
        const std::string shown = fmt::format("'{}'", legend.letters.front());
        if (needed > letters) {
            const std::size_t room = std::size_t{1} << letters;
            findings_.error(legend.where, fmt::format("{} values for {}, which has room for {}", values, shown, room));
        } else if (!coded && !legend.open && needed > 0 && letters % needed != 0) {
            // `tttt` with four values is two times two bits; `ttt` is neither one nor two of them.
            findings_.error(legend.where,
                            fmt::format("{} values for {}: {} would do", values, shown, counted(needed, "letter")));
        }
    }

    // The letters stand in the patterns as often as in the legend; a single letter without values stands for any number.
    bool check_runs(const Legend& legend, const Group& group) {
        for (const std::string& letters : legend.letters) {
            if (letters.size() == 1 && legend.values.empty()) continue;
            for (const ModeLabel& label : group.labels) {
                for (const ModePattern& pattern : label.patterns) {
                    const std::size_t first = pattern.bits.find(letters.front());
                    if (first == std::string::npos || pattern.bits.size() != label.width) continue;
                    const std::string run = run_at(pattern.bits, first);
                    if (run.size() == letters.size() || run.size() == letters.size() * legend.letters.size()) continue;
                    const std::size_t finding = findings_.error(
                        legend.where, fmt::format("the legend is about '{}', the pattern has '{}'", letters, run));
                    findings_[finding].note(pattern.where, "in this pattern");
                    return false;
                }
            }
        }
        return true;
    }

    void check_codes(const Legend& legend, std::size_t letters) {
        std::set<std::string> seen;
        for (const LegendValue& value : legend.values) {
            if (value.code.empty()) {
                const bool others =
                    std::ranges::any_of(legend.values, [](const LegendValue& other) { return !other.code.empty(); });
                if (others)
                    findings_.error(legend.where, fmt::format("`{}` has no code, other values have one", value.text));
                if (others) return;
                continue;
            }
            const std::string shown = fmt::format("{} {}", value.code, value.text);
            if (value.code.size() != letters) {
                findings_.error(legend.where,
                                fmt::format("`{}` has a code of {}, '{}' has {}", shown,
                                            counted(value.code.size(), "bit"), legend.letters.front(), letters));
                return;
            }
            if (!seen.insert(value.code).second) {
                findings_.error(legend.where, fmt::format("the code {} stands for two values", value.code));
                return;
            }
        }
    }

    // `('l' is immediate length: 12, 28)` is what IMM(12/28) draws.
    void check_widths_in_legends(const Group& group, Index block) {
        for (const Legend& legend : group.legends) {
            for (const Format* format : model_.in_block(block)) {
                for (const BarField& field : format->main->fields) {
                    if (field.widths.size() < 2 || !is_about_width_of(legend, field)) continue;
                    const std::vector<unsigned> values = numeric_values(legend);
                    if (values == field.widths) continue;
                    report_widths(legend, values, field, *format);
                }
            }
        }
    }

    void report_widths(const Legend& legend, const std::vector<unsigned>& values, const BarField& field,
                       const Format& format) {
        const auto listed = [](const std::vector<unsigned>& widths) {
            std::string out;
            for (const unsigned width : widths) out += fmt::format("{}{}", out.empty() ? "" : "/", width);
            return out;
        };
        const auto unfilled = findings_.unfilled.find(&format);
        if (unfilled != findings_.unfilled.end() && values.size() == field.widths.size()) {
            bool repairs = true;
            for (std::size_t i = 0; i < values.size() && i < unfilled->second.lacking.size(); ++i) {
                repairs = repairs && static_cast<int>(values[i]) - static_cast<int>(field.widths[i]) ==
                                         unfilled->second.lacking[i];
            }
            if (repairs) {
                findings_[unfilled->second.finding].note(
                    legend.where,
                    fmt::format("{} has {} bits here, with which the bar is full", field.name, listed(values)));
                return;
            }
        }
        const std::size_t finding =
            findings_.error(legend.where, fmt::format("{} has {} bits by this legend, {} by the bar of [{}]",
                                                      field.name, listed(values), listed(field.widths), format.name));
        findings_[finding].note(field.where, fmt::format("[{}] draws {} bits", format.name, listed(field.widths)));
    }

    // Whether the patterns' meanings speak of each of the cell's widths, as `0000 -> lower l16` and `0010 -> l32` do.
    static bool meanings_choose(const Group& group, const BarField& field) {
        std::set<unsigned> named;
        for (const ModeLabel& label : group.labels) {
            for (const ModePattern& pattern : label.patterns) {
                for (const unsigned number : numbers_in(pattern.meaning)) named.insert(number);
            }
        }
        return std::ranges::all_of(field.widths, [&](unsigned width) { return named.contains(width); });
    }

    // A bar of two lengths needs a bit that tells them apart, in every group of its instructions.
    void check_choosers(const Block& block, Index index) {
        for (const Format* format : model_.in_block(index)) {
            const auto wide = std::ranges::find_if(format->main->fields,
                                                   [](const BarField& field) { return field.widths.size() > 1; });
            if (wide == format->main->fields.end()) continue;
            const auto chooses = [&](const Legend& legend) { return is_about_width_of(legend, *wide); };
            const Legend* example = nullptr;
            for (const Group& group : block.groups) {
                const auto found = std::ranges::find_if(group.legends, chooses);
                if (found != group.legends.end() && !example) example = &*found;
            }
            if (!example) continue;
            for (const Group& group : block.groups) {
                const bool has_patterns =
                    std::ranges::any_of(group.labels, [](const ModeLabel& label) { return !label.patterns.empty(); });
                if (!has_patterns || std::ranges::any_of(group.legends, chooses)) continue;
                if (meanings_choose(group, *wide)) continue;
                const std::size_t finding =
                    findings_.error(group.where.known() ? group.where : group.labels.front().where,
                                    fmt::format("no bit{} chooses between the {} of [{}]",
                                                group.title.empty() ? " here" : fmt::format(" of \"{}\"", group.title),
                                                counted(wide->widths.size(), "length"), format->name));
                findings_[finding].note(wide->where, "this cell has more than one width");
                findings_[finding].note(example->where, "another group has a bit for it");
            }
        }
    }

    const Model& model_;
    Findings& findings_;
};

}  // namespace

void check_modes(const Model& model, Findings& findings) { ModeChecker(model, findings).check(); }

}  // namespace isaforge::notes
