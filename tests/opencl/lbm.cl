// A fluid in two dimensions as densities that stream in 9 directions and collide, with obstacles; after Parboil's lbm.
// buffer  a      float[4608]  random 0.05 0.15
// buffer  b      float[4608]  zero
// buffer  solid  uchar[512]   = int(i % 13 == 5)
// repeat  t = 0 .. 1
//     run flow(a, b, solid, 32, 16)   grid 32, 16  group 32, 4
//     run flow(b, a, solid, 32, 16)   grid 32, 16  group 32, 4
#pragma OPENCL FP_CONTRACT OFF
constant int dx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, dy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1}, opposite[9] = {0, 3, 4, 1, 2, 7, 8, 5, 6};
constant float share[9] = {4.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 9, 1.0f / 36, 1.0f / 36, 1.0f / 36, 1.0f / 36};

kernel void flow(global const float* from, global float* to, global const uchar* solid, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1), cells = width * height;
    float f[9], density = 0.0f, ux = 0.0f, uy = 0.0f;
    for (int k = 0; k < 9; k++) {
        const int u = (x - dx[k] + width) % width, v = (y - dy[k] + height) % height;
        f[k] = from[k * cells + v * width + u];
        density += f[k], ux += f[k] * dx[k], uy += f[k] * dy[k];
    }
    if (solid[y * width + x]) {
        for (int k = 0; k < 9; k++) to[opposite[k] * cells + y * width + x] = f[k];
        return;
    }
    ux /= density, uy /= density;
    const float square = 1.5f * (ux * ux + uy * uy);
    for (int k = 0; k < 9; k++) {
        const float along = 3.0f * (dx[k] * ux + dy[k] * uy);
        const float equal = share[k] * density * (1.0f + along + 0.5f * along * along - square);
        to[k * cells + y * width + x] = f[k] + 0.6f * (equal - f[k]);
    }
}
