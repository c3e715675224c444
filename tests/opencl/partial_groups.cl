// A grid that is not a multiple of its groups: the last of a row are smaller, and say so. On the host the groups are others,
// since it has none that are smaller.
// buffer  out  int[1400]  zero
// run     places(out, 100)   grid 100, 14   group 64, 4 host 20, 7
kernel void places(global int* out, int width)
{
    const int x = get_global_id(0), y = get_global_id(1);
    out[y * width + x] = x * 1000 + y * 7 + (int)get_global_size(0) + (x < 50 ? y : x);
}
