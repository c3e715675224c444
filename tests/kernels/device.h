// What the kernels need of a device library, made of the compiler's own builtins and intrinsics, so that they compile
// without one.
#pragma once
#define ID() (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())
#define ID_Y() (__builtin_amdgcn_workgroup_id_y() * 8 + __builtin_amdgcn_workitem_id_y())
#define LANE() __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0))
#define BARRIER()                                                   \
    do {                                                            \
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");      \
        __builtin_amdgcn_s_barrier();                               \
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");      \
    } while (0)
#define NOINLINE __attribute__((noinline))
#if defined(__gfx803__) || defined(__gfx900__)
#define HAS_16_BIT 1
#endif
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
