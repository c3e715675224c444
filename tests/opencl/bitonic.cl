// Pairs of keys and values sorted by exchanges between places far and near, one launch for each stride, in 64 bits.
// buffer  keys    ulong[256]  bits
// buffer  values  uint[256]   = i
// repeat  size = 1 .. 8
//     run exchange(keys, values, size)   grid 256  group 256
kernel void exchange(global ulong* keys, global uint* values, int size)
{
    const uint i = get_global_id(0);
    for (int stride = size - 1; stride >= 0; stride--) {
        const uint other = i ^ 1u << stride;
        if (other > i) {
            const ulong a = keys[i], b = keys[other];
            if ((a > b) == ((i >> size & 1) == 0)) {
                keys[i] = b, keys[other] = a;
                const uint t = values[i];
                values[i] = values[other], values[other] = t;
            }
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
