// Pictures for WaveDrom: JSON, mostly as JavaScript has it, with names without quotes, comments and a comma too many.
#include <fmt/format.h>

#include <algorithm>

#include "notes/pictures.hpp"
#include "notes/scanner.hpp"
#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

constexpr unsigned deepest_value = 64;
constexpr unsigned widest = 192;

// A value with its place; members of an object are in `names` and `values`.
struct Value {
    enum class Kind { word, text, list, object };  // word: a number, true, null
    Kind kind = Kind::word;
    std::string text;
    std::vector<std::string> names;
    std::vector<Value> values;
    std::size_t begin = 0, end = 0;

    const Value* find(std::string_view name) const {
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i] == name) return &values[i];
        }
        return nullptr;
    }
};

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    // Nothing where the text is anything else; `wrong` is then where, and `why` what is wrong.
    std::optional<Value> parse() {
        auto out = value(0);
        return out;
    }
    // Behind what was read, without blanks and comments.
    std::size_t at() {
        skip();
        return at_;
    }
    std::size_t wrong = 0;
    std::string why;

private:
    void skip() {
        for (;;) {
            while (at_ < text_.size() && (is_blank(text_[at_]) || text_[at_] == '\n')) ++at_;
            if (text_.substr(at_).starts_with("//"))
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (text_.substr(at_).starts_with("/*"))
                at_ = std::min(text_.find("*/", at_), text_.size() - 2) + 2;
            else
                return;
        }
    }

    std::optional<Value> fail(const std::string& message) {
        if (why.empty()) {
            wrong = at_;
            why = message;
        }
        return std::nullopt;
    }

    std::optional<Value> value(unsigned depth) {
        skip();
        if (at_ >= text_.size()) return fail("a value is missing");
        if (depth > deepest_value) return fail("too many brackets in each other");
        const char c = text_[at_];
        if (c == '{' || c == '[') return several(c, depth);
        Value out;
        out.begin = at_;
        if (c == '"' || c == '\'' || c == '`') {
            out.kind = Value::Kind::text;
            for (++at_; at_ < text_.size() && text_[at_] != c; ++at_) {
                if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
                out.text += text_[at_];
            }
            if (at_ >= text_.size()) return fail("this text has no end");
            ++at_;
        } else {
            while (at_ < text_.size() &&
                   (is_name_character(text_[at_]) || text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '$'))
                out.text += text_[at_++];
            if (out.text.empty()) return fail(fmt::format("'{}' is no value", c));
        }
        out.end = at_;
        return out;
    }

    std::optional<Value> several(char open, unsigned depth) {
        Value out;
        out.kind = open == '{' ? Value::Kind::object : Value::Kind::list;
        out.begin = at_++;
        const char close = open == '{' ? '}' : ']';
        for (;;) {
            skip();
            if (at_ >= text_.size()) return fail(fmt::format("a '{}' is missing", close));
            if (text_[at_] == close) break;
            if (open == '{') {
                const auto name = value(depth + 1);
                skip();
                if (!name || at_ >= text_.size() || text_[at_] != ':') return fail("a ':' is missing");
                ++at_;
                out.names.push_back(name->text);
            }
            auto next = value(depth + 1);
            if (!next) return std::nullopt;
            out.values.push_back(std::move(*next));
            skip();
            if (at_ < text_.size() && text_[at_] == ',')
                ++at_;
            else if (at_ >= text_.size() || text_[at_] != close)
                return fail(fmt::format("a ',' or a '{}' is missing", close));
        }
        out.end = ++at_;
        return out;
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// Bits as text, of a number or a text of digits; nothing where it is neither.
std::optional<std::string> fixed_bits_of(const Value& value, unsigned bits) {
    if (value.kind == Value::Kind::text) {
        const bool digits = value.text.size() == bits && value.text.find_first_not_of("01") == std::string::npos;
        return digits ? std::optional(value.text) : std::nullopt;
    }
    if (value.kind == Value::Kind::list) {  // several lines, of which one may be the bits
        for (const Value& line : value.values) {
            if (line.kind == Value::Kind::list) continue;
            if (auto bits_of_line = fixed_bits_of(line, bits)) return bits_of_line;
        }
    }
    const auto number = value.kind == Value::Kind::word ? number_of(value.text) : std::nullopt;
    if (!number) return std::nullopt;
    std::string out;
    for (unsigned i = bits; i-- > 0;) out += i < 64 && (*number >> i & 1) ? '1' : '0';
    return out;
}

class Reader {
public:
    Reader(std::string_view text, NotedTables& notes) : notes_(notes) {
        Parser parser(text);
        while (parser.at() < text.size()) {
            const auto value = parser.parse();
            if (!value) {
                notes_.findings.push_back(
                    finding(Severity::error, {notes_.file, static_cast<std::uint32_t>(parser.wrong), 1}, parser.why));
                return;
            }
            look_for_pictures(*value, "");
        }
    }

private:
    Place place(const Value& value) const {
        return {notes_.file, static_cast<std::uint32_t>(value.begin),
                static_cast<std::uint32_t>(value.end - value.begin)};
    }

    // Alone, in a list, or as a member whose name is the picture's.
    void look_for_pictures(const Value& value, const std::string& name) {
        const Value* const reg = value.find("reg");
        if (reg && reg->kind == Value::Kind::list) {
            read_picture(value, *reg, name);
            return;
        }
        for (std::size_t i = 0; i < value.values.size(); ++i)
            look_for_pictures(value.values[i], i < value.names.size() ? value.names[i] : "");
    }

    // Its label, as pictures have one on either side, or a heading.
    static std::string label_of(const Value& picture) {
        const Value* const config = picture.find("config");
        for (const Value* const holder :
             {config ? config->find("label") : nullptr, picture.find("label"), picture.find("head")}) {
            if (!holder) continue;
            if (holder->kind == Value::Kind::text) return holder->text;
            for (const char* side : {"left", "right", "text"}) {
                if (const Value* const label = holder->find(side); label && label->kind == Value::Kind::text)
                    return label->text;
            }
        }
        return "";
    }

    void read_picture(const Value& picture, const Value& reg, const std::string& name) {
        Encoding row;
        row.where = place(reg);
        row.where.length = 1;
        unsigned at = 0;
        for (const Value& field : reg.values) {
            const Value* const bits = field.find("bits");
            const auto count = bits ? number_of(bits->text) : std::nullopt;
            if (!count || *count == 0 || *count > widest || at + *count > widest) {
                notes_.findings.push_back(finding(Severity::error, place(field),
                                                  fmt::format("a field has `bits`, and a picture at most {}", widest)));
                continue;
            }
            read_field(field, at, static_cast<unsigned>(*count), row);
            at += static_cast<unsigned>(*count);
        }
        if (row.pieces.empty()) return;
        row.width = at;
        check_width(picture, at);
        std::ranges::stable_sort(row.pieces, std::ranges::greater{}, &Piece::high);
        const std::string label = label_of(picture);
        const std::string& called = label.empty() ? name : label;
        row.mnemonics = mnemonics_in(called.substr(0, called.find(' ')), row.where, notes_.findings);
        if (row.mnemonics.empty())
            row.mnemonics = {{{fmt::format("row_{}", notes_.encodings.rows.size() + 1)}, row.where}};
        row.mnemonics.resize(1);
        notes_.encodings.rows.push_back(std::move(row));
    }

    void check_width(const Value& picture, unsigned bits) {
        const Value* const config = picture.find("config");
        const Value* const stated = config ? config->find("bits") : nullptr;
        const auto count = stated ? number_of(stated->text) : std::nullopt;
        const bool right = count ? *count == bits : bits % 8 == 0;
        if (right) return;
        notes_.findings.push_back(finding(
            Severity::error, stated ? place(*stated) : Place{notes_.file, static_cast<std::uint32_t>(picture.begin), 1},
            count ? fmt::format("the fields have {} bits, and the picture is said to have {}", bits, *count)
                  : fmt::format("the fields have {} bits, which are no whole bytes", bits)));
    }

    void read_field(const Value& field, unsigned low, unsigned bits, Encoding& row) {
        const Value* const name = field.find("name");
        const Value* const attribute = field.find("attr");
        Piece piece{.high = low + bits - 1, .low = low, .where = place(field)};
        for (const Value* const value : {name, attribute}) {
            const auto fixed = value ? fixed_bits_of(*value, bits) : std::nullopt;
            if (!fixed) continue;
            const auto number = value->kind == Value::Kind::word ? number_of(value->text) : std::nullopt;
            if (number && bits < 64 && *number >> bits != 0) {
                notes_.findings.push_back(
                    finding(Severity::error, place(*value),
                            fmt::format("{} does not fit into {} bit{}", value->text, bits, bits == 1 ? "" : "s")));
            }
            piece.kind = Piece::Kind::fixed;
            piece.bits = *fixed;
        }
        if (piece.kind == Piece::Kind::fixed) {
            row.pieces.push_back(std::move(piece));
        } else if (!name || name->text.empty()) {
            piece.kind = Piece::Kind::ignored;
            row.pieces.push_back(std::move(piece));
        } else {
            for (const Piece& part : field_pieces(name->text, piece.high, piece.low, piece.where, notes_.findings))
                row.pieces.push_back(part);
        }
    }

    NotedTables& notes_;
};

}  // namespace

bool has_wavedrom(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[' && text[first] != '/'))
        return false;
    for (std::size_t at = text.find("reg"); at != std::string_view::npos; at = text.find("reg", at + 1)) {
        std::size_t behind = at + 3;
        if (behind < text.size() && (text[behind] == '"' || text[behind] == '\'')) ++behind;
        while (behind < text.size() && is_blank(text[behind])) ++behind;
        if (behind < text.size() && text[behind] == ':') return true;
    }
    return false;
}

void read_wavedrom(std::string_view text, NotedTables& notes) { Reader(text, notes); }

}  // namespace isaforge::notes
