// Numbers of 256 bits: sum, difference and product by schoolbook, with what is carried from word to word.
// buffer  a  uint[2048]  edges
// buffer  b  uint[2048]  edges
// buffer  r  uint[8192]  zero
// run     large(a, b, r)   grid 256   group 64
kernel void large(global const uint* a, global const uint* b, global uint* r)
{
    const size_t i = get_global_id(0);
    a += 8 * i, b += 8 * i, r += 32 * i;
    ulong carry = 0;
    for (int k = 0; k < 8; k++) {
        carry += (ulong)a[k] + b[k];
        r[k] = (uint)carry;
        carry >>= 32;
    }
    long borrow = 0;
    for (int k = 0; k < 8; k++) {
        borrow += (long)a[k] - (long)b[k];
        r[8 + k] = (uint)borrow;
        borrow >>= 32;
    }
    for (int k = 0; k < 8; k++) {
        ulong over = 0;
        for (int j = 0; j < 8; j++) {
            over += (ulong)a[k] * b[j] + r[16 + k + j];
            r[16 + k + j] = (uint)over;
            over >>= 32;
        }
        r[24 + k] = (uint)over;
    }
}
