// Heat spreads over a chip of 48 by 48 cells, tiles of which are in local memory with a rim; after Rodinia's hotspot.
// buffer  a      float[2304]  random 320 345
// buffer  b      float[2304]  zero
// buffer  power  float[2304]  random 0 0.01
// repeat  step = 0 .. 1
//     run heat(a, b, power, 48)  grid 48, 48  group 16, 16
//     run heat(b, a, power, 48)  grid 48, 48  group 16, 16
#pragma OPENCL FP_CONTRACT OFF
kernel void heat(global const float* from, global float* to, global const float* power, int n)
{
    local float tile[18][18];
    const int x = get_global_id(0), y = get_global_id(1), u = get_local_id(0) + 1, v = get_local_id(1) + 1;
    tile[v][u] = from[y * n + x];
    if (u == 1) tile[v][0] = from[y * n + max(x - 1, 0)];
    if (u == 16) tile[v][17] = from[y * n + min(x + 1, n - 1)];
    if (v == 1) tile[0][u] = from[max(y - 1, 0) * n + x];
    if (v == 16) tile[17][u] = from[min(y + 1, n - 1) * n + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    const float here = tile[v][u];
    const float vertical = (tile[v - 1][u] + tile[v + 1][u] - 2.0f * here) * 0.1f;
    const float horizontal = (tile[v][u - 1] + tile[v][u + 1] - 2.0f * here) * 0.125f;
    to[y * n + x] = here + 0.5f * (power[y * n + x] + vertical + horizontal + (80.0f - here) * 0.0003f);
}
