// Pointers that are to global memory in some lanes, to local and private memory in others.
// targets gfx700 gfx803 gfx900 gfx906
// buffer  a    int[512]   random -1000 1000
// buffer  out  int[1024]  zero
// run     any_memory(a, out)   grid 512  group 64
#ifdef HOST
#define ANY(T, p) ((private T*)(uintptr_t)(p))
#else
#define ANY(T, p) ((T*)(p))
#endif

int sum_of(
#ifdef HOST
    private
#endif
    int* p, int n)
{
    int sum = 0;
    for (int k = 0; k < n; k++) sum = sum * 3 + p[k], p[k] ^= k;
    return sum;
}

kernel void any_memory(global int* a, global int* out)
{
    local int shared[256];
    int own[4];
    const int i = get_global_id(0), l = get_local_id(0);
    for (int k = 0; k < 4; k++) shared[4 * l + k] = i * k, own[k] = i + k;
    const int kind = a[i] & 3;
    int sum;
    if (kind == 0) sum = sum_of(ANY(int, a + i), 1);
    else if (kind == 1) sum = sum_of(ANY(int, shared + 4 * l), 4);
    else sum = sum_of(ANY(int, own), 4);
    volatile
#ifdef HOST
    private
#endif
    int* chosen = kind & 1 ? ANY(int, shared + 4 * l + 1) : ANY(int, out + 512 + i);
    *chosen += 5;
    out[i] = sum + own[2] + shared[4 * l + 1];
}
