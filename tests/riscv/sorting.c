// The library's qsort and bsearch, and an insertion sort, agree.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static int compare(const void* a, const void* b) {
    const int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return (x > y) - (x < y);
}

int main(void) {
    enum { count = 2000 };
    static int32_t a[count], b[count];
    uint32_t state = 12345;
    for (int i = 0; i < count; ++i) {
        state = state * 1664525u + 1013904223u;
        a[i] = b[i] = (int32_t)state >> 12;
    }
    qsort(a, count, sizeof *a, compare);
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0 && b[j - 1] > b[j]; --j) {
            const int32_t t = b[j];
            b[j] = b[j - 1];
            b[j - 1] = t;
        }
    uint64_t sum = 0;
    int found = 0;
    for (int i = 0; i < count; ++i) {
        if (a[i] != b[i]) return printf("differ at %d\n", i), 1;
        sum = sum * 31 + (uint32_t)a[i];
        found += bsearch(&b[i], a, count, sizeof *a, compare) != NULL;
    }
    printf("%016llx %d %d %d\n", (unsigned long long)sum, found, a[0], a[count - 1]);
    return 0;
}
