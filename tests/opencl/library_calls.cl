// Integers out of the library, work-item functions, barriers and atomics of OpenCL 1 as the library has them.
// library
// buffer  a    long[512]  edges
// buffer  out  long[3072] zero
// buffer  sum  int[4]     zero
// run     calls(a, out, sum)   grid 512  group 64
kernel void calls(global const long* as, global long* out, volatile global int* sum)
{
    local int here, most;
    const int i = get_global_id(0), l = get_local_id(0);
    if (l == 0) here = 0, most = INT_MIN;
    barrier(CLK_LOCAL_MEM_FENCE);
    const long a = as[i], b = as[i ^ 1];
    atomic_add(&here, (int)a);
    atomic_max(&most, (int)b);
    barrier(CLK_LOCAL_MEM_FENCE);
    out += 6 * i;
    out[0] = mul_hi(a, b), out[1] = add_sat(a, b), out[2] = here + ((long)most << 32), out[3] = clz(a) + 100 * popcount(b) + 10000 * (long)abs_diff((short)a, (short)b);
    out[4] = mul_hi((int)a, (int)b) + mad24(i, l, 7), out[5] = (long)rotate((uint)a, (uint)b) + get_num_groups(0);
    if (l == 0) atomic_xor(sum, here), atomic_inc(sum + 1), atomic_min(sum + 2, most);
}
