// A symmetric matrix becomes the square of a triangle, by one group with a barrier after each column, and two triangular
// systems are solved with it; after PolyBench's cholesky and trisolv.
// buffer  m  double[576]  = 30 if i % 25 == 0 else sin(i // 24 * 1.3 + i % 24 * 1.3)
// buffer  b  double[24]   random -1 1
// run     factor(m, 24)      grid 24  group 24
// run     forward(m, b, 24)  grid 24  group 24
// run     back(m, b, 24)     grid 24  group 24
#pragma OPENCL FP_CONTRACT OFF
kernel void factor(global double* m, int n)
{
    const int i = get_local_id(0);
    for (int k = 0; k < n; k++) {
        if (i == k) m[k * n + k] = sqrt(m[k * n + k]);
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i > k) m[i * n + k] /= m[k * n + k];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i > k)
            for (int j = k + 1; j <= i; j++) m[i * n + j] -= m[i * n + k] * m[j * n + k];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void forward(global const double* m, global double* b, int n)
{
    const int i = get_local_id(0);
    for (int k = 0; k < n; k++) {
        if (i == k) b[k] /= m[k * n + k];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i > k) b[i] -= m[i * n + k] * b[k];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void back(global const double* m, global double* b, int n)
{
    const int i = get_local_id(0);
    for (int k = n - 1; k >= 0; k--) {
        if (i == k) b[k] /= m[k * n + k];
        barrier(CLK_GLOBAL_MEM_FENCE);
        if (i < k) b[i] -= m[k * n + i] * b[k];
        barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
