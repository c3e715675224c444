// Convolutions with 3 by 3 in the plane and 3 by 3 by 3 in space, whose weights are constants of the program; after
// PolyBench's 2DConvolution and 3DConvolution.
// buffer  a  float[2048]  random -1 1
// buffer  b  float[2048]  zero
// buffer  c  float[2048]  zero
// run     space(a, b, 16, 16)   grid 14, 14, 6  group 14, 2, 2
// run     plane(a, c, 64)       grid 62, 30     group 31, 3
#pragma OPENCL FP_CONTRACT OFF
constant float weights[27] = {0.2f, -0.3f, 0.4f, 0.5f, 0.6f, 0.7f, -0.8f, -0.9f, 0.1f, 0.1f, 0.2f, 0.3f, -0.1f, 0.9f,
                              0.2f, 0.3f,  0.1f, 0.4f, 0.7f, 0.7f, 0.2f,  -0.3f, 0.5f, 0.6f, 0.1f, 0.0f, -1.0f};

kernel void space(global const float* a, global float* b, int width, int height)
{
    const int x = get_global_id(0) + 1, y = get_global_id(1) + 1, z = get_global_id(2) + 1;
    float sum = 0.0f;
    for (int k = -1, w = 0; k <= 1; k++)
        for (int j = -1; j <= 1; j++)
            for (int i = -1; i <= 1; i++, w++) sum += weights[w] * a[((z + k) * height + y + j) * width + x + i];
    b[(z * height + y) * width + x] = sum;
}

kernel void plane(global const float* a, global float* c, int width)
{
    const int x = get_global_id(0) + 1, y = get_global_id(1) + 1;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; k++) sum += weights[9 + k] * a[(y + k / 3 - 1) * width + x + k % 3 - 1];
    c[y * width + x] = sum;
}
