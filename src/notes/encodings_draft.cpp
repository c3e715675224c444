// Rows of bits as a description: rows of one layout become a format and a table, fixed bits its columns. What is wrong or
// open stands as a comment before the row that it is about.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "notes/draft.hpp"
#include "notes/encodings.hpp"
#include "notes/scanner.hpp"
#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

constexpr unsigned widest_field = 64;
constexpr unsigned longest_word = 192;
constexpr unsigned widest_index = 12;  // of a register file

struct Column {
    std::string name;
    std::string bits;  // empty: chosen, by the mnemonics' order or by the allocator
    unsigned width = 0;
};

// What one row becomes: bar, text and columns. Rows with the same bar and text share a format.
struct RowDraft {
    std::string bar, text;
    std::vector<Column> columns;
    std::vector<std::pair<std::uint32_t, std::string>>
        operands;  // with places in the notes, whose order they have in the text
};

class Drafter {
public:
    Drafter(const NotedTables& notes, const std::vector<Diagnostic>& findings, const SourceManager& sources,
            std::string_view name)
        : notes_(notes), findings_(findings), sources_(sources), name_(name) {
        find_registers();
        find_unit();
        find_findings();
    }

    std::string write(bool rows_as_comments) {
        rows_as_comments_ = rows_as_comments;
        struct Table {
            std::string head, rows;
            bool possible = false;  // some row is more than a comment
        };
        struct Format {
            std::string bar;
            std::vector<Table> tables;
        };
        std::vector<Format> formats;
        std::vector<FixedBits> earlier;
        std::set<std::string> names;
        std::map<std::string, std::size_t> by_bar;
        for (std::size_t i = 0; i < notes_.encodings.rows.size(); ++i) {
            const Encoding& row = notes_.encodings.rows[i];
            const RowDraft draft = draft_of(in_units(row));
            const auto [known, is_new] = by_bar.try_emplace(draft.bar, formats.size());
            if (is_new) formats.push_back({draft.bar, {}});
            Format& format = formats[known->second];
            std::string columns;
            for (const Column& column : draft.columns)
                columns += (columns.empty() ? "" : ", ") + (column.bits.empty() ? column.name : "bits " + column.name);
            const std::string head =
                fmt::format("instructions F{} [{}] {} {{", known->second + 1, columns, quoted(draft.text));
            auto table = std::ranges::find(format.tables, head, &Table::head);
            if (table == format.tables.end()) table = format.tables.insert(table, {head, {}, false});
            const FixedBits bits = comparable_bits(notes_.encodings, row);
            const bool taken =
                std::ranges::any_of(earlier, [&](const FixedBits& other) { return overlap(other, bits); });
            if (!taken && earlier.size() < most_compared_rows) earlier.push_back(bits);
            const bool possible = !taken && row.width <= longest_word && !columns.empty() && !rows_as_comments_;
            table->possible |= possible;
            write_row(i, draft, possible, names, table->rows);
        }
        std::string out = head();
        for (std::size_t i = 0; i < formats.size(); ++i) {
            const bool possible = std::ranges::any_of(formats[i].tables, &Table::possible);
            line(out, "\n{}format F{} {}", possible ? "" : "// ", i + 1, formats[i].bar);
            for (const Table& table : formats[i].tables)
                out += fmt::format("{}{}\n{}{}}}\n", table.possible ? "" : "// ", table.head, table.rows,
                                   table.possible ? "" : "// ");
        }
        return out;
    }

private:
    template <typename... Args>
    static void line(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
        out += fmt::format(format, std::forward<Args>(args)...) + "\n";
    }

    unsigned line_of(Place place) const { return place.known() ? sources_.line_column(place).line : 0; }

    // --- what is declared before the formats -----------------------------------------------------------------------------

    void find_registers() {
        std::map<unsigned, unsigned> votes;
        for (const Encoding& row : notes_.encodings.rows) {
            for (const Piece& piece : row.pieces) {
                if (is_register_name(piece.name) && !piece.from && piece.width() <= widest_index)
                    ++votes[piece.width()];
            }
        }
        unsigned most = 0;
        for (const auto& [width, count] : votes) {
            if (count >= most) register_bits_ = width, most = count;
        }
    }

    void find_unit() {
        unsigned common = 0;
        for (const Encoding& row : notes_.encodings.rows) {
            if (row.width <= longest_word) common = std::gcd(common, padded(row.width));
        }
        unit_ = common == 0 ? 32 : common % 64 == 0 ? 64 : common % 32 == 0 ? 32 : common % 16 == 0 ? 16 : 8;
    }
    // The language has units of 8, 16, 32 and 64 bits.
    static unsigned padded(unsigned width) { return (width + 7) / 8 * 8; }

    // Each finding stands before the last row that begins in its line or before it.
    void find_findings() {
        std::vector<std::pair<unsigned, std::size_t>> rows;
        for (std::size_t i = 0; i < notes_.encodings.rows.size(); ++i)
            rows.emplace_back(line_of(notes_.encodings.rows[i].where), i);
        std::ranges::sort(rows);
        for (const Diagnostic& finding : findings_) {
            const auto behind =
                std::ranges::upper_bound(rows, line_of(finding.place), {}, &std::pair<unsigned, std::size_t>::first);
            if (behind == rows.begin())
                general_.push_back(&finding);
            else
                by_row_[std::prev(behind)->second].push_back(&finding);
        }
    }

    std::string head() const {
        const std::string file(sources_.name(notes_.file));
        const std::size_t slash = file.find_last_of('/');
        const std::string shown = one_line(slash == std::string::npos ? file : file.substr(slash + 1));
        std::string out;
        line(out, "// A draft made by `isaforge import` from {}: {}.", shown, notes_.what);
        line(out,
             "// Lines and cells are those of that file. Beside each row stands what is wrong there or left open.");
        for (const Diagnostic* finding : general_)
            line(out, "// line {}: {}", line_of(finding->place), one_line(finding->message));
        line(out, "isa {} {}\n", name_, quoted("Imported from " + shown));
        line(out, "code unit {}", unit_);
        if (register_bits_ > 0) line(out, "registers r : {} of u32 \"r{{n}}\"", register_bits_);
        for (const auto& [number, text] : numbers_) line(out, "number {} = {}", number, text);
        for (const auto& [content, operand] : operands_) line(out, "\noperand {} {}", operand, content);
        return out;
    }

    // --- rows ------------------------------------------------------------------------------------------------------------

    std::string type_of(const std::string& name, unsigned width) const {
        return is_register_name(name) && width == register_bits_ ? "r" : fmt::format("u{}", width);
    }

    // Where the lowest bits come first in memory, the units of a longer word stand in that order in a bar.
    Encoding in_units(const Encoding& row) const {
        if (!notes_.encodings.low_first || row.width <= unit_ || row.width % unit_ != 0) return row;
        Encoding out = row;
        out.pieces.clear();
        for (unsigned low = 0; low < row.width; low += unit_) {
            const unsigned up = row.width - unit_ - low;  // where the unit begins in the bar
            for (const Piece& piece : row.pieces) {
                const unsigned first = std::max(piece.low, low), last = std::min(piece.high, low + unit_ - 1);
                if (first > last) continue;
                Piece part = piece;
                part.low = first - low + up;
                part.high = last - low + up;
                if (piece.kind == Piece::Kind::fixed)
                    part.bits = piece.bits.substr(piece.high - last, last - first + 1);
                if (part.width() != piece.width()) part.from = piece.from.value_or(0) + first - piece.low;
                out.pieces.push_back(std::move(part));
            }
        }
        return out;
    }

    RowDraft draft_of(const Encoding& row) {
        RowDraft out;
        std::set<std::string> taken;
        std::map<std::string, std::string> names;  // of fields in several pieces
        std::map<std::string, unsigned> seen;
        out.bar = "|";
        const unsigned more = (unit_ - row.width % unit_) % unit_;
        if (more > 0) out.bar += fmt::format(" -:{} |", more);
        unsigned end = row.width;
        for (std::size_t i = 0; i < row.pieces.size(); ++i) {
            const Piece& piece = row.pieces[i];
            if (piece.high >= end) continue;  // a finding says so
            if (piece.high + 1 < end) out.bar += fmt::format(" -:{} |", end - 1 - piece.high);
            end = piece.low;
            if (row.alternative && i == row.alternative->chooser && put_alternative(row, out, taken)) {
                i = row.alternative->last;
                end = row.pieces[i].low;
            } else {
                put_piece(row, piece, out, taken, names, seen);
            }
        }
        const unsigned open = row.open ? *row.open + 1 : 0;
        if (end > open) out.bar += fmt::format(" -:{} |", end - open);
        put_open(open, out, taken);
        std::ranges::stable_sort(out.operands, {}, &std::pair<std::uint32_t, std::string>::first);
        out.text = "{name}";
        for (const auto& [place, operand] : out.operands)
            out.text += fmt::format("{}{{{}}}", &operand == &out.operands.front().second ? " " : ", ", operand);
        return out;
    }

    static std::string unique(std::string name, std::set<std::string>& taken) {
        const std::string wanted = name;
        for (unsigned i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}_{}", wanted, i);
        return name;
    }

    void put_piece(const Encoding& row, const Piece& piece, RowDraft& out, std::set<std::string>& taken,
                   std::map<std::string, std::string>& names, std::map<std::string, unsigned>& seen) {
        if (piece.kind == Piece::Kind::blank) {
            out.bar += fmt::format(" -:{} |", piece.width());
        } else if (piece.kind == Piece::Kind::ignored) {
            out.bar += fmt::format(" -:{}? |", piece.width());
        } else if (piece.kind == Piece::Kind::fixed) {
            put_fixed(piece, out, taken);
        } else if (piece.chooses) {
            const std::string name = unique(identifier(piece.name), taken);
            out.bar += fmt::format(" {}:{} |", name, piece.width());
            out.columns.push_back({name, "", piece.width()});
        } else {
            put_field(row, piece, out, taken, names, seen);
        }
    }

    // Bits among which some are ignored are several cells.
    static void put_fixed(const Piece& piece, RowDraft& out, std::set<std::string>& taken) {
        for (std::size_t at = 0; at < piece.bits.size();) {
            const auto is_fixed = [&](std::size_t i) { return piece.bits[i] == '0' || piece.bits[i] == '1'; };
            std::size_t end = at + 1;
            while (end < piece.bits.size() && is_fixed(end) == is_fixed(at) && end - at < widest_field) ++end;
            if (is_fixed(at)) {
                const std::string name = unique("OP", taken);
                out.bar += fmt::format(" {}:{} |", name, end - at);
                out.columns.push_back({name, piece.bits.substr(at, end - at), static_cast<unsigned>(end - at)});
            } else {
                out.bar += fmt::format(" -:{}? |", end - at);
            }
            at = end;
        }
    }

    void put_field(const Encoding& row, const Piece& piece, RowDraft& out, std::set<std::string>& taken,
                   std::map<std::string, std::string>& names, std::map<std::string, unsigned>& seen) {
        std::vector<const Piece*> parts;
        for (const Piece& other : row.pieces) {
            if (other.kind == Piece::Kind::field && other.name == piece.name && !other.chooses) parts.push_back(&other);
        }
        unsigned total = 0, lowest = 256, highest = 0, with_place = 0;
        for (const Piece* part : parts) {
            total += part->width();
            if (!part->from) continue;
            ++with_place;
            lowest = std::min(lowest, *part->from);
            highest = std::max(highest, *part->from + part->width());
        }
        const bool whole =
            with_place == 0 || (with_place == parts.size() && highest - lowest == total && distinct(parts));
        if (parts.size() == 1 || !whole || total > widest_field) {
            put_simple(piece, parts.size() == 1 && piece.from ? *piece.from : 0, out, taken);
            return;
        }
        auto [name, added] = names.try_emplace(piece.name);
        if (added) {
            name->second = unique(identifier(piece.name), taken);
            out.operands.emplace_back(piece.where.offset, name->second);
        }
        unsigned& above = seen[piece.name];  // bits of it that stand further up
        const unsigned low = piece.from ? *piece.from - lowest : total - above - piece.width();
        above += piece.width();
        const bool last = above == total;
        out.bar += fmt::format(" {}[{}:{}]{} |", name->second, low + piece.width() - 1, low,
                               last ? ":" + scaled(piece.from ? lowest : 0, total, piece.name) : "");
    }

    static bool distinct(const std::vector<const Piece*>& parts) {
        std::set<unsigned> bits;
        for (const Piece* part : parts) {
            for (unsigned i = 0; i < part->width(); ++i) {
                if (!bits.insert(*part->from + i).second) return false;
            }
        }
        return true;
    }

    // A number whose lowest bits are not in the word is a multiple.
    std::string scaled(unsigned shift, unsigned width, const std::string& name) {
        if (shift == 0 || shift > 31 || width + shift > widest_field) return type_of(name, width);
        std::string number = fmt::format("u{}_times_{}", width, std::uint64_t{1} << shift);
        numbers_[number] = fmt::format("{} * u{}", std::uint64_t{1} << shift, width);
        return number;
    }

    void put_simple(const Piece& piece, unsigned shift, RowDraft& out, std::set<std::string>& taken) {
        unsigned left = piece.width();
        while (left > 0) {
            const unsigned width = std::min(left, widest_field);
            const std::string name = unique(identifier(piece.name), taken);
            out.bar += fmt::format(" {}:{} |", name, scaled(left == piece.width() ? shift : 0, width, piece.name));
            out.operands.emplace_back(piece.where.offset, name);
            left -= width;
        }
    }

    // One operand of the bit that chooses and of what it chooses between.
    bool put_alternative(const Encoding& row, RowDraft& out, std::set<std::string>& taken) {
        const Alternative& alternative = *row.alternative;
        unsigned width = 1 + alternative.piece.width();
        if (width > widest_field || alternative.last >= row.pieces.size()) return false;
        std::string rows = "    0";
        std::string text;
        std::set<std::string> inside;
        for (std::size_t i = alternative.first; i <= alternative.last; ++i) {
            const Piece& piece = row.pieces[i];
            if (piece.kind == Piece::Kind::field) {
                const std::string name = unique(identifier(piece.name), inside);
                rows += fmt::format(" {}:{}", name, type_of(piece.name, piece.width()));
                text += fmt::format("{}{{{}}}", text.empty() ? "" : " ", name);
            } else if (piece.kind == Piece::Kind::fixed) {
                rows += " " + piece.bits;
            } else {
                rows += fmt::format(" 0:{}", piece.width());
            }
        }
        if (text.empty()) return false;
        const std::string name = identifier(alternative.piece.name);
        const bool alike =
            text == fmt::format("{{{}}}", name) || type_of(alternative.piece.name, alternative.piece.width()) != "r";
        const std::string content =
            fmt::format(": {} {{\n{}  \"{}{}\"\n    1 {}:{}  \"{{{}}}\"\n}}", width, rows, alike ? "#" : "", text, name,
                        type_of(alternative.piece.name, alternative.piece.width()), name);
        const auto known = operands_.find(content);
        const std::string chooser = identifier(row.pieces[alternative.chooser].name);
        const std::string operand =
            known != operands_.end() ? known->second : unique(chooser + "_source", operand_names_);
        operands_[content] = operand;
        const std::string field = unique(chooser, taken);
        out.bar += fmt::format(" {}:{} |", field, operand);
        out.operands.emplace_back(row.pieces[alternative.chooser].where.offset, field);
        return true;
    }

    // What the notes leave open is a number: who knows more writes it as it is.
    static void put_open(unsigned bits, RowDraft& out, std::set<std::string>& taken) {
        while (bits > 0) {
            const unsigned width = std::min(bits, widest_field);
            const std::string name = unique("open", taken);
            out.bar += fmt::format(" {}:{} |", name, width);
            out.operands.emplace_back(~std::uint32_t{0}, name);
            bits -= width;
        }
    }

    void write_row(std::size_t index, const RowDraft& draft, bool possible, std::set<std::string>& names,
                   std::string& out) {
        const Encoding& row = notes_.encodings.rows[index];
        const std::string shown = one_line(sources_.text(row.where));
        line(out, "    // line {}{}{}", line_of(row.where), shown.empty() || !is_letter(shown[0]) ? "" : ": ",
             shown.empty() || !is_letter(shown[0]) ? "" : shown);
        if (const auto found = by_row_.find(index); found != by_row_.end()) {
            for (const Diagnostic* finding : found->second) line(out, "    //   {}", one_line(finding->message));
        }
        const bool several = tells_mnemonics_apart(row);
        for (std::size_t i = 0; i < row.mnemonics.size(); ++i) {
            std::string columns;
            for (const Column& column : draft.columns)
                columns += (column.bits.empty() ? value_of(row, column, i) : column.bits) + " ";
            std::string spelled, remark;
            for (const std::string& name : row.mnemonics[i].names) {
                const std::string good = mnemonic(name);
                const std::string own = unique(good, names);
                if (own != good) remark = fmt::format("   // {} again", one_line(name));
                spelled += (spelled.empty() ? "" : " | ") + own;
            }
            // Those that nothing tells apart are one instruction with several names so far.
            line(out, "    {}{} {}{}{}{}", possible ? "" : "// ", columns, spelled,
                 row.title.empty() ? "" : "  " + quoted(row.title), i > 0 && !several ? "  alias" : "", remark);
        }
    }

    // Where there is a mnemonic for each value they count from 0; otherwise the notes do not say.
    static std::string value_of(const Encoding& row, const Column& column, std::size_t i) {
        const bool each = column.width < 32 && row.mnemonics.size() == std::size_t{1} << column.width;
        return each ? std::to_string(i) : "auto";
    }

    static std::string mnemonic(std::string_view text) {
        std::string out;
        for (const char c : text) out += is_name_character(c) ? c : '_';
        while (!out.empty() && out.back() == '.') out.pop_back();
        return !out.empty() && (is_letter(out.front()) || out.front() == '_') ? out : "x" + out;
    }

    const NotedTables& notes_;
    const std::vector<Diagnostic>& findings_;
    const SourceManager& sources_;
    std::string name_;
    std::vector<const Diagnostic*> general_;
    std::map<std::size_t, std::vector<const Diagnostic*>> by_row_;
    std::map<std::string, std::string> numbers_;
    std::map<std::string, std::string> operands_;  // by what stands in them
    std::set<std::string> operand_names_;
    unsigned register_bits_ = 0, unit_ = 32;
    bool rows_as_comments_ = false;
};

}  // namespace

std::string draft_of_encodings(const NotedTables& notes, const std::vector<Diagnostic>& findings,
                               const SourceManager& sources, std::string_view name) {
    std::string text = Drafter(notes, findings, sources, name).write(false);
    if (!loads(text)) text = Drafter(notes, findings, sources, name).write(true);
    return text;
}

}  // namespace isaforge::notes
