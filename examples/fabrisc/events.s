// Handlers that recover. A program in user mode divides by zero, executes what is no instruction, reads where nothing is,
// asks for what only a supervisor may do, calls the system, and waits for a timer; each time it goes on.
//
//     isaforge asm -i fabrisc-2022-05-15 events.s -o events.elf
//     isaforge run events.elf
//
// Arithmetic traps are exceptions, which the program handles itself: $UEHP has the address of its handler, and $CAUSE which
// flag it was. All other events go to the supervisor, at $SEHP. Both return by ERET. With -D DOUBLE the supervisor's
// handler fails before it has looked where the event came from, and that ends the run. For both revisions of May.

.include "macros.inc"

.equ PERIOD, 1000           // nanoseconds of machine time: an instruction takes one
.equ TICKS, 5

.equ AEXC, 1 << 9           // of CSR: arithmetic exceptions
.equ DIV0, 4                // events
.if REVISION == 515
.equ SUPB, 1 << 20          // of CSR: supervisor
.equ TICK, 1
.equ SYSTEM_CALLS, 0x81
.equ ILLEGAL, 0xe5
.equ BAD_READ, 0xe9
.else
.equ SUPB, 1 << 18
.equ TICK, 0
.equ SYSTEM_CALLS, 0x80
.equ ILLEGAL, 0xe4
.equ BAD_READ, 0xe8
.endif

#def divisor    $S0
#def dividend   $S1
#def sum        $S2
#def x          $S3
#def mended     $S4
#def loaded     $S5

begin
    li x, supervisor
    MOVTS.32: $SEHP, x;
    li x, exception
    MOVTS.32: $UEHP, x;
    li x, user              // ERET goes to user mode: where to, and with what CSR
    MOVTS.32: $EB0, x;
    MOVFS.32: x, $CSR;
    li32 $S1, AEXC | SUPB
    XOR.32: x, x, $S1;
    MOVTS.32: $EB1, x;
    ERET;

// ---- The program, in user mode

.user:
    // The sum of 1000 / (i % 7) for i from 0 to 99, division by zero being division by one
    li mended, 0
    li sum, 0
    li x, 0
    li dividend, 1000
.divide:
    IREM.32: divisor, x, #7;
    DIV.32: divisor, dividend, divisor;
    ADD.32: sum, sum, divisor;
    IADD.32: x, x, #1;
    li $N0, 100
    BLT.32: x, $N0, @divide;
    print "sum of quotients "
    mov $P0, sum
    li $P1, 10
    call print_number
    print "divisors mended "
    mov $P0, mended
    li $P1, 10
    call print_number

    .short 0                // no instruction
    print "an illegal instruction was skipped\n"

    li32 x, 0xf0000000
    MLD.32: loaded, x, #0;  // nothing there
    print "a bad address reads as "
    mov $P0, loaded
    li $P1, 10
    call print_number

    MOVFS.32: x, $SEHP;     // the supervisor's: two instructions of four bytes
    MOVTS.32: $SEHP, x;
    print "privileged instructions were skipped\n"

    li $P0, 19
    li $P1, 23
    SYSCL: #10;             // this system's own: adds
    li $P1, 10
    call print_number

    // A timer: it counts in the handler
    li x, ticks
    li $S6, 0
    device_load 32, $S7, $S6, TIMER_NOW
    li loaded, PERIOD
    ADD.32: $S8, $S7, loaded;
    device_store 32, $S6, $S6, TIMER_COMPARE + 4
    device_store 32, $S8, $S6, TIMER_COMPARE
.wait_for_ticks:
    MLD.32: loaded, x, #0;
    IADD.32: loaded, loaded, #-TICKS;
    bnez loaded, wait_for_ticks
    device_load 32, $S8, $S6, TIMER_NOW
    SUB.32: $S8, $S8, $S7;
    li $S9, PERIOD
    print "periods for five ticks "
    DIV.32: $P0, $S8, $S9;
    li $P1, 10
    call print_number
    exit 0

// ---- The program's handler of exceptions. The instruction is executed again.

.exception:
    MOVFS.32: $N1, $CAUSE;
    li $N2, DIV0
    BNE.32: $N1, $N2, @unknown;
    li divisor, 1
    IADD.32: mended, mended, #1;
    ERET;
.unknown:
    exit 2

// ---- The supervisor's handler of everything else. Registers that it needs are kept in $K0 to $K2.

.supervisor:
.ifdef DOUBLE
    .short 0
.endif
    MOVTS.32: $K0, $S16;
    MOVTS.32: $K1, $S17;
    MOVTS.32: $K2, $S15;
    MOVFS.32: $S16, $CAUSE;
    IAND.32: $S16, $S16, #255;
    IADD.32: $S17, $S16, #-TICK;
    beqz $S17, tick
    li $S15, 2
    li $S17, ILLEGAL
    BEQ.32: $S16, $S17, @illegal;
    li $S17, BAD_READ
    BEQ.32: $S16, $S17, @bad_read;
    li $S17, SYSTEM_CALLS
    SUB.32: $S16, $S16, $S17;
    bltz $S16, give_up
    IADD.32: $S17, $S16, #-10;
    beqz $S17, own_call
    // The emulator serves system calls where there is no handler: away with it for a moment
    li $S17, 0
    MOVTS.32: $SEHP, $S17;
.if REVISION == 515
    RSYSCL: $S16;           // the same number
.else
    beqz $S16, exit_call
    SYSCL: #2;
    jump served
.exit_call:
    SYSCL: #0;
.served:
.endif
    li $S17, supervisor
    MOVTS.32: $SEHP, $S17;
    jump back
.own_call:
    ADD.32: $P0, $P0, $P1;
    jump back
.bad_read:
    li loaded, -1
    li $S15, 4
    jump skip
.illegal:
    MOVFS.32: $S17, $SEB0;  // a word of zeros, or an instruction of four bytes that users may not execute
    MLD.16: $S16, $S17, #0;
    li $S15, 4
    shl $S16, $S16, 16
    bnez $S16, skip
    li $S15, 2
.skip:
    MOVFS.32: $S17, $SEB0;
    ADD.32: $S17, $S17, $S15;
    MOVTS.32: $SEB0, $S17;
    jump back
.tick:
    li $S17, 0
    device_load 32, $S16, $S17, TIMER_COMPARE
    li $S15, PERIOD
    ADD.32: $S16, $S16, $S15;
    device_store 32, $S16, $S17, TIMER_COMPARE
    li $S17, ticks
    MLD.32: $S16, $S17, #0;
    IADD.32: $S16, $S16, #1;
    MST.32: $S16, $S17, #0;
.back:
    MOVFS.32: $S16, $K0;
    MOVFS.32: $S17, $K1;
    MOVFS.32: $S15, $K2;
    ERET;
.give_up:
    li $P0, 3
    li $S16, 0
    MOVTS.32: $SEHP, $S16;
    SYSCL: #0;

.include "library.inc"

.bss
.balign 4
.ticks: .skip 4
.text
