// How many steps the Collatz sequence takes from 123 down to 1: the author's one example program, as far as his list of
// instructions has what it uses. Constants are made by clearing a register and adding; the odd branch jumps back instead
// of falling into the even one; and the program returns instead of halting.
//
//     number = 123;  steps = 0;
//     while (number > 1) {
//         if (number % 2 == 0) { number = number / 2;            steps = steps + 1; }
//         else                 { number = (number * 3 + 1) / 2;  steps = steps + 2; }
//     }

    IAND.32: $S0, $S0, #0;
    IADD.32: $S0, $S0, #123;            // number
    IAND.32: $S1, $S1, #0;              // steps
    IAND.32: $S2, $S2, #0;
    IADD.32: $S2, $S2, #1;              // 1

.while:
    BLE.32i: $S0, $S2, @end;
    IAND.32ns: $S3, $S0, #1;            // `n`, not masked, and `s`, scalar, are what it means without them
    BTST.32EQZ: $S3, @even;

.odd:
    IMUL.32ns: $S0, $S0, #3;
    IADD.32ns: $S0, $S0, #1;
    IASH.32ns: $S0, $S0, #-1;           // a negative amount shifts to the right
    IADD.32ns: $S1, $S1, #2;
    JMP: @while;

.even:
    IASH.32ns: $S0, $S0, #-1;
    IADD.32ns: $S1, $S1, #1;
    JMP: @while;

.end:
    RET: $RA;
