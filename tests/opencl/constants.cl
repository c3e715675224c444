// Constant memory: tables of the program of all widths, with indices that are the same in all lanes and that are not, and an
// argument.
// buffer  a     int[256]     random 0 1000000
// buffer  more  int[16]      random -100 100
// buffer  out   int[512]     zero
// run     lookup(a, more, out, 5)   grid 256  group 64
constant uchar bytes[8] = {3, 1, 4, 1, 5, 9, 2, 6};
constant short shorts[2][3] = {{-1, 2, -3}, {400, -500, 600}};
constant int primes[10] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29};
constant double eighths[4] = {0.125, 0.25, 0.375, 0.5};
constant struct {
    char name[4];
    int4 vector;
} rows[3] = {{"one", (int4)(1, 2, 3, 4)}, {"two", (int4)(5, 6, 7, 8)}, {"six", (int4)(9, 10, 11, 12)}};

kernel void lookup(global const int* a, constant int* more, global int* out, int uniform)
{
    const int i = get_global_id(0), x = a[i];
    int sum = 0;
    for (int k = 0; k < 10; k++)
        if (x % primes[k] == 0) sum |= 1 << k;
    sum += bytes[x & 7] * shorts[x & 1][x % 3] + more[x & 15] * more[uniform];
    const int4 row = rows[x % 3].vector;
    out[2 * i] = sum + row.x * row.w + rows[uniform % 3].name[1];
    out[2 * i + 1] = (int)(eighths[x >> 3 & 3] * 800.0) + rows[x % 3].name[x % 4];
}
