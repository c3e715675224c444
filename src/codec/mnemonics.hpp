// Which words begin statements, and what each of them may be. Found out from all forms of a model; models that are packed have
// it with them, so that who reads a line looks at the forms of its word alone.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "isaforge/isa.hpp"
#include "support/text_scan.hpp"

namespace isaforge::codec {

// 1: part of a word, 2: a dot, 0: another character.
inline std::uint8_t letter_kind(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? 1 : c == '.' ? 2 : 0;
}
inline char folded(const Surface& surface, char c) {
    return surface.case_insensitive ? static_cast<char>(std::tolower(static_cast<unsigned char>(c))) : c;
}

// Of a word, in small letters where case does not matter. Sixteen characters at a time, with zeros behind the last.
class WordHash {
public:
    void add(std::uint64_t first, std::uint64_t second) {
        hash_ = (hash_ ^ first) * 0x9e3779b97f4a7c15u + second * 0xd6e8feb86659fd93u;
        hash_ ^= hash_ >> 29;
    }
    std::uint32_t value() const { return static_cast<std::uint32_t>(hash_ >> 16); }

    static constexpr std::size_t step = 2 * sizeof(std::uint64_t);

private:
    std::uint64_t hash_ = 0;
};

// `folds`: case does not matter.
inline std::uint32_t hash_of(std::string_view word, bool folds) {
    WordHash hash;
    for (std::size_t at = 0; at < word.size(); at += WordHash::step) {
        std::uint64_t parts[2] = {};
        std::memcpy(parts, word.data() + at, std::min(WordHash::step, word.size() - at));
        if (folds) parts[0] = small_letters(parts[0]), parts[1] = small_letters(parts[1]);
        hash.add(parts[0], parts[1]);
    }
    return hash.value();
}

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
