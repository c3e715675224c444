// A queue between harts without a lock. Two of the four harts put numbers in, ITEMS each; the other two take them out, and
// count how often they got each. The last hart that is done prints how many numbers came out once, and their sum.
//
//     isaforge asm -i fabrisc-2022-05-15 queue.s -o queue.elf
//     isaforge run queue.elf --harts 4 --seed 1
//     isaforge run queue.elf --harts 4 --threads
//
// The queue is a ring of cells. Each cell has a ticket: the position for which it may be written, one more when it may be
// read, and SIZE more when it may be written again. Who comes first with CAS gets the position.

.equ HARTS, 4
.ifndef ITEMS
.equ ITEMS, 300
.endif
.equ SIZE, 8                // cells, a power of two
.include "macros.inc"

#def ring       $S0         // address of the cells: ticket and number each
#def place      $S1         // address of the position that is next, in or out
#def item       $S2
#def last       $S3
#def position   $S4
#def cell       $S5
#def ticket     $S6
#def x          $S7
#def y          $S8
#def taken      $S9         // address of the count of numbers that were taken
#def seen       $S10

begin
    li ring, cells
    li taken, the_taken
    li seen, the_seen
    hart_number x
    bnez x, wait_for_it
    li cell, cells          // the first hart makes the queue
    li x, 0
    li y, SIZE
.make:
    MST.32: x, cell, #0;
    IADD.32: cell, cell, #8;
    IADD.32: x, x, #1;
    BLT.32: x, y, @make;
    FNCLS;
    li x, ready
    li y, 1
    MST.32: y, x, #0;
.wait_for_it:
    li x, ready
    MLD.32: x, x, #0;
    beqz x, wait_for_it
    FNCLS;

    hart_number x
    IAND.32: y, x, #1;
    bnez y, consumer

    // Harts 0 and 2 put in 0, 1, 2 … and ITEMS, ITEMS + 1 …
    li place, tail
    shr x, x, 1
    li item, ITEMS
    MUL.32: item, item, x;
    li last, ITEMS
    ADD.32: last, last, item;
.put:
    call cell_at
    BNE.32: ticket, position, @put;     // full, or another one was faster
    mov y, position
    IADD.32: x, position, #1;
    CAS.32EQ: y, place, x;
    BNE.32: y, position, @put;
    MST.32: item, cell, #4;
    FNCLS;
    MST.32: x, cell, #0;                // may be read
    IADD.32: item, item, #1;
    BLT.32: item, last, @put;
    jump finish

.consumer:
    li place, head
.get:
    MLD.32: x, taken, #0;
    li y, 2 * ITEMS
    BEQ.32: x, y, @finish;
    call cell_at
    IADD.32: x, position, #1;
    BNE.32: ticket, x, @get;            // empty, or another one was faster
    mov y, position
    CAS.32EQ: y, place, x;
    BNE.32: y, position, @get;
    FNCLS;
    MLD.32: item, cell, #4;
    FNCLS;
    IADD.32: x, position, #SIZE;
    MST.32: x, cell, #0;                // may be written again
    shl x, item, 2
    ADD.32: x, x, seen;
    call count_up
    mov x, taken
    call count_up
    jump get

.finish:
    li x, done
    call count_up
    IADD.32: y, y, #-HARTS;
.sleep:
    bnez y, sleep                       // until the last one ends the run
    FNCLS;
    li item, 0
    li last, 2 * ITEMS
    li $S11, 0                          // once
    li $S12, 0                          // the sum
.each:
    shl x, item, 2
    ADD.32: x, x, seen;
    MLD.32: x, x, #0;
    IADD.32: y, x, #-1;
    MAC.32: $S12, x, item;
    IADD.32: item, item, #1;
    bnez y, not_once
    IADD.32: $S11, $S11, #1;
.not_once:
    BLT.32: item, last, @each;
    mov $P0, $S11
    li $P1, 32
    call print_number
    mov $P0, $S12
    li $P1, 10
    call print_number
    exit 0

// The position that is next, its cell, and the ticket of that
.cell_at:
    MLD.32: position, place, #0;
    IAND.32: cell, position, #SIZE - 1;
    shl cell, cell, 3
    ADD.32: cell, cell, ring;
    MLD.32: ticket, cell, #0;
    return

// Adds 1 to the word at x; y = the sum
.count_up:
    LL.32: y, x;
    IADD.32: y, y, #1;
    SC.32: $N0, x, y;
    beqz $N0, count_up
    return

.include "library.inc"

.bss
.balign 64
.head: .skip 64
.tail: .skip 64
.ready: .skip 64
.the_taken: .skip 64
.done: .skip 64
.cells: .skip 8 * SIZE
.the_seen: .skip 4 * 2 * ITEMS
.text
