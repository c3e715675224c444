// What the bars say: whether they fill their lengths, agree with each other and with the operands that are stated.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "notes/findings.hpp"
#include "notes/scanner.hpp"

namespace isaforge::notes {

namespace {

bool same_fields(const Bar& a, const Bar& b) {
    return std::ranges::equal(a.fields, b.fields, [](const BarField& x, const BarField& y) {
        return x.name == y.name && x.widths == y.widths;
    });
}

std::string cell_text(const BarField& field) {
    std::string widths;
    for (const unsigned width : field.widths) {
        if (!widths.empty()) widths += '/';
        widths += fmt::format("{:02}", width);
    }
    return fmt::format("{}({})", field.name, widths);
}

std::string fill_text(int lacking) { return fmt::format("{} too {}", std::abs(lacking), lacking > 0 ? "few" : "many"); }

// The smallest length that is stated anywhere: instructions are whole numbers of it.
unsigned unit_bits(const Model& model) {
    unsigned least = 0;
    for (const Format& format : model.formats) {
        if (!format.lengths) continue;
        for (const unsigned bits : format.lengths->bits) least = least == 0 ? bits : std::min(least, bits);
    }
    return least == 0 || least % 8 != 0 ? 8 : least % 16 == 0 ? 16 : 8;
}

class BarChecker {
public:
    BarChecker(const Model& model, Findings& findings) : model_(model), findings_(findings), unit_(unit_bits(model)) {
        const auto collect = [&](const std::optional<OperandLetters>& said) {
            if (said && said->letters.size() > 1) alphabet_ += said->letters;
        };
        for (const Bar& bar : model.notes.bars) collect(bar.operands);
        for (const Block& block : model.notes.blocks) collect(block.operands);
    }

    void check() {
        for (const Format& format : model_.formats) {
            if (!check_drawings(format)) check_length(format);
            check_cells(format);
            check_operands(format);
            if (format.is_long()) check_long(format);
        }
        check_spelling();
        check_blocks();
        check_mentions();
    }

private:
    // Bars of one name that differ. True where that explains a length that is not filled.
    bool check_drawings(const Format& format) {
        bool explained = false;
        for (const Bar* bar : format.bars) {
            if (bar == format.main || same_fields(*bar, *format.main)) continue;
            const auto [ours, theirs] = std::ranges::mismatch(
                bar->fields, format.main->fields,
                [](const BarField& a, const BarField& b) { return a.name == b.name && a.widths == b.widths; });
            const bool both = ours != bar->fields.end() && theirs != format.main->fields.end();
            const std::string difference =
                both ? fmt::format("{} here, {} there", cell_text(*ours), cell_text(*theirs))
                     : fmt::format("{} cells here, {} there", bar->fields.size(), format.main->fields.size());
            const Place where = both ? ours->where : bar->where;
            const std::size_t finding = findings_.error(
                where, fmt::format("[{}] is drawn twice and differs: {}", bar->format.name, difference));
            findings_[finding].note(
                both ? theirs->where : format.main->where,
                fmt::format("this bar has {} ({}), the other {} ({})", counted(bits_of(*format.main, 0), "bit"),
                            sum_text(*format.main, 0), bits_of(*bar, 0), sum_text(*bar, 0)));
            explained = explained || fills(*bar, format) != fills(*format.main, format);
        }
        return explained;
    }

    static bool fills(const Bar& bar, const Format& format) {
        if (!format.lengths) return true;
        for (std::size_t i = 0; i < format.lengths->bits.size(); ++i) {
            if (bits_of(bar, i) != format.lengths->bits[i]) return false;
        }
        return true;
    }

    void check_length(const Format& format) {
        const Bar& bar = *format.main;
        const std::size_t count = alternatives(bar);
        if (!format.lengths) return check_without_length(format);
        const std::vector<unsigned>& lengths = format.lengths->bits;
        if (lengths.size() != count) {
            const std::size_t finding = findings_.error(
                bar.where, fmt::format("[{}] is drawn with {} but has {}", format.name, counted(count, "alternative"),
                                       counted(lengths.size(), "length")));
            findings_[finding].note(format.lengths->where, "the lengths are stated here");
            return;
        }
        std::vector<int> lacking;
        std::string faults;
        for (std::size_t i = 0; i < count; ++i) {
            const unsigned bits = bits_of(bar, i);
            lacking.push_back(static_cast<int>(lengths[i]) - static_cast<int>(bits));
            if (lacking.back() == 0) continue;
            if (!faults.empty()) faults += ", and ";
            faults += fmt::format("{} bits{} ({}), {} for the {} bits of {} bytes", bits,
                                  count > 1 ? fmt::format(" in alternative {}", i + 1) : "", sum_text(bar, i),
                                  fill_text(lacking.back()), lengths[i], lengths[i] / 8);
        }
        if (faults.empty()) return;
        const std::size_t finding = findings_.error(bar.where, fmt::format("[{}] has {}", format.name, faults));
        findings_[finding].note(format.lengths->where, "the length is stated here");
        for (const Bar* other : format.bars) {
            if (other != &bar) findings_[finding].note(other->where, "drawn in the same way here");
        }
        findings_.unfilled[&format] = {finding, lacking};
    }

    void check_without_length(const Format& format) {
        const Bar& bar = *format.main;
        for (std::size_t i = 0; i < alternatives(bar); ++i) {
            const unsigned bits = bits_of(bar, i);
            if (bits % unit_ == 0) continue;
            const std::size_t finding =
                findings_.error(bar.where, fmt::format("[{}] has {} bits ({}), which is no whole number of {} bits",
                                                       format.name, bits, sum_text(bar, i), unit_));
            const int lacking = static_cast<int>(unit_ - bits % unit_);
            findings_.unfilled[&format] = {finding, std::vector<int>(alternatives(bar), lacking)};
            return;
        }
    }

    void check_cells(const Format& format) {
        const auto& fields = format.main->fields;
        for (std::size_t i = 1; i < fields.size(); ++i) {
            for (std::size_t j = 0; j < std::min<std::size_t>(i, 64); ++j) {
                if (fields[i].name != fields[j].name) continue;
                const std::size_t finding = findings_.error(
                    fields[i].where, fmt::format("[{}] has two cells called {}", format.name, fields[i].name));
                findings_[finding].note(fields[j].where, "the other is here");
                break;
            }
        }
    }

    // `r,r,i` is compared with the cells whose names begin with one of the letters that operands have in these notes.
    void check_operands(const Format& format) {
        std::vector<const OperandLetters*> said;
        for (const Bar* bar : format.bars) {
            if (bar->operands) said.push_back(&*bar->operands);
        }
        const Index index = format.main->block;
        if (index != no_index) {
            const Block& block = model_.notes.blocks[index];
            if (block.operands) said.push_back(&*block.operands);
            for (const Group& group : block.groups) {
                if (group.operands && group_letters_are_operands(*group.operands)) said.push_back(&*group.operands);
            }
        }
        for (const OperandLetters* letters : said) {
            if (letters->letters.size() == 1 && alphabet_.find(letters->letters) == std::string::npos)
                continue;  // no list
            if (same_operands(format, letters->letters)) continue;
            std::string shown;
            for (const char c : letters->letters) shown += fmt::format("{}{}", shown.empty() ? "" : ",", c);
            const std::size_t finding =
                findings_.error(letters->where, fmt::format("[{}] is said to have {}: {}", format.name,
                                                            counted(letters->letters.size(), "operand"), shown));
            findings_[finding].note(format.main->where, "its cells are others");
        }
    }

    bool group_letters_are_operands(const OperandLetters& said) const {
        return std::ranges::all_of(said.letters, [&](char c) {
            return std::ranges::any_of(
                model_.formats, [&](const Format& format) { return !initials(format, std::string(1, c)).empty(); });
        });
    }

    static std::string initials(const Format& format, const std::string& among) {
        std::string out;
        for (std::size_t i = 1; i < format.main->fields.size(); ++i) {
            const char c = lower(format.main->fields[i].name.front());
            if (among.find(c) != std::string::npos) out += c;
        }
        return out;
    }

    bool same_operands(const Format& format, const std::string& letters) const {
        return initials(format, alphabet_ + letters) == letters;
    }

    // `[B.l]` beside `[B]`: more bits, the same operands.
    void check_long(const Format& format) {
        const Format* const brief = model_.find(format.family());
        if (!brief) return;
        const unsigned bits = bits_of(*format.main, 0), brief_bits = bits_of(*brief->main, 0);
        const auto names = [](const Format& of) {
            std::vector<std::string> out;
            for (const BarField& field : of.main->fields) out.push_back(field.name);
            return out;
        };
        std::string fault;
        if (bits <= brief_bits) {
            fault = fmt::format("{} bits, not more than the {} of [{}]", bits, brief_bits, brief->name);
        } else if (names(format) != names(*brief)) {
            fault = fmt::format("other cells than [{}]", brief->name);
        } else {
            for (const BarField& field : format.main->fields) {
                const unsigned ours = width_of(field, 0), theirs = width_of(*field_of(*brief->main, field.name), 0);
                if (ours < theirs)
                    fault =
                        fmt::format("{} bits of {}, fewer than the {} of [{}]", ours, field.name, theirs, brief->name);
            }
        }
        if (fault.empty() || findings_.unfilled.contains(&format) || findings_.unfilled.contains(brief)) return;
        const std::size_t finding =
            findings_.error(format.main->where, fmt::format("[{}], the long form, has {}", format.name, fault));
        findings_[finding].note(brief->main->where, "the short form is here");
    }

    // `[B.l]` in one place and `[B.1]` in another: one finding for the whole text.
    void check_spelling() {
        std::vector<std::pair<const FormatName*, const Format*>> odd;
        for (const Format& format : model_.formats) {
            for (const Bar* bar : format.bars) {
                if (bar->format.name != format.name) {
                    odd.emplace_back(&bar->format, &format);
                    break;
                }
            }
        }
        if (odd.empty()) return;
        const auto& [name, format] = odd.front();
        std::string others;
        for (std::size_t i = 1; i < odd.size(); ++i) {
            others += fmt::format("{}[{}]", i == 1 ? "" : i + 1 == odd.size() ? " and " : ", ", odd[i].second->name);
        }
        const std::size_t finding =
            findings_.error(name->where, fmt::format("[{}] is called [{}] elsewhere{}", name->name, format->name,
                                                     others.empty() ? "" : fmt::format("; likewise {}", others)));
        findings_[finding].note(format->main->format.where, fmt::format("[{}] is here", format->name));
        note_mixed_suffixes(finding, format->name);
    }

    // A long form in a block that is spelled as none of its neighbours.
    void note_mixed_suffixes(std::size_t finding, const std::string& usual) {
        const std::string suffix = usual.substr(std::min(usual.find('.'), usual.size()));
        for (const Format& format : model_.formats) {
            if (!format.is_long() || format.main->block == no_index || format.name.ends_with(suffix)) continue;
            findings_[finding].note(format.main->format.where,
                                    fmt::format("and this one is [{}] in both places", format.name));
        }
    }

    void check_blocks() {
        for (Index i = 0; i < model_.notes.blocks.size(); ++i) {
            const Block& block = model_.notes.blocks[i];
            if (model_.in_block(i).empty()) {
                findings_.error(block.where,
                                fmt::format("[{}] is described here but drawn nowhere", block.format.name));
            }
        }
        for (const Bar& bar : model_.notes.bars) {
            if (bar.block == no_index) continue;
            const FormatName& name = model_.notes.blocks[bar.block].format;
            const std::string family = key_of(bar.format.name).substr(0, bar.format.name.find('.'));
            if (family == key_of(name.name) || key_of(bar.format.name) == key_of(name.name)) continue;
            const std::size_t finding = findings_.error(
                bar.format.where, fmt::format("[{}] is drawn in the block of [{}]", bar.format.name, name.name));
            findings_[finding].note(name.where, "the block begins here");
        }
    }

    // Names of formats that no bar has.
    void check_mentions() {
        for (const Tally& tally : model_.notes.tallies) check_mention(tally.format);
        for (const RangeTable& table : model_.notes.tables) {
            for (const Range& range : table.ranges) {
                for (const FormatName& name : range.formats) check_mention(name);
            }
        }
        for (const Block& block : model_.notes.blocks) {
            for (const Group& group : block.groups) {
                for (const ModeLabel& label : group.labels) {
                    for (const FormatName& name : label.formats) check_mention(name);
                }
            }
        }
    }

    void check_mention(const FormatName& name) {
        const Format* const format = model_.find(name.name);
        const auto spelled_so = [&](const Bar* bar) { return bar->format.name == name.name; };
        if (format && std::ranges::any_of(format->bars, spelled_so)) return;
        if (!missing_.insert(name.name).second) return;
        const std::size_t finding =
            findings_.error(name.where, format ? fmt::format("[{}] is called [{}] elsewhere", name.name, format->name)
                                               : fmt::format("no bar draws a format [{}]", name.name));
        if (format) findings_[finding].note(format->main->format.where, fmt::format("[{}] is here", format->name));
    }

    const Model& model_;
    Findings& findings_;
    unsigned unit_;
    std::string alphabet_;          // letters that stand for operands in these notes
    std::set<std::string> missing_;
};

}  // namespace

void check_bars(const Model& model, Findings& findings) { BarChecker(model, findings).check(); }

}  // namespace isaforge::notes
