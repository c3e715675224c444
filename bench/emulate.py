"""Programs of examples/fabrisc on the emulator, and the same algorithms, written in C and compiled for RISC-V, on qemu-riscv64,
which translates to the host's own instructions. Both get the same work, and what they print is compared."""
import os
import re
import shutil
import subprocess

from measure import Failed, rate, timed, write_bytes

ISA = "fabrisc-2022-05-15"
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COMPILER, EMULATOR = "riscv64-linux-gnu-gcc", "qemu-riscv64"


def programs(scale):
    """Name, symbols, bytes of standard input."""
    return [("collatz", {"LAST": max(10, 60_000 // scale)}, 0), ("sort", {"COUNT": max(100, 500_000 // scale)}, 0),
            ("sha256", {}, max(1_000, 4_000_000 // scale))]


# Each hart has a stack of its own, and counts there for ever.
LOOP = """    IADD.64: $S1, $SP, #-256;
.again:
    MLD.64: $S4, $S1, #0;
    IADD.64: $S4, $S4, #1;
    MST.64: $S4, $S1, #0;
    IADD.64: $S2, $S2, #1;
    BNE.64: $S2, $N0, @again;
"""


def several_harts(isaforge, work, scale, repeat):
    """A loop of which two of five instructions go to memory: alone, in turns and on threads."""
    source, program = write_bytes(work, "loop.s", LOOP.encode()), os.path.join(work, "loop.elf")
    described = ["-i", ISA, "-P", "WLEN=64"]
    subprocess.run([isaforge, "asm", *described, source, "-o", program], check=True)
    alone = None
    for name, harts in (("one hart", []), ("two harts taking turns", ["--harts", "2", "--seed", "1"]),
                        ("two harts on threads", ["--harts", "2", "--threads"])):
        run = [isaforge, "run", *described, program, *harts, "--stats", "--max-instructions", str(400_000_000 // scale)]
        best = 0.0
        for _ in range(min(3, repeat)):
            said = subprocess.run(run, capture_output=True, text=True).stderr   # status 1: it does not end by itself
            best = max(best, float(re.search(r"([0-9.]+) million a second", said)[1]))
        alone = alone or best
        print(f"  {f'memory loop, {name}':38} {rate(best * 1e6):>12} {best / alone:10.2f} times one hart")


def measure(isaforge, work, options):
    scale = max(1, 8_000_000 // options.turns)
    print(f"\nEmulating {ISA}, next to {EMULATOR} on the same algorithms in C")
    several_harts(isaforge, work, scale, options.repeat)
    peers = not options.alone and shutil.which(COMPILER) and shutil.which(EMULATOR)
    if not peers and not options.alone:
        print(f"  {COMPILER} or {EMULATOR} is not installed, so there is nothing to compare with.")
    for name, symbols, input_bytes in programs(scale):
        stdin = write_bytes(work, "input", bytes(i * 7 % 251 for i in range(input_bytes)))
        for wlen in (32, 64):
            program = os.path.join(work, f"{name}.elf")
            described = ["-i", ISA, "-P", f"WLEN={wlen}"]
            timed([isaforge, "asm", *described, *(f"-D{key}={value}" for key, value in symbols.items()),
                   os.path.join(ROOT, "examples", "fabrisc", f"{name}.s"), "-o", program], 1)
            run = [isaforge, "run", *described, program]
            said = subprocess.run(run + ["--stats"], stdin=open(stdin, "rb"), capture_output=True, check=True)
            instructions = int(re.search(rb"(\d+) instructions in", said.stderr + said.stdout)[1])
            seconds, printed, _ = timed(run, min(3, options.repeat), stdin)
            print(f"  {f'{name}, WLEN {wlen}':38} {rate(instructions / seconds):>12} {seconds * 1e3:10.1f} ms"
                  f"   {instructions / 1e6:.0f} million instructions")
        if not peers:
            continue
        theirs = os.path.join(work, f"{name}.riscv")
        subprocess.run([COMPILER, "-O2", "-static", *(f"-D{key}={value}" for key, value in symbols.items()),
                        os.path.join(ROOT, "bench", "peers", "riscv", f"{name}.c"), "-o", theirs], check=True)
        their_seconds, their_output, _ = timed([EMULATOR, theirs], min(3, options.repeat), stdin)
        if their_output != printed:
            raise Failed(f"{name}: {EMULATOR} prints something else")
        print(f"  {f'{name}, {EMULATOR}':38} {'':>12} {their_seconds * 1e3:10.1f} ms"
              f"   isaforge takes {seconds / their_seconds:.1f} times as long")
    return True
