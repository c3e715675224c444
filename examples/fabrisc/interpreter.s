// An interpreter of Brainfuck. Standard input is a program, `!`, and the input of that program.
//
//     isaforge asm -i fabrisc-2022-05-15 interpreter.s -o interpreter.elf
//     echo ',+.,+.,+.!HAL' | isaforge run interpreter.elf
//
// There are 65536 cells of 8 bits in a ring; at the end of its input a program reads 0. First each bracket gets the place
// of its partner; then each character is a jump through a table. RET is a jump to a register in all revisions.
// `run --profile` shows where the time goes. For all three revisions.

.include "macros.inc"

.equ MOST, 1 << 18          // bytes of input that are read
.equ CELLS, 65536

#def at         $S0         // in the program
#def end        $S1         // of it
#def input      $S2         // of the program that is interpreted
#def input_end  $S3
#def cell       $S4         // address
#def value      $S5         // what it holds
#def partners   $S6         // a word for each character of the program: how far it is to the other bracket
#def table      $S7
#def out        $S8
#def x          $S9
#def y          $S10
#def tape       $S11
#def text       $S12
#def tape_end   $S13
#def out_end    $S14

begin
    li text, source
    mov input_end, text
.more:
    li x, source + MOST
    SUB.32: x, x, input_end;
    read input_end, x
    ADD.32: input_end, input_end, $P0;
    bnez $P0, more

    // Brackets: those that are open are on the stack, above a 0
    li partners, distances
    li x, 0
    push x
    mov at, text
.match:
    BLE.32: input_end, at, @matched;
    ldb x, at, 0
    li y, 33                // !
    BEQ.32: x, y, @matched;
    li y, 91                // [
    BEQ.32: x, y, @open;
    li y, 93                // ]
    BEQ.32: x, y, @close;
.match_next:
    IADD.32: at, at, #1;
    jump match
.open:
    push at
    jump match_next
.close:
    pop x
    beqz x, unbalanced
    SUB.32: y, at, x;
    SUB.32: x, x, text;
    shl x, x, 2
    ADD.32: x, x, partners;
    MST.32: y, x, #0;
    SUB.32: x, at, text;
    shl x, x, 2
    ADD.32: x, x, partners;
    MST.32: y, x, #0;
    jump match_next
.matched:
    pop x
    bnez x, unbalanced
    mov end, at
    IADD.32: input, at, #1;

    li table, actions
    li tape, cells
    li tape_end, cells + CELLS
    mov cell, tape
    li value, 0
    li out, output
    li out_end, output + 4096
    mov at, text
    jump step

.next:
    IADD.32: at, at, #1;
.step:
    BLE.32: end, at, @finished;
    ldb x, at, 0
    IMLD.32: x, table, x, #4;
    RET: x;

.plus:
    IADD.32: value, value, #1;
    jump next
.minus:
    IADD.32: value, value, #-1;
    jump next
.right:
    MST.8: value, cell, #0;
    IADD.32: cell, cell, #1;
    BLT.32: cell, tape_end, @load;
    mov cell, tape
.load:
    ldb value, cell, 0
    jump next
.left:
    MST.8: value, cell, #0;
    BLT.32: tape, cell, @within;
    mov cell, tape_end
.within:
    IADD.32: cell, cell, #-1;
    jump load
.dot:
    MST.8: value, out, #0;
    IADD.32: out, out, #1;
    BLT.32: out, out_end, @next;
    call flush
    jump next
.comma:
    li value, 0
    BLE.32: input_end, input, @next;
    ldb value, input, 0
    IADD.32: input, input, #1;
    jump next
.loop:
    IAND.32: value, value, #255;
    bnez value, next
    SUB.32: x, at, text;
    IMLD.32: x, partners, x, #4;
    ADD.32: at, at, x;
    jump next
.again:
    IAND.32: value, value, #255;
    beqz value, next
    SUB.32: x, at, text;
    IMLD.32: x, partners, x, #4;
    SUB.32: at, at, x;
    jump next

.finished:
    call flush
    exit 0
.unbalanced:
    print "a bracket has no partner\n"
    exit 1

.flush:
    li x, output
    SUB.32: y, out, x;
    write x, y
    li out, output
    return

.macro actions_next times
.rept \times
    .long next
.endr
.endm

.data
.balign 4
.actions:                   // by character: + 43 , 44 - 45 . 46 < 60 > 62 [ 91 ] 93
    actions_next 43
    .long plus, comma, minus, dot
    actions_next 13
    .long left, next, right
    actions_next 28
    .long loop, next, again
    actions_next 162

.bss
.balign 4
.distances: .skip 4 * MOST
.cells: .skip CELLS
.output: .skip 4096
.source: .skip MOST + 1
.text
