// The bits of bytes the other way around, out of a table behind the code: what CLRX's sample of that name is about, in assembly
// of our own.
// buffer  in   uchar[256]  bits
// buffer  out  uchar[256]  zero
// run     reverse_bits(200u, in, out)   grid 256  group 64
kernel void reverse_bits(uint n, global const uchar* in, global uchar* out)
{
    const size_t i = get_global_id(0);
    if (i >= n) return;
    uchar reversed = 0;
    for (int k = 0; k < 8; k++) reversed |= (in[i] >> k & 1) << (7 - k);
    out[i] = reversed;
}
