// Kernel descriptors: the 64 bytes that tell how a kernel is started, and the `.amdhsa_` directives that describe them.
// AMDGPUUsage, "Kernel Descriptor" and "AMDHSA Kernel Assembler Directives".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codeobject/target.hpp"

namespace isaforge::codeobject {

inline constexpr std::size_t descriptor_size = 64;
inline constexpr std::size_t descriptor_entry = 16;  // where the distance to the code stands

using Descriptor = std::array<std::uint8_t, descriptor_size>;

// A descriptor that is made from directives. What is wrong comes back as text, empty where nothing is.
class DescriptorBuilder {
public:
    explicit DescriptorBuilder(const Target& target);

    static bool knows(std::string_view directive);
    static std::vector<std::string_view> directives();

    // `name` with its dot. `in_value`: whether the value is what is wrong.
    std::string set(std::string_view name, std::int64_t value, bool& in_value);
    // After the last directive. `about`: the directive whose value is wrong, empty where it is none.
    std::string finish(std::string_view& about);

    // The entry is left to a linker.
    const Descriptor& bytes() const { return bytes_; }

private:
    std::optional<unsigned> scalar_blocks(std::string& wrong) const;
    void put(unsigned offset, unsigned bit, unsigned width, std::uint64_t value);

    Target target_;
    Descriptor bytes_{};
    std::set<std::string_view> seen_;
    unsigned implied_user_sgprs_ = 0;
    std::optional<std::int64_t> user_sgprs_, vgprs_, sgprs_;
    bool reserve_vcc_ = true, reserve_flat_scratch_ = true;
};

// The directives that make exactly these bytes, each in a line, but for the entry; nothing where there are none.
std::optional<std::string> descriptor_text(std::span<const std::uint8_t> bytes, const Target& target);

}  // namespace isaforge::codeobject
