// setjmp and longjmp, calls through pointers, calls with many arguments, and deep recursion.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static jmp_buf back;

static int ackermann(int m, int n) { return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1)); }

static double sum(int count, ...) {
    va_list list;
    va_start(list, count);
    double total = 0;
    for (int i = 0; i < count; ++i) total += i % 2 ? va_arg(list, double) : va_arg(list, int);
    va_end(list);
    return total;
}
static void dive(int depth) {
    volatile char room[100];
    room[depth % 100] = (char)depth;
    if (depth == 0) longjmp(back, 7);
    dive(depth - 1);
    room[0] = 1;
}
static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }

struct wide {
    double a, b;
    long c;
};
static struct wide turn(struct wide w, float f, long x, long y, long z, long u, long v, long t, long s, int last) {
    return (struct wide){w.b + (double)f, w.a, w.c + x + y + z + u + v + t + s + last};
}

int main(void) {
    int (*const operations[])(int, int) = {add, sub, mul};
    for (int i = 0; i < 3; ++i) printf("%d ", operations[i](17, 5));
    printf("%d %g\n", ackermann(2, 300), sum(6, 1, 2.5, 3, 4.25, 5, 6.125));
    const int from = setjmp(back);
    if (from == 0) dive(10000);
    const struct wide w = turn((struct wide){1.5, 2.5, 3}, 0.25f, 1, 2, 3, 4, 5, 6, 7, 8);
    printf("%d %g %g %ld\n", from, w.a, w.b, w.c);
    for (int i = 0; i < 12; ++i)
        switch (i) {
            case 0: putchar('a'); break;
            case 1: case 2: putchar('b'); break;
            case 5: putchar('c'); // and on
            case 6: putchar('d'); break;
            case 9: putchar('e'); break;
            default: putchar('.');
        }
    putchar('\n');
    return 3;
}
