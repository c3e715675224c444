// Says hello: with the system call, or with -D CONSOLE at a console in memory, which then says what is typed once more.
//
//     isaforge asm -i fabrisc-2022-05-15 hello.s -o hello.elf
//     isaforge run -i fabrisc-2022-05-15 hello.elf
//
//     isaforge asm -i fabrisc-2022-05-15 hello.s -D CONSOLE -o console.elf
//     echo Grüße | isaforge run -i fabrisc-2022-05-15 console.elf --map console@0x9000000
//
// For all three revisions.

.include "macros.inc"

.equ CONSOLE_DATA, 0        // reading: the next byte, all ones where none is there; writing: a byte of output
.equ CONSOLE_STATUS, 8      // bit 0: a byte is there

#def console    $S0         // address
#def text       $S1
#def end        $S2
#def x          $S3

begin
.ifndef CONSOLE
    print "Hello, world!\n"
.else
    li32 console, 0x9000000
    li text, hello
    li end, hello_end
.say:
    MLD.8: x, text, #0;
    MST.8: x, console, #CONSOLE_DATA;
    IADD.32: text, text, #1;
    BLT.32: text, end, @say;
.echo:
    MLD.32: x, console, #CONSOLE_STATUS;
    IAND.32: x, x, #1;
    beqz x, ended
    MLD.8: x, console, #CONSOLE_DATA;
    MST.8: x, console, #CONSOLE_DATA;
    jump echo
.ended:
.endif
    exit 0

.data
.hello: .ascii "Hello, console!\n"
.hello_end:
