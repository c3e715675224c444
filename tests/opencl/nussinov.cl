// How the most pairs of a strand of RNA can be bonded: dynamic programming from the diagonal outwards; after PolyBench's
// nussinov.
// buffer  strand  int[48]    = (i * i + i // 3) % 4
// buffer  table   int[2304]  zero
// run     fold(strand, table, 48)   grid 64  group 64
kernel void fold(global const int* strand, global int* table, int n)
{
    const int l = get_local_id(0);
    for (int length = 1; length < n; length++) {
        const int i = l, j = l + length;
        if (j < n) {
            int best = max(table[i * n + j - 1], table[(i + 1) * n + j]);
            const int bond = i < j - 1 && strand[i] + strand[j] == 3;
            best = max(best, table[(i + 1) * n + j - 1] + bond);
            for (int k = i + 1; k < j; k++) best = max(best, table[i * n + k] + table[(k + 1) * n + j]);
            table[i * n + j] = best;
        }
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
