// Quotients and remainders of all widths: no target has an instruction for them, and the compiler's way to them goes over
// floats. Divisors are never 0, and the one quotient that has no place is left out.
// buffer  a   long[2048]   edges
// buffer  b   long[2048]   edges
// buffer  r   long[32768]  zero
// run     divide(a, b, r)   grid 2048   group 64
#define DIVIDE(T, at)                                                      \
    {                                                                      \
        const T a = (T)as[i], d = (T)bs[i] == 0 ? (T)7 : (T)bs[i];         \
        if (d != (T)-1 || (T)-1 > 0) {                                     \
            rs[16 * i + at] = a / d;                                       \
            rs[16 * i + at + 1] = a % d;                                   \
        }                                                                  \
    }
kernel void divide(global const long* as, global const long* bs, global long* rs)
{
    const size_t i = get_global_id(0);
    DIVIDE(char, 0)
    DIVIDE(uchar, 2)
    DIVIDE(short, 4)
    DIVIDE(ushort, 6)
    DIVIDE(int, 8)
    DIVIDE(uint, 10)
    DIVIDE(long, 12)
    DIVIDE(ulong, 14)
}
