#!/usr/bin/env python3
"""The C programs of this folder, compiled for Linux on RISC-V and linked statically: what they print and how they end is the same
here, interpreted and compiled (at once, and the next program where it is hot; with --every, each both ways), and in qemu. So it is,
in qemu, where `isaforge asm` takes the place of GNU's assembler."""
import argparse
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
INPUT = b"The quick brown fox\njumps over the lazy dog,\nand the dog sleeps on.\n"
COMPILER = ["riscv64-linux-gnu-gcc", "-O2", "-static", "-std=c11", "-D_GNU_SOURCE", "-ffp-contract=off"]
LIBRARIES = ["-lm", "-latomic"]
ARGUMENTS = ["one", "two words", ""]


def result(command):
    done = subprocess.run([str(part) for part in command], input=INPUT, capture_output=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isaforge", required=True, type=pathlib.Path)
    parser.add_argument("--isa", default="rv64gc")
    parser.add_argument("--every", action="store_true", help="each program by each engine")
    arguments = parser.parse_args()
    programs = sorted(HERE.glob("*.c"))
    runs = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, source in enumerate(programs):
            program = pathlib.Path(folder) / source.stem
            text, assembled = program.with_suffix(".s"), program.with_suffix(".o")
            subprocess.run([*COMPILER, "-S", source, "-o", text], check=True)
            subprocess.run([*COMPILER, text, "-o", program, *LIBRARIES], check=True)
            subprocess.run([arguments.isaforge, "asm", "-i", arguments.isa, text, "-o", assembled], check=True)
            expected = result(["qemu-riscv64", "-E", "COLOUR=green", program, *ARGUMENTS])
            subprocess.run([*COMPILER, assembled, "-o", program.with_suffix(".ours"), *LIBRARIES], check=True)
            found = result(["qemu-riscv64", "-E", "COLOUR=green", program.with_suffix(".ours"), *ARGUMENTS])
            if found != expected:
                sys.exit(f"{source.name}: as `isaforge asm` assembles it, it ends with {found}\n  and else with {expected}")
            if expected[0] not in (0, 3, 41) or not expected[1]:
                sys.exit(f"{source.name}: in qemu it ends with {expected}")
            compiled = ("jit", "auto")
            for engine in ("interpreter", *(compiled if arguments.every else [compiled[number % 2]])):
                runs += 1
                found = result([arguments.isaforge, "run", "-i", arguments.isa, "--engine", engine, "--env", "COLOUR=green", program,
                                "--", *ARGUMENTS])
                if found != expected:
                    wrong += 1
                    print(f"{source.name}, {engine}: it ends with {found}\n  and in qemu with {expected}")
    print(f"{runs - wrong} of {runs} runs are the same as in qemu")
    sys.exit(wrong != 0)


if __name__ == "__main__":
    main()
