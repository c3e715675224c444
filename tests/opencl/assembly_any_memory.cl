// One instruction reads the local data share, and another what was written there by another lane: what CLRX's sample of generic
// pointers is about, as far as all generations can, with a barrier and the order of lanes reversed.
// buffer  in   uint[128]  bits
// buffer  out  uint[128]  zero
// run     any_memory(in, out)   grid 128  group 64
kernel void any_memory(global const uint* in, global uint* out)
{
    local uint t[64];
    const uint l = get_local_id(0), i = get_global_id(0);
    t[l] = in[i] * 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = t[63 - l] + in[i];
}
