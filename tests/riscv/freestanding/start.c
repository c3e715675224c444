// A program without a library: where it begins, what it asks Linux for, and what it prints of the other files. Each thread's variables
// are here, too: the one thread that there is gets its copy.
#include "program.h"

__thread int own = 5;
__thread int counted;
extern __thread int borrowed;

static long call(long number, long a, long b, long c) {
    register long a0 __asm__("a0") = a;
    register long a1 __asm__("a1") = b;
    register long a2 __asm__("a2") = c;
    register long a7 __asm__("a7") = number;
    __asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
    return a0;
}

void print(const char* text) { call(64, 1, (long)text, length(text)); }

extern void (*__init_array_start[])(void), (*__init_array_end[])(void);
static int initialised;
__attribute__((constructor)) static void initialise(void) { initialised = 7; }

int weak_one(int n) __attribute__((weak));
extern int nowhere __attribute__((weak));

void begin(void) {
    for (void (**one)(void) = __init_array_start; one != __init_array_end; ++one) (*one)();
    counted += initialised;
    print_number("initialised", counted);
    print_number("own", own + borrowed);
    print_number("weak", weak_one ? weak_one(20) : -1);
    print_number("nowhere", &nowhere == 0);
    for (int i = -1; i < 9; ++i) print(word_of(i));
    print("\n");
    print_number("sum", sum_of(table, 10));
    print_number("common", common_one + common_two);
    print_number("far", far_call(3));
    call(93, 42, 0, 0);
}

__asm__(
    ".globl _start\n"
    "_start:\n"
    ".option push\n"
    ".option norelax\n"
    "    lla gp, __global_pointer$\n"
    ".option pop\n"
    "    lla tp, copy\n"
    "    mv s0, sp\n"
    "    j go\n"
    "    .align 4\n"
    "go: call set_threads\n"
    "    tail begin\n"
    "    .bss\n"
    "    .align 4\n"
    "copy: .zero 64\n"
    "    .text\n");
extern char copy[] __asm__("copy");
// The copy is made of what each thread's variables begin with.
void set_threads(void) {
    int* const mine = (int*)copy;
    for (int i = 0; i < 16; ++i) mine[i] = 0;
    own = 5;
    borrowed = 6;
}
