// Elimination of one unknown after the other, a column of factors and then the rest; after Rodinia's gaussian.
// buffer  a  float[256]  = 20 if i % 17 == 0 else sin(i * 2.3)
// buffer  b  float[16]   random -4 4
// buffer  m  float[256]  zero
// repeat  t = 0 .. 14
//     run factors(a, m, 16, t)        grid 16      group 16
//     run subtract(a, b, m, 16, t)    grid 16, 16  group 4, 16
#pragma OPENCL FP_CONTRACT OFF
kernel void factors(global const float* a, global float* m, int n, int t)
{
    const int i = get_global_id(0);
    if (i < n - 1 - t) m[(i + t + 1) * n + t] = a[(i + t + 1) * n + t] / a[t * n + t];
}

kernel void subtract(global float* a, global float* b, global const float* m, int n, int t)
{
    const int x = get_global_id(0), y = get_global_id(1);
    if (x >= n - 1 - t || y >= n - t) return;
    const int row = x + 1 + t;
    a[row * n + y + t] -= m[row * n + t] * a[t * n + y + t];
    if (y == 0) b[row] -= m[row * n + t] * b[t];
}
