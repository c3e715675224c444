#!/usr/bin/env python3
"""What `isaforge run --check` finds: kernels and programs with exactly one defect each, of which the report has to name the
kind and the line, and others without any, in which it must find nothing.

    kernels.py ISAFORGE [--every]

Those without a defect are all compiled with -O2 for one processor, and in one more of three ways each; --every: in all.
"""
import argparse
import collections
import pathlib
import re
import resource
import subprocess
import sys
import tempfile

PRELUDE = """#define L __builtin_amdgcn_workitem_id_x()
#define G __builtin_amdgcn_workgroup_id_x()
#define I (G * 256 + L)
#define meet() do { __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup"); __builtin_amdgcn_s_barrier(); \\
                    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup"); } while (0)
typedef unsigned uint;
typedef unsigned char uchar;
"""
DATA, OUT, LDS = "in:data", "out:4096:result", "lds:2048"
PLAIN = "__kernel void k(__global int *in, __global int *out)"
SHARED = "__kernel void k(__global int *in, __global int *out, __local int *tmp)"

# Name, source, arguments, what the report says; one defect each. `// here` marks the line that it names.
DEFECTS = [
    ("read behind", PLAIN + """ {
    out[I] = in[I + 1];                                         // here
}""", [DATA, OUT], r"bounds: reads 4 bytes at \w+ of `mem`, right behind `the buffer of in` of 4096 bytes"),
    ("write behind", PLAIN + """ {
    out[I + 1] = in[I];                                         // here
}""", [DATA, OUT], r"bounds: writes 4 bytes .* right behind `the buffer of out`"),
    ("read before", PLAIN + """ {
    out[I] = in[(int)I - 1];                                    // here
}""", [DATA, OUT], r"bounds: reads 4 bytes .* bytes? before `the buffer of in`"),
    ("far behind", PLAIN + """ {
    out[I] = in[I + (I == 77 ? 1100 : 0)];                      // here
}""", [DATA, OUT], r"bounds: reads .*, 612 bytes behind `the buffer of in` of 4096 bytes"),
    ("no pointer", PLAIN + """ {
    out[I] = I == 3 ? *(__global int *)64 : in[I];              // here
}""", [DATA, OUT], r"bounds: reads 4 bytes at 0x40"),
    ("one row too many", PLAIN + """ {
    int sum = 0;
    for (int row = 0; row <= 4; ++row)
        sum += in[row * 256 + L];                               // here
    if (G == 0) out[L] = sum;
}""", [DATA, OUT], r"bounds: reads 4 bytes"),
    ("a result is read", PLAIN + """ {
    if (out[I] == 1)                                            // here
        out[I] = in[I];
}""", [DATA, OUT], r"uninitialised: (which way it goes|in which lanes it acts) depends on"),
    ("an index out of nothing", PLAIN + """ {
    int at = out[I];
    out[I] = in[at & 1023];                                     // here
}""", [DATA, OUT], r"uninitialised: the address it accesses depends on v"),
    ("shared memory at first", SHARED + """ {
    if (G == 0) out[L] = tmp[L];                                // here
}""", [DATA, OUT, LDS], r"uninitialised: writes 4 bytes at \w+ of `mem` with what nobody has written"),
    ("half of shared memory", SHARED + """ {
    if (L % 2 == 0) tmp[L] = in[I];
    meet();
    out[I] = tmp[L ^ 1] > 5 ? 7 : 4;                            // here
}""", [DATA, OUT, LDS], r"uninitialised: writes 4 bytes at \w+ of `mem` with what nobody has written"),
    ("a loop to nowhere", SHARED + """ {
    int sum = 0;
    for (int i = 0; i < (tmp[0] & 15); ++i)                     // here
        sum += in[i];
    out[I] = sum;
}""", [DATA, OUT, LDS], r"uninitialised: (which way it goes|in which lanes it acts) depends on"),
    ("an array of nothing", PLAIN + """ {
    int own[8];
    for (int i = 0; i < 7; ++i) own[i] = in[i];
    out[I] = own[in[I] < 0 ? 7 : 7];                            // here
}""", [DATA, OUT], r"uninitialised: writes 4 bytes", "-O0"),
    ("behind a private array", PLAIN + """ {
    volatile int own[8];
    for (int i = 0; i < 8; ++i) own[i] = in[i];
    own[20 + (in[I] == -3)] = 5;                                // here
    out[I] = own[in[I] & 7];
}""", [DATA, OUT], r"bounds: writes 4 bytes at \w+ of `mem`, outside of the private memory of its wavefront, which has 48 bytes"),
    ("before a private array", PLAIN + """ {
    volatile int own[8];
    for (int i = 0; i < 8; ++i) own[i] = in[i];
    out[I] = own[(in[I] & 7) - 300];                            // here
}""", [DATA, OUT], r"bounds: reads 4 bytes at \w+ of `mem`, \d+ bytes behind `private memory` of"),
    ("no barrier", SHARED + """ {
    tmp[L] = in[I];
    out[I] = tmp[255 - L];                                      // here
}""", [DATA, OUT, LDS], r"(races: reads 4 bytes at \w+ of `lds`|uninitialised: writes)"),
    ("no barrier at the end of a loop", SHARED + """ {
    int sum = 0;
    for (int i = 0; i < 4; ++i) {
        tmp[L] = in[I] + i;                                     // here
        meet();
        sum += tmp[255 - L];
    }
    out[I] = sum;
}""", [DATA, OUT, LDS], r"races: writes 4 bytes at \w+ of `lds`, which wavefront \d read in no order"),
    ("all write one word", PLAIN + """ {
    if (L == 0)
        out[0] = in[I];                                         // here
}""", [DATA, OUT], r"races: writes 4 bytes at \w+ of `mem`, which wavefront 0 of group \d wrote in no order"),
    ("wavefronts write one word", PLAIN + """ {
    out[G * 256 + (L & 63)] = in[I];                            // here
}""", [DATA, OUT], r"races: writes 4 bytes at \w+ of `mem`, which wavefront \d wrote in no order"),
    ("neighbours of groups", "__kernel void k(__global int *data)" + """ {
    int left = data[(I + 1023) & 1023];
    data[I] = left + 1;                                         // here
}""", ["inout:data:result"], r"races: (writes|reads) 4 bytes at \w+ of `mem`, which wavefront"),
    ("a counter that is set beside atomic operations", "__kernel void k(__global int *data)" + """ {
    if (I == 0) data[0] = 0; else if (L >= 64) __atomic_fetch_add(data, 1, __ATOMIC_RELAXED); // here
}""", ["inout:data:other"], r"races: (updates|writes) 4 bytes at \w+ of `mem`, which wavefront \d (of group \d )?(atomically )?wrote in no order with it"),
    ("a count without an atomic", "__kernel void k(__global int *data)" + """ {
    if (L == 0)
        data[0] += 1;                                           // here
}""", ["inout:data:result"], r"races: "),
    ("some come to the barrier", SHARED + """ {
    tmp[L] = in[I];
    if (L < 128) meet();                                        // here
    out[I] = tmp[L];
}""", [DATA, OUT, LDS], r"races: 2 wavefronts of the group ended without coming to this barrier"),
    ("early end", SHARED + """ {
    if (L >= 192) return;
    tmp[L] = in[I];
    meet();                                                     // here
    out[I] = tmp[L];
}""", [DATA, OUT, LDS], r"races: 1 wavefront of the group ended without coming to this barrier"),
]

ASSEMBLY = """    .text
    .globl {name}
    .p2align 8
    .type {name},@function
{name}:
{body}
    s_endpgm
    .section .rodata,"a",@progbits
    .p2align 6
    .amdhsa_kernel {name}
        .amdhsa_group_segment_fixed_size 1024
        .amdhsa_user_sgpr_kernarg_segment_ptr 1
        .amdhsa_next_free_vgpr 16
        .amdhsa_next_free_sgpr 32
    .end_amdhsa_kernel
"""
# Without arguments; what the report says, how many work-items, the size of the stack where it is not the usual one.
Assembly = collections.namedtuple("Assembly", "name body wanted items stack", defaults=("64", None))
BY_HAND = [
    ("a vector register decides", "    v_cmp_eq_u32 vcc, 1, v9\n    s_cbranch_vccnz 1f\n    s_nop 0\n1:",
     r"uninitialised: which way it goes depends on vcc, which nobody has written"),
    ("a scalar register decides", "    s_cmp_eq_u32 s20, 0\n    s_cbranch_scc1 1f\n    s_nop 0\n1:",
     r"uninitialised: which way it goes depends on scc, which nobody has written"),
    ("lanes of nothing", "    s_mov_b64 exec, s[20:21]\n    v_mov_b32 v1, 0",
     r"uninitialised: in which lanes it acts depends on exec, which nobody has written"),
    ("an address of nothing", "    global_load_dword v1, v[6:7], off\n    s_waitcnt vmcnt(0)",
     r"uninitialised: the address it accesses depends on v\d and v\d, which nobody has written"),
    ("half an address", "    v_mov_b32 v6, 0\n    global_load_dword v1, v[6:7], off\n    s_waitcnt vmcnt(0)",
     r"uninitialised: the address it accesses depends on v7, which nobody has written"),
    ("a jump to nowhere known", "    s_getpc_b64 s[2:3]\n    s_and_b32 s4, s20, 0\n    s_or_b32 s4, s20, 1\n"
     "    s_cmp_lg_u32 s4, 5\n    s_cbranch_scc1 1f\n    s_nop 0\n1:",
     r"uninitialised: which way it goes depends on scc"),
]

ALL, FLAT, LATE = ("gfx600", "gfx700", "gfx803", "gfx900"), ("gfx700", "gfx803", "gfx900"), ("gfx900",)
OLDEST, NEW = ("gfx600",), ("gfx803", "gfx900")
# s[2:3] and v[2:3] are an address of code, s[8:11] describe a buffer of it, v4 is one of the local data share.
BEGIN = """    s_getpc_b64 s[2:3]
    v_mov_b32 v2, s2
    v_mov_b32 v3, s3
    s_mov_b32 s8, s2
    s_mov_b32 s9, s3
    s_mov_b32 s10, 64
    s_mov_b32 s11, 0x27000
    s_mov_b32 m0, -1
    v_lshlrev_b32 v4, 2, v0
    ds_write_b32 v4, v0
    s_waitcnt lgkmcnt(0)
"""
# Name, generations, what follows BEGIN, what the report says; nothing where it is right.
BY_GENERATION = [
    ("scalar load", ALL, "s_load_dword s4, s[2:3], 0\n s_mov_b32 s5, s4",
     r"waits: reads s4 while it is under way: no wait for lgkmcnt has seen it come from the instruction at \w+ `s_load_dword s4"),
    ("second of scalar loads", ALL, "s_load_dwordx2 s[4:5], s[2:3], 0\n s_load_dword s6, s[2:3], 0\n s_waitcnt lgkmcnt(1)\n"
     " s_mov_b32 s7, s5\n s_waitcnt lgkmcnt(0)", r"waits: reads s5 .* no wait for lgkmcnt"),
    ("time", ALL, "s_memtime s[4:5]\n s_waitcnt vmcnt(0)\n s_mov_b32 s7, s5", r"waits: reads s5 .* no wait for lgkmcnt"),
    ("local data share", ALL, "ds_read_b32 v1, v4\n v_mov_b32 v5, v1", r"waits: reads v1 .* no wait for lgkmcnt"),
    ("local data share, too weak", ALL, "ds_read_b32 v1, v4\n ds_read_b32 v5, v4\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v6, v5",
     r"waits: reads v5 .* no wait for lgkmcnt"),
    ("two ways by one counter", ALL, "ds_read_b32 v1, v4\n s_load_dword s4, s[2:3], 0\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v6, v1",
     r"waits: reads v1 .* no wait for lgkmcnt"),
    ("buffer", ALL, "buffer_load_dword v1, off, s[8:11], 0\n v_add_f32 v5, v1, v1", r"waits: reads v1 .* no wait for vmcnt"),
    ("buffer, too weak", ALL, "buffer_load_dword v1, off, s[8:11], 0\n buffer_load_dwordx2 v[5:6], off, s[8:11], 0\n"
     " s_waitcnt vmcnt(1)\n v_mov_b32 v7, v6", r"waits: reads v6 .* no wait for vmcnt"),
    ("the other counter", ALL, "buffer_load_dword v1, off, s[8:11], 0\n s_waitcnt lgkmcnt(0) & expcnt(0)\n v_mov_b32 v7, v1",
     r"waits: reads v1 .* no wait for vmcnt"),
    ("written while it comes", ALL, "buffer_load_dword v1, off, s[8:11], 0\n v_mov_b32 v1, 0", r"waits: writes v1 while"),
    ("two loads into one register", ALL, "ds_read_b32 v1, v4\n buffer_load_dword v1, off, s[8:11], 0\n s_waitcnt 0",
     r"waits: writes v1 .* no wait for lgkmcnt"),
    ("stored before it comes", ALL, "buffer_load_dword v1, off, s[8:11], 0\n ds_write_b32 v4, v1", r"waits: reads v1 .* vmcnt"),
    ("flat", FLAT, "flat_load_dword v1, v[2:3]\n v_mov_b32 v5, v1", r"waits: reads v1 .* no wait for vmcnt"),
    ("half of what comes", FLAT, "flat_load_dwordx2 v[6:7], v[2:3]\n v_mov_b32 v5, v7", r"waits: reads v7 .* no wait for vmcnt"),
    ("flat in the local data share", LATE, "s_mov_b64 s[4:5], src_shared_base\n v_mov_b32 v5, s5\n flat_load_dword v1, v[4:5]\n"
     " s_waitcnt vmcnt(0)\n v_mov_b32 v5, v1", r"waits: reads v1 .* no wait for lgkmcnt"),
    ("global", LATE, "global_load_dword v1, v[2:3], off\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, v1", r"waits: reads v1 .* vmcnt"),
    ("twenty under way", LATE, ".rept 20\n global_load_dword v5, v[2:3], off\n .endr\n global_load_dword v1, v[2:3], off\n"
     ".rept 17\n global_load_dword v5, v[2:3], off\n .endr\n s_waitcnt vmcnt(18)\n v_mov_b32 v6, v1", r"waits: reads v1 .* vmcnt"),

    ("lane select", ALL, "v_readfirstlane_b32 s4, v0\n v_readlane_b32 s5, v4, s4",
     r"hazards: reads s4 0 wait states after it was written by the instruction at \w+ `v_readfirstlane_b32 s4, v0`: 4 are needed"),
    ("lane select, one short", ALL, "v_readfirstlane_b32 s4, v0\n s_nop 2\n v_readlane_b32 s5, v4, s4",
     r"hazards: reads s4 3 wait states after"),
    ("lane select by vcc", ALL, "v_cmp_eq_u32 vcc, v0, v0\n v_writelane_b32 v5, 1, vcc_lo", r"hazards: reads vcc 0 wait states after"),
    ("behind a branch", ALL, "v_readfirstlane_b32 s4, v0\n s_branch 1f\n s_nop 3\n1:\n v_readlane_b32 s5, v4, s4",
     r"hazards: reads s4 1 wait state after"),
    ("division", ALL, "v_cmp_eq_u32 vcc, v0, v0\n s_nop 2\n v_div_fmas_f32 v5, v4, v4, v4", r"hazards: reads vcc 3 wait states after .* 4 are needed"),
    ("scalar offset of a load", NEW, "v_readfirstlane_b32 s12, v0\n buffer_load_dword v1, off, s[8:11], s12\n s_waitcnt vmcnt(0)",
     r"hazards: reads s12 0 wait states after .* 5 are needed"),
    ("scalar address", OLDEST, "v_readfirstlane_b32 s2, v2\n s_load_dword s4, s[2:3], 0\n s_waitcnt lgkmcnt(0)",
     r"hazards: reads s2 0 wait states after .* 4 are needed"),
    ("scalar buffer", OLDEST, "s_mov_b32 s10, 64\n s_buffer_load_dword s4, s[8:11], 0x0\n s_waitcnt lgkmcnt(0)",
     r"hazards: reads s10 0 wait states after .* 4 are needed"),
    ("lanes and lane exchange", NEW, "v_cmpx_eq_u32 vcc, v0, v0\n s_nop 3\n v_mov_b32_dpp v5, v4 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf",
     r"hazards: comes 4 wait states behind the instruction at \w+ `v_cmpx_eq_u32_e32 vcc, v0, v0`: 5 are needed"),
    ("lane exchange", NEW, "v_mov_b32 v5, v4\n s_nop 0\n v_mov_b32_dpp v6, v5 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf",
     r"hazards: reads v5 1 wait state after .* 2 are needed"),
    ("mode", ALL, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\n s_nop 0\n s_getreg_b32 s4, hwreg(HW_REG_MODE)",
     r"hazards: reads hw_mode 1 wait state after .* 2 are needed"),
    ("mode twice", ALL, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0",
     r"hazards: writes hw_mode 0 wait states after"),
    ("mode twice, of today", NEW, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0\n s_nop 0\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 0",
     r"hazards: writes hw_mode 1 wait state after .* 2 are needed"),
    ("skipping set", ALL, "s_setvskip 0, 0\n s_getreg_b32 s4, hwreg(HW_REG_MODE)", r"hazards: reads hw_mode 0 wait states after"),
    ("skipping as a mode", ALL, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 2), 0\n v_mov_b32 v5, 0", r"hazards: comes 0 wait states behind .* 2 are needed"),
    ("skipping and the data share", ALL, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 28, 1), 0\n ds_write_b32 v4, v0", r"hazards: comes 0 wait states behind"),
    ("data of a trace", NEW, "s_mov_b32 m0, 0\n s_ttracedata", r"hazards: comes 0 wait states behind .* 1 is needed"),
    ("registers by number", LATE, "s_mov_b32 m0, 0\n s_movrels_b32 s4, s8", r"hazards: reads m0 0 wait states after .* 1 is needed"),
    ("by lanes from the data share", LATE, "s_mov_b32 m0, 0\n ds_read_addtid_b32 v1\n s_waitcnt lgkmcnt(0)", r"hazards: comes 0 wait states behind"),
    ("data of a wide store", FLAT, "buffer_store_dwordx4 v[4:7], off, s[8:11], 0 offset:4092\n v_mov_b32 v6, 0",
     r"hazards: writes v6 0 wait states after it was read by the instruction at \w+ `buffer_store_dwordx4 .*`: 1 is needed"),
    ("data of a wide flat store", FLAT, "s_mov_b64 exec, 0\n flat_store_dwordx4 v[2:3], v[4:7]\n v_mov_b32 v7, 0",
     r"hazards: writes v7 0 wait states after it was read"),

    ("kept long enough", ALL, "v_readfirstlane_b32 s4, v0\n s_nop 3\n v_readlane_b32 s5, v4, s4\n v_cmp_eq_u32 vcc, v0, v0\n s_nop 1\n"
     " v_mov_b32 v5, 0\n s_nop 0\n v_div_fmas_f32 v5, v4, v4, v4\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 2), 0\n s_nop 1\n"
     " s_getreg_b32 s4, hwreg(HW_REG_MODE)\n v_mov_b32 v5, 0", None),
    ("kept long enough by new ones", NEW, "v_readfirstlane_b32 s12, v0\n s_nop 4\n buffer_load_dword v1, off, s[8:11], s12\n"
     " v_cmpx_eq_u32 vcc, v0, v0\n s_nop 2\n v_mov_b32 v5, v4\n s_nop 1\n"
     " v_mov_b32_dpp v6, v5 quad_perm:[0,1,2,3] row_mask:0xf bank_mask:0xf\n s_mov_b32 m0, 0\n s_nop 0\n s_ttracedata", None),
    ("no lane is selected", ALL, "v_readfirstlane_b32 s4, v0\n v_writelane_b32 v5, s4, 3\n v_readlane_b32 s5, v4, 2", None),
    ("other registers", ALL, "v_readfirstlane_b32 s4, v0\n v_readlane_b32 s5, v4, s8\n"
     " s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xc0\n s_getreg_b32 s4, hwreg(HW_REG_TRAPSTS)\n v_mov_b32 v5, 0", None),
    ("written by the scalar unit", ALL, "s_mov_b32 s12, 0\n buffer_load_dword v1, off, s[8:11], s12\n v_readlane_b32 s5, v4, s12", None),
    ("data of stores", FLAT, "buffer_store_dwordx2 v[4:5], off, s[8:11], 0 offset:4092\n v_mov_b32 v5, 0\n s_mov_b32 s12, 0\n"
     " buffer_store_dwordx4 v[4:7], off, s[8:11], s12 offset:4092\n v_mov_b32 v6, 0\n"
     " buffer_store_dwordx4 v[4:7], off, s[8:11], 0 offset:4092\n s_nop 0\n v_mov_b32 v6, 0", None),
    ("not in its way", ("gfx600", "gfx700"), "v_readfirstlane_b32 s12, v0\n buffer_load_dword v1, off, s[8:11], s12\n s_mov_b32 m0, 0\n s_ttracedata", None),

    ("stored and written again", OLDEST, "buffer_store_dword v4, off, s[8:11], 0 offset:4092\n v_mov_b32 v4, 0",
     r"waits: writes v4 while it is still read: no wait for expcnt has seen it read by the instruction at \w+ `buffer_store_dword"),
    ("stored and loaded again", OLDEST, "buffer_store_dwordx2 v[4:5], off, s[8:11], 0 offset:4092\n buffer_load_dword v5, off, s[8:11], 0",
     r"waits: writes v5 while it is still read"),
    ("second of two stores", OLDEST, "buffer_store_dword v4, off, s[8:11], 0 offset:4092\n buffer_store_dword v0, off, s[8:11], 0 offset:4092\n"
     " s_waitcnt expcnt(1)\n v_mov_b32 v4, 0\n v_mov_b32 v0, 0", r"waits: writes v0 while it is still read"),
    ("the other counter of stores", OLDEST, "buffer_atomic_add v4, off, s[8:11], 0 offset:4092\n s_waitcnt vmcnt(0)\n v_mov_b32 v4, 0",
     r"waits: writes v4 while it is still read"),
    ("stored, waited, written", OLDEST, "buffer_load_dword v1, off, s[8:11], 0\n buffer_store_dword v4, off, s[8:11], 0 offset:4092\n v_mov_b32 v5, v4\n"
     " s_waitcnt expcnt(0)\n v_mov_b32 v4, 0", None),
    ("as many stores as are counted", OLDEST, "buffer_store_dword v4, off, s[8:11], 0 offset:4092\n .rept 6\n"
     " buffer_store_dword v0, off, s[8:11], 0 offset:4092\n .endr\n v_mov_b32 v4, 0", r"waits: writes v4 while it is still read"),
    ("more stores than are counted", OLDEST, "buffer_store_dword v4, off, s[8:11], 0 offset:4092\n .rept 7\n"
     " buffer_store_dword v0, off, s[8:11], 0 offset:4092\n .endr\n v_mov_b32 v4, 0", None),
    ("stored and written again by new ones", FLAT, "buffer_store_dword v4, off, s[8:11], 0 offset:4092\n v_mov_b32 v4, 0", None),
    ("a message and the data share", ALL, "ds_read_b32 v1, v4\n s_nop 0\n s_sendmsg sendmsg(MSG_INTERRUPT)\n s_waitcnt lgkmcnt(1)\n v_mov_b32 v5, v1",
     r"waits: reads v1 .* no wait for lgkmcnt"),
    ("a message, and all are waited for", ALL, "ds_read_b32 v1, v4\n s_nop 0\n s_sendmsg sendmsg(MSG_INTERRUPT)\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v5, v1",
     None),

    ("beyond the local data share", ALL, "v_or_b32 v5, 0x400, v4\n ds_read_b32 v1, v5\n s_waitcnt lgkmcnt(0)",
     r"bounds: accesses the local data share beyond what the group has of it"),
    ("misaligned in the local data share", ALL[:3], "v_or_b32 v5, 2, v4\n ds_read_b32 v1, v5\n s_waitcnt lgkmcnt(0)",
     r"bounds: accesses the local data share at no multiple of the size"),
    ("misaligned for its width", ALL[:3], "v_mov_b32 v5, 4\n ds_read_b64 v[6:7], v5\n s_waitcnt lgkmcnt(0)",
     r"bounds: accesses the local data share at no multiple of the size"),
    ("misaligned scalar address", ALL, "s_or_b32 s2, s2, 2\n s_load_dword s4, s[2:3], 0\n s_waitcnt lgkmcnt(0)",
     r"bounds: has a scalar address that is no multiple of 4"),
    ("misaligned atomic operation", LATE, "v_or_b32 v5, 2, v4\n ds_add_u32 v5, v0",
     r"bounds: updates 4 bytes at \w+ of `lds`, which is no multiple of 4"),

    ("misaligned in a buffer", OLDEST, "v_mov_b32 v5, 2\n buffer_load_dword v1, v5, s[8:11], 0 offen\n s_waitcnt vmcnt(0)",
     r"bounds: accesses a buffer at no multiple of the size, so that low bits are ignored"),
    ("misaligned and out of range", OLDEST, "v_mov_b32 v5, 0x102\n buffer_load_dword v1, v5, s[8:11], 0 offen\n s_waitcnt vmcnt(0)", None),
    ("a limit of nothing", ALL[:3], "s_mov_b32 m0, s20\n ds_read_b32 v1, v4\n s_waitcnt lgkmcnt(0)",
     r"uninitialised: the address it accesses depends on m0, which nobody has written"),
    ("a vector register too many", ALL, "v_mov_b32 v16, 0", r"bounds: uses v16, and its kernel has no registers behind v15"),
    ("the last of several registers", ALL, "ds_read_b64 v[15:16], v4\n s_waitcnt lgkmcnt(0)", r"bounds: uses v16, and its kernel"),
    ("a scalar register too many", ALL, "s_mov_b32 s60, 0", r"bounds: uses s60, and its kernel has no registers behind s\d+"),
    ("all registers", ALL, "v_mov_b32 v15, 0\n s_mov_b32 s31, 0", None),

    ("misaligned in the local data share of today", LATE, "v_or_b32 v5, 2, v4\n ds_read_b32 v1, v5\n s_waitcnt lgkmcnt(0)", None),
    ("waits as they should be", ALL, "s_load_dword s4, s[2:3], 0\n buffer_load_dword v1, off, s[8:11], 0\n"
     " buffer_load_dword v5, off, s[8:11], 0\n ds_read_b32 v6, v4\n s_waitcnt vmcnt(1)\n v_mov_b32 v7, v1\n"
     " s_waitcnt lgkmcnt(0)\n v_mov_b32 v7, v6\n s_mov_b32 s5, s4\n s_waitcnt vmcnt(0) & lgkmcnt(0)\n v_mov_b32 v7, v5", None),
    ("the local data share is in order", ALL, "ds_read_b32 v1, v4\n ds_read2_b32 v[6:7], v4 offset0:0 offset1:1\n s_waitcnt lgkmcnt(1)\n"
     " v_mov_b32 v5, v1", None),
    ("a number", ALL, "ds_read_b32 v1, v4\n buffer_load_dword v5, off, s[8:11], 0\n s_waitcnt 0\n v_add_f32 v5, v1, v5", None),
    ("into the same register", ALL, "buffer_load_dword v1, off, s[8:11], 0\n buffer_load_dword v1, off, s[8:11], 0\n"
     " s_waitcnt vmcnt(0)\n v_mov_b32 v5, v1", None),
    ("nobody wants it", ALL, "buffer_load_dword v1, off, s[8:11], 0", None),
    ("flat of global memory", FLAT, "flat_load_dword v1, v[2:3]\n flat_load_dword v5, v[2:3]\n s_waitcnt vmcnt(1)\n v_mov_b32 v6, v1", None),
    ("flat in the local data share, both", LATE, "s_mov_b64 s[4:5], src_shared_base\n v_mov_b32 v5, s5\n flat_load_dword v1, v[4:5]\n"
     " s_waitcnt vmcnt(0) & lgkmcnt(0)\n v_mov_b32 v5, v1", None),
    ("forty under way", LATE, ".rept 20\n global_load_dword v5, v[2:3], off\n .endr\n global_load_dword v1, v[2:3], off\n"
     ".rept 17\n global_load_dword v5, v[2:3], off\n .endr\n s_waitcnt vmcnt(17)\n v_mov_b32 v6, v1", None),
]

# Two wavefronts, each of which looks at what the other has done behind a barrier: v5 is the place.
BETWEEN = [
    ("stores that are waited for", ALL, "ds_write_b32 v4, v0\n s_waitcnt lgkmcnt(0)\n s_barrier\n ds_read_b32 v1, v5\n s_waitcnt lgkmcnt(0)", None),
    ("a store that may come behind the barrier", ALL, "ds_write_b32 v4, v0\n s_barrier\n ds_read_b32 v1, v5\n s_waitcnt lgkmcnt(0)",
     r"races: reads 4 bytes at \w+ of `lds`, which wavefront \d wrote in no order with it, by the instruction at \w+ `ds_write_b32 v4, v0`, "
     r"for which it did not wait before the barrier"),
    ("the second of two stores", ALL, "ds_write_b32 v4, v0 offset:512\n ds_write_b32 v4, v0\n s_waitcnt lgkmcnt(1)\n s_barrier\n ds_read_b32 v1, v5\n"
     " ds_read_b32 v6, v5 offset:512\n s_waitcnt lgkmcnt(0)", r"races: reads 4 bytes at \w+ of `lds`, .* for which it did not wait"),
    ("the first of two stores", ALL, "ds_write_b32 v4, v0\n ds_write_b32 v4, v0 offset:512\n s_waitcnt lgkmcnt(1)\n s_barrier\n ds_read_b32 v1, v5\n"
     " s_waitcnt lgkmcnt(0)", None),
    ("a load that may come behind the barrier", ALL, "ds_read_b32 v1, v4\n s_barrier\n ds_write_b32 v5, v0\n s_waitcnt lgkmcnt(0)",
     r"races: writes 4 bytes at \w+ of `lds`, which wavefront \d read in no order with it, .* for which it did not wait before the barrier"),
    ("waited for between two barriers", ALL, "ds_write_b32 v4, v0\n s_barrier\n s_waitcnt lgkmcnt(0)\n s_barrier\n ds_read_b32 v1, v5\n"
     " s_waitcnt lgkmcnt(0)", None),
    ("not even between two barriers", ALL, "ds_write_b32 v4, v0\n s_barrier\n s_barrier\n ds_read_b32 v1, v5\n s_waitcnt lgkmcnt(0)",
     r"races: reads 4 bytes at \w+ of `lds`, .* for which it did not wait"),
    ("its own", ALL, "ds_write_b32 v4, v0\n s_barrier\n ds_read_b32 v1, v4\n s_waitcnt lgkmcnt(0)", None),
]

# So many accesses one after the other do not make the stack grow: each of them a few words would be more than there is.
IN_A_ROW, SMALL_STACK = ".rept 8000\n ds_write_b32 v4, v0\n .endr", 256 << 10
UPDATES_IN_A_ROW = ".rept 200\n ds_add_u32 v4, v0\n .endr"  # each of 64 lanes

# Nothing is wrong with these, at any level of optimisation.
CLEAN = [
    ("looks at a counter", "__kernel void k(__global int *data, __global int *out)" + """{
    if (L == 0) __atomic_fetch_add(data, 1, __ATOMIC_RELAXED);
    out[I] = __atomic_load_n(data, __ATOMIC_RELAXED) >= 0;
}""", ["inout:data:other", OUT]),
    ("bytes beside each other", "__kernel void k(__global uchar *in, __global uchar *out)" + """{
    out[I] = in[I + 1] ^ in[I];
}""", [DATA, OUT]),
    ("a word is handed over", "__kernel void k(__global int *data, __global int *out)" + """{
    if (I == 0) { out[1024 + 5] = 7; __atomic_store_n(data, 1, __ATOMIC_RELEASE); }
    else out[I] = __atomic_load_n(data, __ATOMIC_ACQUIRE) == 1 ? out[1024 + 5] : 0;
}""", ["inout:data:other", "out:8192:result"]),
    ("a lock", "__kernel void k(__global int *data, __global int *out)" + """{
    if ((L & 63) == 0) {
        int free = 0;
        while (!__atomic_compare_exchange_n(data, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) free = 0;
        data[64] += 1;
        __atomic_store_n(data, 0, __ATOMIC_RELEASE);
    }
    out[I] = I;
}""", ["zero:1024", OUT]),
    ("a lock that is exchanged", "__kernel void k(__global int *data, __global int *out)" + """{
    if (L == 0) {
        while (__atomic_exchange_n(data, 1, __ATOMIC_ACQUIRE)) {}
        data[64] += 1;
        __atomic_store_n(data, 0, __ATOMIC_RELEASE);
    }
    out[I] = I;
}""", ["zero:1024", OUT]),
    ("a lock for each lane", "__kernel void k(__global int *data, __global int *out)" + """{
    __global int *lock = data + (L & 63);
    for (volatile int done = 0; !done;) {  // else the lanes that have it would wait for those that have it not
        int free = 0;
        if (!__atomic_compare_exchange_n(lock, &free, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) continue;
        lock[64] += 1;
        __atomic_store_n(lock, 0, __ATOMIC_RELEASE);
        done = 1;
    }
    out[I] = I;
}""", ["zero:1024", OUT]),
    ("a ticket for each group", "__kernel void k(__global int *data, __global int *out)" + """{
    if (L == 0) {
        int mine = __atomic_fetch_add(data, 1, __ATOMIC_RELAXED);
        while (__atomic_load_n(data + 32, __ATOMIC_ACQUIRE) != mine) {}
        data[64] += 1;
        __atomic_store_n(data + 32, mine + 1, __ATOMIC_RELEASE);
    }
    out[I] = I;
}""", ["zero:1024", OUT]),
    ("what a group has done is handed over", SHARED + """{
    if (G == 0) { out[1024 + L] = L; meet(); if (L == 0) __atomic_store_n(in, 1, __ATOMIC_RELEASE); }
    else { while (__atomic_load_n(in, __ATOMIC_ACQUIRE) != 1) {} out[I] = out[1024 + (L ^ 64)]; }
}""", ["zero:1024", "out:8192:result", LDS]),
    ("copies", PLAIN + "{ out[I] = in[I]; }", [DATA, OUT]),
    ("many accesses in a row", PLAIN + "{ int sum = 0; for (int i = 0; i < 4096; ++i) sum += in[(I + i) & 1023]; out[I] = sum; }",
     [DATA, OUT]),
    ("tails", PLAIN + "{ for (uint i = I; i < 1000; i += 1024) out[i] = in[i] * 3 + 1; }", [DATA, OUT]),
    ("branches", PLAIN + """{
    int x = in[I], y;
    if (x & 1) { y = x * 3; if (x & 2) y += 7; } else if (x & 4) y = x - 9; else y = 0;
    out[I] = y;
}""", [DATA, OUT]),
    ("loops of each lane", PLAIN + """{
    int x = in[I] & 31, sum = 0;
    while (x > 0) { sum += x; x -= 3; if (sum > 100) break; }
    out[I] = sum;
}""", [DATA, OUT]),
    ("floats", PLAIN + """{
    float x = in[I], y = x / 3.0f + 2.0f;
    for (int i = 0; i < 5; ++i) y = y * 0.5f + x / (y * y + 1.0f);
    out[I] = (int)y;
}""", [DATA, OUT]),
    ("divisions", PLAIN + "{ out[I] = in[I] / ((in[I] & 7) + 1) + in[I] % ((in[I] & 15) + 1); }", [DATA, OUT]),
    ("64 bits", PLAIN + """{
    unsigned long x = (unsigned long)(uint)in[I] << 17 | 5, y = x * x + 3;
    out[I] = (int)(y >> 32) ^ (int)(y % 1000003);
}""", [DATA, OUT]),
    ("bytes of one word", "__kernel void k(__global int *in, __global uchar *out)" + """{
    out[(L & 63) * 4 + (L >> 6) + G * 256] = (uchar)in[I];
}""", [DATA, OUT]),
    ("sum of a group", SHARED + """{
    tmp[L] = in[I];
    for (int s = 128; s > 0; s >>= 1) { meet(); if (L < s) tmp[L] += tmp[L + s]; }
    if (L == 0) out[G] = tmp[0];
}""", [DATA, OUT, LDS]),
    ("turned around", SHARED + "{ tmp[L] = in[I]; meet(); out[I] = tmp[255 - L]; }", [DATA, OUT, LDS]),
    ("prefix sums", SHARED + """{
    tmp[L] = in[I];
    for (int d = 1; d < 256; d *= 2) {
        meet();
        int x = L >= d ? tmp[L - d] : 0;
        meet();
        tmp[L] += x;
    }
    meet();
    out[I] = tmp[L];
}""", [DATA, OUT, LDS]),
    ("within a wavefront no barrier is needed", SHARED + "{ tmp[L] = in[I]; out[I] = tmp[L ^ 1] + tmp[L ^ 32]; }",
     [DATA, OUT, LDS]),
    ("counters", "__kernel void k(__global int *data, __global int *out)" + """{
    __atomic_fetch_add(&data[in_bucket(I)], 1, __ATOMIC_RELAXED);
    out[I] = I;
}""".replace("in_bucket(I)", "I & 7"), ["inout:data:other", OUT]),
    ("private arrays", PLAIN + """{
    int own[16];
    for (int i = 0; i < 16; ++i) own[(i * 5 + L) & 15] = in[(I + i) & 1023];
    int sum = 0;
    for (int i = 0; i < 16; ++i) sum = sum * 3 + own[i];
    out[I] = sum;
}""", [DATA, OUT]),
    ("structures with holes", """struct pair { char a; int b; };
__kernel void k(__global int *in, __global int *out) {
    struct pair p[4];
    for (int i = 0; i < 4; ++i) { p[i].a = (char)in[I]; p[i].b = in[I] + i; }
    struct pair q = p[in[I] & 3];
    out[I] = q.a + q.b;
}""", [DATA, OUT]),
    ("switches", PLAIN + """{
    int r;
    switch (in[I] & 7) { case 0: r = 5; break; case 1: r = in[I] * 2; break; case 5: r = 1; break; default: r = -1; }
    out[I] = r;
}""", [DATA, OUT]),
    ("vectors of three", """typedef int int3 __attribute__((ext_vector_type(3)));
__kernel void k(__global int *in, __global int *out) {
    int3 v = (int3)(in[I], in[I] + 1, in[I] * 2);
    out[I] = v.x + v.y * v.z;
}""", [DATA, OUT]),
    ("bits", PLAIN + """{
    uint x = in[I];
    out[I] = __builtin_popcount(x) + (x ? __builtin_clz(x) : 32) + (x << (x & 31)) + (x >> 7 | x << 25);
}""", [DATA, OUT]),
    ("short and char", PLAIN + "{ short s = (short)in[I]; char c = (char)(s * 3); out[I] = s / 7 + c; }", [DATA, OUT]),
]

FABRISC = """    IAND.32: $S0, $S0, #0;
    IADD.32: $S0, $S0, #numbers;
    IAND.32: $P0, $P0, #0;
    IAND.32: $P1, $P1, #0;
    IAND.32: $P2, $P2, #0;
{}
    SYSCL: #0;
    .balign 8
.numbers:
    .word 3, 5, 7, 11, 13
"""
PROGRAMS = [   # of FabRISC: name, what lies between, what is said; nothing where it is right
    ("right", "    MLD.32: $S2, $S0, #0;\n    ADD.32: $P0, $P0, $S2;", None),
    ("cleared by itself", "    IAND.32: $S5, $S5, #0;\n    BTST.32NEZ: $S5, @numbers;", None),
    ("cleared by exclusive or", "    XOR.32: $S5, $S5, $S5;\n    BTST.32NEZ: $S5, @numbers;", None),
    ("a register nobody wrote", "    BTST.32NEZ: $S7, @numbers;",
     r"uninitialised: which way it goes depends on \$S7, which nobody has written"),
    ("an address nobody wrote", "    MLD.32: $S2, $S9, #0;", r"uninitialised: the address it accesses depends on \$S9"),
    ("misaligned", "    MLD.32: $S2, $S0, #2;", r"bounds: reads 4 bytes at \w+, which is no multiple of 4"),
    ("memory nobody wrote", "    IADD.32: $S3, $S0, #400;\n    MLD.32: $S2, $S3, #0;\n    BTST.32NEZ: $S2, @numbers;",
     r"uninitialised: which way it goes depends on \$S2"),
]


class Tests:
    def __init__(self, isaforge, folder, every):
        self.isaforge, self.folder, self.every, self.failed, self.done = isaforge, pathlib.Path(folder), every, 0, 0
        (self.folder / "data").write_bytes(b"".join((i * 2654435761 % 2**31).to_bytes(4, "little") for i in range(1024)))

    def call(self, *command, stack=None):
        limit = stack and (lambda: resource.setrlimit(resource.RLIMIT_STACK, (stack, stack)))
        return subprocess.run([str(part) for part in command], cwd=self.folder, capture_output=True, text=True, check=False,
                              preexec_fn=limit)

    def fail(self, name, why, result):
        self.failed += 1
        print(f"{name}: {why}\n{result.stdout}{result.stderr}")

    def compile(self, name, sources, processor, level):
        """All in one file, for the compiler takes long to begin: the kernels k0, k1 and so on, with the lines of their own sources."""
        numbered = ["#line 1\n" + source.replace("__kernel void k(", f"__kernel void k{number}(") for number, source in enumerate(sources)]
        (self.folder / "k.cl").write_text(PRELUDE + "\n".join(numbered))
        return self.make(name, "-x", "cl", "-target", "amdgcn-amd-amdhsa", f"-mcpu={processor}", "-nogpulib", "-w",
                         "-cl-std=CL2.0", "-cl-kernel-arg-info", "-gline-tables-only", level, "k.cl")

    def make(self, name, *arguments):
        made = self.call("clang-14", *arguments, "-o", "k.co")
        if made.returncode != 0:
            self.fail(name, "cannot be made", made)
        return made.returncode == 0

    def judge(self, name, result, wanted, line=None):
        """A report of one kind, on its line where that is known; of nothing where nothing is wanted."""
        self.done += 1
        if wanted is None:
            if result.returncode != 0 or "check: nothing found" not in result.stderr:
                self.fail(name, "something was found, or went wrong", result)
        elif result.returncode != 1 or not re.search(wanted, result.stderr):
            self.fail(name, f"not found: {wanted}", result)
        elif line is not None and not re.search(rf"k\.cl:{line}: {wanted}", result.stderr):
            self.fail(name, f"not of line {line}", result)

    def defects(self, level, defects):
        if not self.compile("what has defects", [source for _, source, _, _ in defects], "gfx900", level):
            return
        for number, (name, source, arguments, wanted) in enumerate(defects):
            lines = [i for i, text in enumerate(source.split("\n"), 1) if "// here" in text]
            self.run_kernel(f"{name} gfx900 {level}", f"k{number}", arguments, wanted, lines[0] if lines else None, traced=True)

    def clean(self, processor, level, kernels, traced=False):
        if not self.compile("what is clean", [source for _, source, _ in kernels], processor, level):
            return
        for number, (name, _, arguments) in enumerate(kernels):
            self.run_kernel(f"{name} {processor} {level}", f"k{number}", arguments, None, traced=traced)

    def run_kernel(self, name, kernel, arguments, wanted, line=None, traced=False):
        options = [each for argument in arguments for each in ("--arg", argument)]
        command = [self.isaforge, "run", "k.co", "--kernel", kernel, "--grid", "1024", "--group", "256", *options, "--check"]
        self.judge(name, self.call(*command, "--engine", "interpreter"), wanted, line)
        if traced:
            self.judge(f"{name}, traced", self.call(*command, "--trace", "trace", "--profile"), wanted, line)

    def assembly(self, processor, kernels):
        """In one file, too."""
        text = "".join(ASSEMBLY.format(name=f"k{number}", body=kernel.body) for number, kernel in enumerate(kernels))
        (self.folder / "k.s").write_text(f'    .amdgcn_target "amdgcn-amd-amdhsa--{processor}"\n{text}')
        if not self.make(processor, "-target", "amdgcn-amd-amdhsa", "-mcpu=" + processor, "k.s"):
            return
        for number, kernel in enumerate(kernels):
            result = self.call(self.isaforge, "run", "k.co", "--kernel", f"k{number}", "--grid", kernel.items, "--group", kernel.items,
                               "--check", stack=kernel.stack)
            if kernel.wanted is not None and "check: 1 place" not in result.stderr:
                self.fail(kernel.name, f"not one place on {processor}", result)
            self.judge(f"{kernel.name} {processor}", result, kernel.wanted)

    def program(self, name, body, wanted):
        (self.folder / "p.s").write_text(FABRISC.format(body))
        made = self.call(self.isaforge, "asm", "-i", "fabrisc-2022-05-15", "p.s", "-o", "p.elf")
        if made.returncode != 0:
            return self.fail(name, "is not assembled", made)
        result = self.call(self.isaforge, "run", "p.elf", "--check")
        if wanted is None and "check: nothing found" in result.stderr:
            result.returncode = 0   # the program's own
        return self.judge(name, result, wanted)

    def run(self):
        for level in ("-O0", "-O2"):
            self.defects(level, [defect[:4] for defect in DEFECTS if (*defect, "-O2")[4] == level])
        for processor in ALL:
            self.assembly(processor, [
                *(Assembly(*each) for each in BY_HAND if processor == "gfx900"),
                *(Assembly(name, BEGIN + body, wanted) for name, processors, body, wanted in BY_GENERATION if processor in processors),
                *(Assembly(name, BEGIN + " v_xor_b32 v5, 0x100, v4\n s_barrier\n" + body, wanted, items="128")
                  for name, processors, body, wanted in BETWEEN if processor in processors),
                Assembly("many accesses in a row", BEGIN + IN_A_ROW, None, stack=SMALL_STACK),
                Assembly("many updates in a row", BEGIN + UPDATES_IN_A_ROW, None, stack=SMALL_STACK)])
        self.clean("gfx900", "-O2", CLEAN, traced=True)
        for turn, (processor, level) in enumerate((("gfx900", "-O0"), ("gfx900", "-O3"), ("gfx700", "-O2"))):
            self.clean(processor, level, CLEAN if self.every else CLEAN[turn::3])
        for each in PROGRAMS:
            self.program(*each)
        print(f"{self.done} runs, {self.failed} of them wrong")
        return self.failed == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("isaforge", type=pathlib.Path)
    parser.add_argument("--every", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return 0 if Tests(options.isaforge.resolve(), folder, options.every).run() else 1


if __name__ == "__main__":
    sys.exit(main())
