// Columns made orthogonal one after the other: the norm of one, its direction, and what the others lose; after PolyBench's
// gramschmidt.
// buffer  a  double[96]   random 1 3
// buffer  q  double[96]   zero
// buffer  r  double[36]   zero
// repeat  k = 0 .. 5
//     run norm(a, r, 16, 6, k)              grid 1   group 1
//     run direction(a, q, r, 6, k)          grid 16  group 16
//     run remove_from(a, q, r, 16, 6, k)    grid 6   group 6
#pragma OPENCL FP_CONTRACT OFF
kernel void norm(global const double* a, global double* r, int rows, int columns, int k)
{
    double sum = 0.0;
    for (int i = 0; i < rows; i++) sum += a[i * columns + k] * a[i * columns + k];
    r[k * columns + k] = sqrt(sum);
}

kernel void direction(global const double* a, global double* q, global const double* r, int columns, int k)
{
    const int i = get_global_id(0);
    q[i * columns + k] = a[i * columns + k] / r[k * columns + k];
}

kernel void remove_from(global double* a, global const double* q, global double* r, int rows, int columns, int k)
{
    const int j = get_global_id(0);
    if (j <= k) return;
    double sum = 0.0;
    for (int i = 0; i < rows; i++) sum += q[i * columns + k] * a[i * columns + j];
    r[k * columns + j] = sum;
    for (int i = 0; i < rows; i++) a[i * columns + j] -= q[i * columns + k] * sum;
}
