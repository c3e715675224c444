; 1 + 4 + 9, by two functions, as a word at address 0x40. It does not end: the tutorial finds out why.

        li   r0, 0
        li   r2, 3
        jal  r6, sum
        li   r3, 0x40
        st   r1, [r3]
        halt

sum:    li   r1, 0              ; r1 = the squares of r2 and of all below
again:  jal  r6, square
        add  r1, r1, r4
        addi r2, r2, -1
        bne  r2, r0, again
        jr   r6

square: mul  r4, r2, r2         ; r4 = the square of r2
        jr   r6
