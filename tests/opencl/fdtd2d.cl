// Electric and magnetic fields in the plane, each from the differences of the other; after PolyBench's fdtd-2d.
// buffer  ex  float[1024]  random -1 1
// buffer  ey  float[1024]  random -1 1
// buffer  hz  float[1024]  random -1 1
// repeat  t = 0 .. 2
//     run electric_y(ey, hz, 32, t)   grid 32, 32  group 32, 2
//     run electric_x(ex, hz, 32)      grid 32, 32  group 32, 2
//     run magnetic(ex, ey, hz, 32)    grid 32, 32  group 32, 2
#pragma OPENCL FP_CONTRACT OFF
kernel void electric_y(global float* ey, global const float* hz, int n, int t)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (y == 0) ey[x] = (float)t;
    else ey[y * n + x] -= 0.5f * (hz[y * n + x] - hz[(y - 1) * n + x]);
}

kernel void electric_x(global float* ex, global const float* hz, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x > 0) ex[y * n + x] -= 0.5f * (hz[y * n + x] - hz[y * n + x - 1]);
}

kernel void magnetic(global const float* ex, global const float* ey, global float* hz, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < n - 1 && y < n - 1) hz[y * n + x] -= 0.7f * (ex[y * n + x + 1] - ex[y * n + x] + ey[(y + 1) * n + x] - ey[y * n + x]);
}
