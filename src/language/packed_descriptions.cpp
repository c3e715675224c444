// Puts the packed descriptions into the library; the build says where the file is.
#include "language/builtin.hpp"

__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".hidden packed_descriptions_begin\n"
    ".hidden packed_descriptions_end\n"
    ".globl packed_descriptions_begin\n"
    ".globl packed_descriptions_end\n"
    "packed_descriptions_begin:\n"
    ".incbin \"" ISAFORGE_PACKED_DESCRIPTIONS
    "\"\n"
    "packed_descriptions_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char packed_descriptions_begin[];
extern const char packed_descriptions_end[];
}

namespace isaforge::language {

std::string_view packed_descriptions() {
    return {packed_descriptions_begin, static_cast<std::size_t>(packed_descriptions_end - packed_descriptions_begin)};
}

}  // namespace isaforge::language
