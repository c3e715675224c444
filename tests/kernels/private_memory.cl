// Arrays of each work item: scratch memory.
#include "device.h"

kernel void sort(global int* x) {
    int v[16];
    for (int i = 0; i < 16; ++i) v[i] = x[16 * ID() + i];
    for (int i = 1; i < 16; ++i) {
        int one = v[i], j = i;
        for (; j > 0 && v[j - 1] > one; --j) v[j] = v[j - 1];
        v[j] = one;
    }
    for (int i = 0; i < 16; ++i) x[16 * ID() + i] = v[i];
}

kernel void permute(global float* x, global const int* order) {
    float v[32];
    for (int i = 0; i < 32; ++i) v[order[i] & 31] = x[i];
    for (int i = 0; i < 32; ++i) x[i] = v[order[ID() & 31] & 31] + v[i];
}

kernel void large_frame(global char* x, int n) {
    volatile char buffer[5000];
    volatile short words[100];
    for (int i = 0; i < n; ++i) buffer[(i * 77) % 5000] = x[i];
    words[n % 100] = buffer[n % 5000];
    x[ID()] = buffer[(n + 4999) % 5000] + (char)words[n & 63];
}

struct Point {
    float x, y, z;
    short tag;
    char flags[3];
};

static NOINLINE struct Point moved(struct Point p, float by) {
    p.x += by;
    p.z -= by;
    p.tag += 1;
    p.flags[p.tag & 1] = 3;
    return p;
}

kernel void structures(global struct Point* p, float by) { p[ID()] = moved(p[ID()], by); }
