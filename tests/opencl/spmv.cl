// A sparse matrix times a vector: rows of any length one after the other, and columns of equal height side by side; after
// Parboil's and SHOC's spmv. Row i has (7 i) % 9 entries.
// buffer  starts   int[129]    = (i // 9) * 36 + (0, 0, 7, 12, 15, 16, 24, 30, 34)[i % 9]
// buffer  columns  int[516]    = (i * 41 + 3) % 128
// buffer  values   float[516]  random -1 1
// buffer  x        float[128]  random -1 1
// buffer  y        float[128]  zero
// buffer  e        float[128]  zero
// run     rows(starts, columns, values, x, y)         grid 128  group 64
// run     ellpack(columns, values, x, e, 128, 4)      grid 128  group 32
#pragma OPENCL FP_CONTRACT OFF
kernel void rows(global const int* starts, global const int* columns, global const float* values, global const float* x, global float* y)
{
    const int row = get_global_id(0);
    float sum = 0.0f;
    for (int k = starts[row]; k < starts[row + 1]; k++) sum += values[k] * x[columns[k]];
    y[row] = sum;
}

kernel void ellpack(global const int* columns, global const float* values, global const float* x, global float* y, int n, int depth)
{
    const int row = get_global_id(0);
    float sum = 0.0f;
    for (int k = 0; k < depth; k++) sum += values[k * n + row] * x[columns[k * n + row]];
    y[row] = sum;
}
