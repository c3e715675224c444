// The cosine transform of blocks of 8 by 8 in integers, as pictures are packed: rows, then columns through local memory, and
// what is left after division by steps.
// buffer  picture  uchar[4096]  bits
// buffer  out      short[4096]  zero
// run     blocks(picture, out, 64)   grid 64, 64  group 8, 8
constant int cosines[8][8] = {{362, 362, 362, 362, 362, 362, 362, 362},     {502, 426, 284, 100, -100, -284, -426, -502},
                              {473, 196, -196, -473, -473, -196, 196, 473}, {426, -100, -502, -284, 284, 502, 100, -426},
                              {362, -362, -362, 362, 362, -362, -362, 362}, {284, -502, 100, 426, -426, -100, 502, -284},
                              {196, -473, 473, -196, -196, 473, -473, 196}, {100, -284, 426, -502, 502, -426, 284, -100}};

kernel void blocks(global const uchar* picture, global short* out, int width)
{
    local int t[8][8], rows[8][8];
    const int u = get_local_id(0), v = get_local_id(1), at = get_global_id(1) * width + get_global_id(0);
    t[v][u] = picture[at] - 128;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 8; k++) sum += t[v][k] * cosines[u][k];
    rows[v][u] = (sum + 512) >> 10;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int k = 0; k < 8; k++) sum += rows[k][u] * cosines[v][k];
    sum = (sum + 512) >> 10;
    out[at] = (short)(sum / (8 + 3 * (u + v)) * 2 + (sum % (8 + 3 * (u + v)) > 4));
}
