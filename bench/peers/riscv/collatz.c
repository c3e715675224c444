// The steps of the Collatz sequence for each number up to LAST, as examples/fabrisc/collatz.s computes and prints them.
#include <stdint.h>
#include <stdio.h>

#ifndef LAST
#define LAST 1000
#endif

int main(void) {
    for (int32_t start = 1; start <= LAST; ++start) {
        uint32_t steps = 0;
        for (int32_t number = start; number > 1;) {
            if (number % 2 != 0) {
                number = (int32_t)((uint32_t)number * 3 + 1) >> 1;
                steps += 2;
            } else {
                number >>= 1;
                steps += 1;
            }
        }
        printf("%u\n", (unsigned)steps);
    }
    return 0;
}
