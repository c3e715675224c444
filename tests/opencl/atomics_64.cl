// Every atomic operation of 64 bits on global and on local memory.
// buffer  a    long[256]   edges
// buffer  own  long[2048]  edges
// buffer  old  long[2048]  zero
// buffer  all  long[10]    = (0, 0, -1, 0, 0, 9223372036854775807, -9223372036854775808, 0, 0, 0)[i]
// run     own_places(a, own, old)   grid 256  group 64
// run     one_place(a, all)         grid 256  group 64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
kernel void own_places(global const long* a, global long* own, global long* old)
{
    const int i = get_global_id(0);
    const long x = a[i];
    volatile global long* p = own + 8 * i;
    global long* q = old + 8 * i;
    q[0] = atom_add(p, x), q[1] = atom_sub(p + 1, x), q[2] = atom_and(p + 2, x), q[3] = atom_or(p + 3, x);
    q[4] = atom_xor(p + 4, x), q[5] = atom_min(p + 5, x), q[6] = atom_max(p + 6, x), q[7] = atom_xchg(p + 7, x);
}

kernel void one_place(global const long* a, volatile global long* all)
{
    local long here[8];
    const int i = get_global_id(0), l = get_local_id(0);
    const long x = a[i];
    if (l < 8) here[l] = l == 2 ? -1 : l == 5 ? LONG_MAX : l == 6 ? LONG_MIN : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&here[0], x), atom_sub(&here[1], x), atom_and(&here[2], x | 0x100000001), atom_or(&here[3], x & 0xf0f0f0f0f0f);
    atom_xor(&here[4], x), atom_min(&here[5], x), atom_max(&here[6], x), atom_inc(&here[7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        atom_add(all, here[0]), atom_add(all + 1, here[1]), atom_and(all + 2, here[2]), atom_or(all + 3, here[3]);
        atom_xor(all + 4, here[4]), atom_min(all + 5, here[5]), atom_max(all + 6, here[6]), atom_add(all + 7, here[7]);
    }
    if (x < 0) atom_dec(all + 8);
}
