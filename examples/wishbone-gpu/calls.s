// Subroutines: the stack, the delay slot of a call that runs twice, and recursion.
//
//     isaforge asm -i wishbone-gpu calls.s -o calls.elf
//     isaforge run -i wishbone-gpu calls.elf
//
// At the end: r1 = 2 (as an integer), r3 = 3628800.f = 10!, sp = 0x0ffc as at the start.

.include "macros.inc"

.equ STACK, 0x0ffc

#def slot_runs  r1
#def n          r2
#def factorial_ r3
#def one        r4

    copy 0.f, zero;
    li STACK, sp;

    // A call by hand. `rcall` pushes the index of its delay slot, so the slot runs before the subroutine does and once
    // more when the subroutine has returned.
    copy 0.f, slot_runs;
    li 1, one;
    store_addr sp;                  // the stack is where the address register points
    rcall nothing;
    add slot_runs, one, slot_runs;  // delay slot: counts to 2

    // The macro `gosub` uses the slot for what must happen at both times: taking over the stack pointer.
    lif 10.0, n;
    gosub factorial;
    stop_core;

// Uses neither the stack nor the address register: the return address stays on top.
nothing:
    ret;
    nop;

// factorial_ = n!, for n >= 0 as a float. Changes n.
factorial:
    fcomp_ge 1.f, n, cr0;
    [cr0] jump factorial_end;
    copy 1.f, factorial_;           // delay slot: needed in this case only, harmless in the other
    store_addr sp;
    push n;
    load_addr sp;
    fadd -1.f, n, n;
    gosub factorial;
    store_addr sp;
    pop n;
    load_addr sp;
    fmul n, factorial_, factorial_; // lands while `leave` is on its way
factorial_end:
    leave;
