// Which words begin statements, and what each of them may be. Found out from all forms of a model; models that are packed have
// it with them, so that who reads a line looks at the forms of its word alone.
#pragma once

#include <cctype>
#include <string>

#include "isaforge/isa.hpp"

namespace isaforge::codec {

// 1: part of a word, 2: a dot, 0: another character.
inline std::uint8_t letter_kind(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? 1 : c == '.' ? 2 : 0;
}
inline char folded(const Surface& surface, char c) {
    return surface.case_insensitive ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
}

inline constexpr std::uint32_t hash_begin = 2166136261u;
inline std::uint32_t hash_on(std::uint32_t hash, char c) { return (hash ^ static_cast<unsigned char>(c)) * 16777619u; }

// A text up to the operands.
struct TextBegin {
    MnemonicIndex::Head head;
    std::string glued;            // the part of the word behind the name, folded
    bool has_name = false;        // it has a mnemonic …
    std::size_t name_at = 0;      // … which is this one of the text's elements
    std::size_t operands_at = 0;  // what stands behind that, or all
};
TextBegin text_begin(const Isa& isa, const Form& form, const TextTemplate& text);

// `relax`: with the names for those who may be given a longer form, behind all others.
MnemonicIndex index_mnemonics(const Isa& isa, bool relax = false);
// The model with what is found out from all of its forms, as it is packed.
Isa with_indexes(Isa isa);

}  // namespace isaforge::codec
