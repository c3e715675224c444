// Strings in UTF-8: each line of standard input is validated, counted, decoded, changed to lower case as far as it is
// ASCII, and reversed character by character.
//
//     isaforge asm -i fabrisc-2022-05-15 utf8.s -o utf8.elf
//     echo 'Grüße, 世界!' | isaforge run utf8.elf
//
// A line gives either `invalid at K`, K being the offset of the first byte of the first sequence that is none, or three
// lines: `N characters:` and the code points in hexadecimal, the lower case, the reverse. For all three revisions.

.include "macros.inc"

.equ MOST, 1 << 20          // bytes of input that are read

#def at         $S0         // in the line
#def end        $S1         // of the line
#def line       $S2
#def input_end  $S3
#def out        $S4         // where the next character of output goes
#def characters $S5
#def x          $S6
#def y          $S7

begin
    li input_end, input
.more:
    li x, input + MOST
    SUB.32: x, x, input_end;
    read input_end, x
    ADD.32: input_end, input_end, $P0;
    bnez $P0, more

    li end, input - 1
.each:
    IADD.32: line, end, #1;
    BLE.32: input_end, line, @finished;
    mov end, line
.to_end:
    MLD.8: x, end, #0;
    IAND.32: x, x, #255;
    IADD.32: x, x, #-10;
    beqz x, found
    IADD.32: end, end, #1;
    BLT.32: end, input_end, @to_end;    // the last line may have no newline
.found:
    call treat
    jump each
.finished:
    exit 0

.macro put character
    li $P0, \character
    MST.8: $P0, out, #0;
    IADD.32: out, out, #1;
.endm

.treat:
    enter
    // Is every character one?
    li characters, 0
    mov at, line
.count:
    BLE.32: end, at, @valid;
    call decode
    bltz $P0, invalid
    ADD.32: at, at, $P1;
    IADD.32: characters, characters, #1;
    jump count
.invalid:
    print "invalid at "
    SUB.32: $P0, at, line;
    li $P1, 10
    call print_number
    leave

.valid:
    mov $P0, characters
    li $P1, 32
    call print_number
    print "characters:"
    li out, output

    // Code points
    mov at, line
.each_point:
    BLE.32: end, at, @lower;
    call decode
    ADD.32: at, at, $P1;
    mov x, $P0
    put 32
    li y, 24                            // how far the digit is to the left
.skip_zeros:
    IADD.32: y, y, #-4;
    call hex_digit
    bnez $P0, first_digit
    bnez y, skip_zeros
.first_digit:
    call put_digit
    beqz y, each_point
    IADD.32: y, y, #-4;
    call hex_digit
    jump first_digit

    // Lower case
.lower:
    put 10
    mov at, line
.each_byte:
    BLE.32: end, at, @reverse;
    ldb x, at, 0
    li y, 65                            // A
    BLT.32: x, y, @as_it_is;
    li y, 90                            // Z
    BLT.32: y, x, @as_it_is;
    IADD.32: x, x, #32;
.as_it_is:
    MST.8: x, out, #0;
    IADD.32: out, out, #1;
    IADD.32: at, at, #1;
    jump each_byte

    // The reverse: back to where a character begins, and its bytes forward
.reverse:
    put 10
    mov at, end
.each_back:
    BLE.32: at, line, @reversed;
    mov y, at
.back:
    IADD.32: at, at, #-1;
    ldb x, at, 0
    shr x, x, 6
    IADD.32: x, x, #-2;                 // 10…: not the first byte
    beqz x, back
    mov $N0, at
.copy:
    MLD.8: x, $N0, #0;
    MST.8: x, out, #0;
    IADD.32: $N0, $N0, #1;
    IADD.32: out, out, #1;
    BLT.32: $N0, y, @copy;
    jump each_back
.reversed:
    put 10
    li x, output
    SUB.32: out, out, x;
    write x, out
    leave

// $P0 = the four bits of x from bit y on
.hex_digit:
    mov $P0, x
    mov $P1, y
.right:
    beqz $P1, there
    shr $P0, $P0, 4
    IADD.32: $P1, $P1, #-4;
    jump right
.there:
    IAND.32: $P0, $P0, #15;
    return
.put_digit:
    li $P1, 10
    IADD.32: $P2, $P0, #48;
    BLT.32: $P0, $P1, @below_ten;
    IADD.32: $P2, $P2, #39;
.below_ten:
    MST.8: $P2, out, #0;
    IADD.32: out, out, #1;
    return

// The character that begins at `at`: $P0 = its code point, -1 if it is none, $P1 = its bytes. Longer forms than needed,
// halves of surrogate pairs and what lies beyond 0x10ffff are none.
.decode:
    ldb $P0, at, 0
    li $P1, 1
    li $N0, 0x80
    BLT.32: $P0, $N0, @decoded;
    li $N0, 0xc2
    BLT.32: $P0, $N0, @wrong;
    li $P1, 2
    li $N3, 0x80                        // the least of that length
    li $N1, 31                          // the bits that count
    li $N0, 0xe0
    BLT.32: $P0, $N0, @tail;
    li $P1, 3
    li $N3, 0x800
    li $N1, 15
    li $N0, 0xf0
    BLT.32: $P0, $N0, @tail;
    li $P1, 4
    li $N3, 0x10000
    li $N1, 7
    li $N0, 0xf5
    BLE.32: $N0, $P0, @wrong;
.tail:
    AND.32: $P0, $P0, $N1;
    ADD.32: $N1, at, $P1;
    BLT.32: end, $N1, @wrong;
    IADD.32: $N0, at, #1;
.next:
    ldb $P2, $N0, 0
    shr $P3, $P2, 6
    IADD.32: $P3, $P3, #-2;
    bnez $P3, wrong
    IAND.32: $P2, $P2, #63;
    shl $P0, $P0, 6
    OR.32: $P0, $P0, $P2;
    IADD.32: $N0, $N0, #1;
    BLT.32: $N0, $N1, @next;
    BLT.32: $P0, $N3, @wrong;
    shr $P2, $P0, 11
    IADD.32: $P2, $P2, #-0x1b;          // d800 to dfff
    beqz $P2, wrong
    shr $P2, $P0, 16
    li $P3, 16
    BLT.32: $P3, $P2, @wrong;
.decoded:
    return
.wrong:
    li $P0, -1
    return

.include "library.inc"

.bss
.input: .skip MOST
.output: .skip 6 * MOST                 // three characters for an ASCII one, and twice the line
.text
