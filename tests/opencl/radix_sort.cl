// Keys are sorted by 4 bits at a time: counts of digits for each group, their prefix sums, and each key's place among the
// equal ones before it; after SHOC's sort.
// buffer  a      uint[512]  = (i * 40503 + i * i * 977) % 65536
// buffer  b      uint[512]  zero
// buffer  sums   uint[128]  zero
// repeat  shift = 0 .. 12 by 8
//     run count(a, sums, shift)            grid 512  group 64
//     run prefix(sums)                     grid 128  group 128
//     run scatter(a, b, sums, shift)       grid 512  group 64
//     run count(b, sums, shift + 4)        grid 512  group 64
//     run prefix(sums)                     grid 128  group 128
//     run scatter(b, a, sums, shift + 4)   grid 512  group 64
kernel void count(global const uint* keys, global uint* sums, int shift)
{
    local uint bins[16];
    const uint l = get_local_id(0);
    if (l < 16) bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[keys[get_global_id(0)] >> shift & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 16) sums[l * get_num_groups(0) + get_group_id(0)] = bins[l];
}

kernel void prefix(global uint* sums)
{
    local uint t[128];
    const uint l = get_local_id(0), mine = sums[l];
    t[l] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 128; d *= 2) {
        const uint before = l >= d ? t[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    sums[l] = t[l] - mine;
}

kernel void scatter(global const uint* keys, global uint* to, global const uint* sums, int shift)
{
    local uchar digits[64];
    const uint l = get_local_id(0), key = keys[get_global_id(0)], digit = key >> shift & 15;
    digits[l] = digit;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = 0;
    for (uint k = 0; k < l; k++) before += digits[k] == digit;
    to[sums[digit * get_num_groups(0) + get_group_id(0)] + before] = key;
}
