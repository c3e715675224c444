// Division by constants becomes multiplication with the upper half of the product, and shifts.
// buffer  a   int[2048]    edges
// buffer  w   long[2048]   edges
// buffer  r   int[32768]   zero
// buffer  rw  long[16384]  zero
// run     narrow(a, r)  grid 2048   group 64
// run     wide(w, rw)   grid 2048   group 64
kernel void narrow(global const int* as, global int* r)
{
    const size_t i = get_global_id(0);
    const int a = as[i];
    const uint u = as[i];
    r += 16 * i;
    r[0] = a / 3; r[1] = a % 3; r[2] = a / 7; r[3] = a % 10; r[4] = a / 64; r[5] = a % 64; r[6] = a / -5; r[7] = a % 1000003;
    r[8] = u / 3; r[9] = u % 3; r[10] = u / 7; r[11] = u % 10; r[12] = u / 64; r[13] = u % 641; r[14] = u / 0xfffffff1u; r[15] = u / 255;
}

kernel void wide(global const long* as, global long* r)
{
    const size_t i = get_global_id(0);
    const long a = as[i];
    const ulong u = as[i];
    r += 8 * i;
    r[0] = a / 3; r[1] = a % 10; r[2] = a / 4096; r[3] = a / -1000000007l; r[4] = u / 3; r[5] = u % 10; r[6] = u / 1000000007ul; r[7] = u % 65537;
}
