// The library's functions on floats, which its own code computes.
#include <complex.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    for (int i = 1; i < 12; ++i) {
        const double x = i * 0.7390851332151607;
        printf("%.15g %.15g %.15g %.15g\n", sin(x), exp(-x), log1p(x), pow(x, 2.5));
        printf("%.15g %.15g %.15g %.15g\n", atan2(x, i), cbrt(x), tgamma(x), erf(x / 3));
        printf("%.7g %.7g %.7g\n", (double)sinf((float)x), (double)expf((float)x), (double)sqrtf((float)x));
        printf("%g %g %g %g %ld %d\n", floor(-x), ceil(x), trunc(x), rint(x * 2), lround(x), ilogb(x));
    }
    printf("%.15g %.15g\n", creal(cexp(I * 1.5)), cabs(3 + 4 * I));
    printf("%.15g %.15g %.15g\n", fmin(NAN, 1), fmax(-0.0, 0.0), fma(0.1, 10, -1));
    const int directions[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    for (int i = 0; i < 4; ++i) {
        fesetround(directions[i]);
        volatile double a = 1, b = 3, c = -7.5;
        volatile float f = (float)(a / b);
        printf("%.20g %.20g %ld %g\n", a / b, -a / b, lrint(c), (double)f);
    }
    fesetround(FE_TONEAREST);
    feclearexcept(FE_ALL_EXCEPT);
    volatile double zero = 0, one = 1, huge = 1e308;
    volatile double results[] = {one / zero, zero / zero, huge * 10, one / 3};
    printf("%g %d%d%d%d%d\n", results[0], !!fetestexcept(FE_DIVBYZERO), !!fetestexcept(FE_INVALID), !!fetestexcept(FE_OVERFLOW),
           !!fetestexcept(FE_UNDERFLOW), !!fetestexcept(FE_INEXACT));
    return 0;
}
