"""Lines for GCN 1.2, for us and for the assemblers and disassemblers that know them too: what a compiler makes of kernels,
over and over, and random statements that the description itself makes, of which hardly two are alike.

Where llvm-mc-14 or clrxasm is installed, lines that it refuses or gives other bytes are left out, so that all do the same work.
"""
import glob
import itertools
import json
import multiprocessing
import os
import re
import shutil
import struct
import subprocess

from measure import Failed, Table, write

DESCRIPTION = ["-i", "gcn1.2"]
KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests", "kernels")
CLANG = ["-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-target", "amdgcn-amd-amdhsa", "-mcpu=gfx803",
         "-nogpulib"]
ASSEMBLERS = ["llvm-mc-14", "llvm-mc-19"]
DISASSEMBLERS = ["llvm-objdump-14", "llvm-objdump-19"]


def sampled(isaforge, count):
    text = subprocess.run([isaforge, "sample", DESCRIPTION[1], "-n", str(count)], capture_output=True, check=True).stdout
    lines = [line.split(" //")[0].strip() for line in text.decode("ascii").splitlines()]
    return [line for line in lines if line and not line.startswith(".") and not line.endswith(":")]


def our_bytes(isaforge, source, work, count):
    listing = os.path.join(work, "gcn.json")
    subprocess.run([isaforge, "asm"] + DESCRIPTION + [source, "--listing-json", listing], capture_output=True, check=False)
    found = [None] * count
    with open(listing, encoding="ascii") as file:
        for row in map(json.loads, file):
            found[row["line"] - 1] = row["bytes"]
    return found


def their_bytes(assembler, source, count):
    done = subprocess.run([assembler, "-triple=amdgcn", "-mcpu=gfx803", "-show-encoding", source], capture_output=True,
                          check=False)
    refused = {int(line) for line in re.findall(rb":(\d+):\d+: error:", done.stderr)}
    encodings = iter(re.findall(rb"encoding: \[([^\]]*)\]", done.stdout))
    return [None if line in refused else next(encodings, b"").replace(b"0x", b"").replace(b",", b"").decode()
            for line in range(1, count + 1)]


CLRX = ["clrxasm", "-b", "rawcode", "-g", "Fiji"]


def same_for_clrx(lines, ours, work):
    """Those of the lines, and our bytes of them, that CLRX reads to the same: each in sixteen bytes of its own."""
    program = os.path.join(work, "clrx.bin")
    for _ in range(20):  # it stops after so many errors
        source = write(work, "clrx.s", [line + "; .balign 16\n" for line in lines])
        done = subprocess.run([*CLRX, source, "-o", program], capture_output=True, check=False)
        refused = {int(line) for line in re.findall(rb":(\d+):\d+: Error", done.stderr)}
        if not refused:
            break
        lines = [line for number, line in enumerate(lines, 1) if number not in refused]
        ours = [line for number, line in enumerate(ours, 1) if number not in refused]
    theirs = read(program).hex() if lines else ""
    kept = [(line, mine) for at, (line, mine) in enumerate(zip(lines, ours)) if theirs[32 * at:32 * at + len(mine)] == mine]
    return [line for line, _ in kept], [mine for _, mine in kept]


def compiled(isaforge, work, count):
    """What clang makes of the tests' kernels, of as many as it takes: instructions as they come, but for branches, whose labels
    would not repeat."""
    kernels = sorted(glob.glob(os.path.join(KERNELS, "*.cl")))
    lines = []
    for kernel, level in itertools.product(kernels if shutil.which("clang-14") else [], "0123"):
        if len(lines) > 2 * count:
            break
        program = os.path.join(work, "kernel.o")
        subprocess.run(["clang-14", *CLANG, "-O" + level, "-c", kernel, "-o", program], capture_output=True, check=True)
        text = subprocess.run([isaforge, "dis", program], capture_output=True, check=True).stdout.decode()
        lines += [line.split("//")[0].strip() for line in text.splitlines() if line.startswith("    ")]
    return [line for line in lines if line and line[0] != "." and not re.search(r"\bL_|branch|@|:$", line)]


def write_corpus(isaforge, work, count, kind):
    """A file with `count` lines, the same every time."""
    path = source_of(work, kind)
    if os.path.exists(path):
        os.remove(path)
    lines = sampled(isaforge, count * 3 // 2 + 100) if kind == "random" else compiled(isaforge, work, count)
    if not lines:
        return
    source = write(work, "gcn-all.s", [line + "\n" for line in lines])
    ours = our_bytes(isaforge, source, work, len(lines))
    theirs = their_bytes(ASSEMBLERS[0], source, len(lines)) if shutil.which(ASSEMBLERS[0]) else ours
    kept = [(line, mine) for line, mine, other in zip(lines, ours, theirs) if mine and mine == other]
    lines, ours = [line for line, _ in kept], [mine for _, mine in kept]
    if shutil.which(CLRX[0]):
        lines, ours = same_for_clrx(lines, ours, work)
    if not lines:
        raise Failed("no line is left")
    lines = (lines * (count // len(lines) + 1))[:count]
    write(work, os.path.basename(path), ["\t" + line + "\n" for line in lines])
    os.remove(source)


def source_of(work, kind):
    return os.path.join(work, f"gcn-{kind}.s")


def corpus(isaforge, work, count, kind):
    """In a process of its own: a program's peak memory is never less than that of the process that started it."""
    maker = multiprocessing.get_context("fork").Process(target=write_corpus, args=(isaforge, work, count, kind))
    maker.start()
    maker.join()
    if maker.exitcode != 0:
        raise Failed("the lines could not be made")
    return source_of(work, kind)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def text_section(path):
    """The bytes of `.text` in an ELF file of 64 bits."""
    data = read(path)
    table, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    strings = headers[names][4]
    for name, _, _, _, offset, length in headers:
        if data[strings + name:data.index(b"\0", strings + name)] == b".text":
            return data[offset:offset + length]
    raise Failed(f"{path} has no .text")


def measure(isaforge, work, options):
    good = True
    for kind, title in [("compiled", "lines of compiled kernels"), ("random", "random lines")]:
        source = corpus(isaforge, work, options.lines, kind)
        if os.path.exists(source):
            good &= assemble(isaforge, work, options, source, title)
        else:
            print(f"\nwithout clang-14 there are no {title}")
    return good


def assemble(isaforge, work, options, source, title):
    few = min(2, options.repeat)
    ours = os.path.join(work, "gcn.o")
    table = Table(f"Assembling {options.lines} {title} for GCN 1.2", os.path.getsize(source))
    raw = os.path.join(work, "gcn.bin")
    ours_asm = [isaforge, "asm"] + DESCRIPTION + [source, "-o"]
    table.add("isaforge, ELF with line table", options.lines, ours_asm + [ours], options.repeat)
    table.add("isaforge, raw binary", options.lines, ours_asm + [raw, "--format", "bin"], options.repeat)
    table.add("isaforge, ELF, one thread", options.lines, ours_asm + [ours, "--threads", "1"], options.repeat)
    if table.failed:
        return False
    for peer in filter(shutil.which, ASSEMBLERS):
        theirs = os.path.join(work, peer + ".o")
        table.add(peer, options.lines,
                  [peer, "-triple=amdgcn", "-mcpu=gfx803", "-filetype=obj", source, "-o", theirs], few)
        if peer == ASSEMBLERS[0] and text_section(theirs) != read(raw):
            raise Failed(f"{peer} makes other bytes of the same lines")
    if shutil.which(CLRX[0]):
        table.add("clrxasm, raw binary", options.lines, [*CLRX, source, "-o", os.path.join(work, "clrx.bin")], few)
    else:
        print("clrxasm is not installed")
    return disassemble(isaforge, ours, options, few, title)


def disassemble(isaforge, program, options, few, title):
    table = Table(f"Disassembling {options.lines} {title} of GCN 1.2", os.path.getsize(program))

    def add(name, command, repeat):
        table.add(name, options.lines, command, repeat, is_kept=False)

    ours = [isaforge, "dis"] + DESCRIPTION + [program]
    add("isaforge, source that assembles back", ours, options.repeat)
    add("isaforge, listing", ours + ["--listing"], options.repeat)
    add("isaforge, source, one thread", ours + ["--threads", "1"], options.repeat)
    add("isaforge, listing, one thread", ours + ["--threads", "1", "--listing"], options.repeat)
    for peer in filter(shutil.which, DISASSEMBLERS):
        theirs = os.path.join(os.path.dirname(program), ASSEMBLERS[0] + ".o")
        if os.path.exists(theirs):
            add(peer, [peer, "-d", "--mcpu=gfx803", theirs], few)
    if shutil.which("clrxdisasm"):
        code = os.path.join(os.path.dirname(program), "gcn.bin")
        add("clrxdisasm", ["clrxdisasm", "-r", "-g", "Fiji", code], options.repeat)
    return not table.failed
