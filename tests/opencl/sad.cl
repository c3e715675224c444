// Sums of absolute differences of blocks of 4 by 4 with the places around them in another picture, and the best of these by
// one atomic minimum over sum and place; after Parboil's sad.
// buffer  a     uchar[1024]   bits
// buffer  b     uchar[1024]   bits
// buffer  sums  ushort[1600]  zero
// buffer  best  uint[64]      = 0xffffffff
// run     blocks(a, b, sums, best, 32)   grid 5, 5, 64  group 5, 5, 2
kernel void blocks(global const uchar* a, global const uchar* b, global ushort* sums, global uint* best, int width)
{
    const int u = get_global_id(0), v = get_global_id(1), block = get_global_id(2);
    const int x = block % 8 * 4, y = block / 8 * 4;
    uint sum = 0;
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            const int p = clamp(x + i + u - 2, 0, width - 1), q = clamp(y + j + v - 2, 0, width - 1);
            sum += abs_diff(a[(y + j) * width + x + i], b[q * width + p]);
        }
    sums[block * 25 + v * 5 + u] = sum;
    atomic_min(best + block, sum << 8 | (v * 5 + u));
}
