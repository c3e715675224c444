// Smooth noise over a grid of gradients that come out of a hash of places: floors, smooth steps, mixtures.
// buffer  out  float[1024]  zero
// run     noise(out, 32, 0.17f)   grid 32, 32  group 32, 2
#pragma OPENCL FP_CONTRACT OFF
float corner(int x, int y, float u, float v)
{
    uint h = (uint)x * 374761393u + (uint)y * 668265263u;
    h = (h ^ h >> 13) * 1274126177u;
    h ^= h >> 16;
    const float a = h & 1 ? u : -u, b = h & 2 ? v : -v;
    return h & 4 ? a + b : h & 8 ? a * 1.5f : b * 1.5f;
}

kernel void noise(global float* out, int width, float scale)
{
    const int px = get_global_id(0), py = get_global_id(1);
    float x = px * scale - 2.0f, y = py * scale - 3.0f, sum = 0.0f, weight = 1.0f;
    for (int octave = 0; octave < 4; octave++) {
        const float fx = floor(x), fy = floor(y), u = x - fx, v = y - fy;
        const int ix = (int)fx, iy = (int)fy;
        const float a = u * u * (3.0f - 2.0f * u), b = v * v * (3.0f - 2.0f * v);
        const float above = corner(ix, iy, u, v) * (1.0f - a) + corner(ix + 1, iy, u - 1.0f, v) * a;
        const float below = corner(ix, iy + 1, u, v - 1.0f) * (1.0f - a) + corner(ix + 1, iy + 1, u - 1.0f, v - 1.0f) * a;
        sum += (above * (1.0f - b) + below * b) * weight;
        x *= 2.0f, y *= 2.0f, weight *= 0.5f;
    }
    out[py * width + px] = sum;
}
