// The Mandelbrot set, as many points at a time as the vector mask has bits for: each byte of a vector has one, and the
// mask is a register, of 32 or 64 bits, so it reaches 8 or 16 floats. Points that have left the circle are masked and keep
// their count, until all have or nobody wants to know any more.
//
//     isaforge asm -i fabrisc-2022-05-15 mandelbrot.s -o mandelbrot.elf
//     isaforge run mandelbrot.elf --map frame@0x8000000:320x240:xrgb8888=mandelbrot.png
//
// Twice as many points at a time: -P WLEN=64 at both commands. For all three revisions. On 2022-05-15, -D SCALARS is the same
// for one point after the other. -D WRITE writes the points of a row after each row, four bytes each, and needs no frame.

.include "macros.inc"
.include "vectors.inc"

.ifndef WIDTH
.equ WIDTH, 320             // a multiple of 16
.equ HEIGHT, 240
.endif
.ifdef WRITE
.equ FRAME, points
.else
.equ FRAME, 0x8000000
.endif
.equ MOST, 64               // iterations
.ifdef SCALARS
.equ LANES, 1
.else
.equ LANES, WLEN / 4
.endif

#def pixel      $S0         // address in the frame buffer
#def x          $S1         // floats
#def y          $S2
#def step       $S3
#def left       $S4
#def top        $S5
#def columns    $S6         // to go
#def rows       $S7
#def t          $S8
#def iterations $S9
#def colours    $S10
#def count      v0
#def cr         v1
#def ci         v2
#def zr         v3
#def zi         v4
#def zr2        v5
#def zi2        v6
#def square     v7
#def four       v8
#def numbers    v9          // 0.0, 1.0, 2.0 …
#def offsets    v10         // of words: 0, 4, 8 …

// The points of a row, with the imaginary part of them all in t.
#def re         $S12
#def im         $S13
#def point_re   $S14
#def re2        $S15
#def im2        $S16
#def away       $S17
#def row_im     $P0
#def circle     $P1        // 4.0
.macro one_by_one
    mov row_im, t
    li t, 0
    IFADD.32: circle, t, #4;
.each_group:
    FMUL.32: point_re, x, step;
    FADD.32: point_re, point_re, left;
    li re, 0
    li im, 0
    li iterations, 0
.iterate:
    FMUL.32: re2, re, re;
    FMUL.32: im2, im, im;
    FADD.32: away, re2, im2;
    FSUB.32: away, circle, away;
    FBTST.32LTZ: away, @escaped;        // outside of the circle
    FMUL.32: im, re, im;
    FADD.32: im, im, im;
    FADD.32: im, im, row_im;
    FSUB.32: re, re2, im2;
    FADD.32: re, re, point_re;
    IADD.32: iterations, iterations, #1;
    IADD.32: t, iterations, #-MOST;
    bnez t, iterate
.escaped:
    IMLD.32: t, colours, iterations, #4;
    MST.32: t, pixel, #0;
    IADD.32: pixel, pixel, #4;
.endm

begin
.ifndef SCALARS
    li t, LANES - 1
    set_vector_length t
.endif

    // The picture is 3 wide and reaches from -2.25 to 0.75; the real axis is in the middle. 0 is also the float.
    li t, 0
    IFADD.32: left, t, #-9;
    IFDIV.32: left, left, #4;
    IFADD.32: step, t, #3;
    IFDIV.32: step, step, #WIDTH;
    IFADD.32: top, t, #-HEIGHT;
    IFDIV.32: top, top, #2;
    FMUL.32: top, top, step;

.ifndef SCALARS
    // No instruction numbers the lanes: their numbers come from memory.
    li t, lane_offsets
    VMLD: offsets, t, #0;
    li t, lane_numbers
    VMLD: numbers, t, #0;
    vector XOR, , four, four, four
    vector_number IFADD, , four, four, 4
.endif

    li32 pixel, FRAME
    li colours, palette
    li rows, HEIGHT
    li y, 0
.each_row:
    li columns, WIDTH / LANES
    li x, 0
    FMUL.32: t, y, step;
    FADD.32: t, t, top;
.ifdef SCALARS
    one_by_one
.else
    broadcast ci, t
.each_group:
    broadcast cr, x
    vector FADD, , cr, cr, numbers
    broadcast zr, step
    vector FMUL, , cr, cr, zr
    broadcast zr, left
    vector FADD, , cr, cr, zr
    vector XOR, , zr, zr, zr
    vector XOR, , zi, zi, zi
    vector XOR, , count, count, count
    li iterations, MOST
    clear_vector_mask WORD
.iterate:
    vector FMUL, m, zr2, zr, zr
    vector FMUL, m, zi2, zi, zi
    vector FADD, m, square, zr2, zi2
    mask_where_less four, square        // outside of the circle
    jump_if_all_masked WORD, escaped
    vector FMUL, m, zi, zr, zi
    vector FADD, m, zi, zi, zi
    vector FADD, m, zi, zi, ci
    vector FSUB, m, zr, zr2, zi2
    vector FADD, m, zr, zr, cr
    vector_number IADD, m, count, count, 1
    IADD.32: iterations, iterations, #-1;
    bnez iterations, iterate
.escaped:
.if REVISION == 318
    li t, counts                        // no gather yet: colours one by one
    VMST: count, t, #0;
    li iterations, LANES
.each_lane:
    MLD.32: $S11, t, #0;
    IMLD.32: $S11, colours, $S11, #4;
    MST.32: $S11, pixel, #0;
    IADD.32: t, t, #4;
    IADD.32: pixel, pixel, #4;
    IADD.32: iterations, iterations, #-1;
    bnez iterations, each_lane
.else
    vector_number IMUL, , count, count, 4
    VGAT.32: square, colours, count;
    VSCA.32: square, pixel, offsets;
    IADD.32: pixel, pixel, #4 * LANES;
.endif
.endif
    IFADD.32: x, x, #LANES;
    IADD.32: columns, columns, #-1;
    bnez columns, each_group

.ifdef WRITE
    li32 pixel, FRAME
    li t, 4 * WIDTH
    write pixel, t
    li32 pixel, FRAME
.endif
    IFADD.32: y, y, #1;
    IADD.32: rows, rows, #-1;
    bnez rows, each_row
    exit 0

.data
.balign 4
.lane_numbers:
    .float 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
.lane_offsets:
    .long 0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60
.palette:                               // red, green and blue after so many iterations; black inside
.set i, 0
.rept MOST
    .long i * i / 16 << 16 | i * 4 << 8 | 255 - (63 - i) * (63 - i) / 20
.set i, i + 1
.endr
    .long 0

.bss
.balign 4
.counts: .skip 4 * LANES
.ifdef WRITE
.points: .skip 4 * WIDTH
.endif
.text
