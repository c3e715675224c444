// Says hello: with the system call, or with -D CONSOLE at a console in memory, which then says what is typed once more.
//
//     isaforge asm -i fabrisc-2022-05-15 hello.s -o hello.elf
//     isaforge run hello.elf
//
//     isaforge asm -i fabrisc-2022-05-15 hello.s -D CONSOLE -o console.elf
//     echo Grüße | isaforge run console.elf
//
// For all three revisions.

.include "macros.inc"

#def zero       $S0
#def text       $S1
#def end        $S2
#def x          $S3

begin
.ifndef CONSOLE
    print "Hello, world!\n"
.else
    li zero, 0
    li text, hello
    li end, hello_end
.say:
    MLD.8: x, text, #0;
    device_store 8, x, zero, CONSOLE_DATA
    IADD.32: text, text, #1;
    BLT.32: text, end, @say;
.echo:
    device_load 32, x, zero, CONSOLE_STATUS
    IAND.32: x, x, #5;
    beqz x, echo
    IAND.32: x, x, #1;
    beqz x, ended
    device_load 8, x, zero, CONSOLE_DATA
    device_store 8, x, zero, CONSOLE_DATA
    jump echo
.ended:
.endif
    exit 0

.data
.hello: .ascii "Hello, console!\n"
.hello_end:
