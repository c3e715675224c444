// A sheet's columns are the truth, as long as they can be: a cell reaches to the next one, since merged cells are exported as
// one with text and empty ones. Where text has lost tabs the columns of its rows contradict each other, or have no room for
// what stands in them. Then only that counts which cannot be otherwise: fixed bits that follow each other, and fields that
// begin at the same bit in every row. What comes behind these is an open question.
#include "notes/bit_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "notes/scanner.hpp"
#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

constexpr unsigned widest_word = 192;  // as the language has it

// A cell with text. Places are counted in columns from the first bit's.
struct SheetCell {
    std::string text;
    unsigned at = 0;
    unsigned digits = 0;     // 0: a field, or a number that takes what room there is
    bool ignored = false;    // nothing but x and -
    std::optional<std::uint64_t> number;
    const TableCell* cell = nullptr;

    bool is_field() const { return digits == 0 && !number; }
};

struct SheetRow {
    Encoding encoding;
    std::vector<SheetCell> cells;
    std::optional<SheetCell> second;   // of a second line: it stands instead of what is above
    std::string lost;                  // of a second line that has lost its tabs
    bool crowded = false;              // a cell has more digits than room
    const TableCell* name = nullptr;
};

std::optional<SheetCell> cell_of(const TableCell& cell, unsigned at) {
    if (cell.text.empty()) return std::nullopt;
    SheetCell out{.text = cell.text, .at = at, .cell = &cell};
    std::string bits;
    for (const char c : cell.text) {
        if (c != ' ' && c != '_' && c != '\n') bits += lower(c);
    }
    const bool is_bits = bits.find_first_not_of("01x-") == std::string::npos;
    if (is_bits && bits.size() <= widest_word) {
        out.digits = static_cast<unsigned>(bits.size());
        out.ignored = bits.find_first_of("01") == std::string::npos;
        out.text = bits;
    } else {
        out.number = number_of(cell.text);
    }
    return out;
}

class SheetReader {
public:
    SheetReader(const Table& table, const BitHeading& heading, NotedTables& notes)
        : table_(table), heading_(heading), notes_(notes) {}

    void read() {
        for (std::size_t i = heading_.row + 1; i < table_.rows.size(); ++i) {
            if (!read_row(table_.rows[i])) break;
        }
        count_rooms();
        const auto crowded = static_cast<std::size_t>(std::ranges::count(rows_, true, &SheetRow::crowded));
        const bool any_lost = std::ranges::any_of(rows_, [](const SheetRow& row) { return !row.lost.empty(); });
        tabs_were_lost_ = any_lost || crowded > std::max<std::size_t>(1, rows_.size() / 10);
        if (tabs_were_lost_) say_that_tabs_were_lost();
        for (SheetRow& row : rows_) {
            if (tabs_were_lost_)
                place_what_is_sure(row);
            else if (row.crowded)
                place_as_elsewhere(row);
            else
                place_by_columns(row);
            add(row);
        }
    }

private:
    // --- rows ------------------------------------------------------------------------------------------------------------

    // False where another heading begins.
    bool read_row(const std::vector<TableCell>& cells) {
        if (is_heading(cells)) return false;
        SheetRow row;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const bool is_bit = i >= heading_.first && i < heading_.first + heading_.bits;
            if (is_bit) {
                if (auto cell = cell_of(cells[i], static_cast<unsigned>(i - heading_.first)))
                    row.cells.push_back(*cell);
            } else if (!cells[i].text.empty()) {
                if (!row.name)
                    row.name = &cells[i];
                else
                    row.encoding.title += (row.encoding.title.empty() ? "" : ", ") + cells[i].text;
            }
        }
        if (row.cells.empty()) {
            if (row.name) take_name_alone(*row.name);
        } else if (!row.name) {
            take_second_line(row);
        } else {
            row.encoding.width = heading_.bits;
            row.encoding.where = row.name->where;
            row.encoding.mnemonics = mnemonics_in(row.name->text, row.name->where, notes_.findings);
            if (row.encoding.mnemonics.empty()) return true;
            rows_.push_back(std::move(row));
        }
        return true;
    }

    static bool is_heading(const std::vector<TableCell>& cells) {
        Table one{"", {cells}};
        return bit_heading(one).has_value();
    }

    // A name without bits is a part of the row above, where a cell's name there mentions it: `ra` below `k_ra`.
    void take_name_alone(const TableCell& name) {
        if (rows_.empty()) return;
        SheetRow& above = rows_.back();
        for (const SheetCell& cell : above.cells) {
            const std::vector<std::string> parts = parts_of(cell.text);
            if (cell.is_field() && std::ranges::find(parts, name.text) != parts.end()) above.lost = name.text;
        }
    }

    void take_second_line(const SheetRow& row) {
        if (rows_.empty() || rows_.back().second || row.cells.size() != 1) {
            notes_.findings.push_back(finding(Severity::error, row.cells.front().cell->where,
                                              rows_.empty()
                                                  ? "these bits have no instruction"
                                                  : "this line has no instruction, and is more than one field "
                                                    "that could stand instead of one above"));
            return;
        }
        rows_.back().second = row.cells.front();
    }

    static std::vector<std::string> parts_of(const std::string& name) {
        std::vector<std::string> out{""};
        for (const char c : name) {
            if (c == '_' || c == '/' || c == '|')
                out.emplace_back();
            else
                out.back() += c;
        }
        return out.size() > 1 ? out : std::vector<std::string>{};
    }

    // --- how wide fields are ---------------------------------------------------------------------------------------------

    // Up to the next cell, of the row or of its second line.
    unsigned end_of_room(const SheetRow& row, std::size_t i) const {
        unsigned end = i + 1 < row.cells.size() ? row.cells[i + 1].at : heading_.bits;
        if (row.second && row.second->at > row.cells[i].at) end = std::min(end, row.second->at);
        return end;
    }
    unsigned room(const SheetRow& row, std::size_t i) const { return end_of_room(row, i) - row.cells[i].at; }

    void count_rooms() {
        for (SheetRow& row : rows_) {
            for (std::size_t i = 0; i < row.cells.size(); ++i) row.crowded |= row.cells[i].digits > room(row, i);
        }
        for (SheetRow& row : rows_) {
            for (std::size_t i = 0; i < row.cells.size() && !row.crowded; ++i) {
                const SheetCell& cell = row.cells[i];
                if (!cell.is_field()) continue;
                Uses& uses = uses_[cell.text];
                ++uses.rooms[room(row, i)];
                uses.starts.insert(cell.at);
                ++uses.count;
                uses.followers.insert(i + 1 < row.cells.size() ? row.cells[i + 1].text : "");
                uses.examples.try_emplace(cell.at, cell.cell);
            }
            if (row.second && row.second->is_field()) ++uses_[row.second->text].count;
        }
        for (auto& [name, uses] : uses_) {
            for (const auto& [width, count] : uses.rooms) {
                if (2 * count > uses.count && count >= 2) uses.usual = width;
            }
        }
    }

    struct Uses {
        std::map<unsigned, unsigned> rooms;  // how often there is so much room
        std::set<unsigned> starts;
        std::set<std::string> followers;
        std::map<unsigned, const TableCell*> examples;  // by start
        unsigned count = 0;
        unsigned usual = 0;                  // what more than half have; 0: there is no such
    };

    // --- placing ---------------------------------------------------------------------------------------------------------

    unsigned bit(unsigned column) const { return heading_.rising ? column : heading_.bits - 1 - column; }

    // Columns from `begin` to before `end`.
    void put(SheetRow& row, const SheetCell& cell, unsigned begin, unsigned end) {
        if (begin >= end) return;
        const unsigned a = bit(begin), b = bit(end - 1);
        std::vector<Piece> pieces;
        if (cell.is_field()) {
            pieces = field_pieces(cell.text, std::max(a, b), std::min(a, b), cell.cell->where, notes_.findings);
        } else {
            Piece piece{.kind = cell.ignored ? Piece::Kind::ignored : Piece::Kind::fixed,
                        .high = std::max(a, b),
                        .low = std::min(a, b),
                        .where = cell.cell->where};
            piece.bits = cell.text;
            if (cell.number) {
                piece.bits.clear();
                for (unsigned i = end - begin; i-- > 0;) piece.bits += i < 64 && (*cell.number >> i & 1) ? '1' : '0';
                const unsigned width = end - begin;
                if (width < 64 && *cell.number >> width != 0)
                    error(*cell.cell, fmt::format("{} does not fit into {}", cell.text, bits_text(width)));
            } else if (heading_.rising) {
                std::ranges::reverse(piece.bits);
            }
            pieces.push_back(piece);
        }
        for (Piece& piece : pieces) {
            piece.cell = cell.cell->name;
            row.encoding.pieces.push_back(piece);
        }
    }

    void blank(SheetRow& row, unsigned begin, unsigned end, const TableCell& behind) {
        if (begin >= end) return;
        const unsigned a = bit(begin), b = bit(end - 1);
        row.encoding.pieces.push_back({.kind = Piece::Kind::blank,
                                       .high = std::max(a, b),
                                       .low = std::min(a, b),
                                       .cell = {},
                                       .where = behind.where});
        question(behind, fmt::format("nothing says what {} of {} {}", bits_named(std::max(a, b), std::min(a, b)),
                                     row.encoding.mnemonics.front().names.front(), a == b ? "is" : "are"));
    }

    static std::string bits_text(unsigned count) { return fmt::format("{} bit{}", count, count == 1 ? "" : "s"); }
    static std::string bits_named(unsigned high, unsigned low) {
        return high == low ? fmt::format("bit {}", high) : fmt::format("bits {}..{}", high, low);
    }
    static std::string named(const TableCell& cell) { return cell.name.empty() ? "" : fmt::format(" ({})", cell.name); }
    void error(const TableCell& cell, const std::string& message) {
        notes_.findings.push_back(finding(Severity::error, cell.where, message + named(cell)));
    }
    void question(const TableCell& cell, const std::string& message) {
        notes_.findings.push_back(finding(Severity::warning, cell.where, "open question: " + message + named(cell)));
    }

    void place_by_columns(SheetRow& row) {
        unsigned end = 0;
        const TableCell* before = row.name;
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const SheetCell& cell = row.cells[i];
            blank(row, end, cell.at, *before);
            end = cell.at + width_by_columns(row, i);
            put(row, cell, cell.at, end);
            before = cell.cell;
        }
        blank(row, end, heading_.bits, *before);
        if (row.second) finish_alternative(row);
    }

    // What a second line has stands instead of the pieces below its first bit: as many as it has room for.
    void finish_alternative(SheetRow& row) {
        const SheetCell& second = *row.second;
        std::vector<Piece>& pieces = row.encoding.pieces;
        const unsigned top = bit(second.at);
        const auto first = std::ranges::find_if(pieces, [&](const Piece& piece) { return piece.high <= top; });
        const std::size_t at = static_cast<std::size_t>(first - pieces.begin());
        const auto usual = uses_.find(second.text);
        unsigned low = first == pieces.end() ? 0 : first->low;
        std::size_t last = at;
        while (last < pieces.size() && pieces[last].kind == Piece::Kind::blank && last + 1 < pieces.size()) ++last;
        if (last < pieces.size()) low = pieces[last].low;
        if (heading_.rising || first == pieces.end() || first->high != top || !second.is_field() || at == 0) {
            error(*second.cell, fmt::format("`{}` does not begin where a cell of the row above does", second.text));
            return;
        }
        Alternative alternative{.chooser = at - 1, .first = at, .last = last, .piece = {}};
        alternative.piece = {
            .high = top, .low = low, .name = second.text, .cell = second.cell->name, .where = second.cell->where};
        if (usual != uses_.end() && usual->second.usual > 0 && usual->second.usual != alternative.piece.width())
            error(*second.cell, fmt::format("`{}` has {} here, {} elsewhere", second.text,
                                            bits_text(alternative.piece.width()), usual->second.usual));
        const Piece& chooser = pieces[alternative.chooser];
        if (chooser.kind != Piece::Kind::field || chooser.width() != 1) {
            question(*second.cell, fmt::format("what chooses between `{}` and `{}`", pieces[last].name, second.text));
            return;
        }
        // Blank cells before the shorter one are no question of their own.
        std::erase_if(notes_.findings, [&](const Diagnostic& other) {
            return other.place.file == chooser.where.file && other.place.offset == chooser.where.offset &&
                   other.message.find("nothing says what") != std::string::npos;
        });
        row.encoding.alternative = alternative;
    }

    unsigned width_by_columns(SheetRow& row, std::size_t i) {
        const SheetCell& cell = row.cells[i];
        const unsigned here = room(row, i);
        if (cell.digits > 0) return cell.digits;
        if (!cell.is_field()) return here;
        const Uses& uses = uses_[cell.text];
        const unsigned usual = uses.usual;
        const bool alone = usual > 0 && usual != here && uses.rooms.at(here) == 1 && uses.rooms.at(usual) >= 3;
        if (!alone) return here;
        const bool is_register = is_register_name(cell.text);
        const bool is_last = i + 1 == row.cells.size();
        if (here > usual && (is_register || (is_last && here > usual + 1))) return usual;
        if (is_register || here + 1 == usual || here == usual + 1) {
            error(*cell.cell, fmt::format("`{}` has {} here, {} in {} other rows", cell.text, bits_text(here), usual,
                                          uses.rooms.at(usual)));
        }
        return here;
    }

    // One row has lost tabs and the others have not: they say where its fields stand.
    void place_as_elsewhere(SheetRow& row) {
        std::size_t narrow = 0;
        while (row.cells[narrow].digits <= room(row, narrow)) ++narrow;
        const SheetCell& cell = row.cells[narrow];
        error(*cell.cell,
              fmt::format("`{}` has {} digits, and there is room for {}", cell.text, cell.digits, room(row, narrow)));
        unsigned end = 0;
        std::vector<std::pair<unsigned, unsigned>> places;
        for (std::size_t i = 0; i < row.cells.size(); ++i) {
            const SheetCell& here = row.cells[i];
            const auto uses = uses_.find(here.text);
            const bool steady =
                here.is_field() && uses != uses_.end() && uses->second.starts.size() == 1 && uses->second.usual > 0;
            const unsigned begin = steady ? *uses->second.starts.begin() : end;
            const unsigned width = steady ? uses->second.usual : here.digits;
            if (begin != end || width == 0 || begin + width > heading_.bits) break;
            places.emplace_back(begin, begin + width);
            end = begin + width;
        }
        if (places.size() == row.cells.size() && end == heading_.bits) {
            for (std::size_t i = 0; i < places.size(); ++i) put(row, row.cells[i], places[i].first, places[i].second);
        } else {
            place_what_is_sure(row);
        }
    }

    // --- where columns count for little ----------------------------------------------------------------------------------

    void say_that_tabs_were_lost() {
        const Uses* worst = nullptr;
        std::string name;
        for (const auto& [field, uses] : uses_) {
            if (uses.starts.size() > 1 && (!worst || uses.starts.size() > worst->starts.size())) {
                worst = &uses;
                name = field;
            }
        }
        if (!worst) return;
        Diagnostic out =
            finding(Severity::error, worst->examples.begin()->second->where,
                    fmt::format("tabs were lost: `{}` begins at bit {} here{}", name,
                                bit(worst->examples.begin()->first), named(*worst->examples.begin()->second)));
        for (auto example = std::next(worst->examples.begin()); example != worst->examples.end(); ++example)
            out.note(example->second->where,
                     fmt::format("at bit {} here{}", bit(example->first), named(*example->second)));
        notes_.findings.push_back(std::move(out));
    }

    void place_what_is_sure(SheetRow& row) {
        unsigned end = 0;
        std::size_t i = 0;
        for (; i < row.cells.size(); ++i) {
            const SheetCell& cell = row.cells[i];
            const auto [begin, width] = sure_place(row, i, end);
            if (width == 0 || begin + width > heading_.bits) break;
            put(row, cell, begin, begin + width);
            end = begin + width;
        }
        if (end == heading_.bits || heading_.rising) return;
        row.encoding.open = bit(end);
        const std::string& name = row.encoding.mnemonics.front().names.front();
        const TableCell& at = i < row.cells.size() ? *row.cells[i].cell : *row.cells.back().cell;
        std::vector<std::string> fields;
        for (std::size_t open = i; open < row.cells.size(); ++open)
            fields.push_back(row.cells[open].text + named(*row.cells[open].cell));
        if (!row.lost.empty()) fields.push_back(row.lost + " of the line below");
        if (row.second) fields.push_back(row.second->text + named(*row.second->cell));
        if (fields.empty()) {
            question(at, fmt::format("nothing says what {} of {} are", bits_named(bit(end), 0), name));
        } else {
            notes_.findings.push_back(
                finding(Severity::warning, at.where,
                        fmt::format("open question: where in {} of {} {} {}", bits_named(bit(end), 0), name,
                                    fields.size() == 1 ? "is" : "are", listed(fields))));
        }
    }

    // Column and width of a cell that cannot stand elsewhere; a width of 0 where it can. `end`: of the one before.
    std::pair<unsigned, unsigned> sure_place(const SheetRow& row, std::size_t i, unsigned end) {
        const SheetCell& cell = row.cells[i];
        const bool follows = cell.at == end && (!row.crowded || i == 0);
        if (!cell.is_field()) return {end, follows ? cell.digits : 0};
        const Uses& uses = uses_[cell.text];
        if (uses.starts.size() != 1) return {end, 0};
        const unsigned begin = *uses.starts.begin();
        if (begin != end || (uses.count < 2 && !follows)) return {end, 0};
        if (!row.lost.empty() && i + 1 < row.cells.size() &&
            parts_of(cell.text) == std::vector<std::string>{row.cells[i + 1].text, row.lost})
            return {begin, 1};  // it chooses between two
        const bool sure = uses.usual > 0 && uses.followers.size() >= 2 && uses.rooms.at(uses.usual) >= 3;
        return {begin, sure ? uses.usual : 0};
    }

    // --- several mnemonics -----------------------------------------------------------------------------------------------

    void add(SheetRow& row) {
        Encoding& encoding = row.encoding;
        std::ranges::stable_sort(encoding.pieces, std::ranges::greater{}, &Piece::high);
        const std::size_t count = encoding.mnemonics.size();
        if (count > 1 && !encoding.open) {
            if (Piece* const chooser = chooser_of(encoding)) {
                chooser->chooses = true;
                if (count > std::size_t{1} << std::min(chooser->width(), 31U)) {
                    notes_.findings.push_back(
                        finding(Severity::error, chooser->where,
                                fmt::format("{} instructions, and `{}` has room for {}{}", count, chooser->name,
                                            1U << chooser->width(), cell_in_brackets(*chooser))));
                }
                if (count < std::size_t{1} << std::min(chooser->width(), 31U)) {
                    question(*row.name, fmt::format("which values of `{}`{} stand for {}", chooser->name,
                                                    cell_in_brackets(*chooser), names_of(encoding)));
                }
            } else {
                question(*row.name, fmt::format("what tells {} apart", names_of(encoding)));
            }
        }
        notes_.encodings.rows.push_back(std::move(encoding));
    }

    static std::string cell_in_brackets(const Piece& piece) {
        return piece.cell.empty() ? "" : " (" + piece.cell + ")";
    }

    static std::string names_of(const Encoding& encoding) {
        std::vector<std::string> names;
        for (const Mnemonic& mnemonic : encoding.mnemonics) names.push_back(mnemonic.names.front());
        return listed(names);
    }

    // The field whose name says that it chooses, or else the only one that no row of a single instruction has.
    Piece* chooser_of(Encoding& encoding) {
        for (Piece& piece : encoding.pieces) {
            const std::string name = lower(piece.name);
            if (piece.kind != Piece::Kind::field) continue;
            for (const std::string_view word : {"sel", "op", "func", "fn", "sub", "type", "kind"}) {
                if (name.starts_with(word)) return &piece;
            }
        }
        Piece* found = nullptr;
        for (Piece& piece : encoding.pieces) {
            if (piece.kind != Piece::Kind::field || is_register_name(piece.name) || is_in_single_row(piece.name))
                continue;
            if (found) return nullptr;
            found = &piece;
        }
        return found;
    }

    bool is_in_single_row(const std::string& name) const {
        return std::ranges::any_of(rows_, [&](const SheetRow& row) {
            return row.encoding.mnemonics.size() == 1 &&
                   std::ranges::any_of(row.cells, [&](const SheetCell& cell) { return cell.text == name; });
        });
    }

    const Table& table_;
    BitHeading heading_;
    NotedTables& notes_;
    std::vector<SheetRow> rows_;
    std::map<std::string, Uses> uses_;
    bool tabs_were_lost_ = false;
};

}  // namespace

std::optional<BitHeading> bit_heading(const Table& table) {
    for (std::size_t r = 0; r < table.rows.size(); ++r) {
        const std::vector<TableCell>& cells = table.rows[r];
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const auto first = number_of(cells[i].text);
            if (!first || *first >= widest_word) continue;
            const auto numbered = [&](bool rising) {
                std::size_t count = 1;
                while (i + count < cells.size()) {
                    const auto next = number_of(cells[i + count].text);
                    if (!next || *next != (rising ? *first + count : *first - count) || (!rising && count > *first))
                        break;
                    ++count;
                }
                return count;
            };
            const std::size_t falling = numbered(false), rising = numbered(true);
            if (falling == *first + 1 && falling >= 4) return BitHeading{r, i, static_cast<unsigned>(falling), false};
            if (*first == 0 && rising >= 4) return BitHeading{r, i, static_cast<unsigned>(rising), true};
        }
    }
    return std::nullopt;
}

void read_bit_sheet(const Table& table, const BitHeading& heading, NotedTables& notes) {
    SheetReader(table, heading, notes).read();
}

}  // namespace isaforge::notes
