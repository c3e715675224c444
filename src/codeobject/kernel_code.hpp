// The header of 256 bytes before a kernel's code in version 2 of the format, and in Mesa's: `amd_kernel_code_t`.
// AMDGPUUsage, "AMD Kernel Code Object V2 Header", and LLVM's AMDKernelCodeT.h.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "codeobject/target.hpp"

namespace isaforge::codeobject {

inline constexpr std::size_t kernel_code_size = 256;
using KernelCode = std::array<std::uint8_t, kernel_code_size>;

KernelCode usual_kernel_code(const Target& target);
// What is wrong comes back as text, empty where nothing is. `in_value`: whether it is the value.
std::string set_kernel_code(KernelCode& code, std::string_view name, std::int64_t value, bool& in_value);
// One line for each field, as in a source; nothing where that does not make exactly these bytes.
std::optional<std::string> kernel_code_text(std::span<const std::uint8_t> bytes, const Target& target);

}  // namespace isaforge::codeobject
