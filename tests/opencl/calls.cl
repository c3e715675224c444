// Functions that are called, not inlined: with many arguments, with a stack of their own, returning structures, called under a
// mask and in a loop.
// buffer  a    int[512]    random -1000 1000
// buffer  out  int[2048]   zero
// run     calls(a, out)   grid 512  group 64
typedef struct {
    int sum, product, low;
    long wide;
} Facts;

__attribute__((noinline)) Facts facts(int a, int b, int c, int d, int e, int f, int g, int h)
{
    Facts found;
    found.sum = a + b + c + d + e + f + g + h;
    found.product = a * b ^ c * d ^ e * f ^ g * h;
    found.low = min(min(a, b), min(min(c, d), min(g, h)));
    found.wide = (long)a * b * c - (long)d * e * f;
    return found;
}

__attribute__((noinline)) int on_the_stack(int x, int n)
{
    int t[16];
    for (int k = 0; k < 16; k++) t[k] = x + k * n;
    for (int k = 0; k < n; k++) t[t[k & 15] & 15] ^= t[(k + 3) & 15];
    int sum = 0;
    for (int k = 0; k < 16; k++) sum = sum * 31 + t[k];
    return sum;
}

__attribute__((noinline)) int through(int x, int depth)
{
    if (depth > 2) return on_the_stack(x, depth);
    return on_the_stack(x + 1, 5) - x;
}

kernel void calls(global const int* a, global int* out)
{
    const int i = get_global_id(0), x = a[i];
    int sum = 0;
    if (x & 1) sum = through(x, i & 3);
    for (int k = 0; k < (x & 3); k++) sum += through(sum, 3 + k);
    const Facts found = facts(x, x + 1, i, sum, x ^ i, 7, -x, i * 3);
    out[4 * i] = found.sum, out[4 * i + 1] = found.product, out[4 * i + 2] = found.low + sum, out[4 * i + 3] = (int)(found.wide >> 8);
}
