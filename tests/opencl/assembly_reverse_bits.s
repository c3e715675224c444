.include "generations.s"

kernel reverse_bits, 24
    s_load_dword s3, s[0:1], 0
    s_load_dwordx4 s[4:7], s[0:1], (8 / UNIT)
    begin_memory
    s_lshl_b32 s2, s2, 6
    add_low v0, s2, v0
    s_waitcnt lgkmcnt(0)
    v_cmp_gt_u32 vcc, s3, v0
    s_and_saveexec_b64 s[10:11], vcc
    s_cbranch_execz over
    s_getpc_b64 s[8:9]                              ; where the table is
here:
    s_add_u32 s8, s8, table - here
    s_addc_u32 s9, s9, 0
    address s4, s5, v0
    memory load_ubyte, v1
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_and_b32 v2, 15, v1
    v_lshrrev_b32 v3, 4, v1
    address s8, s9, v2
    memory load_ubyte, v2
    address s8, s9, v3
    memory load_ubyte, v3
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_lshlrev_b32 v2, 4, v2
    v_or_b32 v2, v2, v3
    address s6, s7, v0
    memory store_byte, v2
over:
    s_endpgm
table:
    .byte 0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15
