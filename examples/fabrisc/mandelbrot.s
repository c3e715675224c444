// The Mandelbrot set, as many points at a time as the vector mask has bits for: each byte of a vector has one, and the
// mask is a register, of 32 or 64 bits, so it reaches 8 or 16 floats. Points that have left the circle are masked and keep
// their count, until all have or nobody wants to know any more.
//
//     isaforge asm -i fabrisc-2022-05-15 mandelbrot.s -o mandelbrot.elf
//     isaforge run -i fabrisc-2022-05-15 mandelbrot.elf --map frame@0x8000000:320x240:xrgb8888=mandelbrot.png
//
// Twice as many points at a time: -P WLEN=64 at both commands, and -D WLEN=64 at the first.

.include "macros.inc"

.ifndef WLEN
.equ WLEN, 32
.endif
.ifndef WIDTH
.equ WIDTH, 320             // a multiple of 16
.equ HEIGHT, 240
.endif
.equ FRAME, 0x8000000
.equ MOST, 64               // iterations
.equ LANES, WLEN / 4

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
#def offsets    $V10        // of words: 0, 4, 8 …
#def numbers    $V11        // 0.0, 1.0, 2.0 …
#def four       $V12
#def count      $V0
#def cr         $V1
#def ci         $V2
#def zr         $V3
#def zi         $V4
#def zr2        $V5
#def zi2        $V6

begin
    MOVFS.32: t, $CSR;      // vectors of LANES elements
    shr t, t, 6
    shl t, t, 6
    IOR.32: t, t, #LANES - 1;
    MOVTS.32: $CSR, t;

    // The picture is 3 wide and reaches from -2.25 to 0.75; the real axis is in the middle.
    li t, WIDTH
    IFC.32-32: t, t;
    li step, 3
    IFC.32-32: step, step;
    FDIV.32: step, step, t;
    li left, -9
    IFC.32-32: left, left;
    IFDIV.32: left, left, #4;
    li top, -HEIGHT
    IFC.32-32: top, top;
    IFDIV.32: top, top, #2;
    FMUL.32: top, top, step;

    // No instruction numbers the lanes: they come from memory. Vector loads have elements of WLEN bits.
    li t, lane_offsets
    VMLD: offsets, t, #0;
    li32 pixel, FRAME
    li colours, palette
    li t, lane_numbers
    VGAT.32: numbers, t, offsets;
    XOR.32vv: four, four, four;
    IFADD.32vs: four, four, #4;

    li rows, HEIGHT
    li y, 0
.each_row:
    li columns, WIDTH / LANES
    li x, 0
    FMUL.32: t, y, step;
    FADD.32: t, t, top;
    XOR.32vv: ci, ci, ci;
    FADD.32vs: ci, ci, t;
.each_group:
    FADD.32vs: cr, numbers, x;
    FMUL.32vs: cr, cr, step;
    FADD.32vs: cr, cr, left;
    XOR.32vv: zr, zr, zr;
    XOR.32vv: zi, zi, zi;
    XOR.32vv: count, count, count;
    li iterations, MOST
.if WLEN == 64
    IAND.64: t, t, #0;                  // li leaves the upper half
    MOVTS.64: $VMSK, t;
.else
    li t, 0
    MOVTS.32: $VMSK, t;
.endif
.iterate:
    FMUL.32mvv: zr2, zr, zr;
    FMUL.32mvv: zi2, zi, zi;
    FADD.32mvv: $V7, zr2, zi2;
    VVFMSKC.32mLT: four, $V7;           // outside of the circle; the mask only grows
.if WLEN == 64
    MOVFS.64: t, $VMSK;
    IADD.64: t, t, #1;
    BTST.64EQZ: t, @escaped;            // all of them
.else
    MOVFS.32: t, $VMSK;
    IADD.32: t, t, #1;
    BTST.32EQZ: t, @escaped;
.endif
    FMUL.32mvv: zi, zr, zi;
    FADD.32mvv: zi, zi, zi;
    FADD.32mvv: zi, zi, ci;
    FSUB.32mvv: zr, zr2, zi2;
    FADD.32mvv: zr, zr, cr;
    IADD.32mvs: count, count, #1;
    IADD.32: iterations, iterations, #-1;
    bnez iterations, iterate
.escaped:
    IASH.32vs: count, count, #2;
    VGAT.32: $V8, colours, count;
    VSCA.32: $V8, pixel, offsets;
    IADD.32: pixel, pixel, #4 * LANES;
    IFADD.32: x, x, #LANES;
    IADD.32: columns, columns, #-1;
    bnez columns, each_group

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
