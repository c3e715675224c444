// The three nearest of places on a map, each work-item over a part of them, with roots in doubles; after Rodinia's nn.
// buffer  where  float[4096]  random -180 180
// buffer  best   double[192]  zero
// buffer  which  int[192]     zero
// run     nearest(where, best, which, 30.5f, -12.25f, 2048)   grid 64  group 32
#pragma OPENCL FP_CONTRACT OFF
kernel void nearest(global const float2* where, global double* best, global int* which, float x, float y, int n)
{
    const int i = get_global_id(0), items = get_global_size(0);
    double d[3] = {INFINITY, INFINITY, INFINITY};
    int found[3] = {-1, -1, -1};
    for (int k = i; k < n; k += items) {
        const double u = where[k].x - x, v = where[k].y - y, apart = sqrt(u * u + v * v);
        int at = 3;
        while (at > 0 && apart < d[at - 1]) at--;
        for (int m = 2; m > at; m--) d[m] = d[m - 1], found[m] = found[m - 1];
        if (at < 3) d[at] = apart, found[at] = k;
    }
    for (int m = 0; m < 3; m++) best[3 * i + m] = d[m], which[3 * i + m] = found[m];
}
