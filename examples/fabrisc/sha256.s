// SHA-256 of standard input, in hexadecimal.
//
//     isaforge asm -i fabrisc-2022-05-15 sha256.s -o sha256.elf
//     printf abc | isaforge run sha256.elf
//
// The eight words of the state live in registers; a round is a macro that gets them in another order each time, so that
// none has to move. Two bit swaps bring big-endian words into order. For all three revisions.

.include "macros.inc"

#def word       $S8         // address of the word of the round
#def constant   $S9         // and of its constant
#def t          $S10
#def u          $S11
#def v          $S12
#def left       $S13        // rounds to go
#def filled     $S14        // bytes of the block that are there
#def total      $S15        // bytes in all
#def at         $S16

begin
    li filled, 0
    li total, 0
.more:
    li at, block
    ADD.32: at, at, filled;
    li t, 64
    SUB.32: t, t, filled;
    read at, t
    ADD.32: filled, filled, $P0;
    ADD.32: total, total, $P0;
    beqz $P0, ended
    li t, 64
    BLT.32: filled, t, @more;
    call compress
    li filled, 0
    jump more

// Behind the last byte: one bit that is 1, zeros, and the number of bits in the last eight bytes of a block.
.ended:
    li at, block
    ADD.32: at, at, filled;
    li t, 128
    MST.8: t, at, #0;
    IADD.32: filled, filled, #1;
    li t, 56
    BLE.32: filled, t, @room;
    call zeros
    call compress
    li filled, 0
.room:
    call zeros
    li at, block
    shl t, total, 3
    reverse_bytes t, t
    MST.32: t, at, #60;
    shr t, total, 29
    reverse_bytes t, t
    MST.32: t, at, #56;
    call compress

    // Eight words in hexadecimal, the highest digit first
    li word, state
    li at, digits
    li left, 8
.each_word:
    MLD.32: t, word, #0;
    li v, 8
.digit:
    ror t, t, 28
    IAND.32: u, t, #15;
    li constant, hexadecimal
    ADD.32: constant, constant, u;
    MLD.8: u, constant, #0;
    MST.8: u, at, #0;
    IADD.32: at, at, #1;
    IADD.32: v, v, #-1;
    bnez v, digit
    IADD.32: word, word, #4;
    IADD.32: left, left, #-1;
    bnez left, each_word
    li t, 10
    MST.8: t, at, #0;
    li at, digits
    li t, 65
    write at, t
    exit 0

// Fills the block with zeros from where it is filled.
.zeros:
    li at, block
    ADD.32: at, at, filled;
    li t, block + 64
    li u, 0
.zero:
    BLE.32: t, at, @zeroed;
    MST.8: u, at, #0;
    IADD.32: at, at, #1;
    jump zero
.zeroed:
    return

.macro round a, b, c, d, e, f, g, h
    ror t, \e, 6
    ror u, \e, 11
    XOR.32: t, t, u;
    ror u, \e, 25
    XOR.32: t, t, u;
    ADD.32: \h, \h, t;
    XOR.32: t, \f, \g;                 // bits of f where e has ones, else of g
    AND.32: t, t, \e;
    XOR.32: t, t, \g;
    ADD.32: \h, \h, t;
    MLD.32: t, word, #0;
    ADD.32: \h, \h, t;
    MLD.32: t, constant, #0;
    ADD.32: \h, \h, t;
    ADD.32: \d, \d, \h;
    ror t, \a, 2
    ror u, \a, 13
    XOR.32: t, t, u;
    ror u, \a, 22
    XOR.32: t, t, u;
    ADD.32: \h, \h, t;
    OR.32: t, \a, \b;                  // the majority of a, b and c
    AND.32: t, t, \c;
    AND.32: u, \a, \b;
    OR.32: t, t, u;
    ADD.32: \h, \h, t;
    IADD.32: word, word, #4;
    IADD.32: constant, constant, #4;
.endm

// Adds the block to the state. Changes all registers but filled and total.
.compress:
    li at, block
    li word, schedule
    li left, 16
.copy:
    MLD.32: t, at, #0;
    reverse_bytes t, t
    MST.32: t, word, #0;
    IADD.32: at, at, #4;
    IADD.32: word, word, #4;
    IADD.32: left, left, #-1;
    bnez left, copy
    li left, 48
.extend:
    MLD.32: v, word, #-64;
    MLD.32: t, word, #-60;
    ror u, t, 7
    ror $N0, t, 18
    XOR.32: u, u, $N0;
    shr t, t, 3
    XOR.32: u, u, t;
    ADD.32: v, v, u;
    MLD.32: t, word, #-28;
    ADD.32: v, v, t;
    MLD.32: t, word, #-8;
    ror u, t, 17
    ror $N0, t, 19
    XOR.32: u, u, $N0;
    shr t, t, 10
    XOR.32: u, u, t;
    ADD.32: v, v, u;
    MST.32: v, word, #0;
    IADD.32: word, word, #4;
    IADD.32: left, left, #-1;
    bnez left, extend

    li at, state
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
    MLD.32: $S\i, at, #4 * \i;
.endr
    li word, schedule
    li constant, constants
    li left, 8
.rounds:
    round $S0, $S1, $S2, $S3, $S4, $S5, $S6, $S7
    round $S7, $S0, $S1, $S2, $S3, $S4, $S5, $S6
    round $S6, $S7, $S0, $S1, $S2, $S3, $S4, $S5
    round $S5, $S6, $S7, $S0, $S1, $S2, $S3, $S4
    round $S4, $S5, $S6, $S7, $S0, $S1, $S2, $S3
    round $S3, $S4, $S5, $S6, $S7, $S0, $S1, $S2
    round $S2, $S3, $S4, $S5, $S6, $S7, $S0, $S1
    round $S1, $S2, $S3, $S4, $S5, $S6, $S7, $S0
    IADD.32: left, left, #-1;
    bnez left, rounds
.irp i, 0, 1, 2, 3, 4, 5, 6, 7
    MLD.32: t, at, #4 * \i;
    ADD.32: t, t, $S\i;
    MST.32: t, at, #4 * \i;
.endr
    return

.data
.balign 4
.state:
    .long 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19
.constants:
    .long 0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5
    .long 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174
    .long 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da
    .long 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967
    .long 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85
    .long 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070
    .long 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3
    .long 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2
.hexadecimal: .ascii "0123456789abcdef"

.bss
.balign 4
.block: .skip 64
.schedule: .skip 256
.digits: .skip 65
.text
