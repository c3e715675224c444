// A code of prefixes is read bit by bit, by each work-item from another place, until it has its symbols: reads of words that
// are not aligned, and loops of different length.
// buffer  stream   uchar[1024]  bits
// buffer  symbols  uchar[2048]  zero
// buffer  ends     uint[128]    zero
// run     decode(stream, symbols, ends)   grid 128  group 64
constant uchar lengths[16] = {1, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 8, 8, 8};

kernel void decode(global const uchar* stream, global uchar* symbols, global uint* ends)
{
    const uint i = get_global_id(0);
    uint at = i * 53;
    for (uint k = 0; k < 16; k++) {
        const uint byte = at >> 3 & 1023;
        const uint window = (stream[byte] << 16 | stream[(byte + 1) & 1023] << 8 | stream[(byte + 2) & 1023]) << (at & 7);
        uint code = 0, first = 0, length = 0, symbol = 0;
        for (;;) {
            length++;
            code = code << 1 | (window >> (24 - length) & 1);
            first <<= 1;
            uint count = 0;
            for (uint s = 0; s < 16; s++) count += lengths[s] == length;
            if (code - first < count || length == 8) break;
            first += count, symbol += count;
        }
        symbols[16 * i + k] = min(symbol + code - first, 15u);
        at += length;
    }
    ends[i] = at;
}
