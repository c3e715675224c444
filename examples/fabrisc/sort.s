// Quick sort of COUNT words from a generator of random numbers, and an insertion sort of what it leaves nearly in order.
// Writes the words, little-endian, as they come out: in ascending order, with their signs.
//
//     isaforge asm -i fabrisc-2022-05-15 sort.s -o sort.elf
//     isaforge run sort.elf | od -An -td4 | head
//
// With -D READ the words come from standard input instead, COUNT at most. For all three revisions.

.include "macros.inc"

.ifndef COUNT
.equ COUNT, 5000
.endif
.ifndef SEED
.equ SEED, 1
.endif

#def first      $S0         // addresses of words
#def last       $S1
#def low        $S2
#def high       $S3
#def pivot      $S4
#def a          $S5
#def b          $S6
#def limit      $S7         // parts of that many bytes or fewer are left to the insertion sort
#def size       $S8

begin
    li limit, 48
.ifdef READ
    li size, 0
.more:
    li $S9, words
    ADD.32: $S9, $S9, size;
    li $S10, 4 * COUNT
    SUB.32: $S10, $S10, size;
    read $S9, $S10
    ADD.32: size, size, $P0;
    bnez $P0, more                  // 0 at the end, and when all are there
    shr size, size, 2
    shl size, size, 2
.else
    // x = 1664525 x + 1013904223 modulo 2^32
    li32 a, 1664525
    li32 b, 1013904223
    li32 $S9, SEED
    li low, words
    li high, words + 4 * COUNT
.generate:
    MUL.32: $S9, $S9, a;
    ADD.32: $S9, $S9, b;
    MST.32: $S9, low, #0;
    IADD.32: low, low, #4;
    BLT.32: low, high, @generate;
    li size, 4 * COUNT
.endif

    li $P0, words
    IADD.32: $P1, size, #-4;
    ADD.32: $P1, $P1, $P0;
    call sort
    li $P0, words
    ADD.32: $P1, size, $P0;
    call insert
    li $S9, words
    write $S9, size
    exit 0

// Brings the words from $P0 to $P1, both included, nearly in order.
.sort:
    push $RA
    push first
    push last
    mov first, $P0
    mov last, $P1
.part:
    SUB.32: $N0, last, first;
    BLE.32: $N0, limit, @small;
    shr $N0, $N0, 3                 // the word in the middle
    shl $N0, $N0, 2
    ADD.32: $N0, $N0, first;
    MLD.32: pivot, $N0, #0;
    mov low, first
    mov high, last
.up:
    MLD.32: a, low, #0;
    BLE.32: pivot, a, @down;
    IADD.32: low, low, #4;
    jump up
.down:
    MLD.32: b, high, #0;
    BLE.32: b, pivot, @meet;
    IADD.32: high, high, #-4;
    jump down
.meet:
    BLT.32: high, low, @split;
    MST.32: b, low, #0;
    MST.32: a, high, #0;
    IADD.32: low, low, #4;
    IADD.32: high, high, #-4;
    BLE.32: low, high, @up;
.split:
    push low
    mov $P0, first
    mov $P1, high
    call sort
    pop first
    jump part
.small:
    pop last
    pop first
    pop $RA
    return

// Sorts the words from $P0 to before $P1, quickly where none has far to go.
.insert:
    IADD.32: low, $P0, #4;
.next:
    BLE.32: $P1, low, @inserted;
    MLD.32: a, low, #0;
    mov high, low
.shift:
    MLD.32: b, high, #-4;
    BLE.32: b, a, @place;
    MST.32: b, high, #0;
    IADD.32: high, high, #-4;
    BLT.32: $P0, high, @shift;
.place:
    MST.32: a, high, #0;
    IADD.32: low, low, #4;
    jump next
.inserted:
    return

.bss
.balign 4
.words: .skip 4 * COUNT
.text
