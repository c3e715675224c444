// Runs of 64 are sorted by bitonic exchange in local memory, then merged in pairs: each element finds its place by a search
// in the other run; after Rodinia's hybridsort.
// buffer  a  int[1024]  bits
// buffer  b  int[1024]  zero
// run     sort_runs(a)          grid 1024  group 64
// run     merge(a, b, 64)       grid 1024  group 64
// run     merge(b, a, 128)      grid 1024  group 64
// run     merge(a, b, 256)      grid 1024  group 64
// run     merge(b, a, 512)      grid 1024  group 64
kernel void sort_runs(global int* a)
{
    local int t[64];
    const int l = get_local_id(0), i = get_global_id(0);
    t[l] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int size = 2; size <= 64; size *= 2)
        for (int stride = size / 2; stride > 0; stride /= 2) {
            const int other = l ^ stride;
            if (other > l && (t[l] > t[other]) == ((l & size) == 0)) {
                const int x = t[l];
                t[l] = t[other], t[other] = x;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    a[i] = t[l];
}

kernel void merge(global const int* from, global int* to, int run)
{
    const int i = get_global_id(0), mine = i / run * run, other = mine ^ run, x = from[i];
    int low = 0, high = run;
    while (low < high) {
        const int middle = (low + high) >> 1;
        if (from[other + middle] < x || (from[other + middle] == x && other < mine)) low = middle + 1;
        else high = middle;
    }
    to[(mine & ~run) + (i - mine) + low] = x;
}
