// Puts the packed descriptions into the program; the build says where the file is.
#include "language/builtin.hpp"

__asm__(
    ".section .rodata.packed_descriptions,\"\",@\n"
    ".globl packed_descriptions_begin\n"
    ".type packed_descriptions_begin,@object\n"
    "packed_descriptions_begin:\n"
    ".incbin \"" ISAFORGE_PACKED_DESCRIPTIONS
    "\"\n"
    ".Lpacked_descriptions_end:\n"
    ".size packed_descriptions_begin, .Lpacked_descriptions_end-packed_descriptions_begin\n"
    ".globl packed_descriptions_size\n"
    ".type packed_descriptions_size,@object\n"
    "packed_descriptions_size:\n"
    ".int32 .Lpacked_descriptions_end-packed_descriptions_begin\n"
    ".size packed_descriptions_size, 4\n");

extern "C" {
extern const char packed_descriptions_begin[];
extern const unsigned packed_descriptions_size;
}

namespace isaforge::language {

std::string_view packed_descriptions() { return {packed_descriptions_begin, packed_descriptions_size}; }

}  // namespace isaforge::language
