// How many steps the Collatz sequence takes from each number down to 1, for the numbers from 1 to LAST: what the one
// example program of FabRISC's author computes for 123, corrected. collatz-author.s is his own, and says what is wrong.
//
//     isaforge asm -i fabrisc-2022-05-15 collatz.s -o collatz.elf
//     isaforge run collatz.elf
//
// The other revisions are fabrisc-2022-05-02 and fabrisc-2022-03-18.

.include "macros.inc"

.ifndef LAST
.equ LAST, 1000
.endif

#def start      $S5
#def number     $S0
#def steps      $S1
#def one        $S2
#def rest       $S3
#def last       $S6

begin
    li one, 1
    li start, 1
    li last, LAST
.each:
    mov number, start
    li steps, 0

.while:
    BLE.32: number, one, @end;
    IAND.32: rest, number, #1;
    beqz rest, even

.odd:
    IMUL.32: number, number, #3;
    IADD.32: number, number, #1;
    sar number, number, 1
    IADD.32: steps, steps, #2;
    jump while                          // he falls through into the even case

.even:
    sar number, number, 1
    IADD.32: steps, steps, #1;
    jump while

.end:
    mov $P0, steps
    li $P1, 10
    call print_number
    IADD.32: start, start, #1;
    BLE.32: start, last, @each;
    exit 0

.include "library.inc"
