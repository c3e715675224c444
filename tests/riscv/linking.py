#!/usr/bin/env python3
"""Programs of several files, linked by `isaforge link` and by GNU's linker: what they print and how they end is the same, in qemu and
here. Their objects are made by GNU's tools and by `isaforge asm`, with marks for a linker and without. Then the C programs of this
folder with the whole static library of C."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
GCC = "riscv64-linux-gnu-gcc"
WAYS = ["-O2", "-Os -fno-pic -mcmodel=medlow", "-O2 -mno-relax", "-g -O1 -fno-pic -mcmodel=medany"]
INPUT = b"The quick brown fox\njumps over the lazy dog,\nand the dog sleeps on.\n"
LIBRARY_PROGRAMS = ["formats", "mathematics", "process", "sorting"]


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()[:2000]}")
    return done.stdout


def result(*command):
    done = subprocess.run([str(part) for part in command], input=INPUT, capture_output=True, timeout=300, check=False)
    return done.returncode, done.stdout, done.stderr


def file_of(name):
    return run(GCC, f"-print-file-name={name}").strip()


def check(isaforge, what, theirs, ours, *arguments):
    """How the two programs end in qemu, and the second one here."""
    expected = result("qemu-riscv64", theirs, *arguments)
    for runner in (["qemu-riscv64"], [isaforge, "run", "-i", "rv64gc"]):
        given = ["--", *arguments] if len(runner) > 1 and arguments else arguments
        found = result(*runner, ours, *given)
        if found != expected:
            sys.exit(f"{what}: linked by `isaforge link` it ends in {runner[0]} with {found}\n  and else with {expected}")
    return expected


def section_bytes(program, name):
    return int(re.search(rf"^\s*\d+ {re.escape(name)}\s+([0-9a-f]+)", run("riscv64-linux-gnu-objdump", "-h", program), re.M)[1], 16)


def freestanding(isaforge, folder):
    runs = 0
    for way in WAYS:
        objects = {"gcc": [], "asm": []}
        for source in sorted((HERE / "freestanding").glob("*.c")):
            text = folder / f"{source.stem}.s"
            run(GCC, *way.split(), "-ffreestanding", "-fno-stack-protector", "-S", source, "-o", text)
            for tool in objects:
                made = folder / f"{source.stem}.{tool}.o"
                if tool == "gcc":
                    run(GCC, *(["-mno-relax"] if "no-relax" in way else []), "-c", text, "-o", made)
                else:
                    run(isaforge, "asm", "-i", "rv64gc", *([] if "no-relax" in way else ["--relax"]), text, "-o", made)
                objects[tool].append(made)
        theirs = folder / "theirs"
        run(GCC, "-nostdlib", "-static", *objects["gcc"], "-o", theirs)
        mixed = [objects["gcc"][0], *objects["asm"][1:]]
        for kind, files in (("gcc", objects["gcc"]), ("asm", objects["asm"]), ("both", mixed)):
            sizes = []
            for how in ([], ["--no-relax"]):
                ours = folder / "ours"
                run(isaforge, "link", "-i", "rv64gc", *files, *how, "-o", ours)
                status, out, _ = check(isaforge, f"{way}, {kind} {how}", theirs, ours)
                if status != 42 or len(out.splitlines()) != 8:
                    sys.exit(f"{way}: it ends with {status} and {out}")
                sizes.append(section_bytes(ours, ".text"))
                runs += 1
            if (sizes[0] < sizes[1]) == ("no-relax" in way):
                sys.exit(f"{way}, {kind}: its code has {sizes[0]} bytes, and {sizes[1]} where nothing becomes shorter")
            run(GCC, "-nostdlib", "-static", *files, "-o", folder / "with_ld")
            check(isaforge, f"{way}, {kind}, linked by ld", theirs, folder / "with_ld")
    print(f"{runs} links of a program of three files are right")


def with_library(isaforge, folder):
    begin = [file_of(name) for name in ("crt1.o", "crti.o", "crtbeginT.o")]
    libraries = [file_of(name) for name in ("libm.a", "libatomic.a", "libgcc.a", "libgcc_eh.a", "libc.a")]
    libraries = [name for library in libraries for name in members(library)]
    end = [file_of(name) for name in ("crtend.o", "crtn.o")]
    for name in LIBRARY_PROGRAMS:
        source, made = HERE / f"{name}.c", folder / f"{name}.o"
        run(GCC, "-O2", "-std=c11", "-D_GNU_SOURCE", "-ffp-contract=off", "-c", source, "-o", made)
        run(GCC, "-static", made, "-o", folder / "theirs", "-lm", "-latomic")
        run(isaforge, "link", "-i", "rv64gc", *begin, made, *libraries, *end, "-o", folder / "ours")
        status, out, _ = check(isaforge, name, folder / "theirs", folder / "ours", "one", "two words", "")
        if status not in (0, 3, 41) or not out:
            sys.exit(f"{name}: it ends with {status} and {out}")
    print(f"{len(LIBRARY_PROGRAMS)} programs with the library of C are right")


def with_words_of_32_bits(isaforge, folder):
    """The calls of a 32-bit process, for which there is no library of C here."""
    clang = shutil.which("clang") or shutil.which("clang-14")
    if not clang:
        return
    run(clang, "--target=riscv32-unknown-linux", "-march=rv32gc", "-mabi=ilp32d", "-O2", "-ffreestanding", "-fno-stack-protector", "-c",
        HERE / "words32" / "calls.c", "-o", folder / "calls.o")
    run(isaforge, "link", "-i", "rv32gc", folder / "calls.o", "-o", folder / "calls")
    ends = []
    for runner in (["qemu-riscv32"], [isaforge, "run", "-i", "rv32gc", "--files", ".:rw"]):
        done = subprocess.run([*map(str, runner), "./calls"], capture_output=True, text=True, cwd=folder, timeout=300, check=False)
        status = done.returncode if done.returncode >= 0 else 128 - done.returncode
        ends.append((status, done.stdout))
    if ends[0] != ends[1] or ends[0][0] != 134:
        sys.exit(f"calls.c: in qemu it ends with {ends[0]}\n  and here with {ends[1]}")
    print("and so are the calls of a process of 32 bits")


def members(library):
    """libm.a may be a script of a linker's that names archives."""
    text = pathlib.Path(library).read_bytes()
    return [library] if text.startswith(b"!<arch>") else re.findall(r"/\S+\.a", text.decode())


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isaforge", required=True, type=lambda path: pathlib.Path(path).resolve())
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        freestanding(arguments.isaforge, pathlib.Path(name))
        with_library(arguments.isaforge, pathlib.Path(name))
        with_words_of_32_bits(arguments.isaforge, pathlib.Path(name))


if __name__ == "__main__":
    main()
