"""Programs to measure with: mixed lines for assemblers and disassemblers, the same every time."""
import random

FLOATS = ["1.0", "-2.5", "0.125", "3.14159", "1e6", "-7.25e-3"]
CONSTANTS = ["-inf", "-1.f", "0.f", "1.f", "e", "pi", "inf", "nan"]

# Mnemonics by the operands they take: s = register or constant, r = register, c = condition register, n = power of
# two, u = number, f = float, l = label. The weights make a mix like that of shader code.
SHAPES = [
    (30, "s r r", "fadd fsub fmul fdiv fmin fmax ftou8_ll ftou8_lh ftou8_hl ftou8_hh ftou16_l ftou16_h".split()),
    (14, "s r", "copy fabs fneg fnabs trunc round ceil floor ftou32".split()),
    (4, "s n r", ["fmulp2"]),
    (8, "r r", "u8tof_ll u8tof_lh u8tof_hl u8tof_hh u16tof_l u16tof_h u32tof load".split()),
    (8, "s r c", "fcomp_l fcomp_le fcomp_e fcomp_ge fcomp_g fcomp_ne fcomp_o fcomp_u".split()),
    (8, "r r r", ["add"]),
    (6, "u", ["ploadu_l"]), (6, "u r", ["loadu_h"]),
    (3, "f", ["ploadf_l"]), (3, "f r", ["loadf_h"]),
    (3, "r", "load_addr store_addr i_load d_load load_i load_d goto call".split()),
    (3, "s", "i_store d_store store_i store_d".split()),
    (3, "s r", ["store"]),
    (5, "l", ["jump", "rcall"]),
    (4, "", ["nop", "ret", "irq"]),
]
LINES_PER_LABEL = 16
LABELS_IN_REACH = 100


def operand(kind, rng, label):
    if kind == "s":
        return rng.choice(CONSTANTS) if rng.random() < 0.15 else f"r{rng.randrange(32)}"
    if kind == "r":
        return f"r{rng.randrange(32)}"
    if kind == "c":
        return f"cr{rng.randrange(8)}"
    if kind == "n":
        return str(rng.randrange(-256, 256))
    if kind == "u":
        return str(rng.randrange(1 << 32)) if rng.random() < 0.5 else hex(rng.randrange(1 << 32))
    if kind == "f":
        return rng.choice(FLOATS)
    return f"block_{label}"


def wishbone_lines(count, seed=1, floats=True):
    """`count` instructions, one a line, with a label at every sixteenth."""
    rng = random.Random(seed)
    shapes = [shape for shape in SHAPES if floats or not shape[1].startswith("f")]
    weights = [weight for weight, _, _ in shapes]
    last_label = (count - 1) // LINES_PER_LABEL
    lines = []
    for index in range(count):
        _, kinds, names = rng.choices(shapes, weights)[0]
        here = index // LINES_PER_LABEL
        label = min(max(here + rng.randrange(-LABELS_IN_REACH, LABELS_IN_REACH), 0), last_label)
        operands = ", ".join(operand(kind, rng, label) for kind in kinds.split())
        prefix = ""
        if rng.random() < 0.12:
            prefix = f"[{rng.choice(['', '!'])}cr{rng.randrange(8)}] "
        start = f"block_{here}:" if index % LINES_PER_LABEL == 0 else ""
        name = rng.choice(names)
        lines.append(f"{start}\t{prefix}{name}{' ' if operands else ''}{operands};\n")
    return lines


# A loop of nine instructions without a collision on the register file's one write port.
LOOP = """\
        ploadu_l 1;  loadu_h 1, r11;
        ploadu_l 256; loadu_h 256, r12;
        copy 1.f, r1; copy 0.f, r2; copy 0.f, r10; copy 0.f, r14;
        ploadf_l {turns}.0; loadf_h {turns}.0, r3;
loop:   fadd r1, r2, r2;
        add r10, r11, r10;
        store r10, r12;
        fcomp_l r2, r3, cr0;
        load r12, r13;
        fmul r1, r1, r14;
        add r13, r11, r15;
        [cr0] jump loop;
        add r15, r11, r16;
        nop; nop;
        stop_core;
"""
