// Lines with a digit or a letter for each bit, as manuals of byte machines have them: `ADD r, m   00000001 11 rrr mmm`. What
// stands before the bits, or behind them, is the instruction; letters that repeat are a field.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "notes/lines.hpp"
#include "notes/pictures.hpp"
#include "notes/scanner.hpp"
#include "notes/words.hpp"

namespace isaforge::notes {

namespace {

constexpr std::string_view separators = " \t\r\f\v:|";
constexpr unsigned widest = 192;

bool has_digit(std::string_view text) { return text.find_first_of("01") != std::string_view::npos; }

// `00000001`, `000w`, `rrr`, `--`: without a digit all of one letter.
bool is_group(std::string_view text) {
    const bool plain =
        std::ranges::all_of(text, [](char c) { return c == '0' || c == '1' || c == '-' || c == '_' || is_letter(c); });
    if (!plain || text.size() > widest) return false;
    return has_digit(text) || text.find_first_not_of(text.front()) == std::string_view::npos;
}

unsigned bits_in(std::string_view group) {
    return static_cast<unsigned>(group.size() - static_cast<std::size_t>(std::ranges::count(group, '_')));
}

struct PatternLine {
    std::vector<TextPart> groups;
    TextPart words;  // the instruction
};

// The run of groups at one end of the line: whole bytes if that can be, and else as long as it can be.
std::optional<PatternLine> pattern_in(const TextPart& line) {
    const std::vector<TextPart> parts = parts_of(line, separators);
    const auto words = [&](std::size_t first, std::size_t last) {
        const std::size_t begin = parts[first].offset, end = parts[last].offset + parts[last].text.size();
        return TextPart{line.text.substr(begin - line.offset, end - begin), begin};
    };
    std::optional<PatternLine> longest;
    const auto consider = [&](std::size_t first, std::size_t count, TextPart name) {
        unsigned bits = 0;
        for (std::size_t i = first; i < first + count; ++i) bits += bits_in(parts[i].text);
        if (bits < 4 || bits > widest || !is_letter(name.text.front())) return false;
        PatternLine found{{parts.begin() + static_cast<std::ptrdiff_t>(first),
                           parts.begin() + static_cast<std::ptrdiff_t>(first + count)},
                          name};
        if (!longest) longest = found;
        if (bits % 8 != 0) return false;
        longest = std::move(found);
        return true;
    };
    std::size_t first = parts.size();
    while (first > 1 && is_group(parts[first - 1].text)) --first;
    for (std::size_t i = first; i < parts.size(); ++i) {
        if (has_digit(parts[i].text) && consider(i, parts.size() - i, words(0, i - 1))) return longest;
    }
    if (longest) return longest;
    std::size_t end = 0;
    while (end + 1 < parts.size() && is_group(parts[end].text)) ++end;
    for (std::size_t i = end; i > 0 && has_digit(parts[0].text); --i) {
        if (consider(0, i, words(i, parts.size() - 1))) return longest;
    }
    return longest;
}

unsigned bits_of(const PatternLine& line) {
    unsigned bits = 0;
    for (const TextPart& group : line.groups) bits += bits_in(group.text);
    return bits;
}

}  // namespace

bool has_bit_patterns(std::string_view text) {
    std::size_t count = 0;
    for (const TextPart& line : lines_of(text)) {
        const auto found = pattern_in(line);
        if (found && bits_of(*found) % 8 == 0 && ++count == 2) return true;
    }
    return false;
}

void read_bit_patterns(std::string_view text, NotedTables& notes) {
    std::vector<PatternLine> found;
    std::map<unsigned, unsigned> widths;
    for (const TextPart& line : lines_of(text)) {
        if (auto pattern = pattern_in(line)) {
            ++widths[bits_of(*pattern)];
            found.push_back(std::move(*pattern));
        }
    }
    for (const PatternLine& line : found) {
        const unsigned width = bits_of(line);
        const Place whole{notes.file, static_cast<std::uint32_t>(line.groups.front().offset),
                          static_cast<std::uint32_t>(line.groups.back().offset + line.groups.back().text.size() -
                                                     line.groups.front().offset)};
        const bool odd_one = widths.size() == 2 && widths[width] == 1 && found.size() >= 4;
        if (width % 8 != 0 || odd_one) {
            notes.findings.push_back(finding(
                Severity::error, whole,
                odd_one ? fmt::format("this has {} bits, all others {}", width,
                                      widths.begin()->first == width ? widths.rbegin()->first : widths.begin()->first)
                        : fmt::format("this has {} bits, which are no whole bytes", width)));
        }
        const std::size_t space = std::min(line.words.text.find_first_of(" \t"), line.words.text.size());
        Encoding row{.mnemonics = {{{std::string(line.words.text.substr(0, space))}, line.words.in(notes.file)}},
                     .title = std::string(line.words.text),
                     .width = width,
                     .where = line.words.in(notes.file)};
        if (space == line.words.text.size()) row.title.clear();
        unsigned at = width;
        for (const TextPart& group : line.groups) {
            for (std::size_t i = 0; i < group.text.size();) {
                const char c = group.text[i];
                if (c == '_') {
                    ++i;
                    continue;
                }
                const bool fixed = c == '0' || c == '1';
                std::size_t end = i + 1;
                while (end < group.text.size() &&
                       (fixed ? group.text[end] == '0' || group.text[end] == '1' : group.text[end] == c))
                    ++end;
                Piece piece{.high = at - 1, .low = at - static_cast<unsigned>(end - i)};
                piece.where = TextPart{group.text.substr(i, end - i), group.offset + i}.in(notes.file);
                if (fixed)
                    piece.kind = Piece::Kind::fixed;
                else if (c == '-' || c == 'x' || c == 'X')
                    piece.kind = Piece::Kind::ignored;
                if (fixed)
                    piece.bits = std::string(group.text.substr(i, end - i));
                else
                    piece.name = std::string(1, c);
                at = piece.low;
                row.pieces.push_back(std::move(piece));
                i = end;
            }
        }
        notes.encodings.rows.push_back(std::move(row));
    }
}

}  // namespace isaforge::notes
