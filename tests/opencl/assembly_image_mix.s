.include "generations.s"

.rodata
.balign 64
.amdhsa_kernel image_mix
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_system_vgpr_workitem_id 1
    .amdhsa_kernarg_size 32
    .amdhsa_next_free_vgpr 24
    .amdhsa_next_free_sgpr 32
.end_amdhsa_kernel
.text
.balign 256
.global image_mix
.type image_mix, @function
image_mix:                                          ; the group is s2, s3; the work-item v0, v1
    s_load_dwordx4 s[4:7], s[0:1], 0
    s_load_dwordx2 s[8:9], s[0:1], (16 / UNIT)
    s_load_dword s10, s[0:1], (24 / UNIT)
    begin_memory
    s_lshl_b32 s2, s2, 3
    s_lshl_b32 s3, s3, 3
    add_low v0, s2, v0
    add_low v1, s3, v1
    s_waitcnt lgkmcnt(0)
    v_mul_lo_u32 v1, v1, s10
    add_low v0, v0, v1
    v_lshlrev_b32 v0, 2, v0
    address s4, s5, v0
    memory load_dword, v2
    address s6, s7, v0
    memory load_dword, v3
    address s8, s9, v0
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_xor_b32 v4, v2, v3                            ; the mean of bytes: what both have, and half of what one has
    v_and_b32 v5, v2, v3
    v_lshrrev_b32 v4, 1, v4
    v_and_b32 v4, 0x7f7f7f7f, v4
    add_low v4, v4, v5
    memory store_dword, v4
    s_endpgm
