// A picture of four bytes a point blurred by a binomial row and column, with rims clamped, in integers of 16 bits as vectors.
// buffer  a  uchar[4096]  bits
// buffer  b  uchar[4096]  zero
// buffer  c  uchar[4096]  zero
// run     blur(a, b, 32, 1, 0)   grid 32, 32  group 16, 16
// run     blur(b, c, 32, 0, 1)   grid 32, 32  group 16, 16
ushort4 wide(uchar4 p) { return (ushort4)(p.x, p.y, p.z, p.w); }

kernel void blur(global const uchar4* from, global uchar4* to, int n, int dx, int dy)
{
    const int x = get_global_id(0), y = get_global_id(1);
    ushort4 sum = 8;
    for (int k = -2; k <= 2; k++) {
        const int u = clamp(x + k * dx, 0, n - 1), v = clamp(y + k * dy, 0, n - 1);
        const ushort weight = k == 0 ? 6 : k == 1 || k == -1 ? 4 : 1;
        sum += wide(from[v * n + u]) * weight;
    }
    sum >>= (ushort)4;
    to[y * n + x] = (uchar4)((uchar)sum.x, (uchar)sum.y, (uchar)sum.z, (uchar)sum.w);
}
