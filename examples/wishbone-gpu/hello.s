// A first program: fills a picture of 64 by 64 pixels with a gradient from black to red.
//
//     isaforge asm -i wishbone-gpu hello.s -o hello.elf
//     isaforge run -i wishbone-gpu hello.elf --png hello.png@0:64x64:xrgb8888
//
// At the end: words 0 .. 4095 of the data memory hold the pixels; pixel n is (n / 16) << 16, that is, red n / 16.

    copy 0.f, r0;               // t, which runs from 0 to 1; the address register starts at 0 by itself
    copy 0.f, r3;               // black
    ploadf_l 1.0 / 4096;        // a 32-bit constant takes two instructions
    loadf_h 1.0 / 4096, r1;
next:
    fmulp2 r0, 8, r2;           // brightness = t * 2^8
    fadd r0, r1, r0;            // the new t can be read from the third instruction after this one
    ftou8_hl r2, r3, r2;        // as an integer into byte 2 of black: 0x00RR0000
    store_i r2;                 // stores and moves the address register on by one word
    fcomp_g 1.f, r0, cr0;
    [cr0] jump next;
    nop;                        // the instruction after a jump is always executed
    stop_core;
