// Changes of text that leave it looking like text of its kind: by lines and words, with pieces of shipped files, or by a
// small grammar.
#pragma once

#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>

#include "random.hpp"

namespace isaforge::fuzz {

inline std::string read_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// The shipped files with this ending, in the order of their names.
inline std::vector<std::filesystem::path> shipped(std::string_view extension) {
    std::vector<std::filesystem::path> found;
    for (const char* folder : {"isas", "examples", "tests", "docs"}) {
        const std::filesystem::path below = std::filesystem::path(ISAFORGE_SOURCE_DIR) / folder;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(below)) {
            if (entry.is_regular_file() && entry.path().extension() == extension) found.push_back(entry.path());
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

// Each line with its end.
inline std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return lines;
}

// Names and numbers whole, every other character that is no blank by itself.
inline std::vector<std::string_view> words_of(std::string_view text) {
    const auto in_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; };
    std::vector<std::string_view> words;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at + 1;
        while (in_name(text[at]) && end < text.size() && in_name(text[end])) ++end;
        if (!std::isspace(static_cast<unsigned char>(text[at]))) words.push_back(text.substr(at, end - at));
        at = end;
    }
    return words;
}

// Rules of what a text of a kind may look like. In an alternative `%x` stands for something by the rule x; deep inside, the
// first alternative of a rule is taken, which should be a short one.
class Grammar {
public:
    using Rules = std::map<char, std::vector<std::string>>;
    using Own = std::function<std::string(char, Random&)>;

    // `own` gives what a letter without a rule stands for.
    explicit Grammar(Rules rules, Own own = {}) : rules_(std::move(rules)), own_(std::move(own)) {}

    std::string make(char rule, Random& random, unsigned depth = 0) const {
        constexpr unsigned deep = 6;
        const auto found = rules_.find(rule);
        if (found == rules_.end()) return own_ ? own_(rule, random) : std::string{};
        const std::string& choice = depth > deep ? found->second[0] : random.pick(found->second);
        std::string out;
        for (std::size_t i = 0; i < choice.size(); ++i) {
            if (choice[i] == '%' && i + 1 < choice.size())
                out += make(choice[++i], random, depth + 1);
            else
                out += choice[i];
        }
        return out;
    }

private:
    Rules rules_;
    Own own_;
};

inline std::string number_text(Random& random) {
    const std::uint64_t value = random.edge();
    char text[32];
    const char* const format = random.one_in(2) ? "%llu" : "0x%llx";
    std::snprintf(text, sizeof text, format, static_cast<unsigned long long>(value));
    return (random.one_in(8) ? "-" : "") + std::string(text);
}

// Text of one kind: what of it may be put into another text.
class Pieces {
public:
    explicit Pieces(const std::vector<std::string>& texts) {
        for (const std::string& text : texts) {
            const std::vector<std::string> lines = lines_of(text);
            lines_.insert(lines_.end(), lines.begin(), lines.end());
            for (const std::string_view word : words_of(text)) words_.emplace_back(word);
        }
    }

    const std::string& line(Random& random) const { return random.pick(lines_); }
    const std::string& word(Random& random) const { return random.pick(words_); }

    // Lines from one that begins at the margin to before the next such line that does not close it: a whole declaration.
    std::string block(Random& random) const {
        const auto begins = [&](std::size_t i) {
            return lines_[i][0] != '}' && !std::isspace(static_cast<unsigned char>(lines_[i][0]));
        };
        constexpr std::size_t most = 40;
        std::size_t first = random.below(lines_.size());
        while (first > 0 && !begins(first)) --first;
        std::size_t last = first + 1;
        while (last < lines_.size() && last < first + most && !begins(last)) ++last;
        std::string out;
        for (std::size_t i = first; i < last; ++i) out += lines_[i];
        return out;
    }

private:
    std::vector<std::string> lines_, words_;
};

// A few lines, from `first` on.
inline void change_line(std::vector<std::string>& lines, std::size_t at, Random& random, const Pieces& pieces) {
    std::string& line = lines[at];
    const std::vector<std::string_view> words = words_of(line);
    if (words.empty()) {
        line = pieces.line(random);
        return;
    }
    const std::string_view word = random.pick(words);
    const std::size_t begin = static_cast<std::size_t>(word.data() - line.data()), size = word.size();
    const bool is_number = std::isdigit(static_cast<unsigned char>(word[0]));
    switch (random.below(is_number ? 8 : 6)) {
        case 0: line.erase(begin, size); break;
        case 1: line.insert(begin, pieces.word(random) + " "); break;
        case 2: change_bytes(line, begin, begin + size); break;
        case 3: {
            const std::string again = std::string(word) + " ";
            for (std::size_t i = random.below(random.one_in(8) ? 300 : 3) + 1; i > 0; --i) line.insert(begin, again);
            break;
        }
        case 4: line.replace(begin, size, random.pick(words)); break;
        case 5: line.replace(begin, size, pieces.word(random)); break;
        default: line.replace(begin, size, number_text(random));
    }
}

// One change. `make`: gives lines that might stand in the text.
template <class Make>
void change_text(std::string& text, Random& random, const Pieces& pieces, Make make) {
    std::vector<std::string> lines = lines_of(text);
    if (lines.empty()) {
        text = make(random);
        return;
    }
    const std::size_t at = random.below(lines.size());
    const auto place = lines.begin() + static_cast<long>(at);
    switch (random.below(12)) {
        case 0:
            lines.erase(place,
                        place + static_cast<long>(1 + random.below(std::min<std::size_t>(lines.size() - at, 8))));
            break;
        case 1: lines.insert(place, 1 + random.below(random.one_in(8) ? 64 : 2), std::string(lines[at])); break;
        case 2: std::swap(lines[at], random.one_in(2) ? lines.back() : lines[random.below(lines.size())]); break;
        case 3: lines.insert(place, pieces.line(random)); break;
        case 4: lines.insert(place, pieces.block(random)); break;
        case 5:
        case 6: lines.insert(place, make(random)); break;
        case 7: change_bytes(lines[at], random.below(lines[at].size()), lines[at].size()); break;
        default: change_line(lines, at, random, pieces);
    }
    text.clear();
    for (const std::string& line : lines) text += line;
    if (random.one_in(32)) text.resize(random.below(text.size() + 1));
}

}  // namespace isaforge::fuzz
