// A memory allocator: first fit from a list of free blocks in the order of their addresses; neighbours are joined when a
// block is given back. A script on standard input drives it:
//
//     a SLOT SIZE     allocates SIZE bytes for slot SLOT, 0 to 255; prints the offset in the arena, or -1
//     f SLOT          gives the slot's block back
//     l               prints the free list: offset and size of each block
//
//     isaforge asm -i fabrisc-2022-05-15 allocator.s -o allocator.elf
//     printf 'a 0 100\na 1 50\nf 0\nl\n' | isaforge run allocator.elf
//
// A block begins with its size in bytes, header included, a multiple of 16; a free one has the address of the next free
// one behind it, or 0. Each byte of an allocated block is filled with the slot's number, and that is checked when it is
// given back. The free list is checked after every command: in order, no neighbours, and with what is allocated as many
// bytes as the arena has. What is wrong ends the program with `broken`.

.include "macros.inc"

.ifndef ARENA
.equ ARENA, 16384           // bytes
.endif
.equ MOST, 1 << 20          // bytes of input that are read

#def at         $S0         // in the script
#def end        $S1
#def slot       $S2         // address of the slot: its block, and the size that was asked for
#def number     $S3         // of the slot
#def size       $S4
#def block      $S5
#def before     $S6         // address of the word that has the address of block
#def next       $S7
#def x          $S8
#def y          $S9
#def taken      $S10        // bytes of allocated blocks

begin
    li end, script
.more:
    li x, script + MOST
    SUB.32: x, x, end;
    read end, x
    ADD.32: end, end, $P0;
    bnez $P0, more

    li block, arena
    li x, free
    MST.32: block, x, #0;
    li x, ARENA
    MST.32: x, block, #0;
    li x, 0
    MST.32: x, block, #4;
    li taken, 0

    li at, script
.command:
    BLE.32: end, at, @finished;
    ldb x, at, 0
    IADD.32: at, at, #1;
    li y, 97                            // a
    BEQ.32: x, y, @allocate_command;
    li y, 102                           // f
    BEQ.32: x, y, @free_command;
    li y, 108                           // l
    BEQ.32: x, y, @list_command;
    jump command                        // blanks and newlines
.finished:
    exit 0

.allocate_command:
    call read_slot
    call read_number
    mov size, $P0
    mov $P0, size
    call allocate
    MST.32: $P0, slot, #0;
    MST.32: size, slot, #4;
    beqz $P0, none_left
    mov x, $P0                          // fill it
    ADD.32: y, x, size;
.fill_it:
    BLE.32: y, x, @filled;
    MST.8: number, x, #0;
    IADD.32: x, x, #1;
    jump fill_it
.filled:
    li x, arena
    SUB.32: $P0, $P0, x;
    jump say_it
.none_left:
    li $P0, -1
.say_it:
    li $P1, 10
    call print_number
    call check
    jump command

.free_command:
    call read_slot
    MLD.32: x, slot, #0;
    beqz x, command                     // it has none
    MLD.32: y, slot, #4;
    ADD.32: y, y, x;
.compare:
    BLE.32: y, x, @as_it_was;
    ldb $P0, x, 0
    BNE.32: $P0, number, @broken;
    IADD.32: x, x, #1;
    jump compare
.as_it_was:
    MLD.32: $P0, slot, #0;
    li x, 0
    MST.32: x, slot, #0;
    call give_back
    call check
    jump command

.list_command:
    li x, free
    MLD.32: block, x, #0;
.each_free:
    beqz block, list_end
    li x, arena
    SUB.32: $P0, block, x;
    li $P1, 58
    call print_number
    MLD.32: $P0, block, #0;
    li $P1, 32
    call print_number
    MLD.32: block, block, #4;
    jump each_free
.list_end:
    print "\n"
    jump command

.read_slot:
    enter
    call read_number
    IAND.32: number, $P0, #255;
    shl $P0, number, 3
    li slot, slots
    ADD.32: slot, slot, $P0;
    leave

// $P0 = the decimal number at `at`, which blanks may stand before
.read_number:
    li $P0, 0
.skip_blanks:
    ldb $P1, at, 0
    IADD.32: $P1, $P1, #-32;
    bnez $P1, digits_of_it
    IADD.32: at, at, #1;
    jump skip_blanks
.digits_of_it:
    ldb $P1, at, 0
    IADD.32: $P1, $P1, #-48;
    bltz $P1, number_end
    li $P2, 10
    BLE.32: $P2, $P1, @number_end;
    MUL.32: $P0, $P0, $P2;
    ADD.32: $P0, $P0, $P1;
    IADD.32: at, at, #1;
    BLT.32: at, end, @digits_of_it;
.number_end:
    return

// $P0 = the address of $P0 bytes, 0 if no block is large enough
.allocate:
    IADD.32: $P0, $P0, #8 + 15;         // the header, and a multiple of 16
    shr $P0, $P0, 4
    shl $P0, $P0, 4
    li before, free
.look:
    MLD.32: block, before, #0;
    beqz block, too_large
    MLD.32: x, block, #0;
    BLE.32: $P0, x, @large_enough;
    IADD.32: before, block, #4;
    jump look
.large_enough:
    MLD.32: next, block, #4;
    SUB.32: x, x, $P0;
    beqz x, whole
    ADD.32: y, block, $P0;              // the rest is a free block in its place
    MST.32: x, y, #0;
    MST.32: next, y, #4;
    mov next, y
.whole:
    MST.32: next, before, #0;
    MST.32: $P0, block, #0;
    ADD.32: taken, taken, $P0;
    IADD.32: $P0, block, #8;
    return
.too_large:
    li $P0, 0
    return

// Gives back what begins at $P0.
.give_back:
    IADD.32: $P0, $P0, #-8;
    MLD.32: size, $P0, #0;
    SUB.32: taken, taken, size;
    li before, free                     // where in the list?
    li block, 0                         // the free block before it
.seek:
    MLD.32: next, before, #0;
    beqz next, behind_all
    BLT.32: $P0, next, @here;
    mov block, next
    IADD.32: before, next, #4;
    jump seek
.here:
    ADD.32: x, $P0, size;
    BNE.32: x, next, @behind_all;
    MLD.32: x, next, #0;                // joined with the one behind
    ADD.32: size, size, x;
    MLD.32: next, next, #4;
.behind_all:
    MST.32: size, $P0, #0;
    MST.32: next, $P0, #4;
    MST.32: $P0, before, #0;
    beqz block, alone
    MLD.32: x, block, #0;
    ADD.32: y, x, block;
    BNE.32: y, $P0, @alone;
    ADD.32: x, x, size;                 // joined with the one before
    MST.32: x, block, #0;
    MST.32: next, block, #4;
.alone:
    return

.check:
    li x, free
    MLD.32: block, x, #0;
    li y, 0                             // bytes of free blocks
    li x, 0                             // where the last one ended
.check_next:
    beqz block, check_sum
    BLE.32: block, x, @broken;
    MLD.32: size, block, #0;
    ADD.32: y, y, size;
    ADD.32: x, block, size;
    MLD.32: block, block, #4;
    jump check_next
.check_sum:
    ADD.32: y, y, taken;
    li x, ARENA
    BNE.32: x, y, @broken;
    return
.broken:
    print "broken\n"
    exit 1

.include "library.inc"

.bss
.balign 16
.arena: .skip ARENA
.free: .skip 4              // the first free block
.slots: .skip 8 * 256
.script: .skip MOST + 1
.text
