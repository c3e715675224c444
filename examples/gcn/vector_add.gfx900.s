// What clang 14 makes of vector_add.cl for gfx900 with -O2, read aloud. How a kernel begins is up to the directives at its end: they
// say which scalar registers hold what before the first instruction.
.amdgcn_target "amdgcn-unknown-amdhsa--gfx900"

.text
.protected vector_add
.globl vector_add
.p2align 8
.type vector_add, @function
vector_add:
    // s[0:3] describe private memory, s[4:5] are the address of the dispatch packet, s[6:7] that of the arguments, s8 is the
    // group's number; v0 is the work-item's number in the group.
    s_load_dword s0, s[4:5], 0x4            // of the packet: the group's size, in its low half
    s_load_dword s1, s[6:7], 0x18           // the argument `count`
    s_waitcnt lgkmcnt(0)                    // loads come back when they like
    s_and_b32 s0, s0, 0xffff
    s_mul_i32 s8, s8, s0
    v_add_u32_e32 v0, s8, v0                // i, for 64 lanes at once
    v_cmp_gt_u32_e32 vcc, s1, v0            // a bit for each lane
    s_and_saveexec_b64 s[0:1], vcc          // from here on only those lanes do something
    s_cbranch_execz .LBB0_2                 // if there are any
    s_load_dwordx4 s[0:3], s[6:7], 0x0      // a and b
    s_load_dwordx2 s[4:5], s[6:7], 0x10     // sum
    v_mov_b32_e32 v1, 0
    v_lshlrev_b64 v[0:1], 2, v[0:1]         // i * 4, in 64 bits
    s_waitcnt lgkmcnt(0)
    v_mov_b32_e32 v3, s3                    // a vector instruction takes one scalar register
    v_add_co_u32_e32 v2, vcc, s2, v0        // &b[i], low half and high half
    v_addc_co_u32_e32 v3, vcc, v3, v1, vcc
    v_mov_b32_e32 v5, s1
    v_add_co_u32_e32 v4, vcc, s0, v0        // &a[i]
    v_addc_co_u32_e32 v5, vcc, v5, v1, vcc
    global_load_dword v6, v[4:5], off
    global_load_dword v7, v[2:3], off
    v_mov_b32_e32 v2, s5
    v_add_co_u32_e32 v0, vcc, s4, v0        // &sum[i]
    v_addc_co_u32_e32 v1, vcc, v2, v1, vcc
    s_waitcnt vmcnt(0)
    v_add_f32_e32 v2, v6, v7
    global_store_dword v[0:1], v2, off
.LBB0_2:
    s_endpgm
.size vector_add, .-vector_add

.section .rodata, "a"
.p2align 6
.amdhsa_kernel vector_add
    .amdhsa_kernarg_size 28
    .amdhsa_user_sgpr_count 8
    .amdhsa_user_sgpr_private_segment_buffer 1
    .amdhsa_user_sgpr_dispatch_ptr 1
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_vgpr_workitem_id 0
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 9
    .amdhsa_reserve_flat_scratch 0
    .amdhsa_float_denorm_mode_32 3
    .amdhsa_float_denorm_mode_16_64 3
.end_amdhsa_kernel

.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - { .address_space: global, .name: a, .offset: 0, .size: 8, .type_name: 'float*', .value_kind: global_buffer }
      - { .address_space: global, .name: b, .offset: 8, .size: 8, .type_name: 'float*', .value_kind: global_buffer }
      - { .address_space: global, .name: sum, .offset: 16, .size: 8, .type_name: 'float*', .value_kind: global_buffer }
      - { .name: count, .offset: 24, .size: 4, .type_name: uint, .value_kind: by_value }
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 28
    .max_flat_workgroup_size: 1024
    .name: vector_add
    .private_segment_fixed_size: 0
    .sgpr_count: 11
    .symbol: vector_add.kd
    .vgpr_count: 8
    .wavefront_size: 64
amdhsa.version: [1, 1]
...
.end_amdgpu_metadata
