#!/usr/bin/env python3
"""Random programs of every instruction that a user's program can execute, next to qemu: blocks that begin with a random state, numbers
at the edges among them, and end with all registers, fcsr and the memory that they have used on standard output.

`--blocks` is how many blocks a program has, `--programs` how many programs there are, `--seed` which is the first."""
import argparse
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

X = ["zero", "gp", "tp", "t0", "t1", "t2", "s0", "s1"] + [f"a{i}" for i in range(8)] + [f"s{i}" for i in range(2, 11)] + ["t3", "t4", "t5", "t6"]
F = [f"f{i}" for i in range(32)]
STATE_X = [name for name in X if name != "zero"]

REGISTERS_64 = ("add sub sll slt sltu xor srl sra or and addw subw sllw srlw sraw mul mulh mulhsu mulhu div divu rem remu mulw divw divuw remw "
                "remuw").split()
NUMBERS = "addi slti sltiu xori ori andi addiw".split()
SHIFTS = [("slli", 64), ("srli", 64), ("srai", 64), ("slliw", 32), ("srliw", 32), ("sraiw", 32)]
LOADS = [("lb", 1), ("lbu", 1), ("lh", 2), ("lhu", 2), ("lw", 4), ("lwu", 4), ("ld", 8)]
STORES = [("sb", 1), ("sh", 2), ("sw", 4), ("sd", 8)]
ATOMICS = "amoswap amoadd amoxor amoand amoor amomin amomax amominu amomaxu".split()
BRANCHES = "beq bne blt bge bltu bgeu".split()
ROUNDINGS = ["", ", rne", ", rtz", ", rdn", ", rup", ", rmm", ", dyn"]
FLOATS_2 = "fadd fsub fmul fdiv".split()
FLOATS_PLAIN = "fsgnj fsgnjn fsgnjx fmin fmax".split()
FLOATS_3 = "fmadd fmsub fnmsub fnmadd".split()

EDGES = [0, 1, 2, 3, 0x7f, 0x80, 0xff, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x7fffffffffffffff, 0x8000000000000000, 2**64 - 1, 2**64 - 2,
         0xffffffff80000000]
DOUBLES = [0.0, -0.0, 1.0, -1.0, 1.5, 2.0, 0.1, 1 / 3, 2147483647.0, 2147483647.5, 2147483648.0, -2147483648.5, 4294967295.0, 4294967296.0, 9.3e18,
           1.9e19, -9.3e18, 0.5, -0.5, 0.75, 2.5, 3.5, 1e308, 1.7e308, 5e-324, 2.2250738585072014e-308, 2.225073858507201e-308, 1e-310, 1e38, 3.5e38,
           1.1754943508222875e-38, 1e-45, 7e-46, 1e-39, float("inf"), -float("inf")]
PATTERNS = [0x7ff8000000000000, 0x7ff0000000000001, 0xfff8000000000000, 0xffffffff7fc00000, 0xffffffff7f800001, 0xffffffffffc00000,
            0xffffffff7f7fffff, 0xffffffff00000001, 0xffffffff00800000, 0xffffffff807fffff, 0xffffffff4f000000, 0xffffffffcf000000,
            0xffffffff4effffff, 0x7fefffffffffffff, 0x3ff0000000000001, 0xffffffff7f800000, 0xffffffffff800000]


class Program:
    def __init__(self, source):
        self.source, self.label = source, 0

    def x(self):
        return self.source.choice(X)

    def f(self):
        return self.source.choice(F)

    def statement(self):
        """One instruction, or a few that belong together."""
        pick, source = self.source.choice, self.source
        d, a, b = self.x(), self.x(), self.x()
        width = pick("sd")
        kind = source.randrange(23)
        if kind < 3:
            return f"{pick(REGISTERS_64)} {d}, {a}, {b}"
        if kind == 3:
            return f"{pick(REGISTERS_64)} {d}, {d}, {b}"
        if kind == 4:
            return f"{pick(NUMBERS)} {d}, {pick([a, d])}, {pick([source.randint(-2048, 2047), source.randint(-32, 31)])}"
        if kind == 5:
            name, most = pick(SHIFTS)
            return f"{name} {d}, {pick([a, d])}, {source.randrange(most)}"
        if kind == 6:
            return pick([f"lui {d}, {source.randrange(1 << 20)}", f"auipc {d}, {source.randrange(1 << 20)}", f"li {d}, {source.randint(-40, 40)}",
                         f"mv {d}, {a}"])
        if kind == 7:
            name, size = pick(LOADS)
            return f"{name} {d}, {pick([source.randrange(-256, 256), size * source.randrange(16)])}({pick(['s11', 'sp'])})"
        if kind == 8:
            name, size = pick(STORES)
            return f"{name} {a}, {pick([source.randrange(-256, 256), size * source.randrange(16)])}({pick(['s11', 'sp'])})"
        if kind == 9:
            suffix, order = pick("wd"), pick(["", ".aq", ".rl", ".aqrl"])
            return pick([f"{pick(ATOMICS)}.{suffix}{order} {d}, {a}, (s11)", f"lr.{suffix}{order} {d}, (s11)\n sc.{suffix}{order} {b}, {a}, (s11)"])
        if kind == 10:
            self.label += 1
            return f"{pick(BRANCHES)} {a}, {b}, .L{self.label}\n addi {d}, {d}, 1\n.L{self.label}:"
        if kind == 11:
            self.label += 1
            return pick([f"jal {d}, .L{self.label}\n addi {d}, {d}, 1\n.L{self.label}:",
                         f"la ra, .L{self.label}\n jalr {d}, (ra)\n addi {d}, {d}, 1\n.L{self.label}:", "fence", "fence.i", "nop"])
        if kind == 12:
            return pick([f"csrrw {d}, fcsr, {a}\n fsrmi {source.randrange(5)}", f"frflags {d}", f"fsflags {d}, {a}", f"fsrmi {d}, {source.randrange(5)}",
                         f"csrrsi {d}, fflags, {source.randrange(32)}", f"csrrc {d}, fflags, {a}", f"frcsr {d}", f"fsflagsi {source.randrange(32)}"])
        if kind < 15:
            return f"{pick(FLOATS_2)}.{width} {self.f()}, {self.f()}, {self.f()}{pick(ROUNDINGS)}"
        if kind == 15:
            return f"{pick(FLOATS_3)}.{width} {self.f()}, {self.f()}, {self.f()}, {self.f()}{pick(ROUNDINGS)}"
        if kind == 16:
            return f"{pick(FLOATS_PLAIN)}.{width} {self.f()}, {self.f()}, {self.f()}"
        if kind == 17:
            return f"{pick(['feq', 'flt', 'fle'])}.{width} {d}, {self.f()}, {self.f()}"
        if kind == 18:
            return pick([f"fsqrt.{width} {self.f()}, {self.f()}{pick(ROUNDINGS)}", f"fclass.{width} {d}, {self.f()}"])
        if kind == 19:
            return f"fcvt.{pick(['w', 'wu', 'l', 'lu'])}.{width} {d}, {self.f()}{pick(ROUNDINGS)}"
        if kind == 20:
            return pick([f"fcvt.s.{pick(['w', 'wu', 'l', 'lu'])} {self.f()}, {a}{pick(ROUNDINGS)}", f"fcvt.d.{pick(['l', 'lu'])} {self.f()}, {a}{pick(ROUNDINGS)}",
                         f"fcvt.d.{pick(['w', 'wu'])} {self.f()}, {a}"])
        if kind == 21:
            return pick([f"fcvt.s.d {self.f()}, {self.f()}{pick(ROUNDINGS)}", f"fcvt.d.s {self.f()}, {self.f()}", f"fmv.x.w {d}, {self.f()}",
                         f"fmv.w.x {self.f()}, {a}", f"fmv.x.d {d}, {self.f()}", f"fmv.d.x {self.f()}, {a}"])
        place = f"{8 * source.randrange(16)}({pick(['s11', 'sp'])})"
        return pick([f"flw {self.f()}, {place}", f"fld {self.f()}, {place}", f"fsw {self.f()}, {place}", f"fsd {self.f()}, {place}"])

    def word(self):
        return self.source.choice([self.source.choice(EDGES), self.source.getrandbits(64), self.source.getrandbits(32), self.source.getrandbits(8)])

    def float_bits(self):
        kind = self.source.randrange(6)
        number = self.source.choice(DOUBLES)
        if kind == 0:
            return self.source.choice(PATTERNS)
        if kind == 1:
            return struct.unpack("<Q", struct.pack("<d", number))[0]
        if kind == 2:
            try:
                return 0xffffffff << 32 | struct.unpack("<I", struct.pack("<f", number))[0]
            except OverflowError:
                return 0xffffffff7f7fffff
        if kind == 3:
            return 0xffffffff << 32 | self.source.getrandbits(32)
        if kind == 4:
            return 0xffffffff << 32 | struct.unpack("<I", struct.pack("<f", self.source.uniform(-1000, 1000)))[0]
        return self.source.choice([self.source.getrandbits(64), struct.unpack("<Q", struct.pack("<d", self.source.uniform(-1e6, 1e6)))[0]])

    def text(self, blocks):
        lines = [" .globl _start", "_start: la sp, stack", " la s11, scratch"]
        data = [" .data", " .balign 16"]
        for block in range(blocks):
            state = [self.source.randrange(5) << 5 | self.source.getrandbits(5)] + [self.float_bits() for _ in F] + [self.word() for _ in STATE_X]
            data += [f"state{block}: .dword " + ", ".join(f"{value:#x}" for value in state)]
            lines += [f" la ra, state{block}", " ld t0, (ra)", " fscsr t0"]
            lines += [f" fld {name}, {8 + 8 * i}(ra)" for i, name in enumerate(F)]
            lines += [f" ld {name}, {264 + 8 * i}(ra)" for i, name in enumerate(STATE_X)]
            lines += [" " + self.statement() for _ in range(self.source.randrange(8, 30))]
            lines += [" call dump"]
        lines += [" li a0, 0", " li a7, 93", " ecall", "dump:"]
        lines += [f" sd {name}, {520 + 8 * i}(sp)" for i, name in enumerate(STATE_X)]
        lines += [f" fsd {name}, {520 + 8 * (len(STATE_X) + i)}(sp)" for i, name in enumerate(F)]
        lines += [" frcsr t0", f" sd t0, {520 + 8 * (len(STATE_X) + 32)}(sp)", " addi a1, sp, -256", f" li a2, {256 + 520 + 8 * (len(STATE_X) + 33)}", " li a0, 1",
                  " li a7, 64", " ecall", " la a1, scratch - 256", " li a2, 520", " li a0, 1", " li a7, 64", " ecall", " ret"]
        data += [" .bss", " .balign 16", " .space 256", "scratch: .space 512", " .space 256", "stack: .space 2048"]
        return "\n".join(lines + data) + "\n"


def compare(arguments, seed):
    """How many bytes of state were the same."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "random.s").write_text(Program(random.Random(seed)).text(arguments.blocks))
        subprocess.run(["riscv64-linux-gnu-as", "-march=rv64gc", "random.s", "-o", "random.o"], cwd=folder, check=True)
        subprocess.run(["riscv64-linux-gnu-ld", "--no-relax", "random.o", "-o", "random"], cwd=folder, check=True)
        expected = subprocess.run(["qemu-riscv64", folder / "random"], capture_output=True, check=True).stdout
        size = len(expected) // arguments.blocks
        for engine in ("interpreter", "jit"):
            found = subprocess.run([arguments.isaforge, "run", "-i", arguments.isa, "--engine", engine, folder / "random"], capture_output=True,
                                   check=False)
            if found.returncode or len(found.stdout) != len(expected):
                sys.exit(f"{engine}: status {found.returncode}, {len(found.stdout)} of {len(expected)} bytes: {found.stderr.decode()}")
            wrong = [i for i in range(0, len(expected), 8) if found.stdout[i:i + 8] != expected[i:i + 8]]
            if wrong:
                block, place = divmod(wrong[0], size)
                names = ["stack"] * 97 + STATE_X + F + ["fcsr"] + ["scratch"] * 65
                what = [f"{names[(i % size) // 8]} is {found.stdout[i:i + 8][::-1].hex()} and in qemu {expected[i:i + 8][::-1].hex()}"
                        for i in wrong if i // size == block]
                text = (folder / "random.s").read_text().split(f" la ra, state{block}\n")[1].split(" call dump")[0]
                state = [line for line in (folder / "random.s").read_text().splitlines() if line.startswith(f"state{block}:")][0]
                sys.exit(f"seed {seed}, {engine}, block {block}, and {len({i // size for i in wrong}) - 1} more:\n{text[text.index(' ld t6'):]}\n"
                         + "\n".join(what) + f"\n{state}")
    return len(expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--isa", default="rv64gc")
    parser.add_argument("--blocks", type=int, default=1500)
    parser.add_argument("--programs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    alike = sum(compare(arguments, seed) for seed in range(arguments.seed, arguments.seed + arguments.programs))
    print(f"{arguments.blocks * arguments.programs} blocks have the registers of qemu, {alike} bytes, with two engines")


if __name__ == "__main__":
    main()
