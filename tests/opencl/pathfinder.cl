// The cheapest way through a grid from row to row, several rows for each launch, of which the rim goes wrong and is not
// written; after Rodinia's pathfinder.
// buffer  wall  int[10240]  random 0 9
// buffer  a     int[512]    = (i * 7) % 10
// buffer  b     int[512]    zero
// run     rows(wall, a, b, 512, 0)    grid 1024   group 128
// run     rows(wall, b, a, 512, 4)    grid 1024   group 128
// run     rows(wall, a, b, 512, 8)    grid 1024   group 128
kernel void rows(global const int* wall, global const int* from, global int* to, int width, int first)
{
    local int here[128], there[128];
    const int l = get_local_id(0), useful = 128 - 8, x = (int)get_group_id(0) * useful - 4 + l;
    const bool valid = x >= 0 && x < width;
    here[l] = valid ? from[x] : 1000000;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int row = first; row < first + 4; row++) {
        if (valid) {
            int best = here[l];
            if (l > 0 && here[l - 1] < best) best = here[l - 1];
            if (l < 127 && here[l + 1] < best) best = here[l + 1];
            there[l] = best + wall[row * width + x];
        } else {
            there[l] = 1000000;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        here[l] = there[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (valid && l >= 4 && l < 124) to[x] = here[l];
}
