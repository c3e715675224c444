// Bytes by four and sixteen: what pixels are made of. Sums of products, saturated means, and packing in words.
// buffer  p  uchar[4096]  bits
// buffer  q  uchar[4096]  bits
// buffer  r  uchar[4096]  zero
// buffer  d  uint[1024]   zero
// run     blend(p, q, r)   grid 1024  group 64
// run     words(p, q, d)   grid 1024  group 64
// sample  clang-19 gfx803 -O2
kernel void blend(global const uchar4* p, global const uchar4* q, global uchar4* r)
{
    const size_t i = get_global_id(0);
    const uint4 a = (uint4)(p[i].x, p[i].y, p[i].z, p[i].w), b = (uint4)(q[i].x, q[i].y, q[i].z, q[i].w);
    const uint4 mixed = (a * a.w + b * (255u - a.w) + 127u) / 255u;
    const uint4 sum = a + b;
    const uint4 capped = sum > 255u ? (uint4)255u : sum;
    r[i] = (uchar4)((uchar)mixed.x, (uchar)mixed.y, (uchar)capped.z, (uchar)(mixed.w ^ capped.w));
}

kernel void words(global const uchar4* p, global const uchar4* q, global uint* d)
{
    const size_t i = get_global_id(0);
    uint products = 0, distance = 0;
    const uchar a[4] = {p[i].x, p[i].y, p[i].z, p[i].w}, b[4] = {q[i].x, q[i].y, q[i].z, q[i].w};
    for (int k = 0; k < 4; k++) {
        products += a[k] * b[k];
        distance += abs_diff(a[k], b[k]);
    }
    d[i] = products << 10 | distance;
}
