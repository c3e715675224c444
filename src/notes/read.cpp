// The reader of notes: line by line, each line is tried as one kind of notation after the other. Nothing here judges what
// the notes say; that is the checker's part.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "isaforge/notes.hpp"
#include "notes/scanner.hpp"

namespace isaforge {

namespace notes {
namespace {

constexpr unsigned widest_field = 4096;
constexpr unsigned widest_space = 48;
constexpr unsigned widest_pattern = 64;

bool one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

// Any word of `text`, in lower case, that begins with one of these.
bool mentions(std::string_view text, std::initializer_list<std::string_view> beginnings) {
    const std::string all = lower(text);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (i > 0 && is_letter(all[i - 1])) continue;
        for (const std::string_view beginning : beginnings) {
            if (std::string_view(all).substr(i).starts_with(beginning)) return true;
        }
    }
    return false;
}

// `r,r,i`, `R-R-I`, `r` or `-`: single letters. Nothing where the token is something else.
std::optional<std::string> operand_letters(std::string_view token) {
    if (token == "-") return std::string{};
    std::string letters;
    for (std::size_t i = 0; i < token.size(); ++i) {
        const bool letter_expected = i % 2 == 0;
        if (letter_expected ? !is_letter(token[i]) : token[i] != ',' && token[i] != '-') return std::nullopt;
        if (letter_expected) letters += lower(token[i]);
    }
    if (token.size() % 2 == 0) return std::nullopt;
    return letters;
}

class Reader {
public:
    Reader(FileId file, const SourceManager& sources, Diagnostics& diagnostics)
        : file_(file), text_(sources.text(file)), diagnostics_(diagnostics) {
        notes_.file = file;
    }

    Notes read() {
        std::size_t start = 0;
        while (start < text_.size()) {
            std::size_t end = text_.find('\n', start);
            if (end == std::string_view::npos) end = text_.size();
            Scanner line(file_, static_cast<std::uint32_t>(start), text_.substr(start, end - start));
            if (!line.done()) read_line(line);
            start = end + 1;
        }
        return std::move(notes_);
    }

private:
    using Part = bool (Reader::*)(Scanner&);

    void read_line(Scanner& line) {
        if (brace(line) || depth_ > 1) return;
        const std::size_t start = line.at();
        const bool table_was_open = table_open_;
        table_open_ = false;
        if (glossary_) return glossary_entry(line);
        if (ruler(line)) return;
        after_table_ = table_was_open || after_table_;
        static constexpr std::array<Part, 11> parts{
            &Reader::range, &Reader::bar,   &Reader::block_head, &Reader::lengths, &Reader::types, &Reader::legend,
            &Reader::label, &Reader::tally, &Reader::pattern,    &Reader::total,   &Reader::group};
        table_may_go_on_ = table_was_open;
        for (const Part part : parts) {
            if ((this->*part)(line)) {
                if (part != &Reader::range) after_table_ = false;
                return;
            }
            line.back_to(start);
        }
        after_table_ = false;
        look_for_damage(line);
    }

    void not_understood(const Scanner& line, std::size_t start, std::string_view what) {
        diagnostics_.warning(line.to_end(start), fmt::format("this looks like {} but is not understood", what));
    }

    // --- blocks -------------------------------------------------------------------------------------------------------

    bool brace(Scanner& line) {
        const std::string_view text = line.rest();
        if (text == "{") {
            ++depth_;
            return true;
        }
        if (!text.starts_with('}')) return false;
        if (depth_ > 0) --depth_;
        if (depth_ == 0) close_block();
        return true;
    }

    bool ruler(Scanner& line) {
        const std::string_view text = line.rest();
        if (text.size() < 3 || text.find_first_not_of("_-=*") != std::string_view::npos) return false;
        close_block();
        return true;
    }

    void close_block() {
        depth_ = 0;
        block_ = no_index;
        glossary_ = false;
        label_open_ = false;
    }

    void open_block(const FormatName& format, Place where) {
        close_block();
        block_ = static_cast<Index>(notes_.blocks.size());
        notes_.blocks.push_back({format, {}, {}, {}, where});
    }

    Block* block() { return block_ == no_index ? nullptr : &notes_.blocks[block_]; }

    Group& group() {
        if (block()->groups.empty()) block()->groups.push_back({});
        return block()->groups.back();
    }

    std::optional<FormatName> bracketed(Scanner& line, std::string_view open, std::string_view close) {
        const std::size_t start = line.at();
        if (!line.take(open)) return std::nullopt;
        const std::size_t first = line.at();
        const std::string_view name = line.name();
        FormatName found{std::string(name), line.since(first)};
        if (!name.empty() && line.take(close)) return found;
        line.back_to(start);
        return std::nullopt;
    }

    bool block_head(Scanner& line) {
        if (!line.rest().ends_with('{')) return false;
        const std::size_t start = line.at();
        if (const auto format = bracketed(line, "[", "]")) {
            open_block(*format, format->where);
            depth_ = 1;
            return true;
        }
        close_block();
        depth_ = 1;
        line.back_to(start);
        glossary_ = lower(line.name()) == "legend";
        return true;
    }

    // `'x' -> don't care`
    void glossary_entry(Scanner& line) {
        if (!line.take("'")) return;
        const std::string_view letters = line.while_all(is_letter);
        if (letters.size() == 1 && line.take("'") && mentions(line.rest(), {"don't", "dont", "unused", "nothing"})) {
            notes_.dont_care += letters;
        }
    }

    // --- bars ---------------------------------------------------------------------------------------------------------

    bool bar(Scanner& line) {
        const std::size_t start = line.at();
        Bar bar;
        if (const auto format = bracketed(line, "[", "]")) bar.format = *format;
        if (line.peek() != '|' || line.rest().find('(') == std::string_view::npos) return false;
        const std::size_t first = line.at();
        line.take("|");
        while (!line.done() && line.rest().find('|') != std::string_view::npos) {
            if (!cell(line, bar)) return true;
        }
        if (bar.fields.empty()) {
            not_understood(line, start, "a bar");
            return true;
        }
        bar.where = line.since(first);
        behind_bar(line, bar);
        if (bar.format.name.empty() && block()) bar.format = {block()->format.name, bar.where};
        if (bar.format.name.empty()) {
            diagnostics_.warning(bar.where, "this bar has no name: `[NAME]` is missing before it");
        } else {
            notes_.bars.push_back(std::move(bar));
        }
        return true;
    }

    // `IMM(08/24)|`. False where it is something else; the warning has been given then.
    bool cell(Scanner& line, Bar& bar) {
        const std::size_t start = line.at();
        BarField field;
        field.name = line.while_all([](char c) { return is_name_character(c) || c == '/'; });
        bool good = !field.name.empty() && is_letter(field.name.front()) && line.take("(");
        while (good) {
            const auto width = line.number();
            good = width && *width > 0 && *width <= widest_field;
            if (good) field.widths.push_back(static_cast<unsigned>(*width));
            if (!good || !line.take("/")) break;
        }
        good = good && line.take(")");
        field.where = line.since(start);
        if (!good || !line.take("|")) {
            line.back_to(start);
            const std::size_t end = std::max(start + 1, std::min(line.text().find('|', start), line.text().size()));
            diagnostics_.warning(line.place(start, end),
                                 "this cell is not understood: a cell is `NAME(BITS)`, as `RA(05)`");
            return false;
        }
        bar.fields.push_back(std::move(field));
        return true;
    }

    // What stands behind a bar: a length, operands, a number of instructions, the brace that opens a block.
    void behind_bar(Scanner& line, Bar& bar) {
        bool opens = false;
        while (!line.done() && !opens) {
            const std::size_t start = line.at();
            if (auto lengths = lengths_here(line)) {
                bar.lengths = std::move(lengths);
                continue;
            }
            const std::string_view token = line.while_all([](char c) { return !is_blank(c); });
            const Place where = line.since(start);
            if (token.empty()) break;
            if (token == "{") {
                opens = true;
            } else if (std::ranges::all_of(token, is_digit) && token.size() <= 9) {
                bar.tally = Count{std::stoull(std::string(token)), false, where};
            } else if (token == "??") {
                bar.tally = Count{0, true, where};
            } else if (auto letters = operand_letters(token)) {
                bar.operands = OperandLetters{*letters, where};
            }
        }
        if (opens && !bar.format.name.empty()) {
            open_block(bar.format, bar.format.where);
            depth_ = 1;
        } else if (depth_ == 0) {
            close_block();
        }
        bar.block = block_;
    }

    // `lengths: 4B, 6B`
    std::optional<Lengths> lengths_here(Scanner& line) {
        const std::size_t start = line.at();
        const std::string word = lower(line.name());
        if (!one_of(word, {"length", "lengths"}) || !line.take(":")) {
            line.back_to(start);
            return std::nullopt;
        }
        Lengths lengths;
        do {
            const auto number = line.number();
            const std::string unit = number ? lower(line.name()) : std::string{};
            const unsigned factor = one_of(unit, {"b", "byte", "bytes"}) ? 8 : one_of(unit, {"bit", "bits"}) ? 1 : 0;
            if (!number || factor == 0 || *number == 0 || *number > widest_field / factor) {
                line.back_to(start);
                not_understood(line, start, "a length, as `4B`,");
                line.back_to(line.text().size());
                return std::nullopt;
            }
            lengths.bits.push_back(static_cast<unsigned>(*number) * factor);
        } while (line.take(","));
        lengths.where = line.since(start);
        return lengths;
    }

    bool lengths(Scanner& line) {
        while (line.take("-")) {
        }
        const std::size_t start = line.at();
        auto found = lengths_here(line);
        if (!found) return line.done() && line.at() != start;
        if (block()) block()->lengths = std::move(found);
        return true;
    }

    // `type: R,R,I`
    bool types(Scanner& line) {
        while (line.peek() == '-' && is_blank(line.peek(1))) line.take("-");
        const std::string word = lower(line.name());
        if (!block() || !one_of(word, {"type", "types"}) || !line.take(":")) return false;
        const std::size_t start = line.at();
        const auto letters = operand_letters(line.rest());
        if (!letters) {
            not_understood(line, start, "operand types, as `r,r,i`,");
        } else {
            block()->operands = OperandLetters{*letters, line.to_end(start)};
        }
        return true;
    }

    // --- modes --------------------------------------------------------------------------------------------------------

    bool group(Scanner& line) {
        if (!block() || !line.rest().ends_with(':')) return false;
        label_open_ = false;
        Group found;
        const std::string_view title = line.rest().substr(0, line.rest().size() - 1);
        found.title = trimmed(title);
        found.where = line.place(line.at(), line.at() + title.size());
        while (!line.done()) {
            const std::size_t start = line.at();
            std::string_view token = line.while_all([](char c) { return !is_blank(c); });
            while (!token.empty() && (token.back() == ':' || token.back() == ']')) token.remove_suffix(1);
            if (token.starts_with('[')) token.remove_prefix(1);
            const auto letters = token.size() > 1 ? operand_letters(token) : std::nullopt;
            if (letters) found.operands = OperandLetters{*letters, line.since(start)};
        }
        block()->groups.push_back(std::move(found));
        return true;
    }

    // `[E, E.l] MOD(05): "ttmvo"`, or without the pattern, which then stands in the lines below.
    bool label(Scanner& line) {
        const std::size_t start = line.at();
        ModeLabel label;
        if (line.take("[")) {
            do {
                const std::size_t first = line.at();
                const std::string_view name = line.name();
                if (name.empty()) return false;
                label.formats.push_back({std::string(name), line.since(first)});
            } while (line.take(","));
            if (!line.take("]")) return false;
        }
        label.field = line.while_all([](char c) { return is_letter(c) || is_digit(c) || c == '_'; });
        if (label.field.empty() || !is_letter(label.field.front()) || !line.take("(")) return false;
        const auto width = line.number();
        if (!width || !line.take(")") || line.peek() != ':') return false;
        label.where = line.since(start);
        line.take(":");
        label.width = static_cast<unsigned>(std::min<std::uint64_t>(*width, widest_field));
        if (!line.done() && !pattern_behind_label(line, label)) return true;
        if (!block() && !notes_.bars.empty()) open_block(notes_.bars.back().format, label.where);
        if (!block()) {
            diagnostics_.warning(label.where, "these bits belong to no format: no bar stands before them");
            return true;
        }
        label_open_ = label.patterns.empty();
        group().labels.push_back(std::move(label));
        return true;
    }

    bool pattern_behind_label(Scanner& line, ModeLabel& label) {
        const std::size_t start = line.at();
        const bool quoted = line.take("\"");
        ModePattern pattern;
        const std::string_view bits = line.while_all([](char c) {
            return is_letter(c) || one_of({&c, 1}, {"0", "1", "-", " "});
        });
        const std::size_t end = line.at();
        const bool closed = !quoted || line.take("\"");
        for (const char c : bits) {
            if (c != ' ') pattern.bits += c;
        }
        pattern.bare = !quoted;
        pattern.where = quoted ? line.place(start, end + 1) : line.since(start);
        line.take(":");
        if (pattern.bits.empty() || !closed || !line.done() || pattern.bits.size() > widest_pattern) {
            not_understood(line, start, "a pattern of bits, as `\"ttm\"`,");
            return false;
        }
        label.patterns.push_back(std::move(pattern));
        return true;
    }

    // A line below `MOD(05):`, as `x m01tt -> acquire`.
    bool pattern(Scanner& line) {
        if (!label_open_ || !block()) return false;
        ModeLabel& label = group().labels.back();
        if (mentions(line.rest(), {"nested opcode", "extra opcode"}) &&
            line.rest().find('(') != std::string_view::npos &&
            line.rest().find(label.field) != std::string_view::npos) {
            label.nested_opcode = true;
            return true;
        }
        if (line.peek() == '-' && is_blank(line.peek(1))) return false;
        const std::size_t start = line.at();
        ModePattern pattern;
        pattern.bare = true;
        std::size_t end = start;
        unsigned tokens = 0;
        while (!line.done() && !line.rest().starts_with("->")) {
            const std::string_view token = line.while_all([](char c) { return !is_blank(c); });
            const bool bits =
                std::ranges::all_of(token, [](char c) { return is_letter(c) || c == '0' || c == '1' || c == '-'; });
            pattern.bits += token;
            if (!bits || ++tokens > 8 || pattern.bits.size() > widest_pattern) return false;
            end = line.since(start).offset - line.place(0, 0).offset + line.since(start).length;
        }
        if (pattern.bits.empty()) return false;
        pattern.where = line.place(start, end);
        const bool arrow = line.take("->");
        if (!arrow && tokens > 3) return false;
        if (arrow) pattern.meaning = line.rest();
        label.patterns.push_back(std::move(pattern));
        return true;
    }

    // `('tt', 'uu' is …: 00 nothing, 01 …)`
    bool legend(Scanner& line) {
        const std::size_t start = line.at();
        if (!line.take("(") || line.peek() != '\'') return false;
        if (!block()) return false;
        label_open_ = false;
        Legend legend;
        bool good = true;
        do {
            good = good && line.take("'");
            const std::string_view letters = line.while_all(is_letter);
            good = good && !letters.empty() && letters.size() <= widest_pattern && line.take("'") &&
                   letters.find_first_not_of(letters.front()) == std::string_view::npos;
            legend.letters.emplace_back(letters);
        } while (good && line.take(","));
        std::string_view rest = line.rest();
        if (!good || !rest.ends_with(')')) {
            not_understood(line, start, "a legend, as `('tt' is size: 8, 16)`,");
            return true;
        }
        legend.where = line.to_end(start);
        rest.remove_suffix(1);
        legend_text(rest, legend);
        group().legends.push_back(std::move(legend));
        return true;
    }

    static void legend_text(std::string_view rest, Legend& legend) {
        for (const std::string_view verb : {"is ", "are ", "means ", "signifies "}) {
            if (rest.starts_with(verb)) {
                rest = trimmed(rest.substr(verb.size()));
                break;
            }
        }
        const std::size_t colon = std::min(rest.find(':'), rest.size());
        legend.what = trimmed(rest.substr(0, colon));
        legend.extra_opcode = mentions(legend.what, {"opcode"});
        if (colon == rest.size()) return;
        rest = trimmed(rest.substr(colon + 1));
        unsigned nesting = 0;
        std::size_t first = 0;
        for (std::size_t i = 0; i <= rest.size(); ++i) {
            const char c = i < rest.size() ? rest[i] : ',';
            if (c == '(') ++nesting;
            if (c == ')' && nesting > 0) --nesting;
            if (c != ',' || (nesting > 0 && i < rest.size())) continue;
            legend_value(trimmed(rest.substr(first, i - first)), legend);
            first = i + 1;
        }
        settle_codes(legend);
    }

    // `1 byte, 2 bytes` has no codes; `0 off, 2 on` has one that is wrong.
    static void settle_codes(Legend& legend) {
        const auto coded = [](const LegendValue& value) { return !value.code.empty(); };
        if (std::ranges::all_of(legend.values, coded) || std::ranges::none_of(legend.values, coded)) return;
        bool counts = true;
        unsigned long last = 0;
        for (LegendValue& value : legend.values) {
            const std::string text = value.code.empty() ? value.text : value.code + " " + value.text;
            const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
            const unsigned long number = digits > 0 && digits < 9 ? std::stoul(text.substr(0, digits)) : 0;
            counts = counts && text.front() != '0' && number > last;
            last = number;
        }
        if (!counts) return;
        for (LegendValue& value : legend.values) {
            if (value.code.empty()) continue;
            value.text = value.code + " " + value.text;
            value.code.clear();
        }
    }

    static void legend_value(std::string_view text, Legend& legend) {
        if (text.empty()) return;
        if (text.find_first_not_of('.') == std::string_view::npos) {
            legend.open = true;
            return;
        }
        const std::size_t code = std::min(text.find_first_not_of("01"), text.size());
        const bool coded = code > 0 && code < text.size() && is_blank(text[code]);
        legend.values.push_back(
            {std::string(text.substr(0, coded ? code : 0)), std::string(trimmed(text.substr(coded ? code : 0)))});
    }

    // --- the space ----------------------------------------------------------------------------------------------------

    struct Bits {
        unsigned bits = 0, fixed = 0;
        std::uint64_t value = 0;
        bool good = true;           // x only at the end, and not too many
    };

    // Pieces of 0, 1 and x with blanks between them, until there are `enough` bits.
    static std::optional<Bits> prefix(Scanner& line, unsigned enough) {
        const auto is_bit = [](char c) { return c == '0' || c == '1' || c == 'x' || c == 'X' || c == '_'; };
        Bits out;
        bool free = false;
        while (out.bits < enough) {
            const std::size_t start = line.at();
            const std::string_view piece = line.while_all(is_bit);
            if (piece.empty() || (line.since(start).length == piece.size() && is_name_character(line.peek()) &&
                                  line.at() == start + piece.size() && line.peek() != '.')) {
                line.back_to(start);
                break;
            }
            for (const char c : piece) {
                if (c == '_') continue;
                ++out.bits;
                if (c == 'x' || c == 'X') {
                    free = true;
                    continue;
                }
                out.good = out.good && !free;
                if (++out.fixed <= widest_space) out.value = out.value << 1 | (c == '1');
            }
        }
        out.good = out.good && out.bits <= widest_space;
        if (out.bits < 4) return std::nullopt;
        return out;
    }

    bool range(Scanner& line) {
        if (label_open_ && depth_ > 0) return false;
        const std::size_t start = line.at();
        Range range;
        const auto low = prefix(line, widest_space + 1);
        range.low_where = line.since(start);
        if (!low) return false;
        if (!line.take("->") && !line.take("...") && !line.take("..")) return false;
        const std::size_t second = line.at();
        const auto high = prefix(line, low->bits);
        range.high_where = line.since(second);
        if (!high || !low->good || !high->good) {
            not_understood(line, start, "a range of opcodes");
            table_open_ = table_may_go_on_;
            return true;
        }
        range.where = line.since(start);
        range.low_bits = low->bits;
        range.high_bits = high->bits;
        range.low_fixed = low->fixed;
        range.high_fixed = high->fixed;
        range.low = low->value;
        range.high = high->value;
        while (!line.done()) {
            if (!behind_range(line, range)) break;
        }
        if (!table_may_go_on_) notes_.tables.push_back({});
        notes_.tables.back().ranges.push_back(std::move(range));
        table_open_ = true;
        return true;
    }

    std::optional<Count> count(Scanner& line) {
        const std::size_t start = line.at();
        Count out;
        if (line.take("??") || line.take("?")) {
            out.unknown = true;
        } else if (const auto number = line.number()) {
            out.value = *number;
        } else {
            return std::nullopt;
        }
        out.where = line.since(start);
        return out;
    }

    // One of `(max: 123)`, `free: 4;`, `60;`, `[A]`, `(D.1)`, `formats:`. False, after a warning, where it is none.
    bool behind_range(Scanner& line, Range& range) {
        const std::size_t start = line.at();
        if (line.take(";") || line.take(",")) return true;
        auto format = bracketed(line, "[", "]");
        if (!format) format = bracketed(line, "(", ")");
        if (format) {
            range.formats.push_back(*format);
            return true;
        }
        if (is_digit(line.peek()) || line.peek() == '?') {
            const auto number = count(line);
            if (number && !range.max) {
                range.max = number;
                range.max_is_bare = true;
                return true;
            }
        }
        line.back_to(start);
        const bool enclosed = line.take("(");
        const std::string word = lower(line.name());
        if (!word.empty() && line.take(":")) {
            if (one_of(word, {"format", "formats"})) return true;
            const auto number = count(line);
            std::optional<Count>* const slot = one_of(word, {"max", "capacity", "size"}) ? &range.max
                                               : one_of(word, {"current", "used"})       ? &range.current
                                               : one_of(word, {"free", "left"})          ? &range.free
                                               : word.starts_with("cost")                ? &range.cost
                                                                                         : nullptr;
            if (number && slot && (!enclosed || line.take(")"))) {
                *slot = number;
                return true;
            }
        }
        not_understood(line, start, "something about this range");
        return false;
    }

    // `[A]: 72`
    bool tally(Scanner& line) {
        while (line.peek() == '-' && is_blank(line.peek(1))) line.take("-");
        const auto format = bracketed(line, "[", "]");
        if (!format || !line.take(":")) return false;
        const auto number = count(line);
        if (!number) return false;
        notes_.tallies.push_back({*format, *number});
        return true;
    }

    static TotalKind kind_of(std::string_view words) {
        if (mentions(words, {"used", "current"})) return TotalKind::used;
        if (mentions(words, {"left", "free", "remain", "unused", "available"})) return TotalKind::left;
        if (mentions(words, {"max", "pool", "total", "capacity"})) return TotalKind::capacity;
        return TotalKind::unsaid;
    }

    // `max opcode pool: 300`, `384 combinations left`, `384`
    bool total(Scanner& line) {
        if (block() || depth_ > 0) return false;
        const std::size_t start = line.at();
        Total total;
        if (const auto number = line.number()) {
            total.count = {*number, false, line.since(start)};
            total.words = line.rest();
            total.kind = kind_of(total.words);
            const bool plain = std::ranges::all_of(total.words, [](char c) { return is_letter(c) || is_blank(c); });
            if (total.words.empty() ? !after_table_ : !plain || total.kind == TotalKind::unsaid) return false;
        } else {
            total.words = trimmed(line.while_all([](char c) { return is_letter(c) || is_blank(c); }));
            total.kind = kind_of(total.words);
            if (total.kind == TotalKind::unsaid || !line.take(":")) return false;
            const auto counted = count(line);
            if (!counted || !line.done()) return false;
            total.count = *counted;
        }
        total.where = line.to_end(start);
        notes_.totals.push_back(std::move(total));
        return true;
    }

    // --- what remains ---------------------------------------------------------------------------------------------------

    // Prose is passed over. Notation that lost something is not prose.
    void look_for_damage(Scanner& line) {
        const std::string_view text = line.rest();
        const std::size_t bars = static_cast<std::size_t>(std::ranges::count(text, '|'));
        if (bars >= 2 && text.find('(') != std::string_view::npos &&
            text.find_first_of("0123456789") != std::string_view::npos) {
            return not_understood(line, line.at(), "a bar");
        }
        if (text.starts_with("('") && block()) return not_understood(line, line.at(), "a legend");
        if (label_open_ && looks_like_pattern(text)) return not_understood(line, line.at(), "a pattern of bits");
        if (looks_like_range(text)) return not_understood(line, line.at(), "a range of opcodes");
        if (looks_like_label(text))
            return not_understood(line, line.at(), "the bits of a field, as `MOD(05): \"ttm\"`,");
        if (looks_like_tally(text)) return not_understood(line, line.at(), "a count of instructions, as `[A]: 72`,");
    }

    // One short word of letters and digits in front of an arrow.
    static bool looks_like_pattern(std::string_view text) {
        const std::size_t arrow = text.find("->");
        if (arrow == std::string_view::npos || text.front() == '-') return false;
        const std::string_view word = trimmed(text.substr(0, arrow));
        return !word.empty() && word.size() <= widest_pattern && std::ranges::any_of(word, is_digit) &&
               std::ranges::all_of(word, [](char c) { return is_letter(c) || is_digit(c); });
    }

    // A long run of digits and x, and an arrow or dots.
    static bool looks_like_range(std::string_view text) {
        if (text.find("->") == std::string_view::npos && text.find("..") == std::string_view::npos) return false;
        const std::size_t run = std::min(text.find_first_not_of("01xX_ "), text.size());
        return std::ranges::count_if(text.substr(0, run), [](char c) { return c != ' '; }) >= 8;
    }

    static bool looks_like_tally(std::string_view text) {
        const std::size_t close = text.find("]:");
        return text.starts_with('[') && close != std::string_view::npos && close < 12 &&
               !trimmed(text.substr(close + 2)).empty() && is_digit(trimmed(text.substr(close + 2)).front());
    }

    // `NAME(…` with a quoted pattern behind it
    static bool looks_like_label(std::string_view text) {
        const std::size_t open = text.find('(');
        const std::size_t quote = text.find('"');
        if (open == std::string_view::npos || quote == std::string_view::npos || quote < open || quote - open > 12)
            return false;
        return open + 1 < text.size() && is_digit(text[open + 1]) && open > 0 && is_letter(text[open - 1]);
    }

    FileId file_;
    std::string_view text_;
    Diagnostics& diagnostics_;
    Notes notes_;
    unsigned depth_ = 0;            // of braces; a block is 1, what is inside of it is pseudo-code
    Index block_ = no_index;
    bool glossary_ = false;
    bool label_open_ = false;       // patterns may stand in the next lines
    bool table_open_ = false, table_may_go_on_ = false, after_table_ = false;
};

}  // namespace
}  // namespace notes

Notes read_notes(FileId file, const SourceManager& sources, Diagnostics& diagnostics) {
    return notes::Reader(file, sources, diagnostics).read();
}

bool is_description(std::string_view text) {
    std::size_t start = 0;
    while (start < text.size()) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        std::string_view line = notes::trimmed(text.substr(start, end - start));
        if (line.starts_with("isa ") || line.starts_with("isa\t")) {
            line = notes::trimmed(line.substr(4));
            const std::size_t name = std::min(line.find_first_of(" \t"), line.size());
            const std::string_view rest = notes::trimmed(line.substr(name));
            const bool named = !line.empty() && is_letter(line.front());
            if (named && (rest.empty() || rest.front() == '"' || rest.front() == '/')) return true;
        }
        start = end + 1;
    }
    return false;
}

}  // namespace isaforge
