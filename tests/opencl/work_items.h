// Where a work-item is, out of the compiler's own builtins: a part of device.h that also goes before libclc, whose functions
// look for the global offset where Mesa has it.
#pragma once

#define INLINE static inline __attribute__((overloadable, always_inline))

#if __clang_major__ >= 18
#define GLOBAL_OFFSETS 5  // in 64 bits, in what the launch adds to the arguments
#else
#define GLOBAL_OFFSETS 0
#endif

#define OF_DIMENSION(name, otherwise)                                                                                  \
    (d == 0 ? __builtin_amdgcn_##name##_x() : d == 1 ? __builtin_amdgcn_##name##_y() : d == 2 ? __builtin_amdgcn_##name##_z() : otherwise)

INLINE size_t get_local_id(uint d) { return OF_DIMENSION(workitem_id, 0); }
INLINE size_t get_group_id(uint d) { return OF_DIMENSION(workgroup_id, 0); }
INLINE size_t get_global_size(uint d) { return OF_DIMENSION(grid_size, 1); }
INLINE size_t get_enqueued_local_size(uint d) { return OF_DIMENSION(workgroup_size, 1); }
INLINE size_t get_num_groups(uint d) { return (get_global_size(d) + get_enqueued_local_size(d) - 1) / get_enqueued_local_size(d); }

INLINE size_t get_local_size(uint d)
{
    const size_t whole = get_enqueued_local_size(d), left = get_global_size(d) - get_group_id(d) * whole;
    return left < whole ? left : whole;
}

INLINE size_t get_global_offset(uint d)
{
    return d < 3 ? ((constant size_t*)__builtin_amdgcn_implicitarg_ptr())[GLOBAL_OFFSETS + d] : 0;
}

INLINE size_t get_global_id(uint d) { return get_group_id(d) * get_enqueued_local_size(d) + get_local_id(d) + get_global_offset(d); }
