// Speckles are taken from an image by diffusion that depends on the local variation: derivatives and coefficients in one
// launch, the update in another; after Rodinia's srad.
// buffer  image  float[1024]  random 0.2 1.2
// buffer  d      float[4096]  zero
// buffer  c      float[1024]  zero
// repeat  step = 0 .. 1
//     run coefficients(image, d, c, 32, 0.05f)  grid 32, 32  group 16, 4
//     run update(image, d, c, 32, 0.5f)         grid 32, 32  group 16, 4
#pragma OPENCL FP_CONTRACT OFF
kernel void coefficients(global const float* image, global float* d, global float* c, int n, float q0)
{
    const int x = get_global_id(0), y = get_global_id(1), at = y * n + x;
    const float j = image[at];
    const float north = image[max(y - 1, 0) * n + x] - j, south = image[min(y + 1, n - 1) * n + x] - j;
    const float west = image[y * n + max(x - 1, 0)] - j, east = image[y * n + min(x + 1, n - 1)] - j;
    const float g = (north * north + south * south + west * west + east * east) / (j * j);
    const float l = (north + south + west + east) / j;
    const float numerator = 0.5f * g - 0.0625f * (l * l), denominator = 1.0f + 0.25f * l;
    const float q = numerator / (denominator * denominator);
    const float value = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
    c[at] = value < 0.0f ? 0.0f : value > 1.0f ? 1.0f : value;
    d[4 * at] = north, d[4 * at + 1] = south, d[4 * at + 2] = west, d[4 * at + 3] = east;
}

kernel void update(global float* image, global const float* d, global const float* c, int n, float lambda)
{
    const int x = get_global_id(0), y = get_global_id(1), at = y * n + x;
    const float here = c[at], below = c[min(y + 1, n - 1) * n + x], right = c[y * n + min(x + 1, n - 1)];
    const float sum = here * d[4 * at] + below * d[4 * at + 1] + here * d[4 * at + 2] + right * d[4 * at + 3];
    image[at] += 0.25f * lambda * sum;
}
