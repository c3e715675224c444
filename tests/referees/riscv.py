#!/usr/bin/env python3
"""RISC-V next to GNU's binutils. Random words: what objdump reads as an instruction we read as the same one, and what it does not read
is none. And lines of text, the manual's pseudo-instructions among them: our bytes are those of `as`.

`--words` is how many words of each length, `--lines` how many lines of each form."""
import argparse
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

PREFIX = "riscv64-linux-gnu-"
ABI = {"rv64gc": "lp64d", "rv32gc": "ilp32d"}
MAJOR = [0x03, 0x0f, 0x13, 0x17, 0x1b, 0x23, 0x2f, 0x33, 0x37, 0x3b, 0x63, 0x67, 0x6f, 0x73,
         0x07, 0x27, 0x43, 0x47, 0x4b, 0x4f, 0x53, 0x53]
SPECIAL = [0x00000073, 0x00100073, 0x8330000f, 0x0000100f, 0x0ff0000f, 0xc0001073, 0x00000013, 0x00008067]

# What objdump knows and we do not: other extensions, and what is above user mode.
OTHERS = re.compile(
    r"(unimp|uret|sret|hret|mret|dret|mnret|wfi|sfence|hfence|sinval|hinval|cbo\.|prefetch|pause|wrs\.|v|hl|hs|ntl|"
    r"f\w*\.[hqx]\b|f\w+\.[sdlw]u?\.[hq]|fl[hq]\b|fs[hq]\b|f(min|max)m|fround|fli|fleq|fltq|fcvtmod|fmv[hp]|fmv\.x\.h|"
    r"sh[123]add|add\.uw|slli\.uw|andn|orn|xnor|cl|ct|cpop|max|min|sext|zext|ro|orc|rev8|b(clr|ext|inv|set)|pack|"
    r"zip|unzip|brev|xperm|aes|sha|sm[34]|th\.|czero|cm\.|c\.(lbu|lh|lhu|sb|sh|zext|sext|not|mul))")


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: {done.stderr.strip()[:2000]}")
    return done.stdout


def signed(value, bits):
    return value - (1 << bits) if value >> (bits - 1) else value


def same_way(text, isa):
    """One way of writing an instruction: numbers are decimal, and no blanks stand in operands. Hints have two names."""
    text = re.sub(r"([0-9a-f]+) <.*", lambda found: str(signed(int(found[1], 16), int(isa[2:4]))), text.strip())  # a target
    text = re.sub(r"\s*#.*", "", text)
    name, _, operands = " ".join(text.split()).partition(" ")
    operands = re.sub(r"0x[0-9a-f]+", lambda found: str(int(found[0], 16)), "".join(operands.split()))
    if found := re.fullmatch(r"(c\.(?:slli|srli|srai))64", name):
        name, operands = found[1], operands + ",0"
    if found := re.fullmatch(r"zero,(-?\d+)", operands) if name == "c.addi" else None:
        name, operands = "c.nop", str(int(found[1]) % 64).removeprefix("0")
    return f"{name} {operands}".strip()


def theirs(folder, isa, data):
    """What objdump reads: {address: text}."""
    (folder / "words.bin").write_bytes(data)
    run(PREFIX + "objcopy", "-I", "binary", "-O", f"elf{isa[2:4]}-littleriscv", "-B", "riscv", "--rename-section",
        ".data=.text,alloc,load,readonly,code,contents", "words.bin", "words.o", cwd=folder)
    out = run(PREFIX + "objdump", "-D", "-z", "-M", "no-aliases", "-m", f"riscv:{isa[:4]}", "words.o", cwd=folder)
    found = re.findall(r"^\s*([0-9a-f]+):\t[0-9a-f ]+\t(.*)$", out, re.M)
    return {int(address, 16): text.strip() for address, text in found}


def ours(isaforge, folder, isa, data):
    (folder / "words.bin").write_bytes(data)
    lines = run(isaforge, "dis", "-i", isa, "--format", "bin", "words.bin", "--json", "--no-labels", cwd=folder).splitlines()
    return {one["address"]: one.get("text", "") for one in map(json.loads, lines)}


def long_words(source, count):
    yield from SPECIAL
    for _ in range(count):
        word = source.getrandbits(32) & ~0x7f | source.choice(MAJOR)
        if source.random() < .5:
            word = word & 0x01ffffff | source.choice([0x00, 0x20, 0x01]) << 25
        if word & 0x7f == 0x53 and source.random() < .8:
            word = word & 0x01ffffff | source.choice([0, 1, 2, 3, 4, 5, 8, 11, 20, 24, 26, 28, 30]) << 27 | source.getrandbits(1) << 25
            if source.random() < .5:
                word = word & ~0x01f00000 | source.randrange(4) << 20
        if word & 0x7f == 0x73 and source.random() < .9:  # registers that have names, and others
            word = word & 0xfffff | source.choice([1, 2, 3, 0xc00, 0xc01, 0xc02, 0xc05, 0x300, 0x305, 0x341, 0x3b7, 0xf14]) << 20
        yield word


def short_words(source, count):
    for _ in range(count):
        word = source.getrandbits(16)
        if word & 3 != 3:
            yield word


def compare_words(arguments, folder, words, size):
    data = b"".join(word.to_bytes(size, "little") for word in words)
    mine, other = ours(arguments.isaforge, folder, arguments.isa, data), theirs(folder, arguments.isa, data)
    compared, wrong = 0, []
    for index, word in enumerate(words):
        address = index * size
        text, expected = mine.get(address, ""), other.get(address, "")
        known = not expected.startswith((".", "0x")) and "unknown" not in expected
        if known and OTHERS.match(expected) or expected.split() == ["c.addi16sp", "sp,0"]:
            continue
        if arguments.isa == "rv32gc" and re.match(r"(c\.)?s(ll|rl|ra)i\s.*,0x[23].$", expected):  # which it reads in spite of the width
            expected = ""
            known = False
        compared += known
        if not known:
            expected = ""
        if text.startswith("."):
            text = ""
        if text.startswith("csr") and ", 0x" in text:  # a register of another extension, or above user mode
            expected = re.sub(r",\w+,", ", " + re.search(r"0x[0-9a-f]+", text)[0] + ",", expected)
        if re.match(r"fcvt\.d\.[sw].*, (r..|dyn)", text):  # a direction for what needs no rounding: it knows none
            continue
        if same_way(text, arguments.isa) != same_way(expected, arguments.isa):
            wrong.append(f"{word:0{2 * size}x}: `{text}`, and of objdump `{expected}`")
    return compared, wrong


# Lines of text. N(low, high) is a number, R, S and so on registers; `here` is the place of the line.
REGISTERS = ["zero", "ra", "sp", "gp", "tp", "t0", "t1", "s0", "fp", "s1", "a0", "a1", "a2", "a5", "s2", "s11", "t6", "x0", "x9", "x15", "x31"]
FLOATS = ["ft0", "ft7", "fs0", "fs1", "fa0", "fa5", "fa7", "fs2", "fs11", "ft8", "ft11", "f3", "f9", "f14", "f31"]
LINES = """
add R, S, T|add R, R, S|add R, S, R|add R, S, N(-2048, 2047)|add R, R, N(-40, 40)|addi R, S, N(-2048, 2047)|addi R, R, N(-40, 40)
addi R, S, 0|addi R, zero, N(-40, 40)|addi R, sp, N(0, 255)*4|addi sp, sp, N(1, 31)*16|addi sp, sp, N(-32, -1)*16|addi sp, sp, N(-40, 40)
sub R, S, T|sub R, R, S|and R, S, T|and R, R, S|and R, S, R|and R, S, N(-2048, 2047)|andi R, R, N(-40, 40)|or R, S, T|or R, R, S|or R, S, N(-9, 9)
xor R, S, T|xor R, R, S|xor R, S, N(-9, 9)|xori R, S, N(-2048, 2047)|sll R, S, T|sll R, S, N(0, 31)|slli R, R, N(1, 31)|srl R, S, N(0, 31)
srli R, R, N(1, 31)|srai R, S, N(0, 31)|sra R, R, N(1, 31)|slt R, S, T|slt R, S, N(-9, 9)|sltu R, S, N(-9, 9)|sltiu R, S, N(-9, 9)
mv R, S|move R, S|nop|not R, S|neg R, S|seqz R, S|snez R, S|sltz R, S|sgtz R, S|sgt R, S, T|sgtu R, S, T|zext.b R, S
li R, N(-40, 40)|li R, N(-2048, 2047)|li R, N(-2147483648, 2147483647)|li R, N(-32, 31)*4096|li R, N(-524288, 524287)*4096|lui R, N(0, 1048575)
lui R, N(0, 40)|lui R, N(1048540, 1048575)|auipc R, N(0, 1048575)|lui R, %hi(N(0, 2147483647))|addi R, S, %lo(N(0, 2147483647))
j here + N(-900, 900)*2|j here + N(-90000, 90000)*2|jal here + N(-90000, 90000)*2|jal R, here + N(-90000, 90000)*2
jr S|jr N(-90, 90)(S)|jalr S|jalr N(-90, 90)(S)|jalr R, S|jalr R, S, N(-90, 90)|jalr R, N(-90, 90)(S)|ret
beq R, S, here + N(-900, 900)*2|bne R, S, here + N(-900, 900)*2|blt R, S, here + N(-900, 900)*2|bgeu R, S, here + N(-900, 900)*2
bgt R, S, here + N(-900, 900)*2|ble R, S, here + N(-900, 900)*2|bgtu R, S, here + N(-900, 900)*2|bleu R, S, here + N(-900, 900)*2
beqz R, here + N(-120, 120)*2|bnez R, here + N(-120, 120)*2|beqz R, here + N(-900, 900)*2|bgez R, here + N(-900, 900)*2|beq R, zero, here + N(-120, 120)*2
bltz R, here + N(-900, 900)*2|blez R, here + N(-900, 900)*2|bgtz R, here + N(-900, 900)*2
lb R, N(-2048, 2047)(S)|lbu R, (S)|lh R, N(-2048, 2047)(S)|lhu R, N(-2048, 2047)(S)|lw R, N(0, 31)*4(S)|lw R, N(0, 63)*4(sp)|lw R, N(-2048, 2047)(S)|lw R, (S)
sb R, N(-2048, 2047)(S)|sh R, (S)|sw R, N(0, 31)*4(S)|sw R, N(0, 63)*4(sp)|sw R, N(-2048, 2047)(S)|sw R, %lo(N(0, 2147483647))(S)|lw R, %lo(N(0, 2147483647))(S)
mul R, S, T|mulh R, S, T|mulhsu R, S, T|mulhu R, S, T|div R, S, T|divu R, S, T|rem R, S, T|remu R, S, T
lr.w R, (S)|lr.w.aq R, (S)|sc.w.rl R, S, (T)|amoadd.w R, S, (T)|amoswap.w.aqrl R, S, 0(T)|amomaxu.w R, S, (T)|amoand.w.aq R, S, (T)
fence|fence rw, w|fence iorw, r|fence.i|fence.tso|ecall|ebreak|unimp|scall|sbreak|rdcycle R|rdtime R|rdinstret R
csrr R, fcsr|csrw fflags, S|csrw frm, N(0, 31)|csrs fcsr, S|csrc fcsr, S|csrwi fflags, N(0, 31)|csrsi frm, N(0, 31)|csrci frm, N(0, 31)
csrrw R, 0x345, S|csrrs R, cycle, zero|csrrwi R, fcsr, N(0, 31)|csrrc R, mstatus, S|csrrsi R, pmpaddr7, N(0, 31)
c.addi C, N(-32, -1)|c.li C, N(-32, 31)|c.lui a0, N(1, 31)|c.mv C, C|c.add C, C|c.lw C, N(0, 31)*4(C)|c.swsp R, N(0, 63)*4(sp)|c.addi4spn C, sp, N(1, 255)*4
c.addi16sp sp, N(1, 31)*16|c.slli C, N(1, 31)|c.srai C, N(1, 31)|c.andi C, N(-32, 31)|c.sub C, C|c.j here + N(-900, 900)*2|c.beqz C, here + N(-120, 120)*2
c.jr C|c.jalr C|c.nop|c.ebreak|c.unimp
flw F, N(-2048, 2047)(S)|fsw F, N(-2048, 2047)(S)|fld F, N(0, 31)*8(S)|fsd F, N(0, 63)*8(sp)|fld F, N(-2048, 2047)(S)|fld F, (S)|fsd F, (sp)|flw F, (S)
fadd.s F, G, H|fsub.d F, G, H, rtz|fmul.s F, G, H, dyn|fdiv.d F, G, H, rne|fsqrt.d F, G|fsqrt.s F, G, rup|fmadd.s F, G, H, F|fnmsub.d F, G, H, G, rdn
fmv.s F, G|fmv.d F, G|fneg.d F, G|fabs.s F, G|fsgnj.s F, G, H|fsgnjx.d F, G, H|fmin.s F, G, H|fmax.d F, G, H|feq.s R, G, H|flt.d R, G, H|fle.s R, G, H
fgt.s R, G, H|fge.d R, G, H|fclass.s R, G|fclass.d R, G|fcvt.w.s R, G|fcvt.wu.d R, G, rtz|fcvt.w.d R, G, rmm|fcvt.s.w F, S|fcvt.s.wu F, S, rtz
fcvt.d.w F, S|fcvt.d.wu F, S|fcvt.s.d F, G|fcvt.d.s F, G|fcvt.s.d F, G, rup|fmv.x.w R, G|fmv.w.x F, S|fmv.x.s R, G|fmv.s.x F, S
frcsr R|fscsr S|fscsr R, S|frrm R|fsrm S|fsrm R, S|fsrmi N(0, 31)|fsrmi R, N(0, 31)|frflags R|fsflags S|fsflagsi N(0, 31)|fsflags R, S
flw F, there, t1|fld F, there, t0|fsw F, there, t1|fsd F, there, t2|c.fld fs0, N(0, 31)*8(C)|c.fsdsp F, N(0, 63)*8(sp)
1: auipc R, %pcrel_hi(there); addi S, R, %pcrel_lo(1b)|1: auipc R, %pcrel_hi(there+4); sw S, %pcrel_lo(1b)(R)
.option push; .option norvc; add R, R, S; li R, 5; .option pop|.option norvc; addi R, R, 4; .option rvc; addi R, R, 4
la R, there|lla R, there|call there|call there@plt|tail there|call R, there|jump there, R|lw X, there|lbu X, there|sw R, there, t0
"""
LINES_64 = """
li R, N(-9223372036854775808, 9223372036854775807)|li R, N(-1048576, 1048575)*4294967296|li R, N(4294967296, 99999999999)
fcvt.l.s R, G|fcvt.lu.d R, G, rtz|fcvt.s.l F, S|fcvt.d.lu F, S, rup|fmv.x.d R, G|fmv.d.x F, S
addw R, S, T|addw R, R, S|addw R, S, R|addw R, S, N(-90, 90)|addiw R, R, N(-40, 40)|addiw R, S, N(-2048, 2047)|subw R, R, S|subw R, S, T|sllw R, S, T|srlw R, S, N(0, 31)
slli R, S, N(0, 63)|slli R, R, N(1, 63)|srli R, R, N(1, 63)|srai R, S, N(0, 63)|slliw R, S, N(0, 31)|sraiw R, S, N(0, 31)|negw R, S|sext.w R, S|sext.w R, R
ld R, N(0, 31)*8(S)|ld R, N(0, 63)*8(sp)|ld R, N(-2048, 2047)(S)|ld R, (S)|sd R, N(0, 31)*8(S)|sd R, N(0, 63)*8(sp)|sd R, N(-2048, 2047)(S)|lwu R, N(-2048, 2047)(S)
mulw R, S, T|divw R, S, T|divuw R, S, T|remw R, S, T|remuw R, S, T|lr.d R, (S)|sc.d.aqrl R, S, (T)|amomin.d R, S, (T)|amoxor.d.rl R, S, (T)
ld X, there|lwu X, there|sd R, there, t1|c.ld C, N(0, 31)*8(C)|c.sdsp R, N(0, 63)*8(sp)|c.addw C, C|c.addiw C, N(-32, 31)|c.ldsp C, N(0, 63)*8(sp)
"""


def lines_of(source, isa, count):
    """Each form so often, with other operands each time."""
    forms = [form.strip() for form in re.split(r"[|\n]", LINES + (LINES_64 if isa == "rv64gc" else "")) if form.strip()]
    for form in forms * count:
        places = {letter: source.choice(REGISTERS) for letter in "RST"}
        if source.random() < .5:  # those that short instructions can name
            places = {letter: source.choice(["s0", "s1", "a0", "a1", "a5"]) for letter in "RST"}
        places |= {letter: source.choice(FLOATS) for letter in "FGH"}
        text = re.sub(r"\bX\b", lambda _: source.choice(["a0", "t1", "s3"]), form)
        text = re.sub(r"\bC\b", lambda _: source.choice(["s0", "a3", "a5"]), text)
        text = re.sub(r"\b[FGHRST]\b", lambda found: places[found[0]], text)
        text = re.sub(r"N\((-?\d+), (-?\d+)\)(?:\*(\d+))?",
                      lambda found: str(source.randint(int(found[1]), int(found[2])) * int(found[3] or 1)), text)
        if re.match(r"li (zero|x0), ", text):
            continue  # to which `as` adds the lower bits though they are 0
        yield re.sub(r"here \+ ", ". + ", text).replace("+ -", "- ")


def compare_lines(arguments, folder, lines):
    """How many lines have the same bytes, and the first that has not."""
    (folder / "ours.s").write_text("".join(f"{line}\n" for line in lines) + "there:\n")
    bits = arguments.isa[2:4]
    run(arguments.isaforge, "asm", "-i", arguments.isa, "ours.s", "-o", "ours.bin", "--format", "bin", "--listing-json", "ours.json", cwd=folder)
    run(PREFIX + "as", f"-march={arguments.isa}", f"-mabi={ABI[arguments.isa]}", "-mno-relax", "ours.s", "-o", "theirs.o", cwd=folder)
    run(PREFIX + "ld", "-m", f"elf{bits}lriscv", "--no-relax", "-Ttext=0", "-e", "0", "theirs.o", "-o", "theirs.elf", cwd=folder)
    run(PREFIX + "objcopy", "-O", "binary", "-j", ".text", "theirs.elf", "theirs.bin", cwd=folder)
    found = (folder / "theirs.bin").read_bytes()
    made = [json.loads(line) for line in (folder / "ours.json").read_text().splitlines()]
    for one in sorted(made, key=lambda one: "there" in lines[one["line"] - 1]):  # the others say where something has another length
        mine = bytes.fromhex(one["bytes"])
        other = found[one["address"]:one["address"] + len(mine)]
        if mine != other:
            return f"`{lines[one['line'] - 1]}` at {one['address']:#x} is {mine.hex()}, and of as {other.hex()}"
    return None if (folder / "ours.bin").read_bytes() == found else f"as has {len(found)} bytes"


# What is left to a linker: the same relocations at the same places.
OBJECT = """
    .globl f, g
f:  la a0, near
    la a1, other
    lla a2, other
    lw a3, other
    sw a3, other, t0
    flw fa0, other, t1
    call other
    tail other
    call t0, other
    lui a4, %hi(other)
    addi a4, a4, %lo(other)
    sw a4, %lo(other + 8)(a4)
    beqz a0, f
    .option push
    .option pic
    la a5, other
    .option pop
1:  auipc a6, %got_pcrel_hi(other)
    LOAD a6, %pcrel_lo(1b)(a6)
    la.tls.ie a7, own
    lui s2, %tprel_hi(own)
    addi s2, s2, %tprel_lo(own)
    sw s2, %tprel_lo(own)(s2)
    .data
near: .word other
    .word near - .
    .section .tbss, "awT", @nobits
own: .zero 4
"""


def relocations(program):
    """Where each is and which it is: not what tells of lines, nor what a near branch may do without."""
    text = run(PREFIX + "readelf", "-rW", program)
    text = "".join(part for part in text.split("Relocation section ")[1:] if not part.startswith("'.rela.debug"))
    found = re.findall(r"^([0-9a-f]+)\s+[0-9a-f]+ (R_RISCV_\w+)", text, re.M)
    return sorted((int(place, 16), kind) for place, kind in found if not kind.endswith("BRANCH"))


def compare_objects(arguments, folder):
    (folder / "object.s").write_text(OBJECT.replace("LOAD", "ld" if arguments.isa == "rv64gc" else "lw"))
    run(arguments.isaforge, "asm", "-i", arguments.isa, "object.s", "-o", "ours.o", cwd=folder)
    run(PREFIX + "as", f"-march={arguments.isa}", f"-mabi={ABI[arguments.isa]}", "-mno-relax", "object.s", "-o", "theirs.o", cwd=folder)
    mine, other = relocations(folder / "ours.o"), relocations(folder / "theirs.o")
    return None if mine == other else f"an object has the relocations {sorted(set(mine) - set(other))} and of as {sorted(set(other) - set(mine))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isaforge", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--isa", required=True, choices=ABI)
    parser.add_argument("--words", type=int, default=20000)
    parser.add_argument("--lines", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    source = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for words, size in ((list(long_words(source, arguments.words)), 4), (list(short_words(source, arguments.words)), 2)):
            compared, wrong = compare_words(arguments, folder, words, size)
            print(f"{compared} of {len(words)} words of {8 * size} bits are instructions; {len(wrong)} differ")
            if wrong:
                sys.exit("\n".join(wrong[:40]))
        lines = list(lines_of(source, arguments.isa, arguments.lines))
        if wrong := compare_lines(arguments, folder, lines):
            sys.exit(wrong)
        print(f"{len(lines)} lines have the bytes of as")
        if wrong := compare_objects(arguments, folder):
            sys.exit(wrong)
        print("and an object its relocations")


if __name__ == "__main__":
    main()
