// Fibonacci numbers: integer addition, a counted loop, and a delay slot put to use.
//
//     isaforge asm -i wishbone-gpu fib.s -o fib.elf
//     isaforge run -i wishbone-gpu fib.elf
//
// At the end: words 0 .. 31 of the data memory hold F(0) .. F(31) = 0, 1, 1, 2, 3, 5, ... 1346269;
// r1 = F(32) = 2178309, r2 = F(33) = 3524578.

.include "macros.inc"

#def a      r1
#def b      r2
#def sum    r3
#def left   r4              // numbers to write; a float, because only floats can be compared

    copy 0.f, zero;
    copy 0.f, a;
    li 1, b;
    lif 32.0, left;
next:
    fadd -1.f, left, left;  // lands two instructions later ...
    add a, b, sum;
    store_i a;              // ... hence here stands one that writes no register
    copy b, a;
    fcomp_g left, zero, cr0;
    [cr0] jump next;
    copy sum, b;            // delay slot: still part of this turn
    stop_core;
