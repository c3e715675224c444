"""Programs of examples/fabrisc on the emulator, and the same algorithms, written in C and compiled for RISC-V, on qemu-riscv64,
which translates to the host's own instructions; then the files for RISC-V on both. What they print is compared."""
import os
import re
import shutil
import subprocess

from measure import Failed, rate, timed, write_bytes

ISA = "fabrisc-2022-05-15"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMPILER, EMULATOR = "riscv64-linux-gnu-gcc", "qemu-riscv64"


def programs(scale):
    """Name, program, symbols of both, those of ours alone, bytes of standard input."""
    side, points = max(16, round(384 / scale ** (1 / 3)) // 16 * 16), {"WIDTH": 480, "HEIGHT": max(8, 360 // scale)}
    return [("collatz", "collatz", {"LAST": max(10, 2_000_000 // scale)}, [], 0),
            ("sort", "sort", {"COUNT": max(100, 2_000_000 // scale)}, [], 0),
            ("sha256", "sha256", {}, [], max(1_000, 16_000_000 // scale)),
            ("matrix", "matrix", {"N": side}, [], 0),
            ("matrix, vectors", "matrix", {"N": side}, ["VECTORS"], 0),
            ("mandelbrot", "mandelbrot", points, ["SCALARS", "WRITE"], 0),
            ("mandelbrot, vectors", "mandelbrot", points, ["WRITE"], 0)]


# Each hart has a stack of its own, and counts there for ever.
LOOP = """    IADD.64: $S1, $SP, #-256;
.again:
    MLD.64: $S4, $S1, #0;
    IADD.64: $S4, $S4, #1;
    MST.64: $S4, $S1, #0;
    IADD.64: $S2, $S2, #1;
    BNE.64: $S2, $N0, @again;
"""

# Every fourth instruction stores into the operand of the next one, for ever.
REWRITING = """        jmp loop
        .org $400
loop:   stx number+1
number: lda #0
        inx
        bne loop
        jmp loop
"""


def best_rate(run, repeat):
    """Millions of instructions a second of a run that does not end by itself: its status is 1."""
    return max(float(re.search(r"([0-9.]+) million a second", subprocess.run(run, capture_output=True, text=True).stderr)[1])
               for _ in range(min(3, repeat)))


def rewriting(isaforge, work, scale, repeat):
    source, program = write_bytes(work, "rewriting.s", REWRITING.encode()), os.path.join(work, "rewriting.bin")
    subprocess.run([isaforge, "asm", "-i", "mos6502", source, "-o", program, "--format", "bin"], check=True)
    best = best_rate([isaforge, "run", "-i", "mos6502", program, "--stats", "--max-instructions", str(80_000_000 // scale)], repeat)
    print(f"  {'mos6502, code that rewrites itself':38} {rate(best * 1e6):>12}")


def several_harts(isaforge, work, scale, repeat):
    """A loop of which two of five instructions go to memory: alone, in turns and on threads."""
    source, program = write_bytes(work, "loop.s", LOOP.encode()), os.path.join(work, "loop.elf")
    described = ["-i", ISA, "-P", "WLEN=64"]
    subprocess.run([isaforge, "asm", *described, source, "-o", program], check=True)
    alone = None
    for name, harts in (("one hart", []), ("two harts taking turns", ["--harts", "2", "--seed", "1"]),
                        ("two harts on threads", ["--harts", "2", "--threads"])):
        run = [isaforge, "run", *described, program, *harts, "--stats", "--max-instructions", str(400_000_000 // scale)]
        best = best_rate(run, repeat)
        alone = alone or best
        print(f"  {f'memory loop, {name}':38} {rate(best * 1e6):>12} {best / alone:10.2f} times one hart")


def ours(isaforge, work, program, wlen, symbols, options, stdin):
    """Seconds, what it printed, instructions."""
    path = os.path.join(work, f"{program}.elf")
    described = ["-i", ISA, "-P", f"WLEN={wlen}"]
    timed([isaforge, "asm", *described, *symbols, os.path.join(ROOT, "examples", "fabrisc", f"{program}.s"), "-o", path], 1)
    run = [isaforge, "run", *described, path]
    said = subprocess.run(run + ["--stats"], stdin=open(stdin, "rb"), capture_output=True, check=True)
    instructions = int(re.search(rb"(\d+) instructions in", said.stderr)[1])
    seconds, printed, _ = timed(run, min(3, options.repeat), stdin)
    return seconds, printed, instructions


def theirs(work, program, symbols, options, stdin):
    """Seconds, what it printed. Floats are rounded at each step, as ours are."""
    path = os.path.join(work, f"{program}.riscv")
    subprocess.run([COMPILER, "-O2", "-ffp-contract=off", "-static", *symbols,
                    os.path.join(ROOT, "bench", "peers", "riscv", f"{program}.c"), "-o", path], check=True)
    seconds, printed, _ = timed([EMULATOR, path], min(3, options.repeat), stdin)
    return seconds, printed


def same_files(isaforge, work, scale, options):
    """The programs in C as processes of Linux, the same file on both."""
    print("\nRunning rv64gc, next to qemu-riscv64 on the same files")
    for name, program, symbols, own, input_bytes in programs(scale):
        if "VECTORS" in own or name == "mandelbrot, vectors":
            continue
        stdin = write_bytes(work, "input", bytes(i * 7 % 251 for i in range(input_bytes)))
        their_seconds, their_output = theirs(work, program, [f"-D{key}={value}" for key, value in symbols.items()], options, stdin)
        run = [isaforge, "run", "-i", "rv64gc", os.path.join(work, f"{program}.riscv")]
        said = subprocess.run(run + ["--stats"], stdin=open(stdin, "rb"), capture_output=True, check=True)
        instructions = int(re.search(rb"(\d+) instructions in", said.stderr)[1])
        seconds, printed, _ = timed(run, min(3, options.repeat), stdin)
        if printed != their_output:
            raise Failed(f"{name}: {EMULATOR} prints something else")
        print(f"  {name:38} {rate(instructions / seconds):>12} {seconds * 1e3:10.1f} ms   {instructions / 1e6:.0f} million instructions"
              f"   {seconds / their_seconds:.2f} times {EMULATOR}'s {their_seconds * 1e3:.0f} ms")


def measure(isaforge, work, options):
    scale = max(1, 8_000_000 // options.turns)
    print(f"\nEmulating {ISA}, next to {EMULATOR} on the same algorithms in C")
    several_harts(isaforge, work, scale, options.repeat)
    rewriting(isaforge, work, scale, options.repeat)
    peers = not options.alone and shutil.which(COMPILER) and shutil.which(EMULATOR)
    if not peers and not options.alone:
        print(f"  {COMPILER} or {EMULATOR} is not installed, so there is nothing to compare with.")
    for name, program, symbols, own, input_bytes in programs(scale):
        stdin = write_bytes(work, "input", bytes(i * 7 % 251 for i in range(input_bytes)))
        shared = [f"-D{key}={value}" for key, value in symbols.items()]
        their_seconds, their_output = theirs(work, program, shared, options, stdin) if peers else (None, None)
        for wlen in (32, 64):
            if wlen == 64 and name == "matrix, vectors":   # elements of vectors in memory have WLEN bits
                continue
            seconds, printed, instructions = ours(isaforge, work, program, wlen, shared + [f"-D{key}" for key in own], options,
                                                  stdin)
            compared = ""
            if peers:
                if their_output != printed:
                    raise Failed(f"{name}: {EMULATOR} prints something else")
                compared = f"   {seconds / their_seconds:.2f} times {EMULATOR}'s {their_seconds * 1e3:.0f} ms"
            print(f"  {f'{name}, WLEN {wlen}':38} {rate(instructions / seconds):>12} {seconds * 1e3:10.1f} ms"
                  f"   {instructions / 1e6:.0f} million instructions{compared}")
    if peers:
        same_files(isaforge, work, scale, options)
    return True
