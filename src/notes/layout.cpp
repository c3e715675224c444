#include "notes/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "notes/findings.hpp"
#include "notes/scanner.hpp"

namespace isaforge::notes {

namespace {

constexpr unsigned widest_number = 64;
constexpr unsigned longest_instruction = 192;

// Words that begin a declaration or a statement, and types: poor names for operands.
bool is_word_of_the_language(std::string_view word) {
    static const std::set<std::string_view> words{
        "isa",       "variants", "include", "code",    "opcodes", "floats",  "syntax", "constant", "parameter",
        "registers", "register", "memory",  "enum",    "number",  "operand", "format", "function", "instructions",
        "only",      "reserved", "pool",    "alias",   "auto",    "with",    "also",   "when",     "lanes",
        "under",     "if",       "then",    "else",    "for",     "in",      "let",    "return",   "by",
        "name",      "pc",       "r",       "any",     "step",    "aligned", "relax",  "true",     "false",
        "as",        "of",       "objects", "dialects"};
    const bool type = word.size() > 1 && std::string_view("usifb").find(word[0]) != std::string_view::npos &&
                      std::ranges::all_of(word.substr(1), is_digit);
    return type || words.contains(word);
}

std::string letters_of(const Legend& legend) { return legend.letters.front(); }

unsigned bits_for(std::size_t values) {
    unsigned bits = 0;
    while (std::size_t{1} << bits < values) ++bits;
    return bits;
}

bool says_unused(const Legend& legend) {
    const std::string what = lower(legend.what);
    return what.find("unused") != std::string::npos || what.find("don't care") != std::string::npos;
}

}  // namespace

std::string slug(std::string_view text, std::size_t words) {
    std::string out;
    std::size_t count = 0;
    bool inside = false;
    for (const char c : text) {
        if (!is_letter(c) && !is_digit(c)) {
            inside = false;
            continue;
        }
        if (!inside && ++count > words) break;
        if (!inside && !out.empty()) out += '_';
        inside = true;
        out += lower(c);
        if (out.size() > 40) break;
    }
    if (out.empty() || is_digit(out.front())) out = "x" + out;
    if (is_word_of_the_language(out)) out += "_bits";
    return out;
}

std::string text_slug(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const bool plain = is_letter(c) || is_digit(c) || c == '_';
        if (plain) out += c;
        if (!plain && !out.empty() && out.back() != '-') out += '-';
        if (out.size() > 40) break;
    }
    while (!out.empty() && out.back() == '-') out.pop_back();
    return out;
}

// --- operands -----------------------------------------------------------------------------------------------------------

namespace {

std::string content_of(std::size_t bits, const std::vector<std::string>& rows) {
    std::string out = fmt::format(" : {} {{\n", bits);
    for (const std::string& row : rows) out += fmt::format("    {}\n", row);
    return out + "}\n";
}

std::string code_text(std::size_t code, std::size_t bits) {
    std::string out;
    for (std::size_t i = bits; i-- > 0;) out += code >> i & 1 ? '1' : '0';
    return out;
}

}  // namespace

std::vector<std::string> OperandBook::rows_of(const Legend& legend, std::size_t bits) {
    std::vector<std::string> rows;
    std::set<std::string> codes, texts;
    for (std::size_t i = 0; i < legend.values.size() && i < 256; ++i) {
        const LegendValue& value = legend.values[i];
        if (value.code.empty() && bits < 8 && i >= std::size_t{1} << bits) break;
        const std::string code = value.code.empty() ? code_text(i, bits) : value.code;
        std::string text = text_slug(value.text);
        if (text.empty()) text = legend.letters.front().front() + code;
        while (!texts.insert(text).second) text += '_';
        if (code.size() == bits && codes.insert(code).second) rows.push_back(fmt::format("{} \"{}\"", code, text));
    }
    return rows;
}

OperandBook::OperandBook(const Notes& notes) {
    for (const Block& block : notes.blocks) {
        for (const Group& group : block.groups) {
            for (const Legend& legend : group.legends) {
                const std::size_t bits = letters_of(legend).size();
                ++votes_[content_of(bits, rows_of(legend, bits))][slug(legend.what)];
            }
        }
    }
    taken_ = {"r", "long"};
}

std::string OperandBook::add(const std::string& content, const std::string& wanted) {
    const auto known = names_.find(content);
    if (known != names_.end()) return known->second;
    std::string name = wanted;
    for (unsigned i = 2; !taken_.insert(name).second; ++i) name = fmt::format("{}{}", wanted, i);
    names_[content] = name;
    order_.push_back(content);
    return name;
}

std::string OperandBook::for_legend(const Legend& legend, std::size_t bits) {
    const std::vector<std::string> rows = rows_of(legend, bits);
    if (rows.empty()) return {};
    const std::string content = content_of(bits, rows);
    std::string wanted = slug(legend.what);
    unsigned most = 0;
    for (const auto& [name, count] : votes_[content]) {
        if (count > most) {
            most = count;
            wanted = name;
        }
    }
    return add(content, wanted);
}

std::string OperandBook::for_lengths(std::size_t bits) {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < std::size_t{1} << bits; ++i) {
        const std::string suffix = i < 2 ? "" : std::to_string(i);
        rows.push_back(i == 0 ? fmt::format("{} \"\"", code_text(i, bits))
                              : fmt::format("{} \".l{}\" | \"\"", code_text(i, bits), suffix));
    }
    return add(content_of(bits, rows), "length");
}

std::string OperandBook::for_rows(std::string_view name, std::size_t bits, const std::vector<std::string>& rows) {
    return add(content_of(bits, rows), std::string(name));
}

std::string OperandBook::text() const {
    std::string out;
    for (const std::string& content : order_) out += fmt::format("operand {}{}", names_.at(content), content);
    return out;
}

// --- bars ---------------------------------------------------------------------------------------------------------------

namespace {

// Words that tell groups apart, without those that all of them have.
std::vector<std::string> telling_words(const std::string& title) {
    std::vector<std::string> words;
    std::string word;
    for (const char c : title + " ") {
        if (is_letter(c)) {
            word += lower(c);
            continue;
        }
        const bool idle = word == "for" || word == "instructions" || word == "instruction" || word == "the" ||
                          word == "of" || word.size() < 2;
        if (!idle) words.push_back(word);
        if (words.size() == 8) break;
        word.clear();
    }
    return words;
}

class LayoutMaker {
public:
    LayoutMaker(const Model& model, const Format& format, const Group* group, OperandBook& operands, unsigned unit_bits)
        : model_(model), format_(format), group_(group), operands_(operands), unit_(unit_bits) {}

    Layout make() {
        layout_.format = &format_;
        layout_.group = group_;
        if (group_) layout_.title = group_->title;
        for (const BarField& field : format_.main->fields) total_ += width_of(field, 0);
        for (std::size_t i = 0; i < format_.main->fields.size(); ++i) {
            const BarField& field = format_.main->fields[i];
            if (i == 0) {
                add_opcode(field);
            } else if (const ModeLabel* label = label_of(field)) {
                add_mode(field, *label);
            } else {
                add_field(field);
            }
        }
        split_immediates();
        pad();
        check_alternatives();
        layout_.bar = "|";
        for (const std::string& cell : cells_) layout_.bar += fmt::format(" {} |", cell);
        layout_.text = "{name}" + modifiers_ + length_modifier_;
        for (std::size_t i = 0; i < operand_texts_.size(); ++i)
            layout_.text += (i == 0 ? " " : ", ") + operand_texts_[i];
        layout_.possible = layout_.possible && bits_ <= longest_instruction && bits_ > 0;
        return std::move(layout_);
    }

private:
    std::string unique(std::string name) {
        std::string out = name;
        for (unsigned i = 2; !names_.insert(out).second; ++i) out = fmt::format("{}{}", name, i);
        return out;
    }

    std::string field_name(const BarField& field) {
        std::string name;
        for (const char c : field.name) name += is_letter(c) || is_digit(c) ? c : '_';
        return unique(is_word_of_the_language(name) ? name + "_" : name);
    }

    void add_cell(std::string cell, unsigned bits) {
        cells_.push_back(std::move(cell));
        bits_ += bits;
    }

    void add_opcode(const BarField& field) {
        const unsigned width = field.widths.front();
        layout_.possible = layout_.possible && width <= widest_number && field.widths.size() == 1;
        layout_.columns.push_back(field_name(field));
        add_cell(fmt::format("{}:{}", layout_.columns.back(), width), width);
    }

    static std::string number_type(unsigned width) { return fmt::format("{}{}", width > 1 ? 's' : 'u', width); }

    void add_field(const BarField& field) {
        const unsigned width = field.widths.front();
        layout_.possible = layout_.possible && width <= widest_number;
        const std::string name = field_name(field);
        operand_texts_.push_back("{" + name + "}");
        if (is_register(field)) {
            add_cell(width == model_.register_bits ? name + ":r" : fmt::format("{}:r{}", name, width), width);
        } else if (field.widths.size() > 1 && !chooser_.empty() &&
                   field.widths.size() == std::size_t{1} << chooser_bits_) {
            add_alternatives(field, name);
        } else {
            if (field.widths.size() > 1)
                layout_.remarks.push_back(
                    fmt::format("no bit chooses the length: the first width of {} only", field.name));
            number_cells_[field.name] = cells_.size();
            number_names_[field.name] = name;
            add_cell(fmt::format("{}:{}", name, number_type(width)), width);
        }
    }

    // `IMM:s8/s24 by l`; a width that does not fill its length gives way to the one that does.
    void add_alternatives(const BarField& field, const std::string& name) {
        std::string cell = name + ":";
        std::vector<unsigned> widths;
        for (std::size_t i = 0; i < field.widths.size(); ++i) {
            unsigned width = field.widths[i];
            if (choices_.empty() && format_.lengths && i < format_.lengths->bits.size()) {
                const int lacking =
                    static_cast<int>(format_.lengths->bits[i]) - static_cast<int>(bits_of(*format_.main, i));
                if (lacking != 0 && static_cast<int>(width) + lacking > 0) {
                    layout_.remarks.push_back(fmt::format("{} of {} bits in the notes: {} fill the length", field.name,
                                                          width, static_cast<int>(width) + lacking));
                    width = static_cast<unsigned>(static_cast<int>(width) + lacking);
                }
            }
            layout_.possible = layout_.possible && width <= widest_number;
            cell += fmt::format("{}{}", i == 0 ? "" : "/", number_type(width));
            widths.push_back(width);
        }
        add_cell(cell + " by " + chooser_, widths.front());
        choices_.push_back(std::move(widths));
    }

    // --- modes ----------------------------------------------------------------------------------------------------------

    // The label that describes this cell here: one of the same width before any other.
    const ModeLabel* label_of(const BarField& field) const {
        if (!group_ || format_.block == no_index) return nullptr;
        const ModeLabel* best = nullptr;
        for (const ModeLabel& label : group_->labels) {
            if (label.field != field.name) continue;
            const auto described = model_.described_by(label, format_.block);
            if (std::ranges::find(described, &format_) == described.end()) continue;
            if (!best || label.width == field.widths.front()) best = &label;
        }
        return best;
    }

    void add_mode(const BarField& field, const ModeLabel& label) {
        const unsigned width = mode_width(field, label);
        if (label.nested_opcode && width <= widest_number) {
            layout_.columns.push_back(field_name(field));
            return add_cell(fmt::format("{}:{}", layout_.columns.back(), width), width);
        }
        std::vector<const ModePattern*> patterns;
        for (const ModePattern& pattern : label.patterns) {
            if (pattern.bits.size() == width) patterns.push_back(&pattern);
        }
        if (patterns.empty()) {
            layout_.possible = layout_.possible && width <= widest_number;
            return add_plain(field_name(field), width);
        }
        const auto [low, high] = varying(patterns);
        const std::string& first = patterns.front()->bits;
        add_runs(first.substr(0, low));
        if (low < high) add_choice(patterns, low, high);
        add_runs(first.substr(high));
    }

    // The bar's width, unless the patterns' own would fill the length and the bar's does not.
    unsigned mode_width(const BarField& field, const ModeLabel& label) {
        const unsigned drawn = field.widths.front();
        if (label.patterns.empty() || !format_.lengths || format_.lengths->bits.size() != 1) return drawn;
        const std::size_t said = label.patterns.front().bits.size();
        if (said == drawn) return drawn;
        if (total_ - drawn + said != format_.lengths->bits.front()) {
            layout_.remarks.push_back(
                fmt::format("{} has {} bits in the bar and {} in the pattern", field.name, drawn, said));
            return drawn;
        }
        layout_.remarks.push_back(
            fmt::format("{} has {} bits in the bar; the {} of the pattern fill the length", field.name, drawn, said));
        return static_cast<unsigned>(said);
    }

    // The stretch in which the patterns differ, widened to whole runs of letters.
    static std::pair<std::size_t, std::size_t> varying(const std::vector<const ModePattern*>& patterns) {
        const std::string& first = patterns.front()->bits;
        std::size_t low = first.size(), high = 0;
        for (std::size_t i = 0; i < first.size(); ++i) {
            if (std::ranges::all_of(patterns, [&](const ModePattern* p) { return p->bits[i] == first[i]; })) continue;
            low = std::min(low, i);
            high = i + 1;
        }
        if (low >= high) return {first.size(), first.size()};
        const auto splits = [&](std::size_t at) {
            return at > 0 && at < first.size() && std::ranges::any_of(patterns, [&](const ModePattern* p) {
                       return is_letter(p->bits[at]) && p->bits[at] == p->bits[at - 1];
                   });
        };
        while (splits(low)) --low;
        while (splits(high)) ++high;
        return {low, high};
    }

    const Legend* legend_of(char letter) const {
        for (const Legend& legend : group_->legends) {
            for (const std::string& letters : legend.letters) {
                if (letters.front() == letter) return &legend;
            }
        }
        for (const Group& other : model_.notes.blocks[format_.block].groups) {
            for (const Legend& legend : other.legends) {
                if (legend.letters.front().front() == letter) return &legend;
            }
        }
        return nullptr;
    }

    bool means_nothing(char c) const {
        if (c == '-' || model_.notes.dont_care.find(c) != std::string::npos) return true;
        const Legend* const legend = is_letter(c) ? legend_of(c) : nullptr;
        return legend && says_unused(*legend);
    }

    void add_runs(const std::string& bits) {
        for (std::size_t i = 0; i < bits.size();) {
            std::size_t end = i;
            const bool digits = bits[i] == '0' || bits[i] == '1';
            while (end < bits.size() && (digits ? bits[end] == '0' || bits[end] == '1' : bits[end] == bits[i])) ++end;
            const std::string run = bits.substr(i, end - i);
            if (digits) {
                add_cell(run, static_cast<unsigned>(run.size()));
            } else if (means_nothing(bits[i])) {
                add_cell(fmt::format("-:{}", run.size()), static_cast<unsigned>(run.size()));
            } else {
                add_letters(run);
            }
            i = end;
        }
    }

    void add_letters(const std::string& run) {
        const Legend* const legend = legend_of(run.front());
        const auto width = static_cast<unsigned>(run.size());
        if (legend && legend->extra_opcode) {
            layout_.columns.push_back(unique(run));
            return add_cell(fmt::format("{}:{}", layout_.columns.back(), width), width);
        }
        for (const BarField& field : format_.main->fields) {
            if (!legend || !mentions_field(legend->what, field) || is_register(field) || label_of(field)) continue;
            if (is_about_width_of(*legend, field) && field.widths.size() > 1) return add_chooser(run);
            const bool listed = legend->open || !legend->values.empty();
            if (!listed && field.widths.size() == 1 && &field != &format_.opcode()) {
                slices_.push_back({cells_.size(), width, field.name});
                return add_cell("", width);
            }
        }
        if (!legend || legend->values.empty()) return add_plain(unique(run), width);
        const unsigned needed = std::max(1U, bits_for(legend->values.size()));
        const bool coded = !legend->values.front().code.empty();
        const unsigned each = !coded && needed < width && width % needed == 0 ? needed : width;
        for (unsigned i = 0; i < width; i += each) {
            const std::string name = unique(run.substr(0, each));
            const std::string operand = operands_.for_legend(*legend, each);
            if (operand.empty()) {
                add_plain(name, each);
                continue;
            }
            modifiers_ += fmt::format(".{{{}}}", name);
            add_cell(fmt::format("{}:{}", name, operand), each);
        }
    }

    // Bits without a list of values: a few become an operand with their number as the text, more are a number.
    void add_plain(const std::string& name, unsigned width) {
        constexpr unsigned few = 4;
        if (width > few) {
            operand_texts_.push_back("{" + name + "}");
            return add_cell(fmt::format("{}:{}", name, width), width);
        }
        std::vector<std::string> rows;
        for (std::size_t i = 0; i < std::size_t{1} << width; ++i)
            rows.push_back(fmt::format("{} \"{}\"", code_text(i, width), i));
        modifiers_ += fmt::format(".{{{}}}", name);
        add_cell(fmt::format("{}:{}", name, operands_.for_rows(fmt::format("bits{}", width), width, rows)), width);
    }

    void add_chooser(const std::string& run) {
        chooser_ = unique(run);
        chooser_bits_ = static_cast<unsigned>(std::min<std::size_t>(run.size(), 4));
        length_modifier_ += fmt::format("{{{}}}", chooser_);
        add_cell(fmt::format("{}:{}", chooser_, operands_.for_lengths(chooser_bits_)),
                 static_cast<unsigned>(run.size()));
    }

    // Patterns that stand for one thing each: `00tt -> a to b`, `1000 -> c to d`.
    void add_choice(const std::vector<const ModePattern*>& patterns, std::size_t low, std::size_t high) {
        std::vector<std::string> rows;
        std::set<std::string> texts;
        for (const ModePattern* pattern : patterns) {
            const std::string bits = pattern->bits.substr(low, high - low);
            std::string text = text_slug(pattern->meaning);
            if (text.empty()) text = "mode" + std::to_string(rows.size());
            while (!texts.insert(text).second) text += '_';
            std::string row, captures;
            std::set<std::string> captured;
            for (std::size_t i = 0; i < bits.size();) {
                const bool digits = bits[i] == '0' || bits[i] == '1';
                std::size_t end = i + 1;
                while (end < bits.size() && (digits ? bits[end] == '0' || bits[end] == '1' : bits[end] == bits[i]))
                    ++end;
                row += (row.empty() ? "" : " ") + choice_cell(bits.substr(i, end - i), captures, captured);
                i = end;
            }
            rows.push_back(fmt::format("{} \"{}{}\"", row, text, captures));
        }
        const std::string name = unique("kind");
        const auto width = static_cast<unsigned>(high - low);
        modifiers_ += fmt::format(".{{{}}}", name);
        const std::vector<std::string> words = telling_words(group_->title);
        std::string wanted;
        for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 2); ++i) wanted += words[i] + "_";
        wanted = slug(wanted + "kind");
        add_cell(fmt::format("{}:{}", name, operands_.for_rows(wanted, width, rows)), width);
    }

    std::string choice_cell(const std::string& run, std::string& captures, std::set<std::string>& captured) {
        if (run.front() == '0' || run.front() == '1') return run;
        if (means_nothing(run.front())) return std::string(run.size(), '0');
        const Legend* const legend = legend_of(run.front());
        std::string name = run;
        for (unsigned i = 2; !captured.insert(name).second; ++i) name = fmt::format("{}{}", run, i);
        captures += fmt::format(".{{{}}}", name);
        const bool listed = legend && !legend->values.empty() && bits_for(legend->values.size()) <= run.size();
        const std::string operand = listed ? operands_.for_legend(*legend, run.size()) : std::string{};
        return operand.empty() ? fmt::format("{}:{}", name, run.size()) : fmt::format("{}:{}", name, operand);
    }

    // Bits of a mode that are the upper bits of a number in the bar: `IMM[11:10]` there, `IMM[9:0]:s12` in its own cell.
    void split_immediates() {
        std::map<std::string, unsigned> widths;
        for (const Slice& slice : slices_) widths[slice.field] += slice.width;
        std::map<std::string, unsigned> next;
        for (const auto& [field, extra] : widths) {
            const auto own = number_cells_.find(field);
            const BarField* const cell = field_of(*format_.main, field);
            if (own == number_cells_.end() || extra + cell->widths.front() > widest_number) {
                layout_.possible = false;
                continue;
            }
            const unsigned low = cell->widths.front();
            cells_[own->second] = fmt::format("{}[{}:0]:{}", number_names_[field], low - 1, number_type(low + extra));
            next[field] = low + extra;
        }
        for (const Slice& slice : slices_) {
            if (!next.contains(slice.field)) continue;
            unsigned& top = next[slice.field];
            const std::string bits =
                slice.width == 1 ? std::to_string(top - 1) : fmt::format("{}:{}", top - 1, top - slice.width);
            cells_[slice.cell] = fmt::format("{}[{}]", number_names_[slice.field], bits);
            top -= slice.width;
        }
    }

    // A bar that is too short is filled up with zeros, to its length or to a whole number of units.
    void pad() {
        unsigned wanted = (bits_ + unit_ - 1) / unit_ * unit_;
        if (format_.lengths && format_.lengths->bits.front() > bits_ && format_.lengths->bits.front() % unit_ == 0) {
            wanted = format_.lengths->bits.front();
        }
        if (wanted == bits_) return;
        layout_.remarks.push_back(
            fmt::format("{} at the end: the bar has {} bits", counted(wanted - bits_, "zero"), bits_));
        while (bits_ < wanted) {
            const unsigned zeros = std::min(wanted - bits_, widest_number);
            add_cell(fmt::format("-:{}", zeros), zeros);
        }
    }

    // Every alternative has to be a whole number of units.
    void check_alternatives() {
        for (const std::vector<unsigned>& first : choices_) {
            for (std::size_t i = 0; i < first.size(); ++i) {
                unsigned bits = bits_;
                for (const std::vector<unsigned>& widths : choices_)
                    bits = bits - widths.front() + widths[std::min(i, widths.size() - 1)];
                layout_.possible = layout_.possible && bits % unit_ == 0 && bits <= longest_instruction;
            }
        }
    }

    struct Slice {
        std::size_t cell;
        unsigned width;
        std::string field;
    };

    const Model& model_;
    const Format& format_;
    const Group* group_;
    OperandBook& operands_;
    unsigned unit_;
    Layout layout_;
    unsigned total_ = 0, bits_ = 0;     // as the bar draws it; so far, of the first alternative
    std::vector<std::vector<unsigned>> choices_;  // the widths of cells with several
    std::vector<std::string> cells_, operand_texts_;
    std::string modifiers_, length_modifier_, chooser_;
    unsigned chooser_bits_ = 0;
    std::set<std::string> names_{"name", "any"};
    std::map<std::string, std::size_t> number_cells_;
    std::map<std::string, std::string> number_names_;
    std::vector<Slice> slices_;
};

std::vector<std::string> group_names(const std::vector<const Group*>& groups) {
    std::vector<std::string> names(groups.size());
    std::vector<std::vector<std::string>> all;
    all.reserve(groups.size());
    for (const Group* group : groups) all.push_back(telling_words(group->title));
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t take = 1; take <= 4 && names[i].empty(); ++take) {
            const auto start = [&](const std::vector<std::string>& of) {
                std::string out;
                for (std::size_t w = 0; w < std::min(take, of.size()); ++w) out += (w == 0 ? "" : "_") + of[w];
                return out;
            };
            const std::string mine = start(all[i]);
            bool alone = !mine.empty();
            for (std::size_t j = 0; j < groups.size(); ++j) alone = alone && (i == j || start(all[j]) != mine);
            if (alone) names[i] = mine;
        }
        if (names[i].empty()) names[i] = std::to_string(i + 1);
    }
    return names;
}

}  // namespace

std::vector<Layout> layouts_of(const Model& model, const Format& format, OperandBook& operands, unsigned unit_bits) {
    std::vector<const Group*> groups;
    if (format.block != no_index) {
        for (const Group& group : model.notes.blocks[format.block].groups) {
            if (groups.size() < 64) groups.push_back(&group);
        }
    }
    std::string name;
    for (const char c : format.name) name += is_letter(c) || is_digit(c) ? c : '_';
    std::vector<Layout> layouts;
    if (groups.empty()) groups.push_back(nullptr);
    const std::vector<std::string> names = groups.size() > 1 ? group_names(groups) : std::vector<std::string>{};
    for (std::size_t i = 0; i < groups.size(); ++i) {
        layouts.push_back(LayoutMaker(model, format, groups[i], operands, unit_bits).make());
        layouts.back().name = groups.size() > 1 ? fmt::format("{}_{}", name, names[i]) : name;
    }
    return layouts;
}

}  // namespace isaforge::notes
