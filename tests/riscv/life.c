// The game of life, on a ring of bytes, drawn at its end.
#include <stdio.h>
#include <string.h>

enum { width = 48, height = 20 };
static char cells[2][height][width];

int main(void) {
    unsigned state = 2463534242u;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            state ^= state << 13, state ^= state >> 17, state ^= state << 5;
            cells[0][y][x] = state % 3 == 0;
        }
    for (int step = 0; step < 100; ++step)
        for (int y = 0; y < height; ++y)
            for (int x = 0; x < width; ++x) {
                int around = 0;
                for (int dy = -1; dy < 2; ++dy)
                    for (int dx = -1; dx < 2; ++dx)
                        if (dx || dy) around += cells[step & 1][(y + dy + height) % height][(x + dx + width) % width];
                cells[~step & 1][y][x] = around == 3 || (around == 2 && cells[step & 1][y][x]);
            }
    for (int y = 0; y < height; ++y) {
        char line[width + 1];
        for (int x = 0; x < width; ++x) line[x] = cells[0][y][x] ? '#' : '.';
        line[width] = 0;
        puts(line);
    }
    return 0;
}
