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

// The statement with the numbers in its operands changed: as long as they are, and often at an edge.
inline std::string with_other_numbers(std::string text, SplitMix64& random) {
    constexpr std::string_view edges[] = {"0123456789", "12346789", "00112345678",
                                          "10141516171819222324252627282930313233636465666870"};
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    for (std::size_t i = std::min(text.find(' '), text.size()); i < text.size(); ++i) {
        if (!is_digit(text[i])) continue;
        const bool hexadecimal = text[i] == '0' && i + 1 < text.size() && text[i + 1] == 'x';
        if (hexadecimal) ++i;
        std::size_t end = i + 1;
        while (end < text.size() && (is_digit(text[end]) || (hexadecimal && text[end] >= 'a' && text[end] <= 'f')))
            ++end;
        const std::size_t begin = hexadecimal ? i + 1 : i;
        const std::uint64_t choice = random.next() % 8;
        const std::string_view& edge = edges[random.next() % std::size(edges)];
        for (std::size_t at = begin; at < end && choice >= 2; ++at)
            text[at] =
                choice == 2 && hexadecimal ? "0123456789abcdef"[random.next() % 16] : edge[random.next() % edge.size()];
        // A pair of registers, as another pair.
        if (choice == 3 && end < text.size() && text[end] == ':' && end + 1 < text.size() &&
            text[end + 1] == text[begin])
            text[end + 1] = text[begin];
        i = end - 1;
    }
    return text;
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
            source += (i < 2 ? statement : with_other_numbers(statement, random)) + mark + "\n";
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
