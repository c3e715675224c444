// A lock between harts. Each of HARTS adds to two counters, ROUNDS times, with loads and stores that others could come
// between; the lock, taken by LL and SC, keeps them apart. The last hart that is done prints both counters, which are
// HARTS * ROUNDS. With -D NO_LOCK nobody takes the lock, and they are less.
//
//     isaforge asm -i fabrisc-2022-05-15 lock.s -o lock.elf
//     isaforge run lock.elf --harts 4 --seed 1
//     isaforge run lock.elf --harts 4 --threads
//
// For all three revisions.

.equ HARTS, 4
.ifndef ROUNDS
.equ ROUNDS, 500
.endif
.include "macros.inc"

#def lock       $S0         // addresses
#def counters   $S1
#def rounds     $S2
#def one        $S3
#def zero       $S4
#def x          $S5

begin
    li lock, the_lock
    li counters, the_counters
    li rounds, ROUNDS
    li one, 1
    li zero, 0
.again:
.ifndef NO_LOCK
.take:
    LL.32: x, lock;
    bnez x, take            // somebody has it
    SC.32: x, lock, one;
    beqz x, take            // somebody was faster
    fence
.endif
    MLD.32: x, counters, #0;
    IADD.32: x, x, #1;
    MST.32: x, counters, #0;
    MLD.32: x, counters, #4;
    IADD.32: x, x, #1;
    MST.32: x, counters, #4;
    fence
    MST.32: zero, lock, #0;
    IADD.32: rounds, rounds, #-1;
    bnez rounds, again

    // How many harts are done? Without a lock: what was loaded is added to and stored if nobody wrote meanwhile.
    li rounds, done
.count:
    LL.32: x, rounds;
    IADD.32: $S6, x, #1;
    SC.32: $S7, rounds, $S6;
    beqz $S7, count
    IADD.32: x, x, #-(HARTS - 1);
.sleep:
    bnez x, sleep           // until the last one ends the run
    fence
    MLD.32: $P0, counters, #0;
    li $P1, 32
    call print_number
    MLD.32: $P0, counters, #4;
    li $P1, 10
    call print_number
    exit 0

.include "library.inc"

.bss
.balign 64
.the_lock: .skip 64
.the_counters: .skip 64
.done: .skip 4
.text
