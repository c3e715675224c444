// Notes as a description. What comes out is a draft that a person goes on with: every line says which line of the notes it
// is from, and what is contradictory there is said beside it.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "notes/draft.hpp"
#include "notes/findings.hpp"
#include "notes/layout.hpp"
#include "notes/scanner.hpp"

namespace isaforge {

namespace notes {
namespace {

// What is left out, as comments, where the whole would not load: notes may ask for more opcodes than there are.
struct Cautions {
    bool pools = false;
    bool rows = false;
};

struct Row {
    const ListedInstruction* listed;
    std::string name;
    bool renamed = false;
};

// Word beginnings, to find the group that a row of the list is from.
std::set<std::string> stems(std::string_view text) {
    std::set<std::string> out;
    std::string word;
    for (const char c : std::string(text) + " ") {
        if (is_letter(c)) {
            word += lower(c);
            continue;
        }
        if (word.size() > 3 && word.back() == 's') word.pop_back();  // a plural
        if (word.size() > 2 && word != "and" && word != "instruction" && word != "for") out.insert(word.substr(0, 5));
        word.clear();
    }
    return out;
}

class Importer {
public:
    Importer(const Notes& notes, const std::vector<ListedInstruction>& list, const SourceManager& sources,
             std::string_view name)
        : model_(notes), list_(list), sources_(sources), name_(name), operands_(notes) {
        Diagnostics found;
        check_notes(notes, found);
        findings_ = found.all();
        for (const Diagnostic& finding : findings_) finding_lines_.push_back(line_of(finding.place));
        find_unit();
        std::set<std::string> taken{"r"};
        for (const Format& format : model_.formats) {
            for (Layout& layout : layouts_of(model_, format, operands_, unit_)) {
                const std::string wanted = slug_keeping_case(layout.name);
                layout.name = wanted;
                for (unsigned i = 2; !taken.insert(layout.name).second; ++i)
                    layout.name = fmt::format("{}_{}", wanted, i);
                layouts_.push_back(std::move(layout));
            }
        }
        sort_rows();
    }

    std::string write(Cautions cautions) {
        cautions_ = cautions;
        out_.clear();
        write_head();
        write_operands();
        write_formats();
        for (const RangeTable* table = best_table(); table; table = nullptr) write_pools(*table);
        write_tables();
        write_unplaced();
        return out_;
    }

private:
    template <typename... Args>
    void line(fmt::format_string<Args...> format, Args&&... args) {
        out_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
    }

    unsigned line_of(Place place) const { return sources_.line_column(place).line; }

    static std::string slug_keeping_case(const std::string& name) {
        return slug(name, 1) == lower(name) || slug(name, 8) == lower(name) ? name : name + "_";
    }

    void find_unit() {
        unit_ = 0;
        for (const Format& format : model_.formats) {
            if (!format.lengths) continue;
            for (const unsigned bits : format.lengths->bits) unit_ = unit_ == 0 ? bits : std::min(unit_, bits);
        }
        unit_ = unit_ == 0 ? 16 : unit_ % 64 == 0 ? 64 : unit_ % 32 == 0 ? 32 : unit_ % 16 == 0 ? 16 : 8;
        for (const Format& format : model_.formats) {
            if (!format.lengths) continue;
            for (const unsigned bits : format.lengths->bits) {
                while (unit_ > 8 && bits % unit_ != 0) unit_ /= 2;
            }
        }
    }

    // --- rows -----------------------------------------------------------------------------------------------------------

    void sort_rows() {
        for (Layout& layout : layouts_) {
            layouts_by_format_[layout.format].push_back(&layout);
            title_stems_[&layout] = stems(layout.title);
        }
        std::set<std::string> names;
        std::map<std::string, unsigned> uses;
        for (const ListedInstruction& row : list_) ++uses[mnemonic(row)];
        for (const auto& [name, count] : uses) names.insert(name);
        std::map<std::string, unsigned> numbers;
        for (const ListedInstruction& listed : list_) {
            Row row{&listed, mnemonic(listed)};
            if (uses[row.name] > 1 && ++numbers[row.name] > 1) {
                const std::string base = row.name;
                for (unsigned i = numbers[base]; !names.insert(row.name).second; ++i)
                    row.name = fmt::format("{}_{}", base, i);
                row.renamed = true;
            }
            Layout* const layout = layout_of(listed);
            if (layout) {
                rows_[layout].push_back(row);
            } else {
                unplaced_.push_back(row);
            }
        }
    }

    static std::string mnemonic(const ListedInstruction& row) {
        std::string out;
        for (const char c : row.mnemonic) out += is_letter(c) || is_digit(c) || c == '_' ? c : '_';
        return is_letter(out.front()) ? out : "x" + out;
    }

    // The layout of the row's format whose group shares most words with the row's.
    Layout* layout_of(const ListedInstruction& row) {
        const Format* const format = model_.find(row.format);
        if (!format) return nullptr;
        const std::size_t slash = row.group.find_last_of('/');
        const std::set<std::string> general = stems(row.group);
        const std::set<std::string> special =
            stems(row.title + " " + row.group.substr(slash == std::string::npos ? 0 : slash));
        Layout* best = nullptr;
        double most = 0;
        for (Layout* const candidate : layouts_by_format_[format]) {
            Layout& layout = *candidate;
            const std::set<std::string>& words = title_stems_[candidate];
            double shared = 0;
            for (const std::string& stem : words) shared += special.contains(stem) ? 2 : general.contains(stem) ? 1 : 0;
            shared -=
                0.01 * static_cast<double>(std::min<std::size_t>(words.size(), 90));  // of two, the one that says less
            if (!best || shared > most) {
                best = &layout;
                most = shared;
            }
        }
        return best;
    }

    // --- declarations ---------------------------------------------------------------------------------------------------

    void write_head() {
        const std::string file(sources_.name(model_.notes.file));
        const std::size_t slash = file.find_last_of('/');
        const std::string shown = one_line(slash == std::string::npos ? file : file.substr(slash + 1));
        line("// A draft made by `isaforge import` from {}. The numbers of lines are those of that file.", shown);
        if (!findings_.empty()) {
            line("// The notes contradict themselves in {}: `isaforge check` shows where.",
                 counted(findings_.size(), "place"));
        }
        line("isa {} {}\n", name_, quoted("Imported from " + shown));
        line("code unit {} little\n", unit_);
    }

    void write_operands() {
        const unsigned usual = model_.register_bits;
        if (usual > 0) line("registers r : {} of u32 \"r{{n}}\"", usual);
        std::set<unsigned> others;
        for (const Format& format : model_.formats) {
            for (const BarField& field : format.main->fields) {
                if (&field != &format.opcode() && is_register(field) && field.widths.front() != usual)
                    others.insert(field.widths.front());
            }
        }
        for (const unsigned width : others) {
            line("enum r{} : {} {{ \"r{{0..{}}}\" }}    // what a cell of {} reaches", width, width, (1U << width) - 1,
                 counted(width, "bit"));
        }
        out_ += "\n" + operands_.text() + "\n";
    }

    void write_formats() {
        const Format* last = nullptr;
        for (const Layout& layout : layouts_) {
            if (layout.format != last) {
                if (last) out_ += "\n";
                last = layout.format;
                const Bar& bar = *layout.format->main;
                line("// notes line {}: [{}] {}", line_of(bar.where), layout.format->name,
                     one_line(sources_.text(bar.where)));
                write_findings(*layout.format);
            }
            for (const std::string& remark : layout.remarks) line("//   {}", remark);
            line("{}format {} {}{}", layout.possible ? "" : "// not to be said: ", layout.name, layout.bar,
                 layout.group && layout.group->where.known()
                     ? fmt::format("    // line {}: {}", line_of(layout.group->where), one_line(layout.title))
                     : "");
        }
        out_ += "\n";
    }

    // What the checker says about a format: at one of its bars, or in its block.
    void write_findings(const Format& format) {
        const Index index = format.block;
        std::uint32_t from = 0, to = 0;
        const bool first_of_block = index != no_index && model_.in_block(index).front() == &format;
        if (first_of_block) {
            from = model_.notes.blocks[index].where.offset;
            to = index + 1 < model_.notes.blocks.size() ? model_.notes.blocks[index + 1].where.offset : first_range();
        }
        std::set<unsigned> bar_lines;
        for (const Bar* bar : format.bars) bar_lines.insert(line_of(bar->where));
        for (std::size_t i = 0; i < findings_.size(); ++i) {
            const Diagnostic& finding = findings_[i];
            const bool in_block = finding.place.offset >= from && finding.place.offset < to;
            const bool at_bar = bar_lines.contains(finding_lines_[i]);
            if ((in_block || at_bar) && written_.insert(&finding).second) {
                line("// notes line {}: {}", line_of(finding.place), one_line(finding.message));
            }
        }
        if (format.lengths == nullptr) line("//   no length is stated");
    }

    std::uint32_t first_range() const {
        std::uint32_t first = ~std::uint32_t{0};
        for (const RangeTable& table : model_.notes.tables) first = std::min(first, table.ranges.front().where.offset);
        return first;
    }

    // --- pools ----------------------------------------------------------------------------------------------------------

    // The last table in which every format has a range, or else the last: later statements replace earlier ones.
    const RangeTable* best_table() const {
        const auto complete = [&](const RangeTable& table) {
            std::set<const Format*> have;
            for (const Range& range : table.ranges) {
                for (const Format* format : formats_of(model_, table, range)) have.insert(format);
            }
            return have.size() == model_.formats.size();
        };
        const std::vector<RangeTable>& tables = model_.notes.tables;
        for (std::size_t i = tables.size(); i-- > 0;) {
            if (complete(tables[i])) return &tables[i];
        }
        return tables.empty() ? nullptr : &tables.back();
    }

    void write_pools(const RangeTable& table) {
        const unsigned space = space_bits(table);
        for (const RangeTable& other : model_.notes.tables) {
            if (&other != &table)
                line("// notes line {}: another table of ranges begins here; it is left out",
                     line_of(other.ranges.front().where));
        }
        if (cautions_.pools) line("// The rows below do not fit into these pools:");
        std::uint64_t end = 0;
        for (const Range& range : table.ranges) {
            const unsigned number = line_of(range.where);
            for (const Diagnostic& finding : findings_) {
                if (line_of(finding.place) == number && written_.insert(&finding).second)
                    line("// notes line {}: {}", number, one_line(finding.message));
            }
            std::string names;
            const auto formats = formats_of(model_, table, range);
            const std::set<const Format*> here(formats.begin(), formats.end());
            for (const Layout& layout : layouts_) {
                if (!layout.possible || !here.contains(layout.format)) continue;
                names += fmt::format("{}{}", names.empty() ? "" : ", ", layout.name);
            }
            const bool sound = is_sound(range, space) && range.low_fixed > 0;
            const bool apart = !sound || range.low * cost(range, space) >= end;
            const bool good = sound && apart && !names.empty() && !cautions_.pools;
            if (good) end = (range.high + 1) * cost(range, space);
            const std::string capacity = sound ? fmt::format("  capacity {}", held(range)) : "";
            line("{}pool {} .. {}  for {}{}", good ? "" : "// ", pattern(range.low_where), pattern(range.high_where),
                 names.empty() ? "nothing" : names, capacity);
        }
        out_ += "\n";
    }

    std::string pattern(Place where) const {
        std::string out;
        for (const char c : sources_.text(where)) {
            if (c == '0' || c == '1' || c == ' ') out += c;
            if (c == 'x' || c == 'X') out += 'x';
        }
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (out[i] == ' ') out[i] = '_';
        }
        return out;
    }

    // --- instructions ---------------------------------------------------------------------------------------------------

    // The long form of a layout that the list does not mention: its rows are the short form's.
    const Layout* unlisted_long(const Layout& layout) const {
        if (list_.empty() || layout.format->is_long()) return nullptr;
        const Layout* found = nullptr;
        const Format* const longer = model_.find(layout.format->key + ".l");
        if (!longer) return nullptr;
        for (const Layout* other : layouts_by_format_.at(longer)) {
            if (rows_.contains(other)) return nullptr;
            if (other->group == layout.group) found = other;
        }
        if (!found || !found->possible || found->columns.size() != 1 || layout.columns.size() != 1) return nullptr;
        return found;
    }

    void write_tables() {
        for (Layout& layout : layouts_) {
            const auto rows = rows_.find(&layout);
            if (rows == rows_.end() && (!layout.possible || !list_.empty())) continue;
            const Layout* const longer = unlisted_long(layout);
            std::string columns;
            for (const std::string& column : layout.columns)
                columns += fmt::format("{}{}", columns.empty() ? "" : ", ", column);
            const bool as_comments = list_.empty() || cautions_.rows || !layout.possible;
            const std::string margin = as_comments ? "// " : "";
            line("{}instructions {} [{}{}] \"{}\"{}", margin, layout.name, columns, longer ? ", LONG" : "", layout.text,
                 longer ? "" : " {");
            if (longer) {
                line("{}    also {} with {} = LONG \"{}\" {{", margin, longer->name, longer->columns.front(),
                     long_text(*longer));
            }
            std::string autos;
            for (std::size_t i = 0; i < layout.columns.size() + (longer ? 1 : 0); ++i) autos += "auto ";
            if (rows == rows_.end()) {
                line("{}    {} EXAMPLE_{}", margin, autos, layout.name);
            } else {
                write_rows(rows->second, margin, autos);
            }
            line("{}}}", margin);
        }
    }

    static std::string long_text(const Layout& layout) {
        std::string text = layout.text;
        text.insert(std::string_view("{name}").size(), ".l");
        return text;
    }

    void write_rows(const std::vector<Row>& rows, const std::string& margin, const std::string& autos) {
        std::size_t widest = 0;
        for (const Row& row : rows) widest = std::max(widest, row.name.size());
        for (const Row& row : rows) {
            std::string remark;
            if (row.renamed) remark = fmt::format("   // the list calls it {} again", one_line(row.listed->mnemonic));
            if (!row.listed->privilege.empty())
                remark += fmt::format("{}{}", remark.empty() ? "   // " : ", ", one_line(row.listed->privilege));
            line("{}    {} {:{}}  {}{}", margin, autos, row.name, widest, quoted(row.listed->title), remark);
        }
    }

    void write_unplaced() {
        if (!unplaced_.empty()) line("\n// Instructions of the list without a format that the notes draw:");
        for (const Row& row : unplaced_) {
            line("//   {}  {}  format {}", row.name, quoted(row.listed->title),
                 row.listed->format.empty() ? "?" : one_line(row.listed->format));
        }
    }

    Model model_;
    const std::vector<ListedInstruction>& list_;
    const SourceManager& sources_;
    std::string name_;
    OperandBook operands_;
    std::vector<Diagnostic> findings_;
    std::vector<unsigned> finding_lines_;
    std::set<const Diagnostic*> written_;
    std::vector<Layout> layouts_;
    std::map<const Layout*, std::vector<Row>> rows_;
    std::map<const Format*, std::vector<Layout*>> layouts_by_format_;
    std::map<const Layout*, std::set<std::string>> title_stems_;
    std::vector<Row> unplaced_;
    unsigned unit_ = 16;
    Cautions cautions_;
    std::string out_;
};

}  // namespace
}  // namespace notes

std::string import_notes(const Notes& notes, const std::vector<ListedInstruction>& list, const SourceManager& sources,
                         std::string_view name) {
    std::string text;
    for (const notes::Cautions cautions :
         {notes::Cautions{}, {.pools = true}, {.rows = true}, {.pools = true, .rows = true}}) {
        text = notes::Importer(notes, list, sources, name).write(cautions);
        if (notes::loads(text)) break;
    }
    return text;
}

}  // namespace isaforge
