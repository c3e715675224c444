// In how many ways 7 queens stand on a board, by trying with a stack of bits; the first two are given by the work-item.
// buffer  ways  int[64]  zero
// run     count(ways, 7)   grid 64  group 64
kernel void count(global int* ways, int n)
{
    const int item = get_global_id(0), first = item % 8, second = item / 8, all = (1 << n) - 1;
    int found = 0;
    if (first < n && second < n) {
        const int a = 1 << first, b = 1 << second;
        if (!(b & (a | a << 1 | a >> 1))) {
            int columns[8], left[8], right[8], open[8], depth = 0;
            columns[0] = a | b, left[0] = (a << 1 | b) << 1, right[0] = (a >> 1 | b) >> 1;
            open[0] = all & ~(columns[0] | left[0] | right[0]);
            while (depth >= 0) {
                if (columns[depth] == all) {
                    found++, depth--;
                    continue;
                }
                const int bit = open[depth] & -open[depth];
                if (!bit) {
                    depth--;
                    continue;
                }
                open[depth] ^= bit;
                columns[depth + 1] = columns[depth] | bit;
                left[depth + 1] = (left[depth] | bit) << 1;
                right[depth + 1] = (right[depth] | bit) >> 1;
                open[depth + 1] = all & ~(columns[depth + 1] | left[depth + 1] | right[depth + 1]);
                depth++;
            }
        }
    }
    ways[item] = found;
}
