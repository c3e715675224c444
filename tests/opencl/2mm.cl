// Two products one after the other, in doubles; after PolyBench's 2mm.
// buffer  a  double[576]  random -1 1
// buffer  b  double[576]  random -1 1
// buffer  c  double[576]  random -1 1
// buffer  t  double[576]  zero
// buffer  d  double[576]  random -1 1
// run     first(a, b, t, 24, 1.25)       grid 24, 24  group 8, 8
// run     second(t, c, d, 24, 0.5)       grid 24, 24  group 8, 8
#pragma OPENCL FP_CONTRACT OFF
kernel void first(global const double* a, global const double* b, global double* t, int n, double alpha)
{
    const int x = get_global_id(0), y = get_global_id(1);
    double sum = 0.0;
    for (int k = 0; k < n; k++) sum += alpha * a[y * n + k] * b[k * n + x];
    t[y * n + x] = sum;
}

kernel void second(global const double* t, global const double* c, global double* d, int n, double beta)
{
    const int x = get_global_id(0), y = get_global_id(1);
    double sum = d[y * n + x] * beta;
    for (int k = 0; k < n; k++) sum += t[y * n + k] * c[k * n + x];
    d[y * n + x] = sum;
}
