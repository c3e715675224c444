// Products of matrices, and a system of equations, in both kinds of floats.
#include <stdio.h>

enum { n = 24 };
static double a[n][n], b[n][n], c[n][n];
static float f[n][n];

int main(void) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            a[i][j] = 1.0 / (i + j + 1) + (i == j);
            b[i][j] = (i * 7 + j * 3) % 11 - 5;
            f[i][j] = (float)(a[i][j] * b[i][j]);
        }
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j)
            for (int k = 0; k < n; ++k) c[i][j] += a[i][k] * b[k][j];
    double trace = 0;
    float narrow = 0;
    for (int i = 0; i < n; ++i) trace += c[i][i], narrow += f[i][n - 1 - i] / (float)(i + 1);
    for (int i = 0; i < n; ++i) {  // no pivots are needed: the diagonal is the largest
        for (int r = i + 1; r < n; ++r) {
            const double factor = a[r][i] / a[i][i];
            for (int k = i; k < n; ++k) a[r][k] -= factor * a[i][k];
        }
        trace += a[i][i];
    }
    printf("%.17g %.9g %.17g\n", trace, (double)narrow, c[3][5]);
    return 0;
}
