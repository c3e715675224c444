// A lock in memory around what is not atomic: one work-item of each group waits for it in turn.
// buffer  lock    int[1]    zero
// buffer  shared  int[4]    zero
// run     enter(lock, shared)   grid 512  group 64
kernel void enter(volatile global int* lock, volatile global int* shared)
{
    local int here;
    const int l = get_local_id(0), i = get_global_id(0);
    if (l == 0) here = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&here, i & 15);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        while (atomic_cmpxchg(lock, 0, 1) != 0) {}
        shared[0] = shared[0] + here;
        shared[1] = shared[1] + 1;
        shared[2] = max(shared[2], (int)get_group_id(0));
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        atomic_xchg(lock, 0);
    }
}
