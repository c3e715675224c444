// The product of two matrices of N by N words, a row at a time: with scalars, or with -D VECTORS with vectors. Both
// write the product, little-endian; `run --stats` shows what vectors save in instructions.
//
//     isaforge asm -i fabrisc-2022-05-15 matrix.s -o scalar.elf
//     isaforge asm -i fabrisc-2022-05-15 matrix.s -D VECTORS -o vector.elf
//     isaforge run scalar.elf --stats > scalar.bin
//     isaforge run vector.elf --stats > vector.bin
//
// Vector registers are 512 bits long, 16 words; -P MXVL=128 at both commands makes them shorter, and the program asks
// the machine how many there are. Where a row ends within a vector, the length of vectors is set to what is left. Loads of
// vectors have elements of WLEN bits, which here are 32. For all three revisions.

.include "macros.inc"
.include "vectors.inc"

.ifndef N
.equ N, 48
.endif
.equ ROW, 4 * N

#def left       $S0         // addresses: of a row of the left matrix
#def right      $S1         // of the right one
#def result     $S2         // of a row of the result
#def left_end   $S3
#def row_end    $S4
#def column     $S5
#def sum        $S6
#def count      $S7         // words left of a row
#def most       $S8         // words of a vector
#def x          $S9
#def y          $S10
#def a          $S11
#def b          $S12
#def row        $S13        // bytes of a row

begin
    // Elements of both matrices: x = x * 5 + 17 modulo 2^32, and of that 12 bits with a sign
    li row, ROW
    li a, 5
    li x, 1
    li left, matrices
    li left_end, matrices + 2 * N * ROW
.generate:
    MUL.32: x, x, a;
    IADD.32: x, x, #17;
    shl y, x, 12
    sar y, y, 20
    MST.32: y, left, #0;
    IADD.32: left, left, #4;
    BLT.32: left, left_end, @generate;

.ifdef VECTORS
.if WLEN == 64
.error "the words of the matrices have 32 bits, and elements of vectors in memory WLEN"
.endif
    // How many words has a vector? The sum of ones.
    vector XOR, , v0, v0, v0
    vector_number IADD, , v0, v0, 1
    RADD.32: most, v0;
.endif

    li left, matrices
    li left_end, matrices + N * ROW
    li result, matrices + 2 * N * ROW
.each_row:
    li count, N
    li column, matrices + N * ROW
.each_column:
.ifdef VECTORS
    // One vector of the row: the sum of rows of the right matrix, each times one element of the left one
    mov x, most
    BLE.32: x, count, @whole;
    mov x, count
.whole:
    IADD.32: y, x, #-1;
    set_vector_length y
    vector XOR, , v0, v0, v0
    mov right, column
    ADD.32: row_end, left, row;
.inner:
    VMLD: v1, right, #0;
.if REVISION == 318
    VMLD.t: v2, left, #0;           // a stride of 0: one word for all elements
    VMAC.32: v0, v1, v2;
.else
    MLD.32: a, left, #0;
.if REVISION == 515
    MAC.32vs: v0, v1, a;
.else
    VMAC.32vs: v0, v1, a;
.endif
.endif
    ADD.32: right, right, row;
    IADD.32: left, left, #4;
    BLT.32: left, row_end, @inner;
    VMST: v0, result, #0;
    shl y, x, 2
.else
    li sum, 0
    mov right, column
    ADD.32: row_end, left, row;
.inner:
    MLD.32: a, left, #0;
    MLD.32: b, right, #0;
    MAC.32: sum, a, b;
    ADD.32: right, right, row;
    IADD.32: left, left, #4;
    BLT.32: left, row_end, @inner;
    MST.32: sum, result, #0;
    li x, 1
    li y, 4
.endif
    SUB.32: left, left, row;
    ADD.32: result, result, y;
    ADD.32: column, column, y;
    SUB.32: count, count, x;
    bnez count, each_column

    ADD.32: left, left, row;
    BLT.32: left, left_end, @each_row;

    li $S0, matrices + 2 * N * ROW
    li $S1, N * ROW
    write $S0, $S1
    exit 0

.bss
.balign 64
.matrices: .skip 3 * N * ROW
.text
