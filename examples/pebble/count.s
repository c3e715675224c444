// r2 counts down from 1000, r1 sums up.
        SET r1, 0
        SET r2, 1000
again:  ADD.16 r1, r2
        IADD r2, -1
        BNZ r2, again
        HLT
