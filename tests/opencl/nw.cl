// The best alignment of two sequences by dynamic programming over diagonals of a tile in local memory; after Rodinia's nw
// (Needleman and Wunsch).
// buffer  a      int[64]      = (i * i + 3 * i) % 4
// buffer  b      int[64]      = (i * i * i + i) % 4
// buffer  score  int[4225]    = -2 * (i if i < 65 else i // 65) if i < 65 or i % 65 == 0 else 0
// run     tile(a, b, score, 0, 0)    grid 32  group 32
// run     tile(a, b, score, 1, 0)    grid 32  group 32
// run     tile(a, b, score, 0, 1)    grid 32  group 32
// run     tile(a, b, score, 1, 1)    grid 32  group 32
kernel void tile(global const int* a, global const int* b, global int* score, int column, int row)
{
    local int t[33][33];
    const int l = get_local_id(0), left = 32 * column, top = 32 * row;
    for (int y = 0; y < 33; y++) t[y][l + 1] = score[(top + y) * 65 + left + l + 1];
    t[l + 1][0] = score[(top + l + 1) * 65 + left];
    if (l == 0) t[0][0] = score[top * 65 + left];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 0; d < 63; d++) {
        const int x = l + 1, y = d - l + 1;
        if (y >= 1 && y <= 32) {
            const int same = t[y - 1][x - 1] + (a[left + l] == b[top + y - 1] ? 3 : -1);
            t[y][x] = max(same, max(t[y - 1][x], t[y][x - 1]) - 2);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int y = 1; y < 33; y++) score[(top + y) * 65 + left + l + 1] = t[y][l + 1];
}
