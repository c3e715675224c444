// Tables of codes as operands: a row for each, for those generations that have it. Registers that span several codes, with
// rows for their parts, exist for operands of so many.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "notes/code_table.hpp"
#include "notes/draft.hpp"
#include "notes/scanner.hpp"
#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

constexpr unsigned widest_example = 32;

class CodeDrafter {
public:
    CodeDrafter(const NotedTables& notes, const std::vector<Diagnostic>& findings, const SourceManager& sources,
                std::string_view name)
        : notes_(notes), findings_(findings), sources_(sources), name_(name) {}

    std::string write(bool rows_as_comments) {
        const std::string file(sources_.name(notes_.file));
        const std::size_t slash = file.find_last_of('/');
        const std::string shown = one_line(slash == std::string::npos ? file : file.substr(slash + 1));
        std::string out;
        line(out, "// A draft made by `isaforge import` from {}: {}.", shown, notes_.what);
        line(
            out,
            "// The numbers of lines are those of that file. Beside each row stands what is wrong there or left open.");
        line(out, "isa {} {}\n", name_, quoted("Imported from " + shown));
        if (!notes_.codes.generations.empty())
            line(out, "variants {}\n", fmt::format("{}", fmt::join(notes_.codes.generations, " ")));
        line(out, "code unit 32");
        std::set<std::string> names;
        for (const CodeTable& table : notes_.codes.tables) write_table(table, rows_as_comments, names, out);
        return out;
    }

private:
    template <typename... Args>
    static void line(std::string& out, fmt::format_string<Args...> format, Args&&... args) {
        out += fmt::format(format, std::forward<Args>(args)...) + "\n";
    }
    unsigned line_of(Place place) const { return sources_.line_column(place).line; }

    void write_table(const CodeTable& table, bool rows_as_comments, std::set<std::string>& names, std::string& out) {
        std::uint64_t highest = 1;
        sizes_ = {1};
        for (const CodeRow& row : table.rows) {
            highest = std::max(highest, row.high);
            if (whole_of(table, row)) sizes_.insert(span(*whole_of(table, row)));
        }
        bits_ = static_cast<unsigned>(std::bit_width(highest));
        std::string operand = identifier(table.title.empty() ? "codes" : lower(table.title));
        for (const std::string wanted = operand; !names.insert(operand).second;)
            operand = wanted + fmt::format("_{}", names.size());
        const bool sized = sizes_.size() > 1;
        line(out, "\n// line {}: {}", line_of(table.where),
             table.title.empty() ? "a table of codes" : one_line(table.title));
        if (sized) line(out, "// w: how many codes the operand spans");
        const char* const margin = rows_as_comments ? "// " : "";
        line(out, "{}operand {}{} : {} {{", margin, operand, sized ? "(w)" : "", bits_);
        std::vector<const CodeRow*> earlier;
        std::vector<CodeGap> gaps = gaps_of(notes_.codes, table);
        for (const CodeRow& row : table.rows) {
            for (const Diagnostic& finding : findings_) {
                if (line_of(finding.place) == line_of(row.where)) line(out, "    //   {}", one_line(finding.message));
            }
            for (const CodeGap& gap : gaps) {
                if (gap.behind == &row)
                    put_row(codes(gap.low, gap.high) + "reserved" + only(gap.generations), "the notes say nothing",
                            rows_as_comments, out);
            }
            CodeRow left = row;
            const bool taken = !take_away_earlier(table, earlier, row, left);
            if (!taken) earlier.push_back(&row);
            put_row(text_of(table, row, left.generations),
                    fmt::format("line {}{}{}", line_of(row.where), row.description.empty() ? "" : ": ",
                                one_line(row.description)),
                    taken || rows_as_comments, out);
        }
        for (const CodeGap& gap : gaps) {
            if (!gap.behind)
                put_row(codes(gap.low, gap.high) + "reserved" + only(gap.generations), "the notes say nothing",
                        rows_as_comments, out);
        }
        line(out, "{}}}", margin);
        if (rows_as_comments) return;
        line(out, "// To try the codes with, until there are instructions:");
        const unsigned unit = bits_ < widest_example ? widest_example : 2 * widest_example;
        unsigned number = 0;
        for (const std::uint64_t size : sizes_) {
            const std::string example = fmt::format("{}_example{}", operand, size == 1 ? "" : fmt::format("_{}", size));
            line(out, "format {} | OP:{} | A:{}{} |", example, unit - bits_, operand,
                 sized ? fmt::format("({})", size) : "");
            line(out, "instructions {} [OP] \"{{name}} {{A}}\" {{ {} {} }}", example, 100 * names.size() + ++number,
                 example);
        }
    }

    static std::uint64_t span(const CodeRow& row) { return row.high - row.low + 1; }

    static void put_row(const std::string& row, const std::string& remark, bool as_comment, std::string& out) {
        line(out, "    {}{:<{}}  // {}", as_comment ? "// " : "", row, as_comment ? 53 : 56, remark);
    }

    std::string codes(std::uint64_t low, std::uint64_t high) const {
        return low == high ? fmt::format("{}:{} ", low, bits_) : fmt::format("n:{} in {}..{} ", bits_, low, high);
    }

    static std::string only(const std::vector<std::string>& generations) {
        return generations.empty() ? "" : fmt::format("  only {}", fmt::join(generations, " "));
    }

    // Of two rows with one code the language takes the first: what is left of the second are generations without the first.
    // False where nothing is.
    bool take_away_earlier(const CodeTable& table, const std::vector<const CodeRow*>& earlier, const CodeRow& row,
                           CodeRow& left) const {
        for (const CodeRow* other : earlier) {
            if (other->high < row.low || row.high < other->low || size_of(table, *other) != size_of(table, row))
                continue;
            const auto both = common_generations(notes_.codes, *other, row);
            if (both.empty()) continue;
            if (left.generations.empty()) left.generations = notes_.codes.generations;
            std::erase_if(left.generations,
                          [&](const std::string& one) { return std::ranges::find(both, one) != both.end(); });
            if (left.generations.empty()) return false;
        }
        return true;
    }

    std::uint64_t size_of(const CodeTable& table, const CodeRow& row) const {
        const bool has_parts =
            std::ranges::any_of(table.rows, [&](const CodeRow& part) { return whole_of(table, part) == &row; });
        return has_parts ? span(row) : 1;
    }

    std::string text_of(const CodeTable& table, const CodeRow& row, const std::vector<std::string>& generations) const {
        const std::uint64_t size = size_of(table, row);
        std::string out = codes(row.low, size > 1 ? row.low : row.high);
        if (row.names.empty()) return out + "reserved" + only(generations);
        if (const auto range = name_range(row); range && row.low != row.high) {
            out += quoted_text(range->before, *range, row);
        } else if (row.low != row.high && size == 1) {
            out += quoted_text(row.names.front(), {"", 0, 1}, row);
        } else {
            out += name_text(row.names.front());
            for (const std::string& alias : row.aliases) out += " | " + name_text(alias);
        }
        if (sizes_.size() > 1) out += fmt::format("  if w == {}", size);
        return out + only(generations);
    }

    // The name's number as a sum of n.
    static std::string quoted_text(const std::string& before, const NameRange& range, const CodeRow& row) {
        const auto low = static_cast<std::int64_t>(row.low);
        std::string sum;
        if (range.first <= range.last) {
            const std::int64_t more = range.first - low;
            sum = more == 0 ? "n" : more > 0 ? fmt::format("n + {}", more) : fmt::format("n - {}", -more);
        } else {
            sum = fmt::format("{} - n", range.first + low);
        }
        return quoted(escaped(before) + "{" + sum + "}");
    }

    // Numbers may be written in any way.
    static std::string name_text(const std::string& name) {
        std::size_t digits = name.starts_with('-') ? 1 : 0, points = 0;
        bool is_number = digits < name.size() && is_digit(name[digits]) && is_digit(name.back()) && name.size() < 18;
        if (is_number && name[digits] == '0' && digits + 1 < name.size()) is_number = name[digits + 1] == '.';
        for (; digits < name.size() && is_number; ++digits) {
            if (name[digits] == '.')
                is_number = ++points == 1;
            else
                is_number = is_digit(name[digits]);
        }
        return quoted(is_number ? "{" + name + "}" : escaped(name));
    }

    static std::string escaped(const std::string& text) {
        std::string out;
        for (const char c : text) {
            if (c == '{' || c == '}') out += c;
            out += c;
        }
        return out;
    }

    const NotedTables& notes_;
    const std::vector<Diagnostic>& findings_;
    const SourceManager& sources_;
    std::string name_;
    std::set<std::uint64_t> sizes_;
    unsigned bits_ = 1;
};

}  // namespace

std::string draft_of_codes(const NotedTables& notes, const std::vector<Diagnostic>& findings,
                           const SourceManager& sources, std::string_view name) {
    CodeDrafter drafter(notes, findings, sources, name);
    std::string text = drafter.write(false);
    return loads(text) ? text : drafter.write(true);
}

}  // namespace isaforge::notes
