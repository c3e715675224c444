// Statements as the printed reader sees them (codec/printed_reader.hpp): what it takes, the reader that takes step by step has to read to
// the same, and what it refuses, that one has to refuse.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/expression.hpp"
#include "assembler/no_sections.hpp"
#include "codec/reader.hpp"
#include "support/splitmix.hpp"

namespace isaforge::test {

struct PrintedStatements {
    unsigned statements = 0;
    unsigned good = 0;   // are instructions
    unsigned taken = 0, refused = 0;
    std::string wrong;   // the first that is seen as something else
};

// A number like this one: as long, longer or shorter, and often at an edge.
inline std::string other_number(const std::string& number, SplitMix64& random) {
    constexpr std::string_view edges[] = {"0123456789", "12346789", "00112345678",
                                          "10141516171819222324252627282930313233636465666870"};
    const std::string_view& edge = edges[random.next() % std::size(edges)];
    const auto digits = [&](std::string text) {
        for (char& c : text) c = edge[random.next() % edge.size()];
        return text;
    };
    switch (random.next() % 8) {
        case 0: return number;
        case 1: return number + std::string(1, static_cast<char>('0' + random.next() % 10));
        case 2: return number.size() == 1 ? "0" : number.substr(0, number.size() - 1);
        case 3: return std::to_string((std::uint64_t{1} << random.next() % 34) - random.next() % 2);
        case 4: return std::to_string(random.next() % 260);
        case 5: return digits(std::string(1 + random.next() % 3, '0'));
        default: return digits(number);
    }
}

// The statement with the numbers in its operands changed.
inline std::string with_other_numbers(const std::string& text, SplitMix64& random) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    const std::size_t operands = std::min(text.find(' '), text.size());
    std::string out = text.substr(0, operands);
    std::string before, made_before;  // the number that stands before a colon
    for (std::size_t i = operands; i < text.size();) {
        if (!is_digit(text[i])) {
            out += text[i++];
            continue;
        }
        const bool is_hexadecimal = text[i] == '0' && i + 1 < text.size() && text[i + 1] == 'x';
        if (is_hexadecimal) i += 2;
        const std::size_t begin = i;
        while (i < text.size() && (is_digit(text[i]) || (is_hexadecimal && text[i] >= 'a' && text[i] <= 'f'))) ++i;
        const std::string number = text.substr(begin, i - begin);
        std::string made = number;
        if (is_hexadecimal) {
            out += "0x";
            const bool is_any = random.next() % 4 == 0;
            for (char& c : made) c = "0123456789abcdef"[random.next() % (is_any ? 16 : 10)];
        } else {
            made = other_number(number, random);
            // A pair of registers, as another pair.
            const bool is_end = begin != 0 && text[begin - 1] == ':' && !before.empty() && before.size() < 6;
            if (is_end && made_before.size() < 6 && random.next() % 4 != 0)
                made = std::to_string(std::stol(made_before) + std::stol(number.substr(0, 6)) - std::stol(before));
        }
        before = is_hexadecimal ? "" : number;
        made_before = made;
        out += made;
    }
    return out;
}

// Reads with the assembler's expressions, in which no symbol is known.
class EveryReader {
public:
    explicit EveryReader(const Codec& codec) : codec_(codec) {
        expressions_.registers = &codec;
        expressions_.stable_text = false;
        expressions_.syntax.use(codec.isa().surface);
    }
    bool read(const char*& cursor, const char* end, Encoded& out) {
        expressions_.clear_operands();
        expressions_.forget_nodes(0);
        looks_.clear();
        codec::Reader reader(codec_.isa(), codec_.tables_so_far(), expressions_, cursor, end, 0, false);
        reader.tell(looks_);  // then it takes no step together with others
        return reader.statement(cursor, out);
    }

private:
    std::vector<codec::Look> looks_;
    const Codec& codec_;
    assembler::SymbolTable symbols_;
    assembler::NoSections sections_;
    assembler::Expressions expressions_{symbols_, sections_};
};

// What stands behind a statement: nothing, another one, which is none of it, or what its last word goes on with.
constexpr std::string_view behind_statements[] = {"", "\n    another 1, 2 and so on, word for word\n",
                                                  "3456[7:8], v1, words_that_go_on_and_on"};

inline void read_printed(const Codec& codec, EveryReader& every, std::string_view text, PrintedStatements& out) {
    using Seen = codec::PrintedReader::Seen;
    const bool line_ends = codec.isa().surface.statement_end.empty();
    ++out.statements;
    for (const std::string_view behind : behind_statements) {
        const std::string all = std::string(text) + std::string(behind);
        const char *const begin = all.data(), *const end = begin + all.size();
        const char *p = begin, *other = begin;
        Encoded got, wanted;
        const bool good = every.read(other, line_ends ? scan_line(begin, end) : end, wanted);
        const Seen seen = codec::PrintedReader(codec.isa(), codec.tables_so_far(), end).statement(p, got);
        if (behind.empty()) {
            out.good += good;
            out.taken += seen == Seen::taken;
            out.refused += seen == Seen::refused;
        }
        const bool same = p == other && got.form == wanted.form && got.bits == wanted.bits &&
                          got.image.words == wanted.image.words && wanted.deferred_count == 0;
        const bool is_right = seen == Seen::taken ? good && same : seen == Seen::unclear || !good;
        if (!is_right && out.wrong.empty()) out.wrong = all;
    }
}

// Each of the statements several times, with other numbers.
inline PrintedStatements read_printed_statements(const Codec& codec, const std::vector<std::string>& statements,
                                                 std::uint64_t seed, unsigned times) {
    PrintedStatements out;
    SplitMix64 random(seed);
    EveryReader every(codec);
    const std::string& mark = codec.isa().surface.statement_end;
    for (unsigned i = 0; i < times; ++i) {
        for (const std::string& statement : statements)
            read_printed(codec, every, (i == 0 ? statement : with_other_numbers(statement, random)) + mark, out);
    }
    return out;
}

}  // namespace isaforge::test
