// Edges and medians of a picture in bytes: gradients, an integer root, and a network that sorts nine.
// buffer  a  uchar[2304]  bits
// buffer  b  uchar[2304]  zero
// buffer  c  uchar[2304]  zero
// run     edges(a, b, 48)     grid 46, 46  group 23, 2
// run     median(a, c, 48)    grid 46, 46  group 46, 1
uint root(uint x)
{
    uint r = 0;
    for (uint bit = 1u << 14; bit; bit >>= 2) {
        if (x >= r + bit) x -= r + bit, r = (r >> 1) + bit;
        else r >>= 1;
    }
    return r;
}

kernel void edges(global const uchar* a, global uchar* b, int n)
{
    const int at = (get_global_id(1) + 1) * n + get_global_id(0) + 1;
    const int h = a[at - n + 1] + 2 * a[at + 1] + a[at + n + 1] - a[at - n - 1] - 2 * a[at - 1] - a[at + n - 1];
    const int v = a[at + n - 1] + 2 * a[at + n] + a[at + n + 1] - a[at - n - 1] - 2 * a[at - n] - a[at - n + 1];
    b[at] = min(root((uint)(h * h + v * v) >> 6) * 2, 255u);
}

#define ORDER(i, j)                        \
    {                                      \
        const uchar low = min(p[i], p[j]); \
        p[j] = max(p[i], p[j]);            \
        p[i] = low;                        \
    }

kernel void median(global const uchar* a, global uchar* c, int n)
{
    const int at = (get_global_id(1) + 1) * n + get_global_id(0) + 1;
    uchar p[9];
#pragma unroll
    for (int k = 0; k < 9; k++) p[k] = a[at + (k / 3 - 1) * n + k % 3 - 1];
    ORDER(1, 2) ORDER(4, 5) ORDER(7, 8) ORDER(0, 1) ORDER(3, 4) ORDER(6, 7) ORDER(1, 2) ORDER(4, 5) ORDER(7, 8) ORDER(0, 3)
    ORDER(5, 8) ORDER(4, 7) ORDER(3, 6) ORDER(1, 4) ORDER(2, 5) ORDER(4, 7) ORDER(4, 2) ORDER(6, 4) ORDER(4, 2)
    c[at] = p[4];
}
