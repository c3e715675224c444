// A small 3-D pipeline: transform, clip, project, rasterise, shade
// ---------------------------------------------------------------
// Draws the scene that make_scene.py writes: triangles with a colour and a texture coordinate at each vertex, through a
// 4x4 matrix into a 960x720 picture with a depth buffer. Colour and texture are interpolated in perspective, which
// takes one division per pixel.
//
//     python3 make_scene.py scene.bin
//     isaforge asm -i wishbone-gpu pipeline.s -o pipeline.elf
//     isaforge run -i wishbone-gpu pipeline.elf --memory 16M --load scene.bin@0x100000
//                  --png frame.png@0xD00000:960x720:xrgb8888
//
// (The last command is one line.) The program raises `irq` once when the picture is complete, and stops.
//
// Data memory, 16 MB
//     0x000100   ROWS      the edges of the triangle being drawn
//     0x000200   PLANES    value and slope of each interpolated quantity
//     0x000300   CLIPPED   one vertex made by the clipper
//     0x000400   POLYGON   the clipped triangle in screen space, up to four vertices
//     0x00fffc   STACK     grows downwards
//     0x100000   SCENE     scene.bin; its header is described below
//     0x800000   DEPTH     1/w of the nearest surface at each pixel, 0 = nothing yet
//     0xAC0000   VERTICES  vertices in clip space, 64 bytes each, up to 36864 of them
//     0xD00000   FRAME     the picture, 0x00RRGGBB for each pixel
//
// DEPTH starts where it does for a reason: the machine compares floats only, and it takes the bit patterns below
// 0x00800000 for subnormal numbers, that is for zero. From there on a pattern is an ordinary float, and floats of one
// sign are ordered as their patterns are. So pointers into the depth buffer may be compared with `fcomp`.
//
// scene.bin, all words little-endian; addresses are those after loading to SCENE:
//     +0     number of vertices            +4     number of triangles; at least one of each
//     +8     address of the vertices       +12    address of the triangles
//     +16    matrix, 16 floats by rows, from model space to clip space: visible is z >= 0 and |x|, |y| <= w
//     +80    colour at the top of the sky, at the horizon: three floats 0 .. 255 each
//     +104   1 / height of the horizon in rows, a float
//   A vertex is eight floats: x y z, red green blue as factors of the texture, u v in texels 0 .. 255.99.
//   A triangle is four words: three offsets into VERTICES, that is vertex number times 64, since the core has neither
//   shifts nor integer multiplication; and a quarter of the address of its texture. Counter-clockwise is its front.
//   A texture is 256 x 256 words 0x00RRGGBB and starts at a multiple of 256 KB.
//
// How to read the schedule. Nothing interlocks: the result of `fadd`, `fsub`, `fmul` can be read three instructions
// later, of `fdiv` eleven, of all others by the next one. And registers have one write port: an instruction with an
// immediate result must not stand two behind an `fadd`, `fsub`, `fmul`, or ten behind an `fdiv`. In straight runs of
// late instructions nothing collides; two instructions that write no register (`nop`, stores, compares, jumps) separate
// such a run from the next immediate result. Where both kinds alternate, late ones on even places and immediate ones on
// odd places, nothing collides either: the pixel loop does that and has no idle slot.

.include "macros.inc"

.equ WIDTH,     960
.equ HEIGHT,    720

.equ ROWS,      0x000100
.equ PLANES,    0x000200
.equ CLIPPED,   0x000300
.equ POLYGON,   0x000400
.equ STACK,     0x00fffc
.equ SCENE,     0x100000
.equ DEPTH,     0x800000
.equ VERTICES,  0xAC0000
.equ FRAME,     0xD00000

// Registers of the same meaning in all stages; r31 and r30 are `sp` and `zero`.
#def triangle       r29     // next triangle of the scene
#def triangles_left r28     // as a float
#def texture        r27     // a quarter of its address
#def four           r26

// ---------------------------------------------------------------------------------------------------------------------
start:
    copy 0.f, zero;
    li STACK, sp;
    gosub clear;
    gosub transform;
    gosub draw_scene;
    irq;
    stop_core;
    nop;

// ---------------------------------------------------------------------------------------------------------------------
// clear: paints the sky over the whole picture and empties the depth buffer.
//
// A row's colour is top + t^2 (horizon - top) with t from 0 at the top to 1 at the horizon. Squaring keeps most of the
// sky dark and lets it brighten near the horizon.
#def top_r      r0
#def top_g      r1
#def top_b      r2
#def range_r    r3
#def range_g    r4
#def range_b    r5
#def step       r6
#def row        r7
#def height     r8
#def t          r9
#def pixel      r10
#def columns    r11
#def column     r12
#def red        r13
#def green      r14
#def blue       r15
clear:
    li SCENE + 80, r16;
    store_addr r16;
    load_i top_r;
    load_i top_g;
    load_i top_b;
    load_i range_r;
    load_i range_g;
    load_i range_b;
    load_i step;
    fsub range_r, top_r, range_r;
    fsub range_g, top_g, range_g;
    fsub range_b, top_b, range_b;
    wait 2;
    copy 0.f, row;
    lif HEIGHT, height;
    lif WIDTH / 32, columns;
    li FRAME, r16;
    store_addr r16;
clear_row:
    fmul row, step, t;
    wait 2;
    nop;
    fmin 1.f, t, t;
    fmul t, t, t;
    wait 2;
    fmul t, range_r, red;
    fmul t, range_g, green;
    fmul t, range_b, blue;
    fadd top_r, red, red;
    fadd top_g, green, green;
    fadd top_b, blue, blue;
    fadd 1.f, row, row;
    wait 2;
    ftou8_hl red, zero, pixel;
    ftou8_lh green, pixel, pixel;
    ftou8_ll blue, pixel, pixel;
    copy columns, column;
clear_columns:
    fadd -1.f, column, column;
.rept 32
    store_i pixel;
.endr
    fcomp_g column, zero, cr0;
    [cr0] jump clear_columns;
    nop;
    fcomp_l row, height, cr0;
    [cr0] jump clear_row;
    nop;

    li DEPTH, r16;
    store_addr r16;
    copy height, row;
clear_depth:
    fadd -1.f, row, row;
    copy columns, column;
clear_depth_columns:
    fadd -1.f, column, column;
.rept 32
    store_i 0.f;
.endr
    fcomp_g column, zero, cr0;
    [cr0] jump clear_depth_columns;
    nop;
    fcomp_g row, zero, cr0;
    [cr0] jump clear_depth;
    nop;
    leave;
#undef top_r
#undef top_g
#undef top_b
#undef range_r
#undef range_g
#undef range_b
#undef step
#undef row
#undef height
#undef t
#undef pixel
#undef columns
#undef column
#undef red
#undef green
#undef blue

// ---------------------------------------------------------------------------------------------------------------------
// transform: multiplies each vertex of the scene by the matrix. VERTICES gets x y z w, red green blue, u v.
//
// r0 .. r15 hold the matrix by rows. Working on four sums side by side gives every `fmul` and `fadd` the time it
// needs: each result is used four instructions later.
#def x      r16
#def y      r17
#def z      r18
#def sum_x  r19
#def sum_y  r20
#def sum_z  r21
#def sum_w  r22
#def part_x r23
#def part_y r24
#def part_z r25
#def part_w r26
#def input  r27
#def output r28
#def left   r29
transform:
    li SCENE, r0;
    store_addr r0;
    load_i left;            // number of vertices
    load_i r1;
    load_i input;           // their address
    load_i r1;
    load_i r0;
    load_i r1;
    load_i r2;
    load_i r3;
    load_i r4;
    load_i r5;
    load_i r6;
    load_i r7;
    load_i r8;
    load_i r9;
    load_i r10;
    load_i r11;
    load_i r12;
    load_i r13;
    load_i r14;
    load_i r15;
    u32tof left, left;
    li VERTICES, output;
transform_vertex:
    store_addr input;
    load_i x;
    load_i y;
    load_i z;
    load_addr input;        // now points to the colour
    fmul r0, x, sum_x;
    fmul r4, x, sum_y;
    fmul r8, x, sum_z;
    fmul r12, x, sum_w;
    fmul r1, y, part_x;
    fmul r5, y, part_y;
    fmul r9, y, part_z;
    fmul r13, y, part_w;
    fadd part_x, sum_x, sum_x;
    fadd part_y, sum_y, sum_y;
    fadd part_z, sum_z, sum_z;
    fadd part_w, sum_w, sum_w;
    fmul r2, z, part_x;
    fmul r6, z, part_y;
    fmul r10, z, part_z;
    fmul r14, z, part_w;
    fadd part_x, sum_x, sum_x;
    fadd part_y, sum_y, sum_y;
    fadd part_z, sum_z, sum_z;
    fadd part_w, sum_w, sum_w;
    fadd r3, sum_x, sum_x;
    fadd r7, sum_y, sum_y;
    fadd r11, sum_z, sum_z;
    fadd r15, sum_w, sum_w;
    fadd -1.f, left, left;
    store_addr output;
    store_i sum_x;
    store_i sum_y;
    store_i sum_z;
    store_i sum_w;
    load_addr output;
    store_addr input;
    load_i part_x;          // the other five floats pass unchanged
    load_i part_y;
    load_i part_z;
    load_i part_w;
    load_i sum_x;
    load_addr input;
    store_addr output;
    store_i part_x;
    store_i part_y;
    store_i part_z;
    store_i part_w;
    store_i sum_x;
    load_addr output;
    li 64 - 9 * 4, x;
    add output, x, output;
    fcomp_g left, zero, cr0;
    [cr0] jump transform_vertex;
    nop;
    leave;
#undef x
#undef y
#undef z
#undef sum_x
#undef sum_y
#undef sum_z
#undef sum_w
#undef part_x
#undef part_y
#undef part_z
#undef part_w
#undef input
#undef output
#undef left

// ---------------------------------------------------------------------------------------------------------------------
// draw_scene: takes the triangles one by one, clips each against the near plane z = 0 and draws what is left.
//
// Cutting a triangle by a plane leaves a polygon with no, three or four corners. clip_edge appends the corners that one
// edge contributes to POLYGON, already projected to the screen; a polygon of four corners is drawn as two triangles.
#def from       r19         // clip_edge: the two ends of the edge
#def to         r20
#def corners    r21         // how many corners POLYGON has, as a float
#def output     r22         // where the next one goes
#def a          r23         // the corners of the triangle, in VERTICES
#def b          r24
#def c          r25
draw_scene:
    li SCENE + 4, r0;
    load r0, triangles_left;
    li SCENE + 12, r0;
    load r0, triangle;
    u32tof triangles_left, triangles_left;
    li 4, four;
draw_next:
    store_addr triangle;
    load_i a;
    load_i b;
    load_i c;
    load_i texture;
    load_addr triangle;
    li VERTICES, r0;
    add a, r0, a;
    add b, r0, b;
    add c, r0, c;

    li POLYGON, output;
    copy 0.f, corners;
    copy a, from;
    copy b, to;
    gosub clip_edge;
    copy b, from;
    copy c, to;
    gosub clip_edge;
    copy c, from;
    copy a, to;
    gosub clip_edge;

    lif 3.0, r0;
    fcomp_l corners, r0, cr0;
    [cr0] jump draw_done;
    fcomp_g corners, r0, cr7;       // delay slot; draw_triangle leaves cr7 alone
    li POLYGON, r12;
    li POLYGON + 32, r13;
    li POLYGON + 64, r14;
    gosub draw_triangle;
    [!cr7] jump draw_done;
    nop;
    li POLYGON, r12;
    li POLYGON + 64, r13;
    li POLYGON + 96, r14;
    gosub draw_triangle;
draw_done:
    fadd -1.f, triangles_left, triangles_left;
    wait 2;
    fcomp_g triangles_left, zero, cr0;
    [cr0] jump draw_next;
    nop;
    leave;
#undef a
#undef b
#undef c

// clip_edge: for the edge `from` -> `to` (two vertices in clip space), appends to POLYGON
//   - `from`, if it lies in front of the near plane;
//   - the point where the edge crosses the plane, if it does.
// The crossing is always computed from the inner end to the outer one. The neighbour on the other side of the edge
// walks it in the other direction, and the two must agree to the last bit, or a crack would open between them.
#def inner      r19
#def outer      r20
#def fraction   r0
clip_edge:
    add from, four, r0;
    add r0, four, r0;
    load r0, r1;                    // z of `from`
    add to, four, r0;
    add r0, four, r0;
    load r0, r2;                    // z of `to`
    fcomp_le 0.f, r1, cr0;
    fcomp_le 0.f, r2, cr1;
    [!cr0] jump clip_from_outside;
    nop;
    copy from, r0;
    gosub project;
    [cr1] jump clip_done;           // both in front of the plane
    nop;
    jump clip_crossing;             // inner = from, outer = to: the same registers
    nop;
clip_from_outside:
    [!cr1] jump clip_done;          // both behind it
    copy from, r0;                  // delay slot
    copy to, inner;
    copy r0, outer;
clip_crossing:
    store_addr inner;
    load_i r1;                      // x y z w
    load_i r2;
    load_i r3;
    load_i r4;
    load_i r5;                      // red green blue
    load_i r6;
    load_i r7;
    load_i r8;                      // u v
    load_i r9;
    store_addr outer;
    load_i r10;
    load_i r11;
    load_i r12;
    load_i r13;
    load_i r14;
    load_i r15;
    load_i r16;
    load_i r17;
    load_i r18;
    fsub r3, r12, fraction;         // fraction = z_inner / (z_inner - z_outer)
    fsub r10, r1, r10;              // meanwhile the nine differences
    fsub r11, r2, r11;
    fdiv r3, fraction, fraction;
    fsub r12, r3, r12;
    fsub r13, r4, r13;
    fsub r14, r5, r14;
    fsub r15, r6, r15;
    fsub r16, r7, r16;
    fsub r17, r8, r17;
    fsub r18, r9, r18;
    wait 4;
    fmul r10, fraction, r10;
    fmul r11, fraction, r11;
    fmul r12, fraction, r12;
    fmul r13, fraction, r13;
    fmul r14, fraction, r14;
    fmul r15, fraction, r15;
    fmul r16, fraction, r16;
    fmul r17, fraction, r17;
    fmul r18, fraction, r18;
    fadd r1, r10, r1;
    fadd r2, r11, r2;
    fadd r3, r12, r3;
    fadd r4, r13, r4;
    fadd r5, r14, r5;
    fadd r6, r15, r6;
    fadd r7, r16, r7;
    fadd r8, r17, r8;
    fadd r9, r18, r9;
    wait 2;
    li CLIPPED, r0;
    store_addr r0;
    store_i r1;
    store_i r2;
    store_i r3;
    store_i r4;
    store_i r5;
    store_i r6;
    store_i r7;
    store_i r8;
    store_i r9;
    gosub project;                  // r0 = CLIPPED
clip_done:
    leave;
#undef inner
#undef outer
#undef fraction
#undef from
#undef to

// project: appends the vertex at r0 to POLYGON as eight floats: screen x and y (pixels, y downwards), q = 1/w, and
// red, green, blue, u, v multiplied by q. These six are linear on the screen, hence easy to interpolate; dividing by q
// gives the true values back at each pixel. q itself serves as depth: the larger, the nearer.
#def x      r1
#def y      r2
#def w      r4
#def red    r5
#def green  r6
#def blue   r7
#def u      r8
#def v      r9
#def q      r10
#def half_w r11
#def half_h r12
project:
    store_addr r0;
    load_i x;
    load_i y;
    load_i r3;                      // z is not needed any more
    load_i w;
    fdiv 1.f, w, q;                 // can be read eleven instructions from here
    load_i red;
    load_i green;
    load_i blue;
    load_i u;
    load_i v;
    lif WIDTH / 2, half_w;
    lif HEIGHT / 2, half_h;
    fadd 1.f, corners, corners;
    fmul x, q, x;
    fmul y, q, y;
    fmul red, q, red;
    fmul green, q, green;
    fmul blue, q, blue;
    fmul x, half_w, x;
    fmul y, half_h, y;
    fmul u, q, u;
    fadd x, half_w, x;
    fsub half_h, y, y;
    fmul v, q, v;
    store_addr output;
    store_i x;
    store_i y;
    store_i q;
    store_i red;
    store_i green;
    store_i blue;
    store_i u;
    store_i v;
    load_addr output;
    leave;
#undef x
#undef y
#undef w
#undef red
#undef green
#undef blue
#undef u
#undef v
#undef q
#undef half_w
#undef half_h
#undef corners
#undef output

// ---------------------------------------------------------------------------------------------------------------------
// draw_triangle: draws the triangle whose projected corners are at r12, r13, r14, unless it shows its back.
//
// A pixel belongs to the triangle when its centre does. On the row of centres at height y the covered pixels run from
// ceil(left - 1/2) up to but not including ceil(right - 1/2), and the rows from ceil(top - 1/2) to ceil(bottom - 1/2)
// in the same manner; so a centre exactly on an edge goes to one of the two neighbours, never to both or to none. Edges
// are always evaluated from their upper end, afresh on each row, so that neighbours compute the same numbers.

// One interpolated quantity: leaves its change per pixel to the right in `slope`, and appends its value at corner 0 and
// its change per row downwards to PLANES. r18 .. r20 point to the quantity at the three corners, r17 into PLANES.
.macro plane slope
    load r18, r12;
    load r19, r13;
    load r20, r14;
    add r18, four, r18;
    add r19, four, r19;
    add r20, four, r20;
    fsub r13, r12, r13;
    fsub r14, r12, r14;
    nop;
    fmul r13, y2_scaled, r15;
    fmul r14, y1_scaled, r16;
    fmul r14, x1_scaled, r5;
    fmul r13, x2_scaled, r13;
    fsub r15, r16, \slope;
    nop;
    fsub r5, r13, r5;
    store_addr r17;
    store_i r12;
    nop;
    store_i r5;
    load_addr r17;
.endm

// Exchanges two corners if the first is lower on the screen.
.macro sort_by_y xa, ya, xb, yb
    fcomp_g \ya, \yb, cr0;
    [cr0] copy \xa, r21;
    [cr0] copy \xb, \xa;
    [cr0] copy r21, \xb;
    [cr0] copy \ya, r21;
    [cr0] copy \yb, \ya;
    [cr0] copy r21, \yb;
.endm

// Changes per pixel of the six quantities: in registers throughout, the pixel loop needs them.
#def dq         r6
#def dred       r7
#def dgreen     r8
#def dblue      r9
#def du         r10
#def dv         r11
#def row        r24         // the current row, as a float
#def to_frame   r25         // from the depth of the next pixel to the colour of this one

// Vectors from corner 0 to corners 1 and 2, later divided by the area they span.
#def x1_scaled  r0
#def y1_scaled  r1
#def x2_scaled  r2
#def y2_scaled  r3
#def area       r4
draw_triangle:
    store_addr r12;
    load_i r11;                     // x y of corner 0
    load_i r12;
    load_addr r18;                  // the six quantities follow
    store_addr r13;
    load_i r13;
    load_i r21;
    load_addr r19;
    store_addr r14;
    load_i r15;
    load_i r16;
    load_addr r20;
    copy r21, r14;
    fsub r13, r11, x1_scaled;
    fsub r16, r12, y2_scaled;
    fsub r15, r11, x2_scaled;
    fsub r14, r12, y1_scaled;
    fmul x1_scaled, y2_scaled, area;
    nop;
    fmul x2_scaled, y1_scaled, r5;
    wait 2;
    fsub area, r5, area;
    wait 2;
    fcomp_l area, zero, cr0;        // y points down: counter-clockwise triangles have a negative area
    [!cr0] jump triangle_done;      // the back, or nothing to see
    [cr0] fdiv 1.f, area, area;     // delay slot; lands ten instructions from here

    // While the division runs: corner 0 is saved, because the planes are anchored there. Then the corners, r11 .. r16
    // as x y pairs, are sorted by y; these are immediate results, which have to keep clear of the quotient.
    li ROWS, r17;
    store_addr r17;
    store_i r11;
    store_i r12;
    wait 5;
    sort_by_y r11, r12, r13, r14;
    sort_by_y r13, r14, r15, r16;
    sort_by_y r11, r12, r13, r14;

    // dx/dy of the three edges: the long one from top to bottom, the upper and the lower short one. That of a
    // horizontal edge is infinite or not a number, but no row asks for it.
    fsub r15, r11, r5;
    fsub r16, r12, r6;
    fsub r13, r11, r7;
    fsub r14, r12, r8;
    fsub r15, r13, r9;
    fsub r16, r14, r10;
    fdiv r5, r6, r5;
    fdiv r7, r8, r7;
    fdiv r9, r10, r9;

    // Meanwhile the rows: ceil(y - 1/2) for the three corners.
    lif 0.5, r10;
    fsub r12, r10, r6;
    fsub r14, r10, r8;
    fsub r16, r10, r10;
    wait 4;                         // the three quotients land here and below
    ploadf_l HEIGHT;
    ceil r6, row;
    ceil r8, r8;
    ceil r10, r10;
    loadf_h HEIGHT, r6;
    fmax 0.f, row, row;             // leave out the rows beyond the top and bottom of the picture
    fmin r10, r6, r10;

    // ROWS: corner 0 (already there), first row of the lower edge, end of rows, then x, y, dx/dy of each edge.
    store_i r8;
    store_i r10;
    store_i r11;
    store_i r12;
    store_i r5;
    store_i r11;
    store_i r12;
    store_i r7;
    store_i r13;
    store_i r14;
    store_i r9;

    fmul x1_scaled, area, x1_scaled;
    fmul y1_scaled, area, y1_scaled;
    fmul x2_scaled, area, x2_scaled;
    fmul y2_scaled, area, y2_scaled;
    nop;
    li PLANES, r17;
    plane dq;
    plane dred;
    plane dgreen;
    plane dblue;
    plane du;
    plane dv;
    li FRAME - DEPTH - 4, to_frame;
    jump next_row;
    nop;
#undef x1_scaled
#undef y1_scaled
#undef x2_scaled
#undef y2_scaled
#undef area

// --- one row ---
// Finds the covered pixels, first <= column < last, and the six quantities at the centre of the first.
#def ref_x          r0              // corner 0
#def ref_y          r1
#def lower          r2              // the first row whose short edge is the lower one
#def bottom         r3              // the row after the last
#def long_x         r4
#def long_y         r5
#def long_slope     r12
#def short_x        r13
#def short_y        r14
#def short_slope    r15
#def half           r16
#def width          r17
#def centre         r18             // y of the pixel centres of this row
#def x_long         r19             // where the two edges cross that line
#def x_short        r20
#def first          r21
#def last           r23
#def dx             r18             // from corner 0 to the centre of the first pixel
#def dy             r22
#def depth_address  r21             // where the first pixel's depth is, and the depth after the last pixel
#def span_end       r23
row_done:
    nop;                            // the last pixel's division lands here
    fadd 1.f, row, row;
next_row:
    ploadu_l ROWS;
    nop;
    loadu_h ROWS, r0;
    store_addr r0;
    load_i ref_x;
    load_i ref_y;
    load_i lower;
    load_i bottom;
    load_i long_x;
    load_i long_y;
    load_i long_slope;
    load_i short_x;
    load_i short_y;
    load_i short_slope;
    fcomp_ge row, lower, cr0;
    [cr0] load_i short_x;           // the lower edge takes the place of the upper one
    [cr0] load_i short_y;
    [cr0] load_i short_slope;
    fcomp_ge row, bottom, cr0;
    [cr0] jump triangle_done;
    nop;
    lif 0.5, half;
    fadd row, half, centre;
    ploadf_l WIDTH;
    nop;
    fsub centre, long_y, x_long;
    fsub centre, short_y, x_short;
    fsub centre, ref_y, dy;
    fmul x_long, long_slope, x_long;
    fmul x_short, short_slope, x_short;
    nop;
    fadd x_long, long_x, x_long;
    fadd x_short, short_x, x_short;
    wait 2;
    loadf_h WIDTH, width;
    fmin x_long, x_short, first;    // which edge is the left one need not be known
    fmax x_long, x_short, last;
    fsub first, half, first;
    fsub last, half, last;
    wait 2;
    ceil first, first;
    ceil last, last;
    fmax 0.f, first, first;
    fmin last, width, last;
    fcomp_ge first, last, cr0;
    [cr0] jump row_done;
    fadd first, half, dx;           // delay slot
    fmul row, width, r19;
    nop;
    fsub dx, ref_x, dx;
    fadd r19, first, r20;
    fadd r19, last, r19;
    wait 2;
    fmulp2 r20, 2, r20;             // four bytes per pixel; exact, floats hold integers up to 2^24
    fmulp2 r19, 2, r19;
    ftou32 r20, r20;
    ftou32 r19, r19;
    li DEPTH, r16;
    add r20, r16, depth_address;
    add r19, r16, span_end;
#undef ref_x
#undef ref_y
#undef lower
#undef bottom
#undef long_x
#undef long_y
#undef long_slope
#undef short_x
#undef short_y
#undef short_slope
#undef half
#undef width
#undef centre
#undef x_long
#undef x_short
#undef first
#undef last

#def q              r0              // 1/w and, multiplied by it, the colour and the texture coordinates
#def redq           r1
#def greenq         r2
#def blueq          r3
#def uq             r4
#def vq             r5
#def w              r12             // 1/q
#def u              r13             // the true texture coordinates and colour, after multiplication by w
#def v              r14
#def red            r15
#def green          r16
#def blue           r17
#def colour_address r22
    li PLANES, r16;
    store_addr r16;
    load_i q;
    load_i r12;
    load_i redq;
    load_i r13;
    load_i greenq;
    load_i r14;
    load_i blueq;
    load_i r15;
    load_i uq;
    load_i r16;
    load_i vq;
    load_i r17;
    fmul r12, dy, r12;              // value = value at corner 0 + dy * change per row + dx * change per pixel
    fmul r13, dy, r13;
    fmul r14, dy, r14;
    fmul r15, dy, r15;
    fmul r16, dy, r16;
    fmul r17, dy, r17;
    fadd q, r12, q;
    fadd redq, r13, redq;
    fadd greenq, r14, greenq;
    fadd blueq, r15, blueq;
    fadd uq, r16, uq;
    fadd vq, r17, vq;
    fmul dq, dx, r12;
    fmul dred, dx, r13;
    fmul dgreen, dx, r14;
    fmul dblue, dx, r15;
    fmul du, dx, r16;
    fmul dv, dx, r17;
    fadd q, r12, q;
    fadd redq, r13, redq;
    fadd greenq, r14, greenq;
    fdiv 1.f, q, w;
    fadd blueq, r15, blueq;
    fadd uq, r16, uq;
    fadd vq, r17, vq;
    wait 4;
#undef dx
#undef dy

// --- one pixel ---
// 35 instructions if it is visible, 15 if it is not. On entry w = 1/q is known or about to be; the division for the
// next pixel starts as early as its q is known and runs into the next turn. The numbers in the comments count the
// instructions of a turn: late results are issued on even numbers and immediate ones on odd numbers, except at 0 and 31,
// where the neighbours leave room.
#def depth          r18
#def index          r19             // of the texel, later its address, later the finished pixel
#def texel          r18
#def texel_red      r13
#def texel_green    r14
#def texel_blue     r18
#def pixel          r19
pixel_loop:
    load depth_address, depth;                      //  0
    fcomp_ge depth, q, cr0;                         //  1
    [cr0] jump pixel_hidden;                        //  2
    add depth_address, four, depth_address;         //  3  delay slot
    fmul uq, w, u;                                  //  4
    store_i q;                                      //  5  the address register still points to this pixel's depth
    fmul vq, w, v;                                  //  6
    ftou8_ll u, texture, index;                     //  7  texture / 4 + u: conversion clamps u to 0 .. 255
    fmul redq, w, red;                              //  8
    ftou8_lh v, index, index;                       //  9  + 256 v
    fmul greenq, w, green;                          // 10
    add index, index, index;                        // 11
    fmul blueq, w, blue;                            // 12
    add index, index, index;                        // 13  times 4: the texel's address
    fadd q, dq, q;                                  // 14
    load index, texel;                              // 15
    fadd uq, du, uq;                                // 16
    u8tof_hl texel, texel_red;                      // 17
    fmul red, texel_red, red;                       // 18
    u8tof_lh texel, texel_green;                    // 19
    fmul green, texel_green, green;                 // 20
    u8tof_ll texel, texel_blue;                     // 21
    fmul blue, texel_blue, blue;                    // 22
    ftou8_hl red, zero, pixel;                      // 23
    fadd vq, dv, vq;                                // 24
    ftou8_lh green, pixel, pixel;                   // 25
    fdiv 1.f, q, w;                                 // 26  for the next pixel; lands at 1 of the next turn
    ftou8_ll blue, pixel, pixel;                    // 27
    fadd redq, dred, redq;                          // 28
    add depth_address, to_frame, colour_address;    // 29
    fadd greenq, dgreen, greenq;                    // 30
    fadd blueq, dblue, blueq;                       // 31
    fcomp_l depth_address, span_end, cr1;           // 32
    [cr1] jump pixel_loop;                          // 33
    store pixel, colour_address;                    // 34  delay slot
    jump row_done;
    nop;

pixel_hidden:
    fadd q, dq, q;
    fadd uq, du, uq;
    fadd vq, dv, vq;
    fdiv 1.f, q, w;                                 // lands at 2 of the next turn
    fadd redq, dred, redq;
    fadd greenq, dgreen, greenq;
    fadd blueq, dblue, blueq;
    fcomp_l depth_address, span_end, cr1;
    nop;
    [cr1] jump pixel_loop;
    nop;                                            // delay slot
    jump row_done;
    nop;

triangle_done:
    leave;
