#include "codeobject/relocations.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::string_view texts[] = {"",          "@rel32@lo", "@rel32@hi", "@gotpcrel32@lo", "@gotpcrel32@hi",
                                      "@abs32@lo", "@abs32@hi", "@rel64",    "@gotpcrel"};

struct Known {
    std::uint8_t type;
    Modifier modifier;
    std::uint8_t bits;
    bool in_instruction, in_data;
    bool relative = false;  // written as a difference in data; a literal that is a mere symbol is relative by itself
    bool branch = false;
};

constexpr bool yes = true, no = false;
constexpr Known all[] = {
    {1, abs32_lo, 32, yes, yes},         // R_AMDGPU_ABS32_LO
    {2, abs32_hi, 32, yes, yes},         // R_AMDGPU_ABS32_HI
    {3, no_modifier, 64, no, yes},       // R_AMDGPU_ABS64
    {4, no_modifier, 32, yes, yes, yes}, // R_AMDGPU_REL32
    {5, no_modifier, 64, no, yes, yes},  // R_AMDGPU_REL64
    {5, rel64, 64, no, yes},
    {6, no_modifier, 32, no, yes},       // R_AMDGPU_ABS32
    {7, gotpcrel, 32, yes, yes},         // R_AMDGPU_GOTPCREL
    {8, gotpcrel32_lo, 32, yes, yes},    // R_AMDGPU_GOTPCREL32_LO
    {9, gotpcrel32_hi, 32, yes, yes},    // R_AMDGPU_GOTPCREL32_HI
    {10, rel32_lo, 32, yes, yes},        // R_AMDGPU_REL32_LO
    {11, rel32_hi, 32, yes, yes},        // R_AMDGPU_REL32_HI
    {14, no_modifier, 16, yes, no, no, yes},  // R_AMDGPU_REL16
};

LinkedNumber number_of(const Known& known) {
    return {known.type, texts[known.modifier], known.bits, known.relative, known.branch, known.in_instruction};
}

}  // namespace

std::span<const std::string_view> modifier_texts() { return texts; }

std::optional<LinkedNumber> find_relocation(unsigned modifier, unsigned bits, bool in_instruction, bool relative,
                                            bool branch) {
    for (const Known& known : all) {
        if (known.modifier != modifier || known.bits != bits || known.branch != branch) continue;
        if (in_instruction ? known.in_instruction : known.in_data && known.relative == relative)
            return number_of(known);
    }
    return std::nullopt;
}

std::optional<LinkedNumber> find_relocation(std::uint32_t type) {
    for (const Known& known : all) {
        if (known.type == type) return number_of(known);
    }
    return std::nullopt;
}

}  // namespace isaforge::codeobject
