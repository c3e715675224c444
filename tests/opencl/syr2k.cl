// Symmetric products, of which only the lower triangle is computed: half of the lanes have nothing to do; after PolyBench's
// syrk, syr2k and trmm.
// buffer  a  double[512]   random -1 1
// buffer  b  double[512]   random -1 1
// buffer  c  double[1024]  random -1 1
// buffer  s  double[1024]  random -1 1
// run     rank_2k(a, b, c, 32, 16)   grid 32, 32  group 16, 8
// run     rank_k(a, s, 32, 16)       grid 32, 32  group 32, 1
#pragma OPENCL FP_CONTRACT OFF
kernel void rank_2k(global const double* a, global const double* b, global double* c, int n, int m)
{
    const int j = get_global_id(0), i = get_global_id(1);
    if (j > i) return;
    double sum = c[i * n + j] * 1.2;
    for (int k = 0; k < m; k++) sum += a[j * m + k] * 1.5 * b[i * m + k] + b[j * m + k] * 1.5 * a[i * m + k];
    c[i * n + j] = sum;
}

kernel void rank_k(global const double* a, global double* c, int n, int m)
{
    const int j = get_global_id(0), i = get_global_id(1);
    if (j <= i) {
        double sum = c[i * n + j] * 1.2;
        for (int k = 0; k < m; k++) sum += 1.5 * a[i * m + k] * a[j * m + k];
        c[i * n + j] = sum;
    }
}
