#!/usr/bin/env python3
"""Statements of every form, as the disassembler prints them, through the assembler that people use for the machine: the bytes
have to be the same. `--count` is how many of each form."""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile


def ca65(source, folder):
    """The bytes that ca65 and ld65 make of statements from address 0 on."""
    (folder / "referee.s").write_text('.setcpu "6502X"\n.org 0\n' + source)
    (folder / "flat.cfg").write_text(
        "MEMORY { ALL: start = 0, size = $10000, file = %O; }\nSEGMENTS { CODE: load = ALL, type = rw; }\n")
    subprocess.run(["ca65", "referee.s", "-o", "referee.o"], cwd=folder, check=True)
    subprocess.run(["ld65", "-C", "flat.cfg", "referee.o", "-o", "referee.bin"], cwd=folder, check=True)
    return (folder / "referee.bin").read_bytes()


def llvm_msp430(source, folder):
    (folder / "referee.s").write_text(source)
    subprocess.run(["llvm-mc-19", "-triple=msp430", "-filetype=obj", "referee.s", "-o", "referee.o"], cwd=folder, check=True)
    subprocess.run(["llvm-objcopy-19", "-O", "binary", "-j", ".text", "referee.o", "referee.bin"], cwd=folder, check=True)
    return (folder / "referee.bin").read_bytes()


def for_ca65(text, distance):
    return f"{text} *{distance:+}" if distance is not None else text


def for_llvm_msp430(text, distance):
    """It reads no negative distance from a register, of a jump the bits, and lacks what moves on and writes to memory, and
    pushes but of registers and numbers; and calls of what has a short form are long."""
    if re.search(r"@\S+\+, .*[(&]|push(\.b)? ([^#r]|.*\()|push\.b #|call #(\d|-1|65535)$", text):
        return None
    if distance is not None:
        return f"{text} ${(distance - 2) // 2:+}"
    text = re.sub(r"#65535\b", "#-1", text)  # there is a short way to say it
    return re.sub(r"-(\d+)(?=\()", lambda found: str(0x10000 - int(found[1])), text)


# Each machine's assembler, what jumps by a distance, and how the referee writes what we print otherwise.
MACHINES = {
    "mos6502": (ca65, r"(b(?:pl|mi|vc|vs|cc|cs|ne|eq)) (\d+)", for_ca65),
    "msp430": (llvm_msp430, r"(j\w+) (\d+)", for_llvm_msp430),
}


def statements_of(isaforge, isa, count, seed, jumps):
    """Texts of all forms, and what a jump's target is away: its place is another one where a text has a shorter encoding."""
    sample = subprocess.run([isaforge, "sample", isa, "--each", "-n", str(count), "--seed", str(seed), "--words"],
                            capture_output=True, text=True, check=True).stdout
    address = 0
    for line in sample.splitlines():
        words, text = line.split("\t", 1)
        jump = re.fullmatch(jumps, text)
        yield (jump[1], int(jump[2]) - address) if jump else (text, None)
        address += len(bytes.fromhex(words))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--isa", required=True, choices=MACHINES)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    assemble, jumps, rewrite = MACHINES[arguments.isa]
    statements = list(statements_of(arguments.isaforge, arguments.isa, arguments.count, arguments.seed, jumps))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        source = folder / "ours.s"
        source.write_text("".join(f"{text} . {away:+}\n" if away is not None else f"{text}\n" for text, away in statements))
        subprocess.run([arguments.isaforge, "asm", "-i", arguments.isa, source, "-o", folder / "ours.bin", "--format", "bin",
                        "--listing-json", folder / "ours.json"], check=True)
        made = [json.loads(line) for line in (folder / "ours.json").read_text().splitlines()]
        theirs = [rewrite(*one) for one in statements]
        compared = len(theirs) - theirs.count(None)
        for one in made:
            if theirs[one["line"] - 1] is None:
                theirs[one["line"] - 1] = ".byte " + ", ".join(str(byte) for byte in bytes.fromhex(one["bytes"]))
        found = assemble("".join(text + "\n" for text in theirs), folder)
        for one in made:
            ours = bytes.fromhex(one["bytes"])
            other = found[one["address"]:one["address"] + len(ours)]
            if ours != other:
                text = statements[one["line"] - 1][0]
                sys.exit(f"at {one['address']:#x}: `{text}` is {ours.hex()}, and of the referee {other.hex()}")
        if (folder / "ours.bin").read_bytes() != found or len(made) != len(statements) or 10 * compared < 8 * len(made):
            sys.exit(f"the referee has {len(found)} bytes of {len(made)} statements")
    print(f"{compared} statements are the same")


if __name__ == "__main__":
    main()
