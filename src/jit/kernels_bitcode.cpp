// Puts the bitcode into the plug-in; the build says where the file is.
#include "jit/kernels_bitcode.hpp"

__asm__(
    ".section .rodata\n"
    ".balign 16\n"
    ".hidden kernels_bitcode_begin\n"
    ".hidden kernels_bitcode_end\n"
    ".globl kernels_bitcode_begin\n"
    ".globl kernels_bitcode_end\n"
    "kernels_bitcode_begin:\n"
    ".incbin \"" ISAFORGE_KERNELS_BITCODE
    "\"\n"
    "kernels_bitcode_end:\n"
    ".byte 0\n"
    ".previous\n");
