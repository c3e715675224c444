"""Lines of machines other than GCN: the WISHBONE GPU's and FabRISC's, on one thread and on all, and RISC-V's next to the GNU tools."""
import os
import re
import shutil
import subprocess

from generate import wishbone_lines
from measure import Failed, Table, timed, write

HERE = os.path.dirname(os.path.abspath(__file__))
ALONE = ["--threads", "1"]
RISCV = "riscv64-linux-gnu-"


def measure(isaforge, work, options):
    good = both_ways(isaforge, work, options, "wishbone-gpu", wishbone_lines(options.lines), with_customasm)
    isa = "fabrisc-2022-05-15"
    good = both_ways(isaforge, work, options, isa, sampled(isaforge, isa, options.lines)) and good
    return riscv(isaforge, work, options) and good


def sampled(isaforge, isa, count):
    text = subprocess.run([isaforge, "sample", isa, "-n", str(count)], capture_output=True, check=True).stdout
    return text.decode("ascii").splitlines(keepends=True)


def both_ways(isaforge, work, options, isa, lines, peer=None):
    source, binary = write(work, f"{isa}.s", lines), os.path.join(work, f"{isa}.bin")
    program = os.path.join(work, f"{isa}.o")
    asm = [isaforge, "asm", "-i", isa, source, "-o"]
    table = Table(f"{isa}: {len(lines)} lines")
    table.add("isaforge, raw binary, one thread", len(lines), asm + [binary, "--format", "bin", *ALONE], options.repeat)
    table.add("isaforge, raw binary", len(lines), asm + [binary, "--format", "bin"], options.repeat)
    table.add("isaforge, ELF with line table", len(lines), asm + [program], options.repeat)
    if peer:
        peer(table, isaforge, isa, work, max(1, options.lines // 50))
    dis = [isaforge, "dis", "-i", isa, binary, "--format", "bin", "-o", "/dev/null"]
    back = Table(f"{isa}: {len(lines)} instructions")
    back.add("isaforge, source, one thread", len(lines), dis + ALONE, options.repeat)
    back.add("isaforge, source", len(lines), dis, options.repeat)
    back.add("isaforge, listing, one thread", len(lines), dis + ["--listing", *ALONE], options.repeat)
    back.add("isaforge, listing", len(lines), dis + ["--listing"], options.repeat)
    return not table.failed and not back.failed


def with_customasm(table, isaforge, isa, work, lines):
    """Fewer lines, since it is slow, and without floating-point numbers, which it has none of; but to the same bytes."""
    if not shutil.which("customasm"):
        return
    source = write(work, "peer.s", wishbone_lines(lines, floats=False))
    theirs, same = os.path.join(work, "peer.bin"), os.path.join(work, "same.bin")
    table.add(f"customasm, {lines} of such lines", lines,
              ["customasm", os.path.join(HERE, "peers", f"{isa}.customasm"), source, "-q", "-f", "binary", "-o", theirs], 1)
    timed([isaforge, "asm", "-i", isa, source, "-o", same, "--format", "bin"], 1)
    if os.path.exists(theirs) and swapped(theirs) != swapped(same, 1):
        raise Failed("customasm makes other bytes of the same lines")


def swapped(path, unit=4):
    """A file's bytes, with the order turned round in each unit."""
    with open(path, "rb") as file:
        data = file.read()
    return b"".join(data[at:at + unit][::-1] for at in range(0, len(data), unit))


def riscv(isaforge, work, options):
    """A program in C with the library that it is linked with: its code as text, which both assemble, and its code."""
    print()
    needed = [RISCV + tool for tool in ("gcc", "as", "objdump", "objcopy")]
    if not all(map(shutil.which, needed)):
        print(f"RISC-V is not measured: {', '.join(needed)} are not all installed.")
        return True
    program = os.path.join(work, "text.riscv")
    subprocess.run([needed[0], "-O2", "-static", os.path.join(HERE, "peers", "riscv", "collatz.c"), "-o", program], check=True)
    source = subprocess.run([isaforge, "dis", "-i", "rv64gc", program], capture_output=True, check=True).stdout.decode("ascii")
    # Only the code, and none of its labels global: the GNU assembler does not know all sections of a linked program.
    source = write(work, "text.s", re.split(r'^\.(?:section (?!.*"ax")|rodata|data|bss)', source[source.index("\n.text\n") + 1:],
                                          maxsplit=1, flags=re.M)[0])
    with open(source, encoding="ascii") as file:
        count = sum(line.startswith("    ") for line in file)
    ours, theirs = os.path.join(work, "ours.o"), os.path.join(work, "theirs.o")
    table = Table(f"rv64gc: {count} lines, next to the GNU assembler")
    asm = [isaforge, "asm", "-i", "rv64gc", source, "-o", ours]
    table.add("isaforge, ELF with line table, one thread", count, asm + ALONE, options.repeat)
    table.add("isaforge, ELF with line table", count, asm, options.repeat)
    table.add("as -g", count, [RISCV + "as", "-g", "-mno-relax", "-march=rv64gc", source, "-o", theirs], options.repeat)
    # Of branches that just reach the GNU assembler takes longer ones in a few places; tests compare the bytes of each instruction.
    if abs(code_size(ours, work) - code_size(theirs, work)) > count // 1000:
        raise Failed("the GNU assembler makes other code of the same lines")
    dis = [isaforge, "dis", "-i", "rv64gc", program, "-o", "/dev/null"]
    back = Table("rv64gc: the code of the same program")
    back.add("isaforge, source and data, one thread", count, dis + ALONE, options.repeat)
    back.add("isaforge, listing, one thread", count, dis + ["--listing", *ALONE], options.repeat)
    back.add("objdump -d", count, [RISCV + "objdump", "-d", program], options.repeat, is_kept=False)
    return not table.failed and not back.failed


def code_size(program, work):
    path = os.path.join(work, "code.bin")
    subprocess.run([RISCV + "objcopy", "-O", "binary", "-j", ".text", program, path], check=True)
    return os.path.getsize(path)
