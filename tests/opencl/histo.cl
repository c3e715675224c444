// A histogram with counters in local memory that stop at 255, groups added up by atomics; after Parboil's histo.
// buffer  data   uint[4096]  random 0 4294967295
// buffer  bins   uint[256]   zero
// buffer  final  uchar[256]  zero
// run     count(data, bins, 4096)   grid 512   group 128
// run     saturate(bins, final)     grid 256   group 64
kernel void count(global const uint* data, global uint* bins, uint n)
{
    local uint here[256];
    const uint l = get_local_id(0), size = get_local_size(0);
    for (uint k = l; k < 256; k += size) here[k] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_global_id(0); k < n; k += get_global_size(0)) atomic_inc(&here[(data[k] >> 24) & (data[k] >> 12) & 255]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = l; k < 256; k += size)
        if (here[k]) atomic_add(&bins[k], here[k]);
}

kernel void saturate(global const uint* bins, global uchar* final)
{
    const size_t i = get_global_id(0);
    final[i] = bins[i] > 255 ? 255 : bins[i];
}
