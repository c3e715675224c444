// The nearest of 5 centres for each of 1024 points in 8 dimensions, and the sums of their coordinates, which are integers so
// that their order does not matter; after Rodinia's kmeans.
// buffer  points   float[8192]  random -10 10
// buffer  centres  float[40]    random -10 10
// buffer  member   int[1024]    zero
// buffer  sums     int[40]      zero
// buffer  counts   int[5]       zero
// run     assign(points, centres, member, 1024, 5)            grid 1024  group 64
// run     accumulate(points, member, sums, counts, 1024, 5)   grid 1024  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void assign(global const float* points, global const float* centres, global int* member, int n, int k)
{
    const int i = get_global_id(0);
    float nearest = INFINITY;
    int found = -1;
    for (int c = 0; c < k; c++) {
        float sum = 0.0f;
        for (int d = 0; d < 8; d++) {
            const float apart = points[d * n + i] - centres[8 * c + d];
            sum += apart * apart;
        }
        if (sum < nearest) nearest = sum, found = c;
    }
    member[i] = found;
}

kernel void accumulate(global const float* points, global const int* member, global int* sums, global int* counts, int n, int k)
{
    local int part[40], count[5];
    const int i = get_global_id(0), l = get_local_id(0);
    if (l < 40) part[l] = 0;
    if (l < 5) count[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    const int c = member[i];
    for (int d = 0; d < 8; d++) atomic_add(&part[8 * c + d], (int)(points[d * n + i] * 1024.0f));
    atomic_inc(&count[c]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8 * k) atomic_add(sums + l, part[l]);
    if (l < k) atomic_add(counts + l, count[l]);
}
