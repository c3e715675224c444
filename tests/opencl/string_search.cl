// Where words are in a text: by a table of what to do after a difference (Knuth, Morris and Pratt) in private memory, each
// work-item over a part of the text that overlaps the next, the places in any order.
// buffer  text    uchar[4096]  = 97 + (i * i // 7 + i // 3) % 3
// buffer  word    uchar[8]     = 97 + (0, 1, 0, 0, 1, 0, 2, 0)[i]
// buffer  places  int[1024]    = -1               in any order
// buffer  count   int[9]       zero
// run     search(text, word, places, count, 4096, 3)    grid 64  group 32
// run     search(text, word, places, count, 4096, 5)    grid 64  group 32
kernel void search(global const uchar* text, constant uchar* word, global int* places, volatile global int* count, int n, int m)
{
    int table[8];
    table[0] = 0;
    for (int k = 1, q = 0; k < m; k++) {
        while (q > 0 && word[q] != word[k]) q = table[q - 1];
        if (word[q] == word[k]) q++;
        table[k] = q;
    }
    const int i = get_global_id(0), part = n / (int)get_global_size(0), end = min((i + 1) * part + m - 1, n);
    int q = 0;
    for (int at = i * part; at < end; at++) {
        while (q > 0 && word[q] != text[at]) q = table[q - 1];
        if (word[q] == text[at]) q++;
        if (q == m) {
            const int slot = atomic_inc(count);
            if (slot < 1024) places[slot] = at - m + 1 + m * 10000;
            atomic_inc(count + m);
            q = table[q - 1];
        }
    }
}
