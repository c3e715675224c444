#include "notes/code_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "notes/scanner.hpp"
#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

constexpr std::uint64_t highest_code = (std::uint64_t{1} << 32) - 1;
constexpr std::size_t most_generations = 64;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, text) != words.end();
}

// En and em dashes, and minus signs, are dashes.
std::string with_plain_dashes(std::string_view text) {
    std::string out(text);
    for (const std::string_view dash : {"\u2012", "\u2013", "\u2014", "\u2212"}) {
        for (std::size_t at = out.find(dash); at != std::string::npos; at = out.find(dash, at))
            out.replace(at, dash.size(), "-");
    }
    return out;
}

bool is_no_name(std::string_view text) {
    return text.empty() || text.find_first_not_of("-. ") == std::string_view::npos;
}

bool says_reserved(std::string_view text) {
    const std::string all = lower(text);
    return all.find("reserved") != std::string::npos || all.find("unused") != std::string::npos || all == "n/a";
}

struct Columns {
    std::optional<std::size_t> code, name, generation;
};

Columns columns_of(const std::vector<TableCell>& heading) {
    Columns out;
    for (std::size_t i = 0; i < heading.size(); ++i) {
        const std::string title = lower(heading[i].text);
        if (!out.code && is_one_of(title, {"code", "codes", "value", "values", "encoding", "number", "bits", "binary",
                                           "hex", "selector", "index", "#"})) {
            out.code = i;
        } else if (!out.name && is_one_of(title, {"name", "names", "register", "registers", "symbol", "operand",
                                                  "operands", "mnemonic", "text", "syntax", "assembler"})) {
            out.name = i;
        } else if (!out.generation && is_one_of(title, {"generation", "generations", "version", "versions", "variant",
                                                        "variants", "revision", "since", "isa"})) {
            out.generation = i;
        }
    }
    if (out.code && !out.name && *out.code + 1 < heading.size()) out.name = *out.code + 1;
    return out;
}

// "gen1.2" as numbers, so that 1.10 is behind 1.9.
std::tuple<std::string, std::vector<unsigned>> order_of(const std::string& generation) {
    std::string before;
    std::vector<unsigned> numbers;
    bool inside = false;
    for (const char c : generation) {
        if (is_digit(c)) {
            if (!inside) numbers.push_back(0);
            numbers.back() = std::min(100'000U, numbers.back() * 10 + static_cast<unsigned>(c - '0'));
        } else if (numbers.empty()) {
            before += c;
        }
        inside = is_digit(c);
    }
    return {before, numbers};
}

// `GEN1.0/1.1`: gen1.0 and gen1.1. Empty where the text is anything else.
std::vector<std::string> generations_in(std::string_view text) {
    std::vector<std::string> out;
    std::string before, word;
    for (const char c : std::string(text) + "/") {
        if (c != '/' && c != ',' && c != ' ') {
            word += lower(c);
            continue;
        }
        if (word.empty()) continue;
        const std::size_t digits = word.find_first_of("0123456789");
        const bool good = digits != std::string::npos && (digits > 0 || !before.empty()) &&
                          std::ranges::all_of(word.substr(0, digits), is_letter) && is_digit(word.back()) &&
                          word.find_first_not_of("0123456789.", digits) == std::string::npos;
        if (!good || out.size() >= most_generations) return {};
        if (digits > 0) before = word.substr(0, digits);
        out.push_back(before + word.substr(digits));
        word.clear();
    }
    return out;
}

class CodeReader {
public:
    CodeReader(const Table& table, std::string title, NotedTables& notes)
        : notes_(notes), columns_(columns_of(table.rows[0])) {
        out_.title = std::move(title);
        out_.where = table.rows[0][0].where;
        are_binary_ = all_binary(table);
        for (std::size_t i = 1; i < table.rows.size(); ++i) read_row(table.rows[i]);
        if (!out_.rows.empty()) notes_.codes.tables.push_back(std::move(out_));
    }

private:
    // `00`, `01`, `10`: all of one length, of nothing but zeros and ones.
    bool all_binary(const Table& table) const {
        std::set<std::size_t> lengths;
        for (std::size_t i = 1; i < table.rows.size(); ++i) {
            if (*columns_.code >= table.rows[i].size()) continue;
            const std::string& code = table.rows[i][*columns_.code].text;
            if (code.find_first_not_of("01") != std::string::npos) return false;
            lengths.insert(code.size());
        }
        return lengths.size() == 1 && *lengths.begin() >= 2 && *lengths.begin() <= 32;
    }

    std::optional<std::uint64_t> code(std::string_view text) const {
        const auto value = are_binary_ ? number_of("0b" + std::string(text)) : number_of(text);
        return value && *value <= highest_code ? value : std::nullopt;
    }

    void read_row(const std::vector<TableCell>& cells) {
        const auto cell = [&](std::optional<std::size_t> column) {
            return column && *column < cells.size() ? &cells[*column] : nullptr;
        };
        const TableCell* const codes = cell(columns_.code);
        if (!codes || std::ranges::all_of(cells, [](const TableCell& one) { return one.text.empty(); })) return;
        CodeRow row{.where = codes->where, .code_where = codes->where, .name_where = codes->where};
        if (!read_codes(*codes, row)) return;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (i == columns_.code || i == columns_.name || i == columns_.generation || cells[i].text.empty()) continue;
            row.description += (row.description.empty() ? "" : ", ") + cells[i].text;
        }
        read_generations(cell(columns_.generation), row);
        if (const TableCell* const name = cell(columns_.name)) {
            row.name_where = name->where.length > 0 ? name->where : codes->where;
            read_name(*name, row);
        } else {
            row.reserved = says_reserved(row.description);
        }
        out_.rows.push_back(std::move(row));
    }

    bool read_codes(const TableCell& cell, CodeRow& row) {
        const std::string text = with_plain_dashes(cell.text);
        std::size_t dash = text.find("..");
        const std::size_t width = dash == std::string::npos ? 1 : text.find_first_not_of('.', dash) - dash;
        if (dash == std::string::npos) dash = text.find('-');
        const auto low = code(text.substr(0, dash));
        const auto high = dash == std::string::npos ? low : code(text.substr(std::min(dash + width, text.size())));
        if (!low || !high) {
            notes_.findings.push_back(
                finding(Severity::warning, cell.where, fmt::format("`{}` is no code", cell.text)));
            return false;
        }
        if (*low > *high) {
            notes_.findings.push_back(
                finding(Severity::error, cell.where, fmt::format("this range ends at {}, before it begins", *high)));
            return false;
        }
        row.low = *low;
        row.high = *high;
        return true;
    }

    void read_generations(const TableCell* cell, CodeRow& row) {
        if (cell && !cell->text.empty()) {
            row.generations = generations_in(cell->text);
            if (row.generations.empty()) row.description += (row.description.empty() ? "" : ", ") + cell->text;
        }
        const std::size_t open = row.description.rfind('(');
        if (row.generations.empty() && open != std::string::npos && row.description.ends_with(')')) {
            row.generations =
                generations_in(std::string_view(row.description).substr(open + 1, row.description.size() - open - 2));
        }
        for (const std::string& generation : row.generations) {
            std::vector<std::string>& all = notes_.codes.generations;
            if (std::ranges::find(all, generation) == all.end() && all.size() < most_generations)
                all.push_back(generation);
        }
        std::ranges::sort(notes_.codes.generations, {}, order_of);
    }

    void read_name(const TableCell& cell, CodeRow& row) {
        const std::string text = with_plain_dashes(cell.text);
        if (is_no_name(text) || says_reserved(text)) {
            row.reserved = says_reserved(text) || says_reserved(row.description) || row.description.empty();
            if (!row.reserved) {
                notes_.findings.push_back(
                    finding(Severity::warning, row.name_where,
                            fmt::format("open question: how is code {} written: {}", row.low, row.description)));
            }
            return;
        }
        row.names = {text};
        if (text == std::to_string(row.low) && row.low == row.high && !row.description.empty() &&
            !number_of(row.description)) {
            notes_.findings.push_back(
                finding(Severity::warning, cell.where,
                        fmt::format("open question: is code {} written as `{}`: {}", row.low, text, row.description)));
        }
        if (name_range(row)) return;
        row.names.clear();
        std::size_t begin = 0;
        for (std::size_t at = 0; at <= text.size(); ++at) {
            const bool separator = at == text.size() || text[at] == '|' || (text[at] == ',' && at + 1 < text.size()) ||
                                   text.substr(at, 3) == " / ";
            if (!separator || at < begin) continue;
            const std::string name(trimmed(std::string_view(text).substr(begin, at - begin)));
            begin = at + (text.substr(at, 3) == " / " ? 3 : 1);
            if (name.empty()) continue;
            if (row.names.empty())
                row.names.push_back(name);
            else
                row.aliases.push_back(name);
        }
    }

    NotedTables& notes_;
    Columns columns_;
    CodeTable out_;
    bool are_binary_ = false;
};

std::string codes_text(std::uint64_t low, std::uint64_t high) {
    return low == high ? fmt::format("code {}", low) : fmt::format("codes {}-{}", low, high);
}

std::string in_generations(const std::vector<std::string>& generations) {
    const bool none = generations.empty() || (generations.size() == 1 && generations[0].empty());
    return none ? "" : " in " + listed(generations);
}

class CodeChecker {
public:
    CodeChecker(const CodeTables& codes, std::vector<Diagnostic>& findings) : codes_(codes), findings_(findings) {}

    void check(const CodeTable& table) {
        for (const CodeRow& row : table.rows) check_count(table, row);
        check_overlaps(table);
        check_names(table);
        for (const CodeGap& gap : gaps_of(codes_, table)) {
            const CodeRow& row = gap.behind ? *gap.behind : table.rows.back();
            error(row.code_where, fmt::format("{}{} {} neither named nor said to be reserved{}",
                                              codes_text(gap.low, gap.high), gap.behind ? " before this" : "",
                                              gap.low == gap.high ? "is" : "are", in_generations(gap.generations)));
        }
    }

private:
    void error(Place where, std::string message) {
        findings_.push_back(finding(Severity::error, where, std::move(message)));
    }

    void check_count(const CodeTable& table, const CodeRow& row) {
        const std::uint64_t count = row.high - row.low + 1;
        if (row.names.empty()) return;
        if (const auto range = name_range(row)) {
            if (range->count() == count) return;
            const std::int64_t step = range->first <= range->last ? 1 : -1;
            const std::int64_t last = range->first + step * static_cast<std::int64_t>(count - 1);
            error(row.name_where,
                  fmt::format("{} {}, and {} name{}: {} codes end at {}{}", count, count == 1 ? "code" : "codes",
                              range->count(), range->count() == 1 ? "" : "s", count, range->before, last));
            findings_.back().note(row.code_where, "the codes are here");
        } else if (count > 1 && std::ranges::none_of(
                                    table.rows, [&](const CodeRow& other) { return whole_of(table, other) == &row; })) {
            error(row.name_where, fmt::format("{} codes, and 1 name", count));
        }
    }

    // Rows by code, so that only those are compared that can overlap.
    void check_overlaps(const CodeTable& table) {
        std::vector<const CodeRow*> rows;
        for (const CodeRow& row : table.rows) rows.push_back(&row);
        std::ranges::stable_sort(rows, {}, &CodeRow::low);
        std::vector<const CodeRow*> open;
        std::size_t compared = 0;
        for (const CodeRow* row : rows) {
            std::erase_if(open, [&](const CodeRow* other) { return other->high < row->low; });
            for (const CodeRow* other : open) {
                if (++compared > most_compared) return;
                compare(table, *std::min(other, row), *std::max(other, row));
            }
            open.push_back(row);
        }
    }

    void compare(const CodeTable& table, const CodeRow& first, const CodeRow& second) {
        const CodeRow* const whole_first = whole_of(table, first);
        const CodeRow* const whole_second = whole_of(table, second);
        if (whole_first == &second || whole_second == &first) return;
        // Of parts only those of one whole are compared: that wholes overlap is one finding.
        if ((whole_first || whole_second) && whole_first != whole_second) return;
        const auto both = common_generations(codes_, first, second);
        if (both.empty()) return;
        const std::uint64_t low = std::max(first.low, second.low), high = std::min(first.high, second.high);
        error(second.code_where,
              fmt::format("{} {} {} already{}", codes_text(low, high), low == high ? "is" : "are",
                          first.names.empty() ? "reserved" : first.names.front(), in_generations(both)));
        findings_.back().note(first.code_where, "here");
    }

    void check_names(const CodeTable& table) {
        std::map<std::string, std::vector<const CodeRow*>> seen;
        for (const CodeRow& row : table.rows) {
            std::vector<std::string> names = row.aliases;
            names.insert(names.end(), row.names.begin(), row.names.end());
            for (const std::string& name : names) {
                for (const CodeRow* other : seen[name]) {
                    const auto both = common_generations(codes_, row, *other);
                    if (both.empty()) continue;
                    error(row.name_where, fmt::format("{} is {} and {}{}", name, codes_text(other->low, other->high),
                                                      codes_text(row.low, row.high), in_generations(both)));
                    findings_.back().note(other->name_where, "here");
                    break;
                }
                if (seen[name].size() < 16) seen[name].push_back(&row);
            }
        }
    }

    static constexpr std::size_t most_compared = 1'000'000;
    const CodeTables& codes_;
    std::vector<Diagnostic>& findings_;
};

}  // namespace

std::optional<NameRange> name_range(const CodeRow& row) {
    if (row.names.size() != 1) return std::nullopt;
    const std::string& text = row.names.front();
    // Behind a part that ends in digits: `-`, `..` or `to`.
    for (std::size_t at = 1; at + 1 < text.size(); ++at) {
        const std::string_view all = text;
        const std::string_view left = trimmed(all.substr(0, at));
        std::size_t length = 0;
        if (all[at] == '-')
            length = 1;
        else if (all.substr(at).starts_with(".."))
            length = all.substr(at).starts_with("...") ? 3 : 2;
        else if (all.substr(at).starts_with(" to "))
            length = 4;
        if (length == 0 || left.empty() || !is_digit(left.back())) continue;
        const std::string_view right = trimmed(all.substr(at + length));
        const auto split = [](std::string_view part) {
            std::size_t digits = part.size();
            while (digits > 0 && is_digit(part[digits - 1])) --digits;
            if (digits == 1 && part.size() > 1 && part[0] == '-') digits = 0;
            return digits;
        };
        const std::size_t a = split(left), b = split(right);
        if (b >= right.size() || right.size() - b > 9 || left.size() - a > 9) return std::nullopt;
        if (right.substr(0, b) != left.substr(0, a) && b != 0) return std::nullopt;
        return NameRange{std::string(left.substr(0, a)), std::stoll(std::string(left.substr(a))),
                         std::stoll(std::string(right.substr(b)))};
    }
    return std::nullopt;
}

bool is_code_table(const Table& table) {
    if (table.rows.size() < 2) return false;
    const Columns columns = columns_of(table.rows.front());
    return columns.code && columns.name;
}

void read_code_table(const Table& table, std::string title, NotedTables& notes) {
    if (is_code_table(table)) CodeReader(table, std::move(title), notes);
}

const CodeRow* whole_of(const CodeTable& table, const CodeRow& part) {
    if (part.names.empty() || part.low != part.high) return nullptr;
    const auto position = &part - table.rows.data();
    // The nearest before it: a machine's generations have the same register in several places.
    for (auto i = position; i-- > 0;) {
        const CodeRow& row = table.rows[static_cast<std::size_t>(i)];
        if (row.low == row.high || row.low > part.low || row.high < part.high || row.names.size() != 1) continue;
        if (name_range(row)) continue;
        const std::string& name = row.names.front();
        if (part.names.front().size() > name.size() && part.names.front().starts_with(name) &&
            part.generations == row.generations)
            return &row;
    }
    return nullptr;
}

std::vector<std::string> common_generations(const CodeTables& codes, const CodeRow& a, const CodeRow& b) {
    if (codes.generations.empty()) return {""};
    const auto is_in = [](const CodeRow& row, const std::string& generation) {
        return row.generations.empty() || std::ranges::find(row.generations, generation) != row.generations.end();
    };
    std::vector<std::string> out;
    for (const std::string& generation : codes.generations) {
        if (is_in(a, generation) && is_in(b, generation)) out.push_back(generation);
    }
    return out;
}

std::vector<CodeGap> gaps_of(const CodeTables& codes, const CodeTable& table) {
    std::vector<const CodeRow*> rows;
    for (const CodeRow& row : table.rows) rows.push_back(&row);
    std::ranges::stable_sort(rows, {}, &CodeRow::low);
    if (rows.empty()) return {};
    std::uint64_t highest = 0;
    for (const CodeRow* row : rows) highest = std::max(highest, row->high);
    std::vector<CodeGap> out;
    const auto add = [&](std::uint64_t low, std::uint64_t high, const CodeRow* behind, const std::string* generation) {
        auto known =
            std::ranges::find_if(out, [&](const CodeGap& other) { return other.low == low && other.high == high; });
        if (known == out.end()) known = out.insert(known, {low, high, {}, behind});
        if (generation) known->generations.push_back(*generation);
    };
    for (std::size_t i = 0; i < std::max<std::size_t>(1, codes.generations.size()); ++i) {
        const std::string* const generation = codes.generations.empty() ? nullptr : &codes.generations[i];
        std::uint64_t end = rows.front()->low;
        for (const CodeRow* row : rows) {
            const bool is_there = !generation || row->generations.empty() ||
                                  std::ranges::find(row->generations, *generation) != row->generations.end();
            if (!is_there) continue;
            if (row->low > end) add(end, row->low - 1, row, generation);
            end = std::max(end, row->high + 1);
        }
        if (end <= highest) add(end, highest, nullptr, generation);
    }
    for (CodeGap& gap : out) {
        if (gap.generations.size() == codes.generations.size()) gap.generations.clear();
    }
    return out;
}

void check_code_tables(const CodeTables& codes, std::vector<Diagnostic>& findings) {
    for (const CodeTable& table : codes.tables) CodeChecker(codes, findings).check(table);
}

}  // namespace isaforge::notes
