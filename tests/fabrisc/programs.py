#!/usr/bin/env python3
"""Runs the programs of examples/fabrisc and compares what they print with computations of Python's own.

    programs.py --isaforge PROGRAM --root REPOSITORY [--only NAME ...] [--every]

Each function that begins with `check_` is one test; --only names them without that. What fails is said, and then the
status is 1. Where ISAFORGE_ENGINE says that programs are compiled, each test is of one revision, the next one of another, and
of fewer inputs, for to compile a program takes as long as many runs; --every takes all.
"""
import argparse
import hashlib
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

REVISIONS = MAY_15, MAY_2, MARCH_18 = "fabrisc-2022-05-15", "fabrisc-2022-05-02", "fabrisc-2022-03-18"
SECONDS = 120
OF_NO_ENGINE = "disassembly", "first_lines"  # tests that come out the same whichever engine runs


class Failure(Exception):
    pass


def expect(actual, expected, what):
    if actual == expected:
        return
    for position, (a, b) in enumerate(zip(actual, expected)):
        if a != b:
            raise Failure(f"{what}: differs at {position}: {a!r}, expected {b!r}")
    raise Failure(f"{what}: {len(actual)} long, expected {len(expected)}: {actual[:200]!r}, {expected[:200]!r}")


def signed(value, bits=32):
    value %= 1 << bits
    return value - (1 << bits) if value >> (bits - 1) else value


class Bench:
    """Assembles and runs programs in a directory of its own."""

    def __init__(self, isaforge, root, directory, number, every):
        self.isaforge, self.directory = isaforge, directory
        self.examples = os.path.join(root, "examples", "fabrisc")
        self.made = 0
        self.each = 1 if every else 3
        self.revisions = REVISIONS if every else REVISIONS[number % 3:][:1]

    def some(self, inputs):
        """Those of the inputs of one program that there is time for."""
        return inputs[::self.each]

    def path(self, name):
        return os.path.join(self.directory, name)

    def assemble(self, source, isa=MAY_15, symbols=(), wlen=32, mxvl=512):
        self.made += 1
        program = self.path(f"{self.made}.elf")
        command = [self.isaforge, "asm", "-i", isa, "-P", f"WLEN={wlen}", "-P", f"MXVL={mxvl}",
                   *(f"-D{symbol}" for symbol in symbols), os.path.join(self.examples, source), "-o", program]
        done = subprocess.run(command, capture_output=True, timeout=SECONDS)
        if done.returncode != 0:
            raise Failure(f"{source} does not assemble for {isa}:\n{done.stderr.decode(errors='replace')}")
        return program, isa, wlen, mxvl

    def run(self, program, *options, stdin=b"", status=0):
        """What the program writes, and what is said besides."""
        file, isa, wlen, mxvl = program
        command = [self.isaforge, "run", "-i", isa, "-P", f"WLEN={wlen}", "-P", f"MXVL={mxvl}", file,
                   "--max-instructions", "2G", *map(str, options)]
        done = subprocess.run(command, input=stdin, capture_output=True, timeout=SECONDS)
        if done.returncode != status:
            said = (done.stdout[-2000:] + b"\n" + done.stderr[-2000:]).decode(errors="replace")
            raise Failure(f"{' '.join(command)}: status {done.returncode}:\n{said}")
        return done.stdout, done.stderr

    def output(self, program, *options, stdin=b""):
        return self.run(program, *options, stdin=stdin)[0]

    def executed(self, program, *options, stdin=b""):
        """The number of instructions that --stats gives."""
        said = b"".join(self.run(program, *options, "--stats", stdin=stdin))
        return int(re.search(rb"(\d+) instructions in", said).group(1))


def check_disassembly(bench):
    """What `dis` makes of the programs assembles to the same bytes."""
    sources = sorted(name for name in os.listdir(bench.examples) if name.endswith(".s"))
    for source in sources:
        program = bench.assemble(source)[0]
        text = subprocess.run([bench.isaforge, "dis", "-i", MAY_15, program], capture_output=True, check=True).stdout
        again = bench.path("again.elf")
        subprocess.run([bench.isaforge, "asm", "-i", MAY_15, "-", "-o", again], input=text, check=True)
        expect(section(again, ".text"), section(program, ".text"), f"{source}, disassembled and assembled")


def check_wide_registers(bench):
    """With registers of 64 bits the programs write what they do with 32."""
    samples = [("sort.s", ["COUNT=500"], b"", ()), ("matrix.s", ["N=19"], b"", ()),
               ("utf8.s", [], "Grüße, 世界!\n".encode() + b"\xc3x", ()), ("sha256.s", [], b"abc", ()),
               ("allocator.s", [], b"a 0 100 a 1 50 f 0 l a 2 20 f 1 l", ()),
               ("interpreter.s", [], b",+.,+.,+.!HAL", ()),
               ("lock.s", ["ROUNDS=50"], b"", ("--harts", 4)), ("queue.s", ["ITEMS=50"], b"", ("--harts", 4)),
               ("transactions.s", ["ROUNDS=50"], b"", ("--harts", 4)), ("hello.s", ["CONSOLE"], b"x", ())]
    for source, symbols, stdin, options in samples:
        for isa in bench.revisions if source not in ("queue.s", "transactions.s") else [MAY_15]:
            narrow, wide = (bench.output(bench.assemble(source, isa, symbols, wlen), *options, stdin=stdin)
                            for wlen in (32, 64))
            expect(wide, narrow, f"{source}, {isa}, WLEN 64")


def check_first_lines(bench):
    """The commands that the first lines of the programs show work."""
    os.symlink(bench.isaforge, bench.path("isaforge"))
    folder = bench.path("fabrisc")
    shutil.copytree(bench.examples, folder)
    environment = dict(os.environ, PATH=bench.directory + os.pathsep + os.environ["PATH"])
    for source in sorted(name for name in os.listdir(folder) if name.endswith(".s")):
        with open(os.path.join(folder, source), encoding="utf-8") as file:
            head = re.match(r"(//.*\n)+", file.read()).group(0)
        commands = re.findall(r"^//     ((?:isaforge|echo|printf) .*)$", head, re.M)
        if not commands:
            raise Failure(f"{source} shows no commands")
        for command in commands:
            done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True,
                                  timeout=SECONDS, stdin=subprocess.DEVNULL)
            wrong_by_design = source == "collatz-author.s" and " run " in command
            if done.returncode != (13 if wrong_by_design else 0):
                raise Failure(f"{source}: {command}: status {done.returncode}, {done.stderr.decode(errors='replace')}")


def section(path, name):
    """The bytes of a section of an ELF file of 32 bits."""
    with open(path, "rb") as file:
        data = file.read()
    headers, = struct.unpack_from("<I", data, 32)
    size, count, names = struct.unpack_from("<HHH", data, 46)
    rows = [struct.unpack_from("<10I", data, headers + size * i) for i in range(count)]
    for row in rows:
        begin = rows[names][4] + row[0]
        if data[begin:data.index(0, begin)] == name.encode():
            return data[row[4]:row[4] + row[5]]
    raise Failure(f"{path} has no {name}")


def check_collatz(bench):
    def steps(number):
        taken = 0
        while number > 1:
            number = 3 * number + 1 if number % 2 else number // 2
            taken += 1
        return taken

    last = 3000
    expected = b"".join(b"%d\n" % steps(number) for number in range(1, last + 1))
    for isa in bench.revisions:
        for wlen in 32, 64:
            program = bench.assemble("collatz.s", isa, [f"LAST={last}"], wlen)
            expect(bench.output(program), expected, f"collatz.s, {isa}, WLEN {wlen}")


def check_collatz_author(bench):
    def steps(number, wrap, fall):
        """The author's loop with the two mistakes, or without."""
        taken = 0
        while number > 1:
            if number % 2:
                number = wrap(wrap(wrap(number * 3) + 1) >> 1)
                taken += 2
                if not fall:
                    continue
            number = wrap(number >> 1)
            taken += 1
        return taken

    def eight_bits(number):
        return (number + 128) % 256 - 128

    wrong, right = steps(123, eight_bits, True), steps(123, int, False)
    if wrong == right:
        raise Failure("the mistakes do not show")
    trace = bench.run(bench.assemble("collatz-author.s"), "--trace", "-", status=wrong)[0].decode()
    fall = re.search(r"2c: \S+ +IADD.8: \$S1, \$S1, #2 .*\n(?:\S+:\n)? +\d+ +30: \S+ +IASH.8: \$S0, \$S0, #-1", trace)
    if not fall:
        raise Failure("the trace does not show how one case falls through into the other")


def check_sort(bench):
    def words(count, x):
        made = []
        for _ in range(count):
            x = (x * 1664525 + 1013904223) % 2**32
            made.append(x - 2**32 if x >= 2**31 else x)
        return made

    for isa in bench.revisions:
        for count, seed in (5000, 1), (3333, 77), (13, 5), (1, 2):
            program = bench.assemble("sort.s", isa, [f"COUNT={count}", f"SEED={seed}"])
            expect(struct.unpack(f"<{count}i", bench.output(program)), tuple(sorted(words(count, seed))),
                   f"sort.s, {isa}, {count} words")
    program = bench.assemble("sort.s", symbols=["COUNT=4000", "READ"])
    source = random.Random(1)
    for values in [], [7], [3, -3], [5] * 100, list(range(1000)), list(range(1000, 0, -1)), \
            [source.randrange(-9, 9) for _ in range(4000)], [source.randrange(-2**31, 2**31) for _ in range(3999)]:
        written = bench.output(program, stdin=struct.pack(f"<{len(values)}i", *values) + b"ab"[:len(values) % 3])
        expect(struct.unpack(f"<{len(values)}i", written), tuple(sorted(values)), f"sort.s, {len(values)} words read")


def check_matrix(bench):
    def product(n):
        x, elements = 1, []
        for _ in range(2 * n * n):
            x = (x * 5 + 17) % 2**32
            elements.append(signed(x << 12) >> 20)
        left, right = elements[:n * n], elements[n * n:]
        return tuple(signed(sum(left[i * n + k] * right[k * n + j] for k in range(n)))
                     for i in range(n) for j in range(n))

    for isa, n in [(isa, 19) for isa in bench.revisions] + [(MAY_15, n) for n in (48, 1)]:
        for symbols, mxvl in ([], 512), (["VECTORS"], 512), (["VECTORS"], 128), (["VECTORS"], 64):
            program = bench.assemble("matrix.s", isa, [f"N={n}", *symbols], mxvl=mxvl)
            expect(struct.unpack(f"<{n * n}i", bench.output(program)), product(n),
                   f"matrix.s, {isa}, {n} x {n}, {symbols}, {mxvl}")
    scalar, vector = (bench.executed(bench.assemble("matrix.s", symbols=symbols)) for symbols in ([], ["VECTORS"]))
    if not 8 < scalar / vector < 12:
        raise Failure(f"matrix.s: {scalar} instructions with scalars, {vector} with vectors")


def check_sha256(bench):
    def expect_digest(program, data, what):
        digest = hashlib.sha256(data).hexdigest().encode()
        expect(bench.output(program, stdin=data), digest + b"\n", f"sha256.s, {what}")

    data = random.Random(4).randbytes(300_000)
    for isa in bench.revisions:
        program = bench.assemble("sha256.s", isa)
        # A block has 64 bytes, of which the last one keeps 9 for itself.
        borders = [64 * block + rest for block in range(3) for rest in (0, 1, 53, 54, 55, 56, 57, 62, 63)]
        for length in (*bench.some(borders if isa == MAY_15 else (0, 55, 56, 63, 64, 119, 120, 200)), 4095, 4096, 65537):
            expect_digest(program, data[:length], f"{isa}, {length} bytes")
    expect_digest(bench.assemble("sha256.s"), data, "300,000 bytes")
    expect_digest(bench.assemble("sha256.s", wlen=64), data[:777], "WLEN 64")


def check_utf8(bench):
    source = random.Random(8)
    pieces = [b"A", b"z", b"Zebra", "ß€😀".encode(), "é".encode(), b" "]
    pieces += map(bytes.fromhex, (
        "00 80 c080 c1bf c280 dfbf e282 e09fbf e0a080 ed9fbf eda080 ee8080 efbfbf "
        "f08fbfbf f0908080 f48fbfbf f4908080 f5 ff").split())

    def valid():
        points = [source.choice([source.randrange(0x80), source.randrange(0x800), source.randrange(0xd800),
                                 source.randrange(0xe000, 0x110000)]) for _ in range(source.randrange(20))]
        return "".join(map(chr, points)).encode().replace(b"\n", b"")

    lines = [b"", "Grüße, 世界!".encode(), b"NO newline"[:2]]
    lines += [valid() for _ in range(150)]
    lines += [bytes(source.choice(valid() or b"x") for _ in range(source.randrange(8))).replace(b"\n", b"")
              for _ in range(150)]
    lines += [b"".join(source.choices(pieces, k=source.randrange(6))) for _ in range(300)]
    lines += [b"", b"Last, without a newline"]
    source.shuffle(lines[1:-1])

    expected = b""
    for line in lines:
        try:
            text = line.decode()
            points = "".join(f" {ord(character):x}" for character in text)
            head = f"{len(text)} characters:{points}".encode()
            expected += b"\n".join([head, line.lower(), text[::-1].encode(), b""])
        except UnicodeDecodeError as error:
            expected += b"invalid at %d\n" % error.start
    for isa in bench.revisions:
        expect(bench.output(bench.assemble("utf8.s", isa), stdin=b"\n".join(lines)), expected, f"utf8.s, {isa}")


class Arena:
    """First fit and joined neighbours over a list of free ranges of units of 16 bytes, in a bitmap."""

    def __init__(self, size):
        self.used = [False] * (size // 16)

    def runs(self):
        begin = None
        for unit, used in enumerate([*self.used, True]):
            if not used and begin is None:
                begin = unit
            if used and begin is not None:
                yield begin, unit - begin
                begin = None

    def take(self, size):
        units = (size + 8 + 15) // 16
        for begin, length in self.runs():
            if length >= units:
                self.used[begin:begin + units] = [True] * units
                return begin, units
        return None

    def give(self, begin, units):
        self.used[begin:begin + units] = [False] * units


def check_allocator(bench):
    for seed, largest in (1, 200), (2, 3000), (3, 40):
        source, arena, slots = random.Random(seed), Arena(16384), {}
        script, expected = [], []
        for _ in range(1500):
            slot = source.randrange(256)
            if slot in slots:
                script.append(f"f {slot}")
                arena.give(*slots.pop(slot))
            elif source.random() < 0.6:
                size = source.randrange(largest)
                script.append(f"a {slot} {size}")
                taken = arena.take(size)
                expected.append("-1" if taken is None else str(16 * taken[0] + 8))
                if taken:
                    slots[slot] = taken
            if source.random() < 0.1:
                script.append("l")
                expected.append("".join(f"{16 * begin}:{16 * units} " for begin, units in arena.runs()))
        script += [f"f {slot}" for slot in slots] + ["l"]
        expected.append("0:16384 ")
        for isa in bench.revisions:
            written = bench.output(bench.assemble("allocator.s", isa), stdin="\n".join(script).encode())
            expect(written.decode().split("\n"), [*expected, ""], f"allocator.s, {isa}, seed {seed}")


def pixels_of_png(path):
    """Width, height and the bytes of the pixels of a PNG file with red, green and blue of 8 bits."""
    with open(path, "rb") as file:
        data = file.read()
    position, packed, header = 8, b"", None
    while position < len(data):
        length, kind = struct.unpack_from(">I4s", data, position)
        content = data[position + 8:position + 8 + length]
        checksum, = struct.unpack_from(">I", data, position + 8 + length)
        expect((zlib.crc32(kind + content),), (checksum,), "a checksum of the picture")
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", content)
        packed += content if kind == b"IDAT" else b""
        position += 12 + length
    width, height = header[:2]
    expect(header[2:], (8, 2, 0, 0, 0), "the kind of picture")
    raw, out, above = zlib.decompress(packed), b"", bytes(3 * width)
    for row in range(height):
        begin = row * (3 * width + 1)
        line = bytearray(raw[begin + 1:begin + 1 + 3 * width])
        for i in range(3 * width):
            a, b, c = (line[i - 3] if i >= 3 else 0), above[i], (above[i - 3] if i >= 3 else 0)
            p = a + b - c
            nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
            line[i] = (line[i] + (0, a, b, (a + b) // 2, nearest)[raw[begin]]) & 255
        out += line
        above = line
    return width, height, out


def check_mandelbrot(bench):
    width, height, most = 96, 64, 64
    # What is exact in double precision and then rounded is what single precision gives, for + - * and /.
    single = struct.Struct("f")

    def rounded(x):
        return single.unpack(single.pack(x))[0]

    step = rounded(3 / width)
    top = rounded(-height / 2 * step)
    expected = b""
    for row in range(height):
        ci = rounded(rounded(row * step) + top)
        for column in range(width):
            cr = rounded(rounded(column * step) - 2.25)
            zr = zi = 0.0
            count = 0
            while count < most:
                zr2, zi2 = rounded(zr * zr), rounded(zi * zi)
                if rounded(zr2 + zi2) > 4:
                    break
                zi = rounded(zr * zi)
                zi = rounded(rounded(zi + zi) + ci)
                zr = rounded(rounded(zr2 - zi2) + cr)
                count += 1
            inside = count == most
            expected += bytes((0, 0, 0) if inside else (count * count // 16, count * 4, 255 - (63 - count) ** 2 // 20))
    executed = {}
    for isa, wlen in [(isa, wlen) for isa in bench.revisions for wlen in (32, 64)]:
        program = bench.assemble("mandelbrot.s", isa, [f"WIDTH={width}", f"HEIGHT={height}"], wlen)
        picture = bench.path("mandelbrot.png")
        frame = f"frame@0x8000000:{width}x{height}:xrgb8888={picture}"
        executed[wlen] = bench.executed(program, "--map", frame)
        expect(pixels_of_png(picture), (width, height, expected), f"mandelbrot.s, {isa}, WLEN {wlen}")
        if wlen == 64 and not 1.4 < executed[32] / executed[64] < 2.1:
            raise Failure(f"mandelbrot.s, {isa}: {executed} instructions for WLEN")


def check_lock(bench):
    rounds = 300
    for isa in bench.revisions:
        program = bench.assemble("lock.s", isa, [f"ROUNDS={rounds}"])
        expected = b"%d %d\n" % (4 * rounds, 4 * rounds)
        for schedule in [("--seed", seed) for seed in bench.some(range(4))]:
            expect(bench.output(program, "--harts", 4, *schedule), expected, f"lock.s, {isa}, {schedule}")
        program = bench.assemble("lock.s", isa, ["ROUNDS=20000"])
        expect(bench.output(program, "--harts", 4, "--threads"), b"80000 80000\n", f"lock.s, {isa}, with threads")
    unlocked = bench.assemble("lock.s", symbols=[f"ROUNDS={rounds}", "NO_LOCK"])
    lost = [int(bench.output(unlocked, "--harts", 4, "--seed", seed).split()[0]) for seed in range(4)]
    if max(lost) >= 4 * rounds:
        raise Failure(f"lock.s: without the lock the counts are {lost}")


def check_queue(bench):
    items = 300
    program = bench.assemble("queue.s", symbols=[f"ITEMS={items}"])
    expected = b"%d %d\n" % (2 * items, sum(range(2 * items)))
    for schedule in [("--seed", seed) for seed in bench.some(range(15))] + 2 * [("--threads",)]:
        expect(bench.output(program, "--harts", 4, *schedule), expected, f"queue.s, {schedule}")
    one = [bench.executed(program, "--harts", 4, "--seed", 5) for _ in range(2)]
    expect(one[:1], one[1:], "queue.s twice with the same seed, instructions")


def check_events(bench):
    quotients = [1000 // (i % 7 or 1) for i in range(100)]
    zeros = sum(i % 7 == 0 for i in range(100))
    expected = (f"sum of quotients {sum(quotients)}\ndivisors mended {zeros}\nan illegal instruction was skipped\n"
                "a bad address reads as -1\nprivileged instructions were skipped\n42\nperiods for five ticks 5\n")
    for isa in MAY_15, MAY_2:
        for wlen in 32, 64:
            written = bench.output(bench.assemble("events.s", isa, wlen=wlen))
            expect(written.decode(), expected, f"events.s, {isa}, WLEN {wlen}")
        said = b"".join(bench.run(bench.assemble("events.s", isa, ["DOUBLE"]), status=1))
        if b"double fault" not in said:
            raise Failure(f"events.s, {isa}, with -D DOUBLE says {said.decode()}")


def brainfuck(program, data, most_steps=20_000):
    """What the program writes; None where it takes too long."""
    stack, partner = [], {}
    for i, character in enumerate(program):
        if character == ord("["):
            stack.append(i)
        elif character == ord("]"):
            partner[i] = stack.pop()
            partner[partner[i]] = i
    cells, cell, at, position, out = bytearray(65536), 0, 0, 0, bytearray()
    for _ in range(most_steps):
        if at >= len(program):
            return bytes(out)
        action = chr(program[at])
        if action in "+-":
            cells[cell] = (cells[cell] + (1 if action == "+" else -1)) % 256
        elif action in "<>":
            cell = (cell + (1 if action == ">" else -1)) % 65536
        elif action == ".":
            out.append(cells[cell])
        elif action == ",":
            cells[cell] = data[position] if position < len(data) else 0
            position += 1
        elif action == "[" and cells[cell] == 0 or action == "]" and cells[cell] != 0:
            at = partner[at]
        at += 1
    return None


def check_interpreter(bench):
    squares = (b"++++[>+++++<-]>[<+++++>-]+<+[>[>+>+<<-]++>>[<<+>>-]>>>[-]++>[-]+>>>+[[-]++++++>>>]<<<[[<++++++++"
               b"<++>>-]+<.<[>----<-]<]<<[>>>>>[>>>[-]+++++++++<[>-<-]+++++++++>[-[<->-]+[<<<]]<[>+<-]>]<<-]<<-]")
    source = random.Random(10)

    def random_program(depth):
        parts = source.choices(list("+++--<>>.,"), k=source.randrange(12))
        if depth:
            parts.insert(source.randrange(len(parts) + 1), "[" + random_program(depth - 1) + "-]")
            parts.append(random_program(depth - 1))
        return "".join(parts)

    cases = [(squares, b""), (b",+.,+.,+. a comment", b"HAL"), (b",[.,]", bytes(range(1, 256)) * 20),
             (b"<.+.", b""), (b"", b"")]
    while len(cases) < 30:
        program, data = random_program(2).encode(), source.randbytes(5)
        if brainfuck(program, data):
            cases.append((program, data))
    for isa in bench.revisions:
        interpreter = bench.assemble("interpreter.s", isa)
        for program, data in bench.some(cases if isa == MAY_15 else cases[:5]):
            expect(bench.output(interpreter, stdin=program + b"!" + data), brainfuck(program, data, 10**7),
                   f"interpreter.s, {isa}, {program.decode()}")
    for program in b"[", b"]", b"[]]":
        written = bench.run(interpreter, stdin=program, status=1)[0]
        expect(written, b"a bracket has no partner\n", "interpreter.s, brackets")


def check_hello(bench):
    typed = "Grüße\n".encode() + bytes(range(256))
    for isa in bench.revisions:
        expect(bench.output(bench.assemble("hello.s", isa)), b"Hello, world!\n", f"hello.s, {isa}")
        written = bench.output(bench.assemble("hello.s", isa, ["CONSOLE"]), stdin=typed)
        expect(written, b"Hello, console!\n" + typed, f"hello.s, {isa}, console")
    # What is typed late, and in parts, is waited for.
    command = [bench.isaforge, "run", "-i", MAY_15, bench.assemble("hello.s", MAY_15, ["CONSOLE"])[0]]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        for part in b"a", b"bc":
            time.sleep(0.1)
            process.stdin.write(part)
            process.stdin.flush()
        process.stdin.close()
        written = process.stdout.read()
    expect(written, b"Hello, console!\nabc", "hello.s, typed late")


def check_transactions(bench):
    for isa in MAY_15, MARCH_18:
        short, long = (bench.assemble("transactions.s", isa, [f"ROUNDS={rounds}"]) for rounds in (300, 5000))
        again = []
        for program, schedule in [(short, ("--seed", seed)) for seed in range(8)] + [(long, ("--threads",))]:
            written = bench.output(program, "--harts", 4, *schedule)
            expect(written[:4], b"0 0 ", f"transactions.s, {isa}, {schedule}")
            again.append(b"some" in written)
        if not any(again):
            raise Failure(f"transactions.s, {isa}: no transaction collided with another")
    loose = bench.assemble("transactions.s", symbols=["NO_TRANSACTIONS"])
    written = [bench.output(loose, "--harts", 4, "--seed", seed) for seed in range(3)]
    if all(line.startswith(b"0 0 ") for line in written):
        raise Failure(f"transactions.s without transactions: {written}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--isaforge", required=True)
    arguments.add_argument("--root", required=True)
    arguments.add_argument("--only", nargs="*")
    arguments.add_argument("--every", action="store_true")
    options = arguments.parse_args()
    checks = {name[6:]: check for name, check in globals().items() if name.startswith("check_")}
    failed = 0
    every = options.every or os.environ.get("ISAFORGE_ENGINE") != "jit"
    wanted = options.only or [name for name in checks if every or name not in OF_NO_ENGINE]
    for number, (name, check) in enumerate(checks.items()):
        if name not in wanted:
            continue
        with tempfile.TemporaryDirectory() as directory:
            try:
                check(Bench(os.path.abspath(options.isaforge), options.root, directory, number, every))
            except (Failure, subprocess.TimeoutExpired) as failure:
                print(f"{name}: {failure}")
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
