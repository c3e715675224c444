// Reverses a string: reading memory backwards, and taking words apart into bytes without shifts or masks.
//
//     isaforge asm -i wishbone-gpu reverse.s -o reverse.elf
//     isaforge run -i wishbone-gpu reverse.elf
//
// At the end: the data memory holds the 16 characters "describe it once" at 0x100 and "ecno ti ebircsed" at 0x200.
//
// Memory is read and written in words only. The core was made for pictures, and its way into a word is by colour
// channels: `u8tof_hl` makes a float of byte 2, `ftou8_lh` puts a float into byte 1. A float holds a byte exactly, so
// the pair moves a byte to any place.

.include "macros.inc"

.equ SOURCE,    0x100
.equ TARGET,    0x200
.equ WORDS,     4

#def source     r1
#def target     r2
#def word       r3
#def reversed   r4
#def byte       r5
#def left       r6

    copy 0.f, zero;
    li SOURCE, source;
    store_addr source;
    li 0x63736564, word;            // "desc", the first character in the lowest byte
    store_i word;
    li 0x65626972, word;            // "ribe"
    store_i word;
    li 0x20746920, word;            // " it "
    store_i word;
    li 0x65636e6f, word;            // "once"
    store_i word;

    load_addr source;               // one word behind the string: it is read from the end
    li TARGET, target;
    lif WORDS, left;
next:
    store_addr source;
    d_load word;                    // moves the address register back by one word, then loads
    load_addr source;
    u8tof_ll word, byte;
    ftou8_hh byte, zero, reversed;
    u8tof_lh word, byte;
    ftou8_hl byte, reversed, reversed;
    u8tof_hl word, byte;
    ftou8_lh byte, reversed, reversed;
    u8tof_hh word, byte;
    ftou8_ll byte, reversed, reversed;
    store_addr target;
    store_i reversed;
    load_addr target;
    fadd -1.f, left, left;
    wait 2;
    fcomp_g left, zero, cr0;
    [cr0] jump next;
    nop;
    stop_core;
