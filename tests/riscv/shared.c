// Atomic operations of all kinds and widths, of one thread.
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

static _Atomic int32_t word = 5;
static _Atomic uint64_t wide = 0xfffffffffull;
static _Atomic uint8_t byte = 200;
static atomic_flag flag = ATOMIC_FLAG_INIT;

int main(void) {
    printf("%d %d %d %d\n", atomic_fetch_add(&word, 10), atomic_fetch_sub(&word, 20), atomic_exchange(&word, -7), atomic_load(&word));
    printf("%d %d %d\n", atomic_fetch_or(&word, 0x40), atomic_fetch_and(&word, 0x7f), atomic_fetch_xor(&word, -1));
    printf("%llx %llx\n", (unsigned long long)atomic_fetch_add(&wide, 1), (unsigned long long)atomic_fetch_or(&wide, 1ull << 63));
    int32_t expected = 3;
    const int first = atomic_compare_exchange_strong(&word, &expected, 99);
    const int second = atomic_compare_exchange_strong(&word, &expected, 99);
    printf("%d %d %d %d\n", first, second, expected, atomic_load(&word));
    for (int i = 0; i < 100; ++i) atomic_fetch_add(&byte, 1);
    const int held = atomic_flag_test_and_set(&flag), again = atomic_flag_test_and_set(&flag);
    printf("%d %d %d\n", atomic_load(&byte), held, again);
    atomic_thread_fence(memory_order_seq_cst);
    return 0;
}
