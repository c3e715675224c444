.include "generations.s"

kernel vector_add, 32
    s_load_dword s3, s[0:1], 0
    s_load_dwordx4 s[4:7], s[0:1], (8 / UNIT)         ; a, b
    s_load_dwordx2 s[8:9], s[0:1], (24 / UNIT)        ; c
    begin_memory
    s_lshl_b32 s2, s2, 6
    add_low v0, s2, v0
    s_waitcnt lgkmcnt(0)
    v_cmp_gt_u32 vcc, s3, v0
    s_and_saveexec_b64 s[10:11], vcc
    s_cbranch_execz over
    v_lshlrev_b32 v1, 2, v0
    address s4, s5, v1
    memory load_dword, v2
    address s6, s7, v1
    memory load_dword, v3
    address s8, s9, v1
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_add_f32 v2, v2, v3
    memory store_dword, v2
over:
    s_endpgm
