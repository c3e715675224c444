// Branches, loops and calls, uniform and not.
#include "device.h"

kernel void collatz(global unsigned* x) {
    unsigned v = x[ID()], steps = 0;
    while (v != 1 && steps < 1000) {
        v = v & 1 ? 3 * v + 1 : v / 2;
        ++steps;
    }
    x[ID()] = steps;
}

kernel void mandelbrot(global uchar* out, float x0, float y0, float step) {
    float cx = x0 + step * (float)ID(), cy = y0 + step * (float)ID_Y(), x = 0, y = 0;
    int n = 0;
    for (; n < 255 && x * x + y * y < 4.0f; ++n) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
    }
    out[ID()] = (uchar)n;
}

kernel void choose(global int* x, int which) {
    switch (which) {
        case 0: x[ID()] += 5; break;
        case 1: x[ID()] *= 7; break;
        case 2: x[ID()] ^= 0x55555555; break;
        case 3: x[ID()] = -x[ID()]; break;
        case 4: x[ID()] = 0; break;
        case 9: x[ID()] >>= 3; break;
        default: x[ID()] = which;
    }
}

kernel void choose_per_lane(global int* x) {
    switch (x[ID()] & 7) {
        case 0: x[ID()] += 5; break;
        case 1: x[ID()] *= 7; break;
        case 2: x[ID()] /= 3; break;
        case 5: x[ID()] = (int)ID(); break;
        default: x[ID()] = 1;
    }
}

kernel void nested(global int* x, int n, int m) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < m; ++j) {
            if (x[i * m + j] < 0) continue;
            if (x[i * m + j] == 12345) break;
            sum += x[i * m + j] * (i - j);
        }
    }
    x[ID()] = sum;
}

static NOINLINE float horner(global const float* c, int n, float x) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum = sum * x + c[i];
    return sum;
}

kernel void calls(global const float* c, global float* x, int n) { x[ID()] = horner(c, n, x[ID()]) + horner(c + n, 3, 2.0f); }

static NOINLINE int ackermann(int m, int n) {
    if (m == 0) return n + 1;
    return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

kernel void recursion(global int* x) { x[ID()] = ackermann(2, x[ID()] & 3); }

kernel void stop_early(global int* x, int n) {
    if ((int)ID() >= n) return;
    if (x[ID()] < 0) __builtin_trap();
    x[ID()] = __builtin_amdgcn_s_getreg(0x1801) + (int)__builtin_amdgcn_s_memtime();
}
