// A stencil of seven points in space: each work-item goes up a column and keeps what is below and above in registers; after
// Parboil's stencil.
// buffer  a  float[4096]  random -1 1
// buffer  b  float[4096]  zero
// run     column(a, b, 16, 16, 16, 0.166f, 0.0833f)   grid 14, 14  group 14, 7
// sample  clang-14 gfx600 -O2
#pragma OPENCL FP_CONTRACT OFF
kernel void column(global const float* a, global float* b, int nx, int ny, int nz, float c0, float c1)
{
    const int x = get_global_id(0) + 1, y = get_global_id(1) + 1, plane = nx * ny, at = y * nx + x;
    float below = a[at], here = a[plane + at];
    for (int z = 1; z < nz - 1; z++) {
        global const float* p = a + z * plane + at;
        const float above = p[plane];
        b[z * plane + at] = (above + below + p[nx] + p[-nx] + p[1] + p[-1]) * c1 - here * c0;
        below = here, here = above;
    }
}
