// Blocks of many sizes come and go, small ones from the heap and large ones from mappings; each keeps what was written.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    enum { slots = 200 };
    unsigned char* blocks[slots] = {0};
    size_t sizes[slots] = {0};
    uint64_t state = 88172645463325252ull, total = 0;
    int wrong = 0;
    for (int round = 0; round < 4000; ++round) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const int i = (int)(state % slots);
        for (size_t k = 0; k < sizes[i]; k += 97) wrong += blocks[i][k] != (unsigned char)(i + k);
        size_t size = (size_t)(state >> 20) % 3000;
        if ((state >> 40) % 50 == 0) size *= 100;
        blocks[i] = round % 3 ? realloc(blocks[i], size + 1) : (free(blocks[i]), malloc(size + 1));
        if (!blocks[i]) return 2;
        sizes[i] = size;
        for (size_t k = 0; k < size; ++k) blocks[i][k] = (unsigned char)(i + k);
        total += size;
    }
    for (int i = 0; i < slots; ++i) free(blocks[i]);
    printf("%llu bytes, %d wrong\n", (unsigned long long)total, wrong);
    return wrong != 0;
}
