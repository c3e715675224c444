#!/usr/bin/env python3
"""A C program as clang compiles it for the MSP430, at each level of optimisation: assembled, run, and its results as Python
computes them."""
import argparse
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

START = """
        mov     #0xfe00, sp
        call    #main
        mov     #results, r4
        {}
        bis     #0x10, sr               ; the processor is off
"""


def checksum(data):
    total = 0xffff
    for byte in data:
        total ^= byte << 8
        for _ in range(8):
            total = (total << 1 ^ 0x1021 if total & 0x8000 else total << 1) & 0xffff
    return total


def expected():
    numbers = sorted([5, -3, 12, 7, 0, 99, -50, 1])
    a, b = 0, 1
    for _ in range(40):
        a, b = b, a + b
    value = 0
    for i, number in enumerate(numbers):
        value += -number if i & 1 else number
    x = 2463534242
    for _ in range(10):
        x ^= x << 13 & 0xffffffff
        x ^= x >> 17
        x ^= x << 5 & 0xffffffff
    return [checksum(b"the quick brown fox jumps over the lazy dog"), checksum(struct.pack("<8h", *numbers)), a,
            value & 0xffff, x, x.bit_count() if hasattr(x, "bit_count") else bin(x).count("1")]


def results(isaforge, folder, level):
    source = pathlib.Path(__file__).with_name("program.c")
    subprocess.run(["clang-19", "--target=msp430", level, "-S", "-fno-zero-initialized-in-bss", source, "-o",
                    folder / "program.s"], check=True)
    loads = "\n        ".join(f"mov     @r4+, r{5 + i}" for i in range(11)) + "\n        mov     @r4, r4"
    (folder / "all.s").write_text(START.format(loads) + (folder / "program.s").read_text())
    subprocess.run([isaforge, "asm", "-i", "msp430", folder / "all.s", "-o", folder / "all.o"], check=True)
    run = subprocess.run([isaforge, "run", folder / "all.o", "--memory", "64K", "--registers", "--max-instructions", "1000000"],
                         capture_output=True, text=True, check=True)
    registers = {int(number): int(value, 16) for number, value in re.findall(r"\br(\d+) ([0-9a-f]{4})", run.stdout)}
    words = [registers[5 + i] for i in range(11)] + [registers[4]]
    return [words[2 * i] | words[2 * i + 1] << 16 for i in range(6)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isaforge", required=True)
    arguments = parser.parse_args()
    wanted = expected()
    with tempfile.TemporaryDirectory() as name:
        for level in ("-O0", "-O1", "-O2", "-Os"):
            found = results(arguments.isaforge, pathlib.Path(name), level)
            if found != wanted:
                sys.exit(f"with {level} {[hex(value) for value in found]}, and not {[hex(value) for value in wanted]}")
    print("4 programs have the right results")


if __name__ == "__main__":
    main()
