// The shortest ways between all pairs of 16 places, one place after the other as what is passed through; after PolyBench's
// floyd-warshall.
// buffer  d  int[256]  = 0 if i % 17 == 0 else (i * 7919 + i * i) % 97 + 1
// buffer  p  int[256]  = i % 16
// repeat  k = 0 .. 12 by 4
//     run through(d, p, 16, k)   grid 16, 16  group 16, 16
kernel void through(global int* d, global int* p, int n, int first)
{
    const int x = get_global_id(0), y = get_global_id(1);
    for (int k = first; k < first + 4; k++) {
        const int around = d[y * n + k] + d[k * n + x];
        const int step = p[y * n + k], here = d[y * n + x];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (around < here) {
            d[y * n + x] = around;
            p[y * n + x] = step;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
