// Quick sort with an insertion sort at the end of COUNT words from a generator, as examples/fabrisc/sort.s does it.
#include <stdint.h>
#include <stdio.h>

#ifndef COUNT
#define COUNT 5000
#endif

static int32_t words[COUNT];

static void quick_sort(int32_t* first, int32_t* last) {
    while (last - first > 12) {
        int32_t pivot = first[(last - first) / 2], *low = first, *high = last;
        do {
            while (*low < pivot) ++low;
            while (*high > pivot) --high;
            if (low <= high) {
                int32_t kept = *low;
                *low++ = *high;
                *high-- = kept;
            }
        } while (low <= high);
        if (high - first < last - low) {
            quick_sort(first, high);
            first = low;
        } else {
            quick_sort(low, last);
            last = high;
        }
    }
}

int main(void) {
    uint32_t x = 1;
    for (int i = 0; i < COUNT; ++i) words[i] = (int32_t)(x = x * 1664525 + 1013904223);
    quick_sort(words, words + COUNT - 1);
    for (int i = 1; i < COUNT; ++i) {
        int32_t moved = words[i];
        int k = i;
        for (; k > 0 && words[k - 1] > moved; --k) words[k] = words[k - 1];
        words[k] = moved;
    }
    fwrite(words, sizeof words[0], COUNT, stdout);
    return 0;
}
