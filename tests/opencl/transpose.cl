// A matrix turned over through local memory with rows that are one word longer, and in place by cycles.
// buffer  a  float[3072]  random -1 1
// buffer  b  float[3072]  zero
// buffer  c  uint[1024]   bits
// run     transpose(a, b, 64, 48)   grid 64, 48  group 16, 16
// run     in_place(c, 32)           grid 32, 32  group 8, 32
kernel void transpose(global const float* a, global float* b, int width, int height)
{
    local float t[16][17];
    const int u = get_local_id(0), v = get_local_id(1), x = get_group_id(0) * 16, y = get_group_id(1) * 16;
    t[v][u] = a[(y + v) * width + x + u];
    barrier(CLK_LOCAL_MEM_FENCE);
    b[(x + v) * height + y + u] = t[u][v];
}

kernel void in_place(global uint* c, int n)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x < y) {
        const uint t = c[y * n + x];
        c[y * n + x] = c[x * n + y];
        c[x * n + y] = t;
    }
}
