// What printf makes of numbers of all kinds.
#include <float.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

int main(void) {
    printf("%d %u %ld %lu %lld\n", INT_MIN, UINT_MAX, LONG_MIN, ULONG_MAX, LLONG_MAX);
    printf("[%5d] [%-5d] [%05d] [%+d] [%x] [%#o] [%c] [%.3s]\n", 42, 42, 42, 42, 0xbeef, 8, 'q', "string");
    const double numbers[] = {0.0, -0.0, 1.0 / 3, 1e300 * 1e10, -DBL_MIN / 4, 123456789.125, 5e-324, 0.1, 2.5, 1e22};
    for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; ++i)
        printf("%g %.17g %e %a %10.3f|\n", numbers[i], numbers[i], numbers[i], numbers[i], numbers[i] < 1e6 ? numbers[i] : 0);
    printf("%Lf %Lg\n", 1.0L / 3, 1e4000L);
    float narrow = 16777217.0f;
    printf("%.1f %d %d\n", narrow, (int)-2.75, (unsigned char)300.7);
    return 0;
}
