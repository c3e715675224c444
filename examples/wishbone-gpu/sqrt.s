// Square roots by Newton's method: x' = (x + a / x) / 2, for a = 1 .. 16.
//
//     isaforge asm -i wishbone-gpu sqrt.s -o sqrt.elf
//     isaforge run -i wishbone-gpu sqrt.elf
//
// At the end: words 0 .. 15 of the data memory hold the square roots of 1 .. 16 as floats, each within one unit in the
// last place; r1 = 17.f.
//
// Division is the slowest instruction: its result can be read by the eleventh instruction after it. A program that
// reads the register earlier gets the old value without any warning, so the gap has to be filled, here with idle
// instructions. Interleaving several roots would be the way to use it.

.include "macros.inc"

#def a          r1
#def x          r2
#def quotient   r3
#def turns      r4
#def end        r5

    copy 0.f, zero;
    copy 1.f, a;
    lif 17.0, end;
next_root:
    copy a, x;                  // a first guess
    lif 7.0, turns;
improve:
    fdiv a, x, quotient;
    fadd -1.f, turns, turns;
    wait 9;
    fadd x, quotient, x;
    wait 2;
    fcomp_g turns, zero, cr0;
    [cr0] jump improve;
    fmulp2 x, -1, x;            // delay slot: divides by two, and without delay

    store_i x;
    fadd 1.f, a, a;
    wait 2;
    fcomp_l a, end, cr0;
    [cr0] jump next_root;
    nop;
    stop_core;
