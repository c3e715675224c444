// Angles between directions on a sphere, sorted into bins by a search, each work-item counting in bins of its own; after
// Parboil's tpacf.
// buffer  points  float[768]   random -1 1
// buffer  bounds  double[9]    = 1 - i * 0.25
// buffer  bins    uint[640]    zero
// buffer  total   uint[10]     zero
// run     angles(points, bounds, bins, 256)   grid 64  group 32
// run     collect(bins, total)                grid 64  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void angles(global const float* points, constant double* bounds, global uint* bins, int n)
{
    const int item = get_global_id(0);
    uint count[10];
    for (int k = 0; k < 10; k++) count[k] = 0;
    for (int i = item; i < n; i += 64)
        for (int j = 0; j < i; j++) {
            const double3 a = (double3)(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
            const double3 b = (double3)(points[3 * j], points[3 * j + 1], points[3 * j + 2]);
            const double3 ab = a * b, aa = a * a, bb = b * b;
            const double cosine = (ab.x + ab.y + ab.z) / sqrt((aa.x + aa.y + aa.z) * (bb.x + bb.y + bb.z));
            int low = 0, high = 9;
            while (low < high) {
                const int middle = (low + high) / 2;
                if (cosine >= bounds[middle]) high = middle;
                else low = middle + 1;
            }
            count[low]++;
        }
    for (int k = 0; k < 10; k++) bins[10 * item + k] = count[k];
}

kernel void collect(global const uint* bins, global uint* total)
{
    const int item = get_local_id(0);
    for (int k = 0; k < 10; k++)
        if (bins[10 * item + k]) atomic_add(total + k, bins[10 * item + k]);
}
