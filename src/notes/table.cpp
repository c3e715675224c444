#include "notes/table.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "notes/html_table.hpp"
#include "notes/scanner.hpp"

namespace isaforge::notes {

namespace {

constexpr std::size_t npos = std::string_view::npos;

bool is_space(char c) { return is_blank(c) || c == '\n'; }

class TableReader {
public:
    TableReader(FileId file, std::string_view text) : file_(file), text_(text) {
        std::size_t at = 0;
        while (at <= text.size()) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            lines_.push_back(at);
            at = end + 1;
        }
        lines_.push_back(text.size() + 1);
    }

    std::vector<Table> read() {
        std::size_t line = 0;
        while (line + 1 < lines_.size()) {
            const std::size_t next = table_at(line);
            line = next == line ? line + 1 : next;
        }
        if (tables_.empty()) {
            if (const char separator = separator_of_fields()) read_separated(separator);
        }
        return std::move(tables_);
    }

private:
    std::string_view line(std::size_t number) const {
        if (number + 1 >= lines_.size()) return {};
        std::string_view out = text_.substr(lines_[number], lines_[number + 1] - 1 - lines_[number]);
        if (out.ends_with('\r')) out.remove_suffix(1);
        return out;
    }
    bool has_line(std::size_t number) const { return number + 1 < lines_.size(); }

    // The first line behind a table that begins here; the line itself where none does.
    std::size_t table_at(std::size_t number) {
        if (is_rule_of_pipes(line(number + 1)) && line(number).find('|') != npos) return read_pipes(number);
        if (is_border(line(number))) return read_grid(number);
        if (is_rule_of_columns(line(number))) return read_columns(number);
        return number;
    }

    // A cell of the text from `begin` to `end`, blanks around it left out.
    TableCell cell(std::size_t begin, std::size_t end, bool marked = false) {
        while (begin < end && is_space(text_[begin])) ++begin;
        while (end > begin && is_space(text_[end - 1])) --end;
        TableCell out;
        out.text = std::string(text_.substr(begin, end - begin));
        if (marked) out.text = without_marks(out.text);
        out.where = {file_, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
        ++cells_;
        return out;
    }

    // `\_` is `_`; backquotes, and asterisks at both ends, are emphasis.
    static std::string without_marks(std::string_view text) {
        std::string out;
        while (text.size() > 2 && (text.front() == '*' || text.front() == '`') && text.back() == text.front())
            text = text.substr(1, text.size() - 2);
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\\' && i + 1 < text.size() && !is_letter(text[i + 1]) && !is_digit(text[i + 1])) {
                out += text[++i];
            } else if (text[i] != '`') {
                out += text[i];
            }
        }
        return std::string(trimmed(out));
    }

    bool room() const { return cells_ < most_table_cells; }

    // --- `a | b` with a line `---|---` below the heading ------------------------------------------------------------------

    static bool is_rule_of_pipes(std::string_view line) {
        return line.find('|') != npos && line.find("--") != npos &&
               std::ranges::all_of(line, [](char c) { return c == '|' || c == '-' || c == ':' || is_blank(c); });
    }

    std::vector<TableCell> pipes(std::size_t number) {
        const std::string_view text = line(number);
        std::size_t begin = 0, end = text.size();
        while (begin < end && is_blank(text[begin])) ++begin;
        while (end > begin && is_blank(text[end - 1])) --end;
        if (begin < end && text[begin] == '|') ++begin;
        if (end > begin && text[end - 1] == '|' && (end < 2 || text[end - 2] != '\\')) --end;
        std::vector<TableCell> out;
        std::size_t from = begin;
        bool code = false;
        for (std::size_t i = begin; i < end; ++i) {
            if (text[i] == '\\')
                ++i;
            else if (text[i] == '`')
                code = !code;
            else if (text[i] == '|' && !code) {
                out.push_back(cell(lines_[number] + from, lines_[number] + i, true));
                from = i + 1;
            }
        }
        out.push_back(cell(lines_[number] + from, lines_[number] + std::max(from, end), true));
        return out;
    }

    std::size_t read_pipes(std::size_t number) {
        Table table{"a table of pipes", {}};
        table.rows.push_back(pipes(number));
        number += 2;
        for (; has_line(number) && line(number).find('|') != npos && room(); ++number)
            table.rows.push_back(pipes(number));
        tables_.push_back(std::move(table));
        return number;
    }

    // --- `+----+----+` around the cells ----------------------------------------------------------------------------------

    static bool is_border(std::string_view line) {
        line = trimmed(line);
        return line.size() > 2 && line.front() == '+' && line.back() == '+' &&
               std::ranges::all_of(line, [](char c) { return c == '+' || c == '-' || c == '='; });
    }

    std::size_t read_grid(std::size_t number) {
        const std::string_view border = line(number);
        std::vector<std::size_t> bounds;
        for (std::size_t i = 0; i < border.size(); ++i) {
            if (border[i] == '+') bounds.push_back(i);
        }
        Table table{"a grid", {}};
        std::vector<TableCell> row(bounds.size() - 1);
        bool any = false;
        for (++number; has_line(number) && room(); ++number) {
            const std::string_view text = line(number);
            const std::string_view inner = trimmed(text);
            if (inner.empty() || (inner.front() != '|' && inner.front() != '+')) break;
            if (is_border(text)) {
                if (any) table.rows.push_back(std::exchange(row, std::vector<TableCell>(bounds.size() - 1)));
                any = false;
                continue;
            }
            any = true;
            for (std::size_t column = 0; column + 1 < bounds.size();) {
                const std::size_t first = column;
                const std::size_t from = bounds[column] + 1;
                do ++column;
                while (column + 1 < bounds.size() && (bounds[column] >= text.size() || text[bounds[column]] != '|'));
                if (from >= text.size()) break;
                append(row[first],
                       cell(lines_[number] + from, lines_[number] + std::min(bounds[column], text.size()), true));
            }
        }
        if (any) table.rows.push_back(std::move(row));
        if (table.rows.size() > 1) tables_.push_back(std::move(table));
        return number;
    }

    // What stands in one cell on several lines.
    static void append(TableCell& cell, const TableCell& more) {
        if (more.text.empty()) return;
        if (cell.text.empty())
            cell.where = more.where;
        else
            cell.text += ' ';
        cell.text += more.text;
    }

    // --- columns below lines of `====  ====` ------------------------------------------------------------------------------

    static bool is_rule_of_columns(std::string_view line) {
        line = trimmed(line);
        return line.starts_with("==") && line.find(' ') != npos &&
               std::ranges::all_of(line, [](char c) { return c == '=' || c == ' '; });
    }

    std::size_t read_columns(std::size_t number) {
        const std::string_view rule = line(number);
        std::vector<std::size_t> starts;
        for (std::size_t i = 0; i < rule.size(); ++i) {
            if (rule[i] == '=' && (i == 0 || rule[i - 1] != '=')) starts.push_back(i);
        }
        Table table{"a table of columns", {}};
        unsigned rules = 1;
        for (++number; has_line(number) && rules < 3 && room(); ++number) {
            const std::string_view text = line(number);
            if (is_rule_of_columns(text)) {
                ++rules;
                if (rules == 2 && !has_rule_behind(number)) break;
                continue;
            }
            if (trimmed(text).empty()) continue;
            std::vector<TableCell> row;
            for (std::size_t i = 0; i < starts.size(); ++i) {
                const std::size_t from = std::min(starts[i], text.size());
                const std::size_t to = i + 1 < starts.size() ? std::min(starts[i + 1], text.size()) : text.size();
                row.push_back(cell(lines_[number] + from, lines_[number] + to, true));
            }
            const bool goes_on = row.front().text.empty() && !table.rows.empty() && table.rows.size() > 1;
            if (goes_on) {
                for (std::size_t i = 0; i < row.size(); ++i) append(table.rows.back()[i], row[i]);
            } else {
                table.rows.push_back(std::move(row));
            }
        }
        if (table.rows.size() > 1) tables_.push_back(std::move(table));
        return number;
    }

    bool has_rule_behind(std::size_t number) const {
        for (++number; has_line(number) && !trimmed(line(number)).empty(); ++number) {
            if (is_rule_of_columns(line(number))) return true;
        }
        return false;
    }

    // --- sheets ----------------------------------------------------------------------------------------------------------

    // What separates the fields of a sheet: the one of which two lines have most. 0: nothing does.
    char separator_of_fields() const {
        char best = 0;
        std::size_t most = 3;
        for (const char separator : {'\t', ',', ';'}) {
            std::size_t count = 0;
            for (std::size_t i = 0; has_line(i); ++i)
                count = std::max(count, static_cast<std::size_t>(std::ranges::count(line(i), separator)));
            if (count > most || (count == most && !best)) {
                best = separator;
                most = count;
            }
        }
        return best;
    }

    // A field in quotes may hold separators, line ends, and quotes that are doubled.
    void read_separated(char separator) {
        Table table{separator == '\t'  ? "separated by tabs"
                    : separator == ',' ? "separated by commas"
                                       : "separated by semicolons",
                    {}};
        std::size_t at = 0;
        while (at < text_.size() && room()) {
            std::vector<TableCell>& row = table.rows.emplace_back();
            for (;;) {
                row.push_back(separated(at, separator));
                row.back().name = column_name(row.size() - 1) + std::to_string(table.rows.size());
                if (at >= text_.size() || text_[at] == '\n') break;
                ++at;
            }
            ++at;
        }
        tables_.push_back(std::move(table));
    }

    TableCell separated(std::size_t& at, char separator) {
        const std::size_t begin = at;
        if (at < text_.size() && text_[at] == '"') {
            std::string text;
            std::size_t i = at + 1;
            for (; i < text_.size(); ++i) {
                if (text_[i] != '"')
                    text += text_[i];
                else if (i + 1 < text_.size() && text_[i + 1] == '"')
                    text += text_[++i];
                else
                    break;
            }
            const std::size_t behind = i + 1;
            if (i < text_.size() && (behind >= text_.size() || text_[behind] == separator || text_[behind] == '\n' ||
                                     text_[behind] == '\r')) {
                at = behind;
                while (at < text_.size() && text_[at] == '\r') ++at;
                TableCell out = cell(begin, behind);
                out.text = std::string(trimmed(text));
                return out;
            }
        }
        while (at < text_.size() && text_[at] != separator && text_[at] != '\n') ++at;
        return cell(begin, at);
    }

    FileId file_;
    std::string_view text_;
    std::vector<std::size_t> lines_;  // where each begins, and one more
    std::vector<Table> tables_;
    std::size_t cells_ = 0;
};

}  // namespace

std::string column_name(std::size_t column) {
    std::string out;
    for (++column; column > 0; column = (column - 1) / 26)
        out.insert(out.begin(), static_cast<char>('A' + (column - 1) % 26));
    return out;
}

std::vector<Table> tables_of(FileId file, const SourceManager& sources) {
    const std::string_view text = sources.text(file);
    return has_html_tables(text) ? html_tables(file, text) : TableReader(file, text).read();
}

}  // namespace isaforge::notes
