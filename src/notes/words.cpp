#include "notes/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "notes/scanner.hpp"

namespace isaforge::notes {

namespace {

// Bits high to low of a value.
struct Slice {
    unsigned high, low;
    unsigned width() const { return high - low + 1; }
};

// `imm[4:1|11]`: empty where there are none, or what stands in the brackets is anything else.
std::vector<Slice> slices_of(std::string_view text) {
    const std::size_t bracket = text.find('[');
    if (bracket == std::string_view::npos || !text.ends_with(']')) return {};
    std::string_view rest = text.substr(bracket + 1, text.size() - bracket - 2);
    std::vector<Slice> out;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of("|,"), rest.size());
        const std::string_view slice = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        const std::size_t colon = slice.find(':');
        const auto first = number_of(slice.substr(0, colon));
        const auto last = colon == std::string_view::npos ? first : number_of(slice.substr(colon + 1));
        if (!first || !last || *first < *last || *first > 255) return {};
        out.push_back({static_cast<unsigned>(*first), static_cast<unsigned>(*last)});
    }
    return out;
}

}  // namespace

std::optional<std::uint64_t> number_of(std::string_view text) {
    text = trimmed(text);
    int base = 10;
    if (text.size() > 2 && text[0] == '0' && (lower(text[1]) == 'x' || lower(text[1]) == 'b')) {
        base = lower(text[1]) == 'x' ? 16 : 2;
        text.remove_prefix(2);
    } else if (text.size() > 1 && lower(text.back()) == 'h' && is_digit(text.front())) {
        base = 16;
        text.remove_suffix(1);
    }
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

bool is_register_name(std::string_view name) {
    return name.size() >= 2 && name.size() <= 3 && lower(name.front()) == 'r' &&
           std::ranges::all_of(name, [](char c) { return is_letter(c) || is_digit(c); });
}

std::vector<std::string> words_of(std::string_view text, std::string_view more) {
    std::vector<std::string> out;
    bool inside = false;
    for (const char c : text) {
        const bool part = is_name_character(c) || more.find(c) != std::string_view::npos;
        if (part && !inside) out.emplace_back();
        if (part) out.back() += c;
        inside = part;
    }
    return out;
}

Diagnostic finding(Severity severity, Place where, std::string message) {
    return {severity, where, std::move(message), {}, {}};
}

std::string listed(const std::vector<std::string>& words) {
    std::string out;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
        out += words[i];
    }
    return out;
}

std::vector<Mnemonic> mnemonics_in(std::string_view text, Place where, std::vector<Diagnostic>& findings) {
    struct Word {
        std::string text;
        bool behind_comma;
    };
    std::vector<Word> words;
    bool comma = false, blank = false;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == ',' || c == '/' || c == ';' || c == '|') {
            comma = true;
            ++i;
        } else if (!is_name_character(c)) {
            ++i;
        } else {
            std::size_t end = i;
            while (end < text.size() && is_name_character(text[end])) ++end;
            if (!words.empty() && !comma) blank = true;
            words.push_back({std::string(text.substr(i, end - i)), comma && !words.empty()});
            comma = false;
            i = end;
        }
    }
    std::vector<Mnemonic> out;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string name = words[i].text;
        // `load load_d load i`: the last two are one, which has lost a `_`.
        if (seen.contains(name) && i + 1 < words.size() && !words[i + 1].behind_comma &&
            words[i + 1].text.size() <= 2) {
            const std::string whole = name + "_" + words[i + 1].text;
            findings.push_back(finding(Severity::warning, where,
                                       fmt::format("open question: `{} {}` is read as `{}`: `{}` stands here twice",
                                                   name, words[i + 1].text, whole, name)));
            name = whole;
            ++i;
        }
        if (!seen.insert(name).second) {
            findings.push_back(finding(Severity::error, where, fmt::format("the mnemonic {} stands here twice", name)));
            continue;
        }
        if (words[i].behind_comma && blank && !out.empty()) {
            out.back().names.push_back(name);
        } else {
            out.push_back({{name}, where});
        }
    }
    return out;
}

std::vector<Piece> field_pieces(std::string_view text, unsigned high, unsigned low, Place where,
                                std::vector<Diagnostic>& findings) {
    const std::size_t bracket = text.find('[');
    Piece whole{.high = high, .low = low, .name = std::string(trimmed(text.substr(0, bracket))), .where = where};
    const std::vector<Slice> slices = slices_of(text);
    if (slices.empty()) {
        if (bracket != std::string_view::npos) {
            findings.push_back(
                finding(Severity::warning, where,
                        fmt::format("open question: which bits of {} are meant by `{}`", whole.name, text)));
        }
        return {whole};
    }
    unsigned total = 0;
    for (const Slice& slice : slices) total += slice.width();
    if (total != whole.width()) {
        findings.push_back(
            finding(Severity::error, where,
                    fmt::format("`{}` {} {} bit{}, and its place has {}", text, total == 1 ? "is" : "are", total,
                                total == 1 ? "" : "s", whole.width())));
        return {whole};
    }
    std::vector<Piece> out;
    unsigned top = high + 1;
    for (const Slice& slice : slices) {
        Piece piece = whole;
        piece.high = top - 1;
        piece.low = top = top - slice.width();
        piece.from = slice.low;
        out.push_back(piece);
    }
    return out;
}

}  // namespace isaforge::notes
