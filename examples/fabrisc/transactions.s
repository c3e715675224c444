// Transactions between harts. Three harts move money between accounts, ROUNDS times each: two loads, two stores. The
// fourth adds up all accounts, again and again. Each does so in a transaction, so every sum is 0, as in the beginning. The
// last hart that is done prints the sum at the end, how many sums were wrong, and whether any transaction had to begin
// again. With -D NO_TRANSACTIONS money appears and disappears.
//
//     isaforge asm -i fabrisc-2022-05-15 transactions.s -o transactions.elf
//     isaforge run transactions.elf --harts 4 --seed 1
//     isaforge run transactions.elf --harts 4 --threads
//
// A transaction that collides with another is taken back, registers included, and that is an exception, saved PC being its
// beginning: the handler counts and returns, and so it is tried again. For fabrisc-2022-03-18 too; the revision between
// has no transactions.

.equ HARTS, 4
.ifndef ROUNDS
.equ ROUNDS, 300
.endif
.equ ACCOUNTS, 8
.include "macros.inc"

#def accounts   $S0         // address
#def rounds     $S1
#def random     $S2
#def from       $S3         // addresses of two accounts
#def to         $S4
#def amount     $S5
#def x          $S6
#def y          $S7
#def wrong      $S8
#def sum        $S9
#def a          $S10
#def b          $S11

.macro transaction_begin
.ifndef NO_TRANSACTIONS
    TBEG;
.endif
.endm
.macro transaction_end
.ifndef NO_TRANSACTIONS
    TEND;
.endif
.endm

begin
    li x, taken_back
.if REVISION == 318
    SRCPY.32: %UETP, x;
.else
    MOVTS.32: $UEHP, x;
.endif
    li accounts, the_accounts
    li wrong, 0
    li rounds, ROUNDS
    hart_number random
    IADD.32: x, random, #-(HARTS - 1);
    beqz x, add_up

.again:
    li32 a, 1664525
    li32 b, 1013904223
    MUL.32: random, random, a;
    ADD.32: random, random, b;
    shr from, random, 16
    IAND.32: to, from, #ACCOUNTS - 1;
    shr from, from, 4
    IAND.32: from, from, #ACCOUNTS - 1;
    shl from, from, 6                   // accounts are 64 bytes apart
    shl to, to, 6
    ADD.32: from, from, accounts;
    ADD.32: to, to, accounts;
    shr amount, random, 24
    transaction_begin
    MLD.32: x, from, #0;
    SUB.32: x, x, amount;
    MST.32: x, from, #0;
    MLD.32: y, to, #0;
    ADD.32: y, y, amount;
    MST.32: y, to, #0;
    transaction_end
    IADD.32: rounds, rounds, #-1;
    bnez rounds, again
    jump finish

.add_up:
    transaction_begin
    call total
    transaction_end
    beqz sum, sum_is_right
    IADD.32: wrong, wrong, #1;
.sum_is_right:
    IADD.32: rounds, rounds, #-1;
    bnez rounds, add_up
    li x, wrong_sums
    MST.32: wrong, x, #0;

.finish:
    li x, done
    call count_up
    IADD.32: y, y, #-HARTS;
.sleep:
    bnez y, sleep
    fence
    call total
    mov $P0, sum
    li $P1, 32
    call print_number
    li x, wrong_sums
    MLD.32: $P0, x, #0;
    li $P1, 32
    call print_number
    li x, collisions
    MLD.32: x, x, #0;
    beqz x, none
    print "some began again\n"
    exit 0
.none:
    print "none began again\n"
    exit 0

// sum = what is in the accounts
.total:
    li sum, 0
    mov a, accounts
    IADD.32: b, accounts, #64 * (ACCOUNTS - 1);
.next_account:
    MLD.32: x, a, #0;
    ADD.32: sum, sum, x;
    IADD.32: a, a, #64;
    BLE.32: a, b, @next_account;
    return

.count_up:                              // adds 1 to the word at x; y = the sum
    LL.32: y, x;
    IADD.32: y, y, #1;
    SC.32: $N0, x, y;
    beqz $N0, count_up
    return

// The exception: registers are those of the beginning, so the handler keeps all but $N0 to $N2. On 2022-03-18 each
// exception has a place of eight bytes; 12 are more than transactions have.
.taken_back:
.if REVISION == 318
.rept 12
    jump collided
    NOP;
    NOP;
.endr
.endif
.collided:
    li $N1, collisions
    LL.32: $N2, $N1;
    IADD.32: $N2, $N2, #1;
    SC.32: $N0, $N1, $N2;
    beqz $N0, collided
.if REVISION == 318
    UERET;
.else
    ERET;
.endif

.include "library.inc"

.bss
.balign 64
.the_accounts: .skip 64 * ACCOUNTS
.done: .skip 64
.collisions: .skip 64
.wrong_sums: .skip 4
.text
