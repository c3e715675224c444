// The worth of what can be carried, item after item with a barrier between, over more places than a group has work-items.
// buffer  weight  int[24]   = 3 + (i * 17) % 23
// buffer  worth   int[24]   = 10 + (i * 29) % 41
// buffer  best    int[801]  zero
// run     fill(weight, worth, best, 24, 400)   grid 128  group 128
kernel void fill(global const int* weight, global const int* worth, global int* best, int items, int room)
{
    const int l = get_local_id(0), size = get_local_size(0);
    for (int k = 0; k < items; k++) {
        global const int* from = best + (k & 1 ? 400 : 0);
        global int* to = best + (k & 1 ? 0 : 400);
        for (int r = l; r < room; r += size) {
            const int without = from[r];
            to[r] = r >= weight[k] ? max(without, from[r - weight[k]] + worth[k]) : without;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
    if (l == 0) best[800] = best[room - 1];
}
