// The Mandelbrot set, 384 by 288 pixels.
//
//     isaforge asm -i wishbone-gpu mandelbrot.s -o mandelbrot.elf
//     isaforge run -i wishbone-gpu mandelbrot.elf --memory 1M --png mandelbrot.png@0x10000:384x288:xrgb8888
//
// At the end: the picture at 0x10000, 0x00RRGGBB for each pixel; points of the set are black.
//
// Each point c of the plane is coloured by how many turns of z' = z^2 + c it takes until |z| > 2. The turn below is
// scheduled so that sums and products, which take three instructions, are never waited for: while one is under way,
// the others are issued.

.include "macros.inc"

.equ FRAME,     0x10000
.equ WIDTH,     384
.equ HEIGHT,    288
.equ TURNS,     64
.equ SCALE,     2.5 / HEIGHT        // of a pixel

#def x          r0                  // z
#def y          r1
#def xx         r2
#def yy         r3
#def xy         r4
#def square     r5                  // |z|^2
#def cx         r6
#def cy         r7
#def turns      r8                  // left for this point
#def four       r9
#def step       r10
#def columns    r11                 // left in this row
#def rows       r12
#def out        r13
#def t          r14
#def s          r15                 // 1 - t
#def pixel      r16

    copy 0.f, zero;
    lif 4.0, four;
    lif SCALE, step;
    lif -HEIGHT / 2 * SCALE, cy;
    lif HEIGHT, rows;
    li FRAME, out;
    store_addr out;
next_row:
    lif -0.68 - WIDTH / 2 * SCALE, cx;
    lif WIDTH, columns;
next_pixel:
    copy 0.f, x;
    copy 0.f, y;
    lif TURNS, turns;
turn:
    fmul x, x, xx;
    fmul y, y, yy;
    fmul x, y, xy;
    fadd -1.f, turns, turns;
    fsub xx, yy, x;
    fadd xx, yy, square;
    fadd xy, xy, xy;
    fadd x, cx, x;
    fcomp_g square, four, cr0;      // cr0: this point is finished, because it escaped ...
    fadd xy, cy, y;
    [!cr0] fcomp_le turns, zero, cr0; // ... or because all turns are used up
    [!cr0] jump turn;
    nop;

    // t = share of turns left, from 0 for the set to 1 far outside. Three bumps over t for the three channels:
    // red s t^3, green s^2 t^2, blue s^3 t.
    lif 9.0 * 255, r17;
    lif 15.0 * 255, r18;
    lif 8.5 * 255, r19;
    fmulp2 turns, -6, t;
    fsub 1.f, t, s;
    wait 2;
    fmul t, t, r20;                 // t^2
    fmul s, s, r21;                 // s^2
    fmul s, t, r22;                 // s t
    fmul r17, r20, r17;
    fmul r19, r21, r19;
    fmul r18, r22, r18;
    fmul r17, r22, r17;
    fmul r19, r22, r19;
    fmul r18, r22, r18;
    fadd cx, step, cx;
    fadd -1.f, columns, columns;
    wait 2;
    ftou8_hl r19, zero, pixel;
    ftou8_lh r18, pixel, pixel;
    ftou8_ll r17, pixel, pixel;
    store_i pixel;
    fcomp_g columns, zero, cr0;
    [cr0] jump next_pixel;
    nop;

    fadd cy, step, cy;
    fadd -1.f, rows, rows;
    wait 2;
    fcomp_g rows, zero, cr0;
    [cr0] jump next_row;
    nop;
    stop_core;
