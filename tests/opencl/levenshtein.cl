// How far words are from each other by the fewest changes, a row of the table in private memory.
// buffer  words  uchar[1536]  = 97 + (i * 7 + i * i // 11) % 5
// buffer  away   uchar[1024]  zero
// run     compare(words, away)   grid 64, 16  group 64, 1
kernel void compare(global const uchar* words, global uchar* away)
{
    const int a = get_global_id(0), b = get_global_id(1);
    const int m = 8 + a % 17, n = 8 + b % 17;
    uchar row[25];
    for (int j = 0; j <= n; j++) row[j] = j;
    for (int i = 1; i <= m; i++) {
        uchar diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= n; j++) {
            const uchar above = row[j];
            const uchar same = diagonal + (words[a * 24 + i - 1] != words[b * 24 + j - 1]);
            row[j] = min(same, (uchar)(min(above, row[j - 1]) + 1));
            diagonal = above;
        }
    }
    away[b * 64 + a] = row[n];
}
