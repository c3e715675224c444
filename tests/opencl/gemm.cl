// A product of matrices through tiles in local memory, scaled and added to; after PolyBench's gemm.
// buffer  a  float[3072]  random -1 1
// buffer  b  float[3072]  random -1 1
// buffer  c  float[2304]  random -1 1
// run     gemm(a, b, c, 64, 48, 1.5f, -0.75f)   grid 48, 48  group 16, 16
#pragma OPENCL FP_CONTRACT OFF
kernel void gemm(global const float* a, global const float* b, global float* c, int inner, int width, float alpha, float beta)
{
    local float left[16][16], right[16][16];
    const int x = get_global_id(0), y = get_global_id(1), u = get_local_id(0), v = get_local_id(1);
    float sum = 0.0f;
    for (int t = 0; t < inner; t += 16) {
        left[v][u] = a[y * inner + t + u];
        right[v][u] = b[(t + v) * width + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) sum += left[v][k] * right[k][u];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * width + x] = alpha * sum + beta * c[y * width + x];
}
