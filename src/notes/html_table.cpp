#include "notes/html_table.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "notes/scanner.hpp"
#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

constexpr std::size_t npos = std::string_view::npos;
constexpr unsigned widest_span = 1000;  // as browsers have it

// The characters that tables of instructions have.
constexpr std::array<std::pair<std::string_view, std::string_view>, 12> entities{{
    {"amp", "&"},
    {"lt", "<"},
    {"gt", ">"},
    {"quot", "\""},
    {"apos", "'"},
    {"nbsp", " "},
    {"ndash", "-"},
    {"mdash", "-"},
    {"minus", "-"},
    {"times", "x"},
    {"hellip", "..."},
    {"lowbar", "_"},
}};

// `<td colspan=5>`: its name in lower case, `/td` for an end.
struct Tag {
    std::string name;
    std::string_view attributes;
};

std::size_t find_without_case(std::string_view text, std::string_view what, std::size_t from) {
    const auto found = std::search(text.begin() + static_cast<std::ptrdiff_t>(std::min(from, text.size())), text.end(),
                                   what.begin(), what.end(), [](char a, char b) { return lower(a) == b; });
    return found == text.end() ? npos : static_cast<std::size_t>(found - text.begin());
}

unsigned number_in(const Tag& tag, std::string_view attribute) {
    const std::size_t at = find_without_case(tag.attributes, attribute, 0);
    if (at == npos) return 1;
    std::string_view rest = tag.attributes.substr(at + attribute.size());
    const std::size_t digits = rest.find_first_of("0123456789");
    if (digits == npos || rest.substr(0, digits).find_first_not_of(" ='\"\t\n") != npos) return 1;
    rest.remove_prefix(digits);
    const auto value = number_of(rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size())));
    return value ? static_cast<unsigned>(std::clamp<std::uint64_t>(*value, 1, widest_span)) : widest_span;
}

class Reader {
public:
    Reader(FileId file, std::string_view text) : file_(file), text_(text) {}

    std::vector<Table> read() {
        while (at_ < text_.size() && cells_ < most_table_cells) {
            if (text_[at_] == '<')
                read_tag();
            else
                read_text();
        }
        finish_table();
        return std::move(tables_);
    }

private:
    void read_tag() {
        if (text_.substr(at_).starts_with("<!--")) {
            const std::size_t end = text_.find("-->", at_ + 2);
            at_ = end == npos ? text_.size() : end + 3;
            return;
        }
        const std::size_t end = std::min(text_.find('>', at_), text_.size());
        Tag tag;
        std::size_t i = at_ + 1;
        while (i < end && (is_letter(text_[i]) || is_digit(text_[i]) || text_[i] == '/')) tag.name += lower(text_[i++]);
        if (tag.name.empty()) {  // a `<` that stands for itself
            read_text();
            return;
        }
        tag.attributes = text_.substr(i, end - i);
        at_ = std::min(end + 1, text_.size());
        if (tag.name == "script" || tag.name == "style") {
            at_ = std::min(find_without_case(text_, "</" + tag.name, at_), text_.size());
            return;
        }
        take(tag);
    }

    void take(const Tag& tag) {
        const std::string& name = tag.name;
        const bool is_title = name == "caption" || (name.size() == 2 && name[0] == 'h' && is_digit(name[1]));
        if (name == "table" && depth_++ > 0) return;  // what is inside of a cell is text
        if (name == "/table" && depth_ > 0 && --depth_ > 0) return;
        if (name == "table") {
            table_ = Table{"a table of HTML", {}, title_};
        } else if (name == "/table") {
            finish_table();
        } else if (is_title) {
            title_.clear();
            in_title_ = true;
        } else if (in_title_ && name.front() == '/' && (name == "/caption" || name.size() == 3)) {
            in_title_ = false;
            if (depth_ > 0 && name == "/caption") table_.title = std::string(trimmed(title_));
        } else if (depth_ == 1 && (name == "tr" || name == "/tr")) {
            finish_row();
        } else if (depth_ == 1 && (name == "td" || name == "th")) {
            finish_cell();
            columns_ = number_in(tag, "colspan");
            rows_ = number_in(tag, "rowspan");
            in_cell_ = true;
        } else if (depth_ == 1 && (name == "/td" || name == "/th")) {
            finish_cell();
        } else if (in_cell_ && (name == "br" || name == "br/" || name == "p" || name == "li")) {
            cell_.text += ' ';
        }
    }

    void read_text() {
        const std::size_t begin = at_;
        std::string text;
        do {
            if (text_[at_] == '&')
                text += entity();
            else
                text += text_[at_] == '\n' ? ' ' : text_[at_];
            ++at_;
        } while (at_ < text_.size() && text_[at_] != '<');
        if (in_title_) title_ += text;
        if (!in_cell_) return;
        if (!trimmed(text).empty()) {
            std::size_t first = begin, last = at_;
            while (is_blank(text_[first]) || text_[first] == '\n') ++first;
            while (last > first && (is_blank(text_[last - 1]) || text_[last - 1] == '\n')) --last;
            if (!cell_.where.known()) cell_.where = {file_, static_cast<std::uint32_t>(first), 0};
            cell_.where.length = static_cast<std::uint32_t>(last) - cell_.where.offset;
        }
        cell_.text += text;
    }

    // Moves to the last character of it.
    std::string entity() {
        const std::size_t end = text_.find(';', at_);
        if (end == npos || end - at_ > 10) return "&";
        const std::string_view name = text_.substr(at_ + 1, end - at_ - 1);
        std::string out;
        for (const auto& [known, text] : entities) {
            if (known == name) out = text;
        }
        if (name.starts_with('#')) {
            const auto code = number_of((name.starts_with("#x") ? "0x" : "") +
                                        std::string(name.substr(name.starts_with("#x") ? 2 : 1)));
            if (code && *code >= 0x20 && *code < 0x7f)
                out = std::string(1, static_cast<char>(*code));
            else if (code && *code == 0xa0)
                out = " ";
            else if (code && (*code == 0x2013 || *code == 0x2014 || *code == 0x2212))
                out = "-";
        }
        if (out.empty()) return "&";
        at_ = end;
        return out;
    }

    void finish_cell() {
        if (!std::exchange(in_cell_, false)) return;
        skip_spanned();
        cell_.text = std::string(trimmed(cell_.text));
        if (!cell_.where.known()) cell_.where = {file_, static_cast<std::uint32_t>(std::min(at_, text_.size())), 0};
        const std::size_t column = row_.size();
        row_.push_back(std::exchange(cell_, {}));
        for (unsigned i = 1; i < columns_; ++i) row_.push_back({"", row_[column].where, ""});
        for (unsigned i = 0; i < columns_ && rows_ > 1; ++i) spanned_[column + i] = rows_ - 1;
        cells_ += columns_;
    }

    // Columns that a cell of a row above reaches into are empty.
    void skip_spanned() {
        for (auto above = spanned_.find(row_.size()); above != spanned_.end() && above->second > 0;
             above = spanned_.find(row_.size())) {
            --above->second;
            row_.push_back({});
            ++cells_;
        }
    }

    void finish_row() {
        finish_cell();
        if (row_.empty()) return;
        skip_spanned();
        table_.rows.push_back(std::exchange(row_, {}));
    }

    void finish_table() {
        finish_row();
        spanned_.clear();
        if (table_.rows.size() > 1) tables_.push_back(std::exchange(table_, {}));
        table_ = {};
    }

    FileId file_;
    std::string_view text_;
    std::size_t at_ = 0, cells_ = 0;
    unsigned depth_ = 0;
    bool in_cell_ = false, in_title_ = false;
    std::string title_;
    Table table_;
    std::vector<TableCell> row_;
    TableCell cell_;
    unsigned columns_ = 1, rows_ = 1;
    std::map<std::size_t, unsigned> spanned_;  // for how many rows more, by column
    std::vector<Table> tables_;
};

}  // namespace

bool has_html_tables(std::string_view text) { return find_without_case(text, "<table", 0) != npos; }

std::vector<Table> html_tables(FileId file, std::string_view text) { return Reader(file, text).read(); }

}  // namespace isaforge::notes
