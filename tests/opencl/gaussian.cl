// Elimination of one unknown after the other, a column of factors and then the rest; after Rodinia's gaussian.
// buffer  a  float[100]  = 20 if i % 11 == 0 else sin(i * 2.3)
// buffer  b  float[10]   random -4 4
// buffer  m  float[100]  zero
// repeat  t = 0 .. 8
//     run factors(a, m, 10, t)        grid 10      group 10
//     run subtract(a, b, m, 10, t)    grid 10, 10  group 5, 10
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
