// What rows of bits have in common, whatever notation they were drawn in: the checks, and the description that they become.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isaforge/image.hpp"
#include "isaforge/notations.hpp"

namespace isaforge::notes {

inline constexpr std::size_t most_compared_rows = 8000;  // with each other; those behind are not compared

// The bits that a row fixes. `top`: where the most significant one lies; the row's own width puts the lowest at 0.
struct FixedBits {
    Image mask, value;
};
FixedBits fixed_bits(const Encoding& row, unsigned top);
// The same so that rows of different lengths can be compared.
FixedBits comparable_bits(const Encodings& encodings, const Encoding& row);
// Some word is both.
bool overlap(const FixedBits& a, const FixedBits& b);
// Whether some field has a value for each of its mnemonics.
bool tells_mnemonics_apart(const Encoding& row);

// Bits that no piece has, or two; parts of a field that do not make a whole; words and names that stand for two rows.
void check_encodings(const Encodings& encodings, std::vector<Diagnostic>& findings);

std::string draft_of_encodings(const NotedTables& notes, const std::vector<Diagnostic>& findings,
                               const SourceManager& sources, std::string_view name);

}  // namespace isaforge::notes
