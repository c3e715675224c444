// Loops of compare and swap: the largest float, products modulo a prime, and a table of keys where each finds a free place,
// the content of which is then in any order.
// buffer  f      float[512]   random -100 100
// buffer  large  float[2]     = -1e30
// buffer  modp   uint[2]      = 1
// buffer  table  uint[1024]   zero                 in any order
// buffer  wide   ulong[2]     = 1
// run     swaps(f, large, modp, table, wide)   grid 512  group 64
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
kernel void swaps(global const float* f, volatile global float* large, volatile global uint* modp, volatile global uint* table,
                  volatile global ulong* wide)
{
    const uint i = get_global_id(0);
    const float x = f[i];
    uint seen = as_uint(*large);
    while (as_float(seen) < x) {
        const uint was = atomic_cmpxchg((volatile global uint*)large, seen, as_uint(x));
        if (was == seen) break;
        seen = was;
    }
    uint old = *modp, now;
    while ((now = atomic_cmpxchg(modp, old, (uint)((ulong)old * (i % 50 + 2) % 65521))) != old) old = now;
    ulong much = *wide, then;
    while ((then = atom_cmpxchg(wide, much, (much * (i % 7 + 3)) % 4294967291ul)) != much) much = then;
    uint at = i * 2654435761u >> 22;
    while (atomic_cmpxchg(table + at, 0u, i + 1) != 0) at = (at + 1) & 1023;
}
