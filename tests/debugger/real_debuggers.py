#!/usr/bin/env python3
"""gdb and lldb themselves against `isaforge run --gdb`: what docs/debugging.md says they can do.

    real_debuggers.py --isaforge ISAFORGE --examples DIRECTORY
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 60


def session(isaforge, program, command):
    """What the debugger says. `command` gets the port."""
    server = subprocess.Popen([isaforge, "run", "--gdb", "0", program], stderr=subprocess.PIPE, text=True)
    port = re.search(r":(\d+)$", server.stderr.readline().strip()).group(1)
    try:
        done = subprocess.run(command(port), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", errors="replace", timeout=SECONDS, cwd=os.path.dirname(program), check=False)
        server.communicate(timeout=SECONDS)
    finally:
        server.kill()
    return done.stdout


def gdb(isaforge, program):
    commands = [f"file {program}", "target remote 127.0.0.1:{}", "stepi", "p/x $pc", "break factorial", "continue", "p/x $r2",
                "x/4xw 0xff0", "set $r5 = 0x77", "p $r5", "monitor print r5", "delete", "watch *(int*)0xfc8", "continue", "p/x $pc",
                "monitor where", "delete", "rwatch *(int*)0xfc8", "continue", "delete", "awatch *(int*)0xff8", "continue", "delete",
                "break calls.s:53", "continue", "reverse-stepi", "stepi", "delete", "break factorial", "reverse-continue", "delete",
                "reverse-continue", "detach"]
    text = session(isaforge, program, lambda port: ["gdb-multiarch", "-nx", "-batch"] + [
        word for command in commands for word in ("-ex", command.replace("{}", port))])
    expected = ["0x4", "Breakpoint 1, factorial () at calls.s:40", "0x41200000", "0x0000000d", "= 119", "119  0x77",
                "Old value = 0", "calls.s:45", "0x58", "calls.s:45", "Value = ", "Value = ", "factorial_end () at calls.s:53", "calls.s:51", "factorial_end () at calls.s:53",
                "Breakpoint 6, factorial () at calls.s:40", "No more reverse-execution history", "detached"]
    return text, expected


def lldb(isaforge, program):
    commands = ["gdb-remote 127.0.0.1:{}", "register read pc", "breakpoint set -a 0x44", "continue", "register read pc r2",
                "memory read -c 16 0xff0", "register write r5 0x1234", "register read r5", "breakpoint delete 1",
                "watchpoint set expression -w write -s 4 -- 0xff8", "continue", "thread step-inst", "detach"]
    text = session(isaforge, program, lambda port: ["lldb-14", "--no-lldbinit", "-b"] + [
        word for command in commands for word in ("-o", command.replace("{}", port))])
    expected = ["pc = 0x00000000", "stop reason = breakpoint 1.1", "pc = 0x00000044", "r2 = 0x41200000", "0d 00 00 00",
                "r5 = 0x00001234", "stop reason = watchpoint 1", "instruction step", "detached"]
    return text, expected


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--examples", required=True)
    options = parser.parse_args()
    isaforge = os.path.abspath(options.isaforge)
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in ("calls.s", "macros.inc"):
            shutil.copy(os.path.join(options.examples, "wishbone-gpu", name), folder)
        program = os.path.join(folder, "calls.elf")
        subprocess.run([isaforge, "asm", "-i", "wishbone-gpu", "calls.s", "-o", program], check=True, cwd=folder)
        for debugger in (gdb, lldb):
            text, expected = debugger(isaforge, program)
            at = 0
            for part in expected:
                found = text.find(part, at)
                if found < 0:
                    print(f"{debugger.__name__} does not say '{part}' here:\n{text[at:]}\nall of it:\n{text}")
                    failures += 1
                    break
                at = found + len(part)
            else:
                print(f"{debugger.__name__}: all as expected")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
