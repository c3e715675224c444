        li    r1, 0             ; r1 = 1 + 2 + … + 10
        li    r2, 10
        li    r3, 0
again:  add   r1, r1, r2
        addi  r2, r2, -1
        bne   r2, r3, again
        store r1, r3, 5         ; at address 5, where top.sv has eight LEDs
        halt
