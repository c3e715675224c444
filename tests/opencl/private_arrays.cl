// Arrays of a work-item's own, of all widths, with indices that differ from lane to lane: scratch memory.
// buffer  a    uchar[4096]   bits
// buffer  out  long[1024]    zero
// run     arrays(a, out)   grid 256  group 64
kernel void arrays(global const uchar* a, global long* out)
{
    const int i = get_global_id(0);
    uchar bytes[40];
    short shorts[24];
    int words[33];
    long wides[9];
    double reals[7];
    for (int k = 0; k < 40; k++) bytes[k] = a[16 * i + (k & 15)] + k;
    for (int k = 0; k < 24; k++) shorts[k] = (short)(bytes[k] * 259 - 30000);
    for (int k = 0; k < 33; k++) words[k] = shorts[bytes[k] % 24] * (k + 1);
    for (int k = 0; k < 9; k++) wides[k] = (long)words[bytes[k + 9] % 33] << (k * 5);
    for (int k = 0; k < 7; k++) reals[k] = (double)wides[k] * 0.5;
    for (int k = 0; k < 20; k++) {
        const int p = bytes[k] % 33, q = bytes[39 - k] % 33;
        const int x = words[p];
        words[p] = words[q], words[q] = x;
        wides[p % 9] += words[q], reals[q % 7] -= shorts[p % 24];
        bytes[q % 40] ^= (uchar)words[p];
    }
    long sum = 0;
    for (int k = 0; k < 33; k++) sum = sum * 37 + words[k];
    for (int k = 0; k < 40; k++) sum += bytes[k] << (k & 7);
    double total = 0.0;
    for (int k = 0; k < 7; k++) total += reals[k];
    out[4 * i] = sum, out[4 * i + 1] = wides[i % 9] ^ wides[8], out[4 * i + 2] = as_long(total), out[4 * i + 3] = shorts[bytes[3] % 24];
}
