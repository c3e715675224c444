// The Mandelbrot set as examples/fabrisc/mandelbrot.s computes it with -D WRITE: the same steps on floats, one after the other.
#include <stdint.h>
#include <stdio.h>

#ifndef WIDTH
#define WIDTH 320
#define HEIGHT 240
#endif
#define MOST 64

int main(void) {
    uint32_t palette[MOST + 1];
    for (int i = 0; i < MOST; ++i)
        palette[i] = (uint32_t)(i * i / 16 << 16 | i * 4 << 8 | (255 - (63 - i) * (63 - i) / 20));
    palette[MOST] = 0;
    const float step = 3.0f / WIDTH, left = -9.0f / 4.0f, top = -(float)HEIGHT / 2.0f * step;
    for (int y = 0; y < HEIGHT; ++y) {
        uint32_t row[WIDTH];
        const float point_im = (float)y * step + top;
        for (int x = 0; x < WIDTH; ++x) {
            const float point_re = (float)x * step + left;
            float re = 0, im = 0;
            int iterations = 0;
            for (; iterations < MOST; ++iterations) {
                const float re2 = re * re, im2 = im * im;
                if (4.0f < re2 + im2) break;
                im = re * im;
                im = im + im + point_im;
                re = re2 - im2 + point_re;
            }
            row[x] = palette[iterations];
        }
        fwrite(row, sizeof row[0], WIDTH, stdout);
    }
    return 0;
}
