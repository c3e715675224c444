// What a magnet sees of samples in space: sums of sines and cosines; after Parboil's mri-q.
// library
// buffer  k    float[128]  random -1 1
// buffer  x    float[768]  random -1 1
// buffer  mag  float[32]   zero
// buffer  q    float[512]  zero  within 0.0001
// run     magnitude(k, mag)     grid 32   group 32
// run     sums(k, x, mag, q)    grid 256  group 64
#pragma OPENCL FP_CONTRACT OFF
kernel void magnitude(global const float4* k, global float* mag)
{
    const int i = get_global_id(0);
    mag[i] = k[i].w * k[i].w;
}

kernel void sums(constant float4* k, global const float* x, global const float* mag, global float2* q)
{
    const int i = get_global_id(0);
    float2 sum = 0.0f;
    for (int j = 0; j < 32; j++) {
        const float angle = 6.2831853f * (k[j].x * x[3 * i] + k[j].y * x[3 * i + 1] + k[j].z * x[3 * i + 2]);
        sum += mag[j] * (float2)(cos(angle), sin(angle));
    }
    q[i] = sum;
}
