#!/usr/bin/env python3
"""BPF next to LLVM: the bytes of statements of every form, what its disassembler prints of them, and what clang makes of a C
program, in text and as an object, with the results that the host's own has.

    bpf.py --isaforge PROGRAM [--count N]
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).with_name("bpf.c")
NOT_LLVMS = ("06", "8510")  # gotol, and calls of functions, which it reads with labels alone: what their bytes begin with
START = "    r1 = 12345\n    r10 = 60000\n    call entry\n    exit\n"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


def text_bytes(path):
    raw = path.with_suffix(".bin")
    run("llvm-objcopy-19", "-O", "binary", "-j", ".text", path, raw)
    return raw.read_bytes()


def assembled(isaforge, text, folder):
    (folder / "ours.s").write_text(text)
    run(isaforge, "asm", "-i", "bpf", folder / "ours.s", "-o", folder / "ours.bin", "--format", "bin")
    return (folder / "ours.bin").read_bytes()


def statements(isaforge, folder, count):
    lines = [line.split("\t") for line in run(isaforge, "sample", "bpf", "--each", "-n", count, "--words").splitlines()]
    lines = [(words, text) for words, text in lines if not words.startswith(NOT_LLVMS)]
    ours = bytes.fromhex("".join(words for words, _ in lines))
    (folder / "all.s").write_text("".join(text + "\n" for _, text in lines))
    run("llvm-mc-19", "-triple=bpfel", "-mcpu=v4", "-filetype=obj", folder / "all.s", "-o", folder / "all.o")
    if text_bytes(folder / "all.o") != ours:
        return 0, "llvm-mc gives other bytes"
    listing = run("llvm-objdump-19", "--mcpu=v4", "-d", "--no-show-raw-insn", folder / "all.o")
    printed = re.findall(r"^ *[0-9a-f]+:\t(.*)$", listing, re.MULTILINE)
    printed = [line.rsplit(" <", 1)[0] if line.endswith(">") else line for line in printed]
    if assembled(isaforge, "".join(line + "\n" for line in printed), folder) != ours:
        return 0, "what llvm-objdump prints is read as other bytes"
    return len(lines), None


def programs(isaforge, folder):
    run("clang-19", "-O1", "-DHOST", SOURCE, "-o", folder / "host")
    wanted = run(folder / "host").strip()
    done = 0
    for level in ("-O0", "-O1", "-O2"):
        for version in ("v1", "v2", "v3", "v4"):
            made = ["clang-19", "-target", "bpf", "-mcpu=" + version, level, "-mllvm", "-bpf-stack-size=4096", SOURCE]
            run(*made, "-c", "-o", folder / "object.o")
            run(*made, "-S", "-o", folder / "text.s")
            (folder / "start.s").write_text(START)
            run(isaforge, "asm", "-i", "bpf", folder / "start.s", "-o", folder / "start.o")
            run(isaforge, "asm", "-i", "bpf", folder / "text.s", "-o", folder / "text.o")
            for each in ("object.o", "text.o"):
                run(isaforge, "link", folder / "start.o", folder / each, "-o", folder / "program")
                found = run(isaforge, "run", folder / "program", "--memory", "1M", "--registers")
                if f"r0 {wanted} " not in found:
                    return 0, f"{each} of {level} -mcpu={version} comes to\n{found}and not to {wanted}"
                done += 1
    return done, None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isaforge", required=True, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=20, help="so many statements of each form")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        try:
            lines, wrong = statements(options.isaforge.resolve(), folder, options.count)
            runs, wrong = programs(options.isaforge.resolve(), folder) if not wrong else (0, wrong)
        except subprocess.CalledProcessError as error:
            runs, wrong = 0, f"{error.cmd} says:\n{error.stderr}"
    print(wrong or f"{lines} statements and {runs} programs, all as LLVM and the host have them")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
