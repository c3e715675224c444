// Switches that are dense, sparse, and fall through, in a loop: a machine of its own with 12 instructions, each lane at another
// place of its program.
// buffer  code   uchar[512]  random 0 255
// buffer  state  int[1024]   zero
// buffer  kinds  int[256]    zero
// run     machine(code, state)   grid 256  group 64
// run     sparse(code, kinds)    grid 256  group 64
kernel void machine(global const uchar* code, global int* state)
{
    const int i = get_global_id(0);
    int a = i, b = 1, c = 0, at = i;
    for (int steps = 0; steps < 100; steps++) {
        const uchar op = code[at & 511];
        at++;
        switch (op % 12) {
        case 0: a += b; break;
        case 1: a -= c; break;
        case 2: b ^= a << 1; break;
        case 3: c = a * 3 + b; break;
        case 4: at += op >> 4; break;
        case 5: if (a < b) at += 2; // and as case 6
        case 6: b++; // and as case 7
        case 7: c--; break;
        case 8: a = b, b = c; break;
        case 9: if (c == 0) goto over; c >>= 1; break;
        case 10: a = ~a; break;
        default: b = -b;
        }
    }
over:
    state[4 * i] = a, state[4 * i + 1] = b, state[4 * i + 2] = c, state[4 * i + 3] = at;
}

kernel void sparse(global const uchar* code, global int* kinds)
{
    const int i = get_global_id(0);
    int kind;
    switch (code[i] * 1000003) {
    case 0: kind = 10; break;
    case 1000003 * 7: kind = 11; break;
    case 1000003 * 65: kind = 12; break;
    case 1000003 * 97: kind = 13; break;
    case 1000003 * 200: kind = 14; break;
    case 1000003 * 255: kind = 15; break;
    default: kind = code[i] > 128 ? 1 : 2;
    }
    kinds[i] = kind;
}
