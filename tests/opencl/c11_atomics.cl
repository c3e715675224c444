// Atomic types as OpenCL 2 has them, of the orders that it has: in global and in local memory, with a fence between.
// buffer  counts  int[8]      zero
// buffer  sums    ulong[4]    zero
// buffer  out     int[512]    zero
// run     ordered(counts, sums, out)   grid 512  group 128
#ifdef HOST
#define ADD(p, T, v) __opencl_add_##T(p, v)
#define __opencl_add_int(p, v) atomic_add((volatile global int*)(p), v)
#define __opencl_add_ulong(p, v) atom_add((volatile global ulong*)(p), v)
#define ADD_LOCAL(p, v) atomic_add((volatile local int*)(p), v)
#define GLOBAL_INT global int
#define GLOBAL_ULONG global ulong
#define LOCAL_INT local int
#define SET(p, v) atomic_xchg((volatile local int*)(p), v)
#define GET(p) atomic_or((volatile local int*)(p), 0)
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#else
#define ADD(p, T, v) __opencl_atomic_fetch_add(p, v, memory_order_seq_cst, memory_scope_device)
#define ADD_LOCAL(p, v) __opencl_atomic_fetch_add(p, v, memory_order_acq_rel, memory_scope_work_group)
#define GLOBAL_INT global atomic_int
#define GLOBAL_ULONG global atomic_ulong
#define LOCAL_INT local atomic_int
#define SET(p, v) __opencl_atomic_store(p, v, memory_order_release, memory_scope_work_group)
#define GET(p) __opencl_atomic_load(p, memory_order_acquire, memory_scope_work_group)
#endif

kernel void ordered(volatile GLOBAL_INT* counts, volatile GLOBAL_ULONG* sums, global int* out)
{
    LOCAL_INT turns[4];
    const int l = get_local_id(0), i = get_global_id(0);
    if (l < 4) SET(turns + l, 10 * l);
    barrier(CLK_LOCAL_MEM_FENCE);
    ADD_LOCAL(turns + (i & 3), i);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = GET(turns + (l & 3));
    ADD(counts + (i & 7), int, i);
    ADD(sums + (i % 3), ulong, (ulong)i << 30);
}
