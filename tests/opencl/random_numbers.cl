// Generators of random numbers: of shifts, of multiplication in 64 bits with a shift that depends on the state, a twister with
// its state in private memory, and a shift register bit by bit.
// buffer  seeds  ulong[256]  bits
// buffer  out    uint[2048]  zero
// run     draw(seeds, out)   grid 256  group 64
kernel void draw(global ulong* seeds, global uint* out)
{
    const uint i = get_global_id(0);
    ulong s = seeds[i] | 1;
    out += 8 * i;
    for (int k = 0; k < 10; k++) s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    out[0] = (uint)s, out[1] = (uint)(s >> 32);
    for (int k = 0; k < 5; k++) s = s * 6364136223846793005ul + 1442695040888963407ul;
    const uint mixed = (uint)((s >> 18 ^ s) >> 27), turn = (uint)(s >> 59);
    out[2] = mixed >> turn | mixed << (-turn & 31);
    uint state[24];
    for (uint k = 0; k < 24; k++) state[k] = k ? 1812433253u * (state[k - 1] ^ state[k - 1] >> 30) + k : (uint)s;
    for (uint k = 0; k < 60; k++) {
        const uint y = (state[k % 24] & 0x80000000) | (state[(k + 1) % 24] & 0x7fffffff);
        state[k % 24] = state[(k + 13) % 24] ^ y >> 1 ^ (y & 1 ? 0x9908b0df : 0);
    }
    out[3] = state[7], out[4] = state[(uint)s % 24];
    ushort bits = (ushort)(s >> 40) | 1;
    for (int k = 0; k < 37; k++) bits = bits >> 1 | (ushort)((bits ^ bits >> 2 ^ bits >> 3 ^ bits >> 5) << 15);
    out[5] = bits;
    uint4 lanes = (uint4)(1, 2, 3, 4) * (uint)s;
    for (int k = 0; k < 8; k++) lanes = lanes.yzwx ^ (lanes << 11) ^ (lanes >> 8);
    out[6] = lanes.x + lanes.y, out[7] = lanes.z ^ lanes.w;
    seeds[i] = s;
}
