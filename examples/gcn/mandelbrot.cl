// A picture of the Mandelbrot set: lanes whose point has left the circle wait for those of their wavefront that have not.
#include "items.h"

__kernel void mandelbrot(__global uint *image, uint width, uint height, float left, float top, float step, uint most) {
    uint column = global_x(), row = global_y();
    if (column >= width || row >= height) return;
    float a = left + step * (float)column, b = top - step * (float)row, x = 0, y = 0;
    uint n = 0;
    for (; n < most && x * x + y * y < 4.0f; ++n) {
        float next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
    }
    uint shade = n == most ? 0 : 255 - n * 255 / most;
    image[row * width + column] = shade << 16 | shade * shade / 255 << 8 | (255 - shade) / 2;
}
