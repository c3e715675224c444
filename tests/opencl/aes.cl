// AES of one block for each work-item (FIPS 197): the box is computed into local memory, keys are expanded by each.
// buffer  key     uchar[16]    bits
// buffer  blocks  uchar[2048]  bits
// run     encrypt(key, blocks)   grid 128  group 64
uchar doubled(uchar x) { return (uchar)(x << 1 ^ (x & 0x80 ? 0x1b : 0)); }

uchar product(uchar a, uchar b)
{
    uchar sum = 0;
    for (; b; b >>= 1, a = doubled(a))
        if (b & 1) sum ^= a;
    return sum;
}

uchar box_of(uchar x)
{
    uchar inverse = 1;
    for (int k = 0; k < 254; k++) inverse = product(inverse, x);
    uchar y = inverse;
    for (int k = 1; k < 5; k++) y ^= (uchar)(inverse << k | inverse >> (8 - k));
    return y ^ 0x63;
}

kernel void encrypt(global const uchar* key, global uchar* blocks)
{
    local uchar box[256];
    uchar keys[176], s[16], t[16];
    const uint l = get_local_id(0);
    for (uint k = l; k < 256; k += get_local_size(0)) box[k] = box_of((uchar)k);
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar round_constant = 1;
    for (uint k = 0; k < 16; k++) keys[k] = key[k];
    for (uint k = 16; k < 176; k += 4) {
        for (uint j = 0; j < 4; j++) t[j] = keys[k - 4 + j];
        if (k % 16 == 0) {
            const uchar first = t[0];
            t[0] = box[t[1]] ^ round_constant, t[1] = box[t[2]], t[2] = box[t[3]], t[3] = box[first];
            round_constant = doubled(round_constant);
        }
        for (uint j = 0; j < 4; j++) keys[k + j] = keys[k - 16 + j] ^ t[j];
    }
    blocks += 16 * get_global_id(0);
    for (uint k = 0; k < 16; k++) s[k] = blocks[k] ^ keys[k];
    for (uint round = 1; round <= 10; round++) {
        for (uint k = 0; k < 16; k++) t[k] = box[s[(k + k % 4 * 4) % 16]];
        for (uint k = 0; k < 16; k++) {
            const uint c = k & ~3u;
            const uchar mixed = doubled(t[k]) ^ doubled(t[c + (k + 1) % 4]) ^ t[c + (k + 1) % 4] ^ t[c + (k + 2) % 4] ^ t[c + (k + 3) % 4];
            s[k] = (round < 10 ? mixed : t[k]) ^ keys[16 * round + k];
        }
    }
    for (uint k = 0; k < 16; k++) blocks[k] = s[k];
}
