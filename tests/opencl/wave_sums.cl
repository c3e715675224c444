// A sum over sixteen neighbours by steps in local memory without barriers between lanes that run together is not OpenCL; here
// each step has one. Then a vote: how many of a group are above the mean.
// buffer  a      int[1024]  random -1000 1000
// buffer  sums   int[1024]  zero
// buffer  above  int[8]     zero
// run     sums(a, sums, above)   grid 1024  group 128
kernel void sums(global const int* a, global int* out, global int* above)
{
    local int t[128], mean, votes;
    const int l = get_local_id(0), i = get_global_id(0);
    if (l == 0) mean = 0, votes = 0;
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&mean, t[l]);
    for (int d = 1; d < 16; d *= 2) {
        const int other = t[l ^ d];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += other;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = t[l];
    if (a[i] * 128 > mean) atomic_inc(&votes);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) above[get_group_id(0)] = votes;
}
