.include "generations.s"

kernel any_memory, 16, 0, 256
    s_load_dwordx4 s[4:7], s[0:1], 0
    begin_memory
    s_mov_b32 m0, -1                                ; all of the local data share
    s_lshl_b32 s2, s2, 8
    v_lshlrev_b32 v1, 2, v0
    add_low v2, s2, v1
    s_waitcnt lgkmcnt(0)
    address s4, s5, v2
    memory load_dword, v3
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mul_lo_u32 v5, v3, 3
    ds_write_b32 v1, v5
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v4, 63, v0                            ; the lane that is as far from the other end
    v_lshlrev_b32 v4, 2, v4
    ds_read_b32 v6, v4
    address s6, s7, v2
    s_waitcnt lgkmcnt(0)
    add_low v6, v6, v3
    memory store_dword, v6
    s_endpgm
