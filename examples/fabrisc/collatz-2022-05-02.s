// The Collatz program for the revision of 2022-05-02; see collatz-2022-05-15.s. Shifts have one direction each, tests have
// no size, and of jumps there are only calls: a branch on a register that equals itself stands in.

    IAND.32: $S0, $S0, #0;
    IADD.32: $S0, $S0, #123;            // number
    IAND.32: $S1, $S1, #0;              // steps
    IAND.32: $S2, $S2, #0;
    IADD.32: $S2, $S2, #1;              // 1

.while:
    BLE.32: $S0, $S2, @end;
    IAND.32: $S3, $S0, #1;
    BTST.EQZ: $S3, @even;

.odd:
    IMUL.32: $S0, $S0, #3;
    IADD.32: $S0, $S0, #1;
    IARSH.32: $S0, $S0, #1;
    IADD.32: $S1, $S1, #2;
    BEQ.32: $S2, $S2, @while;

.even:
    IARSH.32: $S0, $S0, #1;
    IADD.32: $S1, $S1, #1;
    BEQ.32: $S2, $S2, @while;

.end:
    RET: $RA;
