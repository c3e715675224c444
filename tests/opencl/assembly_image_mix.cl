// Two pictures become one, halfway between: what CLRX's sample of that name is about, over memory instead of images, four bytes
// at a time, in two dimensions.
// buffer  a  uchar[4096]  bits
// buffer  b  uchar[4096]  bits
// buffer  c  uchar[4096]  zero
// run     image_mix(a, b, c, 32u)   grid 32, 32  group 8, 8
kernel void image_mix(global const uchar* a, global const uchar* b, global uchar* c, uint width)
{
    const size_t at = 4 * (get_global_id(1) * width + get_global_id(0));
    for (int k = 0; k < 4; k++) c[at + k] = (a[at + k] + b[at + k]) >> 1;
}
