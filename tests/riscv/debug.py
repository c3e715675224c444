#!/usr/bin/env python3
"""gdb debugs a C program of a Linux process for RISC-V: breakpoints, variables, backtraces, registers of both kinds."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
COMMANDS = ["target remote :{port}", "break ackermann", "continue", "bt", "print m + n", "delete", "break dive if depth==9990", "continue",
            "bt 3", "print depth", "print $a0", "delete", "break turn", "continue", "print w.a", "print $fa0", "print/x $f11 != 0", "kill"]
EXPECTED = [r"#0  ackermann \(m=2, n=300\) at .*jumps\.c:8", r"#1  0x\w+ in main \(\) at .*jumps\.c:\d+", r"\$1 = 302",
            r"#0  dive \(depth=9990\)", r"#1  0x\w+ in dive \(depth=9991\)", r"\$2 = 9990", r"\$3 = 9990", r"\$4 = 1\.5", r"\$5 = .*0\.25"]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isaforge", required=True)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "jumps"
        subprocess.run(["riscv64-linux-gnu-gcc", "-g", "-O0", "-static", HERE / "jumps.c", "-o", program], check=True)
        with subprocess.Popen([arguments.isaforge, "run", "-i", "rv64gc", "--gdb", "0", program], stderr=subprocess.PIPE, text=True) as served:
            port = re.search(r":(\d+)$", served.stderr.readline().strip())[1]
            commands = [part for one in COMMANDS for part in ("-ex", one.format(port=port))]
            said = subprocess.run(["gdb-multiarch", "-nx", "-batch", *commands, program], capture_output=True, text=True, timeout=120, check=False)
            served.kill()
    at = 0
    for pattern in EXPECTED:
        found = re.search(pattern, said.stdout[at:])
        if not found:
            sys.exit(f"gdb does not say `{pattern}` behind what it said before:\n{said.stdout}\n{said.stderr}")
        at += found.end()
    print(f"{len(EXPECTED)} answers of gdb are right")


if __name__ == "__main__":
    main()
