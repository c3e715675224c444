// The Collatz program for the revision of 2022-03-18; see collatz-2022-05-15.s. Registers are written by number, or with
// the names of the calling convention.

    IAND.32: $6, $6, #0;
    IADD.32: $6, $6, #123;              // number
    IAND.32: $7, $7, #0;                // steps
    IAND.32: $8, $8, #0;
    IADD.32: $8, $8, #1;                // 1

.while:
    BLE.32: $6, $8, @end;
    IAND.32: $9, $6, #1;
    BTST.32EQZ: $9, @even;

.odd:
    IMUL.32: $6, $6, #3;
    IADD.32: $6, $6, #1;
    IRSH.32: $6, $6, #1;
    IADD.32: $7, $7, #2;
    BEQ.32: $8, $8, @while;

.even:
    IRSH.32: $6, $6, #1;
    IADD.32: $7, $7, #1;
    BEQ.32: $8, $8, @while;

.end:
    RET: $RA;
