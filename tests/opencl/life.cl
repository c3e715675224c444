// The game of life with 32 cells in a word: sums of neighbours by logic of bits, on a ring.
// buffer  a  uint[256]  bits
// buffer  b  uint[256]  zero
// repeat  t = 0 .. 1
//     run live(a, b, 8, 32)   grid 8, 32  group 8, 8
//     run live(b, a, 8, 32)   grid 8, 32  group 8, 8
void add(uint x, private uint* ones, private uint* twos, private uint* fours)
{
    const uint carry = *ones & x;
    *ones ^= x;
    *fours |= *twos & carry;
    *twos ^= carry;
}

kernel void live(global const uint* from, global uint* to, int width, int height)
{
    const int x = get_global_id(0), y = get_global_id(1);
    uint ones = 0, twos = 0, fours = 0, here = 0;
    for (int dy = -1; dy <= 1; dy++) {
        global const uint* row = from + (y + dy + height) % height * width;
        const uint middle = row[x], before = row[(x + width - 1) % width], after = row[(x + 1) % width];
        add(middle << 1 | before >> 31, &ones, &twos, &fours);
        add(middle >> 1 | after << 31, &ones, &twos, &fours);
        if (dy == 0) here = middle;
        else add(middle, &ones, &twos, &fours);
    }
    to[y * width + x] = twos & ~fours & (ones | here);
}
