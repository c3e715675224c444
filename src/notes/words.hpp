// What names and numbers in notes look like, for all notations.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/notations.hpp"

namespace isaforge::notes {

// A number in decimal, or behind 0x, 0b or in `12h`; nothing where the text is anything else, or has more than 64 bits.
std::optional<std::uint64_t> number_of(std::string_view text);

// Whether a field is a register, by the convention of notes: R and at most two more letters or digits.
bool is_register_name(std::string_view name);

// Words of a text, by anything that is no letter, digit, `_`, `.` or one of `more`.
std::vector<std::string> words_of(std::string_view text, std::string_view more = {});

// The mnemonics that stand in one cell. A comma between two is another name of the first, where blanks separate others.
std::vector<Mnemonic> mnemonics_in(std::string_view text, Place where, std::vector<Diagnostic>& findings);

// A field as cells have it, at bits high to low: `rd`, `imm[11:5]`, `imm[4:1|11]`. That a part has another width than its
// place is a finding.
std::vector<Piece> field_pieces(std::string_view text, unsigned high, unsigned low, Place where,
                                std::vector<Diagnostic>& findings);

// `a, b and c`
std::string listed(const std::vector<std::string>& words);

Diagnostic finding(Severity severity, Place where, std::string message);

}  // namespace isaforge::notes
