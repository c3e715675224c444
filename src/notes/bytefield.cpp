// Pictures of LaTeX's package bytefield: a line of boxes for each word.
#include <fmt/format.h>

#include <algorithm>

#include "notes/pictures.hpp"
#include "notes/scanner.hpp"
#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

constexpr std::string_view begin_mark = "\\begin{bytefield}";
constexpr std::size_t npos = std::string_view::npos;
constexpr unsigned widest = 192;

// What a command's text says: `\texttt{0110011}` is 0110011, `$imm_{12}$` is imm_12, `\_` is `_`.
std::string plain(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size()) {
            if (!is_letter(text[i + 1]))
                out += text[++i] == '\\' ? ' ' : text[i];
            else {
                while (i + 1 < text.size() && is_letter(text[i + 1])) ++i;
                out += ' ';
            }
        } else if (text[i] != '{' && text[i] != '}' && text[i] != '$') {
            out += text[i] == '\n' || text[i] == '~' ? ' ' : text[i];
        }
    }
    return std::string(trimmed(out));
}

class Reader {
public:
    Reader(std::string_view text, NotedTables& notes) : text_(text), notes_(notes) {
        std::size_t at = 0;
        while ((at = text_.find(begin_mark, at)) != npos) {
            const std::size_t begin = at;
            at += begin_mark.size();
            const std::size_t end = std::min(text_.find("\\end{bytefield}", at), text_.size());
            read_picture(begin, at, end);
            at = end;
        }
    }

private:
    Place place(std::size_t begin, std::size_t end) const {
        return {notes_.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end - begin)};
    }

    // What stands in brackets of a kind at a position, which moves behind it; nothing where they are not there.
    std::optional<std::string_view> group(std::size_t& at, std::size_t end, char open, char close) {
        std::size_t i = at;
        while (i < end && (is_blank(text_[i]) || text_[i] == '\n')) ++i;
        if (i >= end || text_[i] != open) return std::nullopt;
        const std::size_t begin = ++i;
        for (unsigned depth = 1; i < end; ++i) {
            if (text_[i] == '\\')
                ++i;
            else if (text_[i] == close && --depth == 0)
                break;
            else if (text_[i] == open)
                ++depth;
        }
        if (i >= end) return std::nullopt;
        at = i + 1;
        return text_.substr(begin, i - begin);
    }

    void read_picture(std::size_t begin, std::size_t at, std::size_t end) {
        group(at, end, '[', ']');
        const auto width = group(at, end, '{', '}');
        const auto bits = width ? number_of(*width) : std::nullopt;
        if (!bits || *bits == 0 || *bits > widest) {
            notes_.findings.push_back(finding(Severity::warning, place(begin, begin + begin_mark.size()),
                                              fmt::format("a picture's width is a number of at most {} bits", widest)));
            return;
        }
        width_ = static_cast<unsigned>(*bits);
        picture_name_ = name_before(begin, end);
        names_.clear();
        rows_ = 0;
        begin_row();
        while (at < end) {
            if (text_.substr(at).starts_with("\\\\")) {
                finish_row();
                at += 2;
            } else if (text_[at] == '%') {
                at = std::min(text_.find('\n', at), end);
            } else if (text_[at] == '\\') {
                read_command(at, end);
            } else {
                ++at;
            }
        }
        finish_row();
    }

    // A comment or a heading before the picture, or a caption behind it, says what it shows.
    std::string name_before(std::size_t begin, std::size_t end) const {
        std::size_t line = begin;
        for (unsigned i = 0; i < 4 && line > 0; ++i) {
            const std::size_t before = line < 2 ? 0 : text_.rfind('\n', line - 2) + 1;
            const std::string_view text = trimmed(text_.substr(before, line - before - (line > before ? 1 : 0)));
            for (const std::string_view mark :
                 {"%", "\\section{", "\\subsection{", "\\subsubsection{", "\\paragraph{", "\\textbf{"}) {
                if (text.starts_with(mark)) return plain(text.substr(mark.size()));
            }
            line = before;
        }
        const std::size_t caption = text_.find("\\caption{", end);
        const std::size_t next = text_.find(begin_mark, end);
        if (caption == npos || caption > next) return "";
        const std::size_t from = caption + 9;
        return plain(text_.substr(from, std::min(text_.find('}', from), text_.size()) - from));
    }

    void read_command(std::size_t& at, std::size_t end) {
        const std::size_t begin = at++;
        while (at < end && is_letter(text_[at])) ++at;
        const std::string_view command = text_.substr(begin + 1, at - begin - 1);
        if (at < end && text_[at] == '*') ++at;
        if (command == "bitbox" || command == "wordbox") {
            group(at, end, '[', ']');
            const auto count = group(at, end, '{', '}');
            group(at, end, '[', ']');
            const auto text = group(at, end, '{', '}');
            const auto number = count ? number_of(*count) : std::nullopt;
            if (!number || !text || *number == 0 || *number > widest) {
                notes_.findings.push_back(finding(Severity::warning, place(begin, at), "this box has no width"));
                return;
            }
            add_box(static_cast<unsigned>(*number) * (command == "wordbox" ? width_ : 1), plain(*text),
                    place(begin, at));
        } else if (command == "begin") {
            const auto what = group(at, end, '{', '}');
            group(at, end, '[', ']');
            if (what && what->ends_with("wordgroup")) {
                const auto name = group(at, end, '{', '}');
                names_.push_back(name ? plain(*name) : "");
            }
        } else if (command == "end") {
            const auto what = group(at, end, '{', '}');
            if (what && what->ends_with("wordgroup") && !names_.empty()) {
                row_name_ = names_.back();
                names_.pop_back();
            }
        }
    }

    void begin_row() {
        row_ = {};
        boxes_ = 0;
        row_name_.clear();
    }

    void add_box(unsigned bits, const std::string& text, Place where) {
        if (row_.pieces.empty()) row_.where = where;
        if (row_name_.empty() && !names_.empty()) row_name_ = names_.back();
        boxes_ += bits;
        if (row_.pieces.size() >= widest) return;
        // Counted downwards from the top until the row's width is known.
        Piece piece{.high = boxes_ - bits, .low = boxes_ - 1, .where = where};
        const bool digits = !text.empty() && text.find_first_not_of("01") == std::string::npos;
        const auto number = number_of(text);
        if (text.empty() || text.find_first_not_of("-xX") == std::string::npos) {
            piece.kind = Piece::Kind::ignored;
        } else if (digits || (number && text.size() > 1)) {
            piece.kind = Piece::Kind::fixed;
            if (digits && text.size() == bits)
                piece.bits = text;
            else if (digits && text == "0")
                piece.bits = std::string(bits, '0');
            else if (digits) {
                notes_.findings.push_back(finding(Severity::error, where,
                                                  fmt::format("`{}` has {} digits, and its box {} bit{}", text,
                                                              text.size(), bits, bits == 1 ? "" : "s")));
            } else if (bits < 64 && *number >> bits != 0) {
                notes_.findings.push_back(
                    finding(Severity::error, where, fmt::format("{} does not fit into {} bits", text, bits)));
            }
            for (unsigned i = bits; i-- > 0 && !digits;) piece.bits += i < 64 && (*number >> i & 1) ? '1' : '0';
            if (piece.bits.empty()) piece.bits = std::string(bits, '0');
        } else {
            piece.name = text;
        }
        row_.pieces.push_back(std::move(piece));
    }

    void finish_row() {
        if (row_.pieces.empty()) return begin_row();
        ++rows_;
        // Wider boxes make a word of several lines' width.
        const unsigned width = std::max(1U, (boxes_ + width_ - 1) / width_) * width_;
        if (boxes_ != width || width > widest) {
            notes_.findings.push_back(finding(Severity::error, row_.where,
                                              fmt::format("this row has {} bits, and the picture {}", boxes_, width_)));
        }
        Encoding row = std::move(row_);
        row.width = std::min(std::max(boxes_, 1U), widest);
        if (boxes_ <= width_) row.width = width_;
        std::vector<Piece> pieces;
        for (Piece& piece : row.pieces) {
            if (piece.low >= row.width) break;
            const unsigned high = row.width - 1 - piece.high, low = row.width - 1 - piece.low;
            if (piece.kind != Piece::Kind::field) {
                piece.high = high;
                piece.low = low;
                pieces.push_back(piece);
                continue;
            }
            for (const Piece& part : field_pieces(piece.name, high, low, piece.where, notes_.findings))
                pieces.push_back(part);
        }
        if (boxes_ < row.width)
            pieces.push_back(
                {.kind = Piece::Kind::blank, .high = row.width - boxes_ - 1, .low = 0, .where = row.where});
        row.pieces = std::move(pieces);
        std::string name = row_name_.empty() ? picture_name_ : row_name_;
        if (row_name_.empty() && rows_ > 1) name += fmt::format("_{}", rows_);
        row.mnemonics = mnemonics_in(name.substr(0, name.find(' ')), row.where, notes_.findings);
        if (row.mnemonics.empty())
            row.mnemonics = {{{fmt::format("row_{}", notes_.encodings.rows.size() + 1)}, row.where}};
        row.mnemonics.resize(1);
        if (name.find(' ') != std::string::npos) row.title = name;
        notes_.encodings.rows.push_back(std::move(row));
        begin_row();
    }

    std::string_view text_;
    NotedTables& notes_;
    unsigned width_ = 0, boxes_ = 0, rows_ = 0;
    std::string picture_name_, row_name_;
    std::vector<std::string> names_;
    Encoding row_;
};

}  // namespace

bool has_bytefields(std::string_view text) { return text.find(begin_mark) != npos; }

void read_bytefields(std::string_view text, NotedTables& notes) { Reader(text, notes); }

}  // namespace isaforge::notes
