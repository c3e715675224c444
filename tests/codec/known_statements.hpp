// Statements that differ in their numbers only, read by programs (codec/programs.hpp) and by the reader: what the former read must
// be what the latter does.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/plain_statements.hpp"
#include "support/splitmix.hpp"

namespace isaforge::test {

struct KnownStatements {
    unsigned statements = 0;
    unsigned good = 0;   // are instructions
    unsigned known = 0;  // were read by a program
    std::string wrong;   // the first that was read to something else
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

// Each of the statements several times, with other numbers.
inline KnownStatements read_known_statements(const Codec& codec, const std::vector<std::string>& statements,
                                             std::uint64_t seed, unsigned times) {
    KnownStatements out;
    SplitMix64 random(seed);
    const std::string& mark = codec.isa().surface.statement_end;
    std::string source;
    for (unsigned i = 0; i < times; ++i) {
        for (const std::string& statement : statements)
            source += (i < 3 ? statement : with_other_numbers(statement, random)) + mark + "\n";
    }
    source.append(256, '\n');
    assembler::PlainStatements programs(codec), plain(codec, false), reader(codec);
    const char* p = source.data();
    const char* const end = p + source.size();
    const auto is_end = [&](const char* at, const char* line_end) {
        while (at != line_end && (*at == ' ' || *at == '\t')) ++at;
        return std::string_view(at, static_cast<std::size_t>(line_end - at)) == mark;
    };
    while (p != end && *p != '\n') {
        const char* const line_end = std::find(p, end, '\n');
        Encoded wanted, got;
        const char *wanted_end = p, *got_end = p;
        const bool good = reader.read(wanted_end, line_end, wanted) && is_end(wanted_end, line_end);
        if (!good && random.next() % 4 != 0) {  // most are none
            p = line_end + 1;
            continue;
        }
        const bool known = programs.known(got_end, end, got);
        Encoded plainly;
        const char* plain_end = p;
        const bool same_plainly = plain.known(plain_end, end, plainly) == known && plain_end == got_end &&
                                  (!known || (plainly.form == got.form && plainly.image.words == got.image.words));
        ++out.statements;
        out.good += good;
        out.known += known;
        const bool same =
            !known || (good && got_end == wanted_end && got.form == wanted.form && got.bits == wanted.bits &&
                       got.image.words == wanted.image.words && got.deferred_count == 0);
        if (!(same && same_plainly) && out.wrong.empty()) out.wrong.assign(p, line_end);
        got_end = p;
        plain_end = p;
        if (!known && good) programs.read(got_end, line_end, got);
        if (!known && good) plain.read(plain_end, line_end, got);
        p = line_end + 1;
    }
    return out;
}

}  // namespace isaforge::test
