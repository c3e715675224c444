// Prefix sums in three launches: within groups by a tree up and down, over the groups' sums, and these added; after SHOC's
// scan.
// buffer  x      uint[2048]  bits
// buffer  out    uint[2048]  zero
// buffer  sums   uint[8]     zero
// buffer  total  uint[8]     zero
// buffer  sums2  uint[8]     zero
// run     within(x, out, sums)      grid 1024  group 128
// run     within(sums, sums2, total) grid 4    group 4
// run     add(out, sums2)           grid 2048  group 256
kernel void within(global const uint* x, global uint* out, global uint* sums)
{
    local uint t[256];
    const uint l = get_local_id(0), size = get_local_size(0), base = get_group_id(0) * 2 * size;
    t[2 * l] = x[base + 2 * l], t[2 * l + 1] = x[base + 2 * l + 1];
    uint offset = 1;
    for (uint d = size; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) t[offset * (2 * l + 2) - 1] += t[offset * (2 * l + 1) - 1];
        offset *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) sums[get_group_id(0)] = t[2 * size - 1], t[2 * size - 1] = 0;
    for (uint d = 1; d <= size; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            const uint left = t[offset * (2 * l + 1) - 1];
            t[offset * (2 * l + 1) - 1] = t[offset * (2 * l + 2) - 1];
            t[offset * (2 * l + 2) - 1] += left;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * l] = t[2 * l], out[base + 2 * l + 1] = t[2 * l + 1];
}

kernel void add(global uint* out, global const uint* sums)
{
    const size_t i = get_global_id(0);
    out[i] += sums[i / 256];
}
