// A kernel in assembly, for every generation from the third on, which module.cpp loads: y[i] = a * x[i] + y[i].
//
//     isaforge asm -i gcn1.4 -D GENERATION=9 --target gfx900 module.s -o module.o        # gfx906: -i gfx906 --target gfx906
//     ld.lld-14 -shared module.o -o module.gfx900.co                                     # gfx803: -i gcn1.2 -D GENERATION=8
.if GENERATION == 9
.macro add_low to, a, b
    v_add_co_u32 \to, vcc, \a, \b
.endm
.macro add_high to, a, b
    v_addc_co_u32 \to, vcc, \a, \b, vcc
.endm
.else
.macro add_low to, a, b
    v_add_u32 \to, vcc, \a, \b
.endm
.macro add_high to, a, b
    v_addc_u32 \to, vcc, \a, \b, vcc
.endm
.endif

.text
.global saxpy
.type saxpy, @function
.balign 256
saxpy:
    // s[0:1] is the address of the arguments, s2 the number of the group, v0 that of the work-item in its group.
    s_load_dwordx4 s[4:7], s[0:1], 0         // x, y
    s_load_dwordx2 s[8:9], s[0:1], 16        // a, count
    s_lshl_b32 s2, s2, 6                     // groups of 64
    add_low v0, s2, v0
    s_waitcnt lgkmcnt(0)
    v_cmp_gt_u32 vcc, s9, v0
    s_and_saveexec_b64 s[10:11], vcc
    s_cbranch_execz end
    v_lshlrev_b32 v1, 2, v0
    v_mov_b32 v3, s5
    add_low v2, s4, v1                       // &x[i]
    add_high v3, 0, v3
    v_mov_b32 v5, s7
    add_low v4, s6, v1                       // &y[i]
    add_high v5, 0, v5
    flat_load_dword v6, v[2:3]
    flat_load_dword v7, v[4:5]
    s_waitcnt vmcnt(0) lgkmcnt(0)
    v_mac_f32 v7, s8, v6
    flat_store_dword v[4:5], v7
end:
    s_endpgm
.size saxpy, .-saxpy

.rodata
.balign 64
.amdhsa_kernel saxpy
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_kernarg_size 24
    .amdhsa_next_free_vgpr 8
    .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel

// What the host is told of it.
.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - { .address_space: global, .name: x, .offset: 0, .size: 8, .value_kind: global_buffer }
      - { .address_space: global, .name: y, .offset: 8, .size: 8, .value_kind: global_buffer }
      - { .name: a, .offset: 16, .size: 4, .value_kind: by_value }
      - { .name: count, .offset: 20, .size: 4, .value_kind: by_value }
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 24
    .max_flat_workgroup_size: 64
    .name: saxpy
    .private_segment_fixed_size: 0
    .sgpr_count: 18
    .symbol: saxpy.kd
    .vgpr_count: 8
    .wavefront_size: 64
amdhsa.version: [1, 1]
...
.end_amdgpu_metadata
