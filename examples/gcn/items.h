
// What OpenCL C calls get_global_id and so on, for compilers without its library: the numbers of a work-item, by dimension.
#pragma once
#define INLINE static inline __attribute__((always_inline))

INLINE uint local_x(void) { return __builtin_amdgcn_workitem_id_x(); }
INLINE uint local_y(void) { return __builtin_amdgcn_workitem_id_y(); }
INLINE uint group_x(void) { return __builtin_amdgcn_workgroup_id_x(); }
INLINE uint group_y(void) { return __builtin_amdgcn_workgroup_id_y(); }
INLINE uint global_x(void) { return group_x() * __builtin_amdgcn_workgroup_size_x() + local_x(); }
INLINE uint global_y(void) { return group_y() * __builtin_amdgcn_workgroup_size_y() + local_y(); }
INLINE uint size_x(void) { return __builtin_amdgcn_grid_size_x(); }

// All work-items of the group come here before one goes on, and see what the others have written to local memory.
INLINE void meet(void) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
