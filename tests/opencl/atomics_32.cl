// Every atomic operation of 32 bits on global and on local memory, with the value that was there before where no other
// work-item has the same place, and without where all have.
// buffer  a      int[512]    edges
// buffer  own    int[4096]   edges
// buffer  old    int[4096]   zero
// buffer  uown   uint[1024]  edges
// buffer  uold   uint[1024]  zero
// buffer  all    int[20]     = (0, 0, 0, 0, -1, 0, 2147483647, -2147483648, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0)[i]
// run     own_places(a, own, old, uown, uold)   grid 512  group 64
// run     one_place(a, all)                     grid 512  group 64
kernel void own_places(global const int* a, global int* own, global int* old, global uint* uown, global uint* uold)
{
    const int i = get_global_id(0), x = a[i];
    volatile global int* p = own + 8 * i;
    global int* q = old + 8 * i;
    q[0] = atomic_add(p, x), q[1] = atomic_sub(p + 1, x), q[2] = atomic_and(p + 2, x), q[3] = atomic_or(p + 3, x);
    q[4] = atomic_xor(p + 4, x), q[5] = atomic_min(p + 5, x), q[6] = atomic_max(p + 6, x), q[7] = atomic_xchg(p + 7, x);
    uold[2 * i] = atomic_min(uown + 2 * i, (uint)x), uold[2 * i + 1] = atomic_max(uown + 2 * i + 1, (uint)x);
}

kernel void one_place(global const int* a, volatile global int* all)
{
    local int here[11];
    const int i = get_global_id(0), l = get_local_id(0), x = a[i];
    if (l < 11) here[l] = l == 6 ? INT_MAX : l == 7 ? INT_MIN : l == 4 || l == 10 ? -1 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&here[0], x), atomic_sub(&here[1], x), atomic_inc(&here[2]), atomic_dec(&here[3]);
    atomic_and(&here[4], x | 0x10101), atomic_or(&here[5], x & 0xf0f0f), atomic_min(&here[6], x), atomic_max(&here[7], x);
    atomic_xor(&here[8], x);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        atomic_add(all, here[0]), atomic_add(all + 1, here[1]), atomic_add(all + 2, here[2]), atomic_add(all + 3, here[3]);
        atomic_and(all + 4, here[4]), atomic_or(all + 5, here[5]), atomic_min(all + 6, here[6]), atomic_max(all + 7, here[7]);
        atomic_xor(all + 8, here[8]);
    }
    if (x & 1) {
        atomic_inc(all + 9);
        atomic_dec(all + 10);
        if (x & 2) atomic_add(all + 11, i);
    }
}
