// The one example program of FabRISC's author, as he wrote it for the revision of 2022-05-15, and adapted only as far as
// his list of instructions makes necessary:
//
// - `LDI` is not in the list: clearing and adding stand in.
// - `BTST.EQZI` has no size there; its test is a modifier, EQZ.
// - `HLT` is not in the list: the program returns with a system call.
//
// How many steps from 123 to 1? The answer is 46. The program says otherwise, and a trace of it shows the two reasons:
//
//     isaforge asm -i fabrisc-2022-05-15 collatz-author.s -o collatz.elf
//     isaforge run collatz.elf --trace -
//
// The sizes are 8 bits, and 3 * 123 + 1 is 370, of which 114 is left. And nothing keeps the odd case from falling
// through into the even one: 57, which is odd, becomes 28 at once. collatz.s has both right.
//
//     number = 123;  steps = 0;
//     while (number > 1) {
//         if (number % 2 == 0) { number = number / 2;            steps = steps + 1; }
//         else                 { number = (number * 3 + 1) / 2;  steps = steps + 2; }
//     }

    IAND.8: $S0, $S0, #0;
    IADD.8: $S0, $S0, #123;             // number
    IAND.8: $S1, $S1, #0;               // steps
    IAND.8: $S2, $S2, #0;
    IADD.8: $S2, $S2, #1;               // const

.while:
    BLE.8i: $S0, $S2, @end;             // if(number <= 1) {end} else {continue}
    IAND.8ns: $S3, $S0, #1;             // temp = number % 2;
    BTST.8EQZ: $S3, @even;              // if(temp == 0) {even} else {continue}

.odd:
    IMUL.8ns: $S0, $S0, #3;             // number = number * 3;
    IADD.8ns: $S0, $S0, #1;             // number = number + 1;
    IASH.8ns: $S0, $S0, #-1;            // number = number / 2;
    IADD.8ns: $S1, $S1, #2;             // steps = steps + 2;

.even:
    IASH.8ns: $S0, $S0, #-1;            // number = number / 2;
    IADD.8ns: $S1, $S1, #1;             // steps = steps + 1;
    JMP: @while;                        // goto .while

.end:
    IOR.32: $P0, $S1, #0;               // the status of the run is the number of steps
    SYSCL: #0;
