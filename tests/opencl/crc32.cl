// Cyclic redundancy checks with a table in local memory and without one, over stretches of a buffer.
// buffer  data  uchar[4096]  bits
// buffer  crc   uint[512]    zero
// run     by_table(data, crc, 32)   grid 128  group 128
// run     by_bits(data, crc, 16)    grid 256  group 64
kernel void by_table(global const uchar* data, global uint* crc, uint length)
{
    local uint table[256];
    for (uint k = get_local_id(0); k < 256; k += get_local_size(0)) {
        uint x = k;
        for (int b = 0; b < 8; b++) x = x & 1 ? x >> 1 ^ 0xedb88320 : x >> 1;
        table[k] = x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const uint i = get_global_id(0);
    uint sum = ~0u;
    for (uint k = 0; k < length; k++) sum = table[(sum ^ data[i * length + k]) & 255] ^ sum >> 8;
    crc[i] = ~sum;
}

kernel void by_bits(global const uchar* data, global uint* crc, uint length)
{
    const uint i = get_global_id(0);
    uint sum = ~0u;
    for (uint k = 0; k < length; k++) {
        sum ^= data[i * length + k];
        for (int b = 0; b < 8; b++) sum = sum >> 1 ^ (0x82f63b78 & -(sum & 1));
    }
    crc[256 + i] = ~sum;
}
