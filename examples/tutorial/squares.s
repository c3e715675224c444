; The squares of 1 to 10, as words from address 0x100.

        li   r0, 0
        li   r1, 0x100          ; where the next square goes
        li   r2, 10             ; how many are left
        li   r3, 1
next:   mul  r4, r3, r3
        st   r4, [r1]
        addi r1, r1, 4
        addi r3, r3, 1
        addi r2, r2, -1
        bne  r2, r0, next
        halt
