// The Mandelbrot set, written by hand for Vega: GCN 1.4, gfx900. One wavefront draws 64 points of a row.
//
//   isaforge asm -i gcn1.4 mandelbrot.s -o mandelbrot.o
//   isaforge run mandelbrot.o --grid 640,480 --arg out:1228800:set.raw --arg i32:640 --arg i32:480
//                --arg f32:-2.3 --arg f32:1.2 --arg f32:0.005 --arg i32:255 --png set.png@1:640x480:xrgb8888
//
// There are no metadata: nobody but the kernel knows that its arguments are an image, its width and height, the left and the
// upper edge, the distance of points, and how many steps there are at most.
.amdgcn_target "amdgcn-amd-amdhsa--gfx900"

.text
.globl mandelbrot
.p2align 8
.type mandelbrot, @function
mandelbrot:                                 // s[0:1]: the arguments; s2, s3: the group's number; v0: the work-item's
    s_load_dwordx4 s[4:7], s[0:1], 0x0      // s[4:5] the image, s6 its width, s7 its height
    s_load_dwordx4 s[8:11], s[0:1], 0x10    // s8 left, s9 top, s10 the distance, s11 steps
    s_lshl_b32 s2, s2, 6
    v_add_u32 v0, s2, v0                    // the column; s3 is the row
    s_waitcnt lgkmcnt(0)
    v_cmp_gt_u32 vcc, s6, v0
    s_and_saveexec_b64 s[12:13], vcc        // lanes behind the row's end do nothing
    s_cbranch_execz done

    v_cvt_f32_u32 v2, v0
    v_cvt_f32_u32 v3, s3
    v_mov_b32 v7, s10
    v_mov_b32 v8, s8
    v_mov_b32 v9, s9
    v_fma_f32 v2, v2, v7, v8                // a = left + column * distance
    v_fma_f32 v3, -v3, v7, v9               // b = top - row * distance
    v_mov_b32 v4, 0                         // x
    v_mov_b32 v5, 0                         // y
    v_mov_b32 v6, 0                         // how many steps
    s_mov_b64 s[14:15], exec
step:
    v_mul_f32 v7, v4, v4
    v_mul_f32 v8, v5, v5
    v_add_f32 v9, v7, v8
    v_cmpx_gt_f32 vcc, 4.0, v9              // lanes whose point has left the circle wait …
    v_cmpx_gt_u32 vcc, s11, v6              // … and those that have done all steps
    s_cbranch_execz colour
    v_mul_f32 v9, v4, v5
    v_sub_f32 v7, v7, v8
    v_add_f32 v4, v7, v2                    // x * x - y * y + a
    v_fma_f32 v5, v9, 2.0, v3               // 2 * x * y + b
    v_add_u32 v6, 1, v6
    s_branch step

colour:
    s_mov_b64 exec, s[14:15]
    v_cmp_ne_u32 vcc, s11, v6
    v_lshlrev_b32 v7, 3, v6                 // red rises with each step …
    v_lshlrev_b32 v8, 1, v6
    v_min_u32 v7, 0xff, v7
    v_min_u32 v8, 0xff, v8
    v_sub_u32 v9, 0xff, v8                  // … and blue falls
    v_lshlrev_b32 v7, 16, v7
    v_lshl_or_b32 v7, v8, 8, v7
    v_or_b32 v7, v7, v9
    v_cndmask_b32 v7, 0, v7, vcc            // the set itself is black
    s_mul_i32 s3, s3, s6
    v_add_u32 v0, s3, v0
    v_lshlrev_b32 v0, 2, v0
    global_store_dword v0, v7, s[4:5]
done:
    s_endpgm
.size mandelbrot, .-mandelbrot

.rodata
.p2align 6
.amdhsa_kernel mandelbrot
    .amdhsa_user_sgpr_kernarg_segment_ptr 1
    .amdhsa_kernarg_size 32
    .amdhsa_system_sgpr_workgroup_id_x 1
    .amdhsa_system_sgpr_workgroup_id_y 1
    .amdhsa_next_free_vgpr 10
    .amdhsa_next_free_sgpr 16
    .amdhsa_float_denorm_mode_32 0
.end_amdhsa_kernel
