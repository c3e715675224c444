#!/usr/bin/env python3
"""What the command does with files, signals, limits of the system, and programs that try to get out of their machine.

    files.py --isaforge PROGRAM [--sanitized] [--only NAME ...]

Each function that begins with `check_` is one test; --only names them without that. What fails is said, and then the status
is 1. All of it runs as somebody without special rights, also where the tests are started by root, for whom nothing is forbidden.
"""
import argparse
import os
import random
import re
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time

SECONDS = 120
NOBODY = 65534
OLD = "what was there before\n"

APART = """isa apart "Code and data apart"
code unit 32 little
registers r : 4 of u64 "r{n}"
memory data : u8
format RR | OP:8 | D:r | A:r | I:16 |
instructions RR [OP] "{name} {D}, {A}, {I}" {
  0 stop  stop()
  1 ld    D = data.u64[A + u64(s64(s16(I)))]
  2 st    data.u64[A + u64(s64(s16(I)))] = D
  3 ldb   D = u64(data.u8[A + u64(s64(s16(I)))])
  4 stb   data.u8[A + u64(s64(s16(I)))] = D[7:0]
  5 lih   D = A << 16 | u64(I)
  6 jump  pc = u32(I)
}
"""
WORDS = APART.replace("isa apart", "isa words").replace("memory data : u8", "memory data : u64").replace(
    "data.u64[A", "data[A").replace("data.u8[A", "data.u8[A")
MAPPED = APART.replace("isa apart", "isa mapped").replace("memory data : u8", "memory data : u8 little holds code").replace(
    "}\n", "  7 host  D = host(u64(I), r[1], r[2], r[3])\n}\n")
OPEN = """isa open "Opcodes to be given"
code unit 16 little
registers r : 4 of u16 "r{n}"
format RR | OP:8 | D:r | A:r |
instructions RR [OP] "{name} {D}, {A}" {
  auto add  D = D + A
  auto sub  D = D - A
}
"""
NOTES = "Formats\n[A] |OPCODE(07)|RA(05)|IMM(20)|\n"


class Failure(Exception):
    pass


def expect(condition, what):
    if not condition:
        raise Failure(what)


def expect_equal(actual, expected, what):
    if actual != expected:
        raise Failure(f"{what}: {actual!r}, expected {expected!r}")


class Bench:
    """Runs the command in a folder of its own."""

    def __init__(self, isaforge, folder, sanitized):
        self.folder, self.sanitized = folder, sanitized
        self.isaforge = os.path.join(folder, "isaforge")
        shutil.copy(isaforge, self.isaforge)
        self.work, self.inputs = os.path.join(folder, "work"), os.path.join(folder, "inputs")

    def reset(self):
        """A fresh working folder, which belongs to who runs the command, with some inputs."""
        if os.path.lexists(self.work):
            shutil.rmtree(self.work)
        if os.path.lexists(self.inputs):
            shutil.copytree(self.inputs, self.work)
            return
        os.mkdir(self.work)
        for name, text in (("apart.isa", APART), ("words.isa", WORDS), ("mapped.isa", MAPPED), ("open.isa", OPEN),
                           ("notes.txt", NOTES), ("stop.s", " stop r0, r0, 0\n"),
                           ("endless.s", " jump r0, r0, 0\n")):
            self.write(name, text)
        for isa in "apart", "words", "mapped":
            for program in "stop", "endless":
                self.good("asm", "-i", f"{isa}.isa", f"{program}.s", "-o", f"{program}-{isa}.o")
        shutil.copytree(self.work, self.inputs)

    def path(self, name):
        return os.path.join(self.work, name)

    def write(self, name, text, mode=0o644):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(self.path(name), mode)

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read().decode("utf-8", "replace")

    def names(self):
        return sorted(os.listdir(self.work))

    def start(self, *arguments, limits=(), **options):
        def restrict():
            for what, most in limits:
                resource.setrlimit(what, (most, most))

        if limits:  # without them the process begins some ten milliseconds sooner
            options["env"] = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")  # which would need a thread of its own
            options["preexec_fn"] = restrict
        return subprocess.Popen([self.isaforge, *arguments], cwd=options.pop("cwd", self.work),
                                umask=options.pop("umask", 0o022), stdin=options.pop("stdin", subprocess.DEVNULL),
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)

    def run(self, *arguments, **options):
        process = self.start(*arguments, **options)
        try:
            output, errors = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Failure(f"{' '.join(arguments)}: still runs after {SECONDS} s") from None
        return process.returncode, output.decode("utf-8", "replace"), errors.decode("utf-8", "replace")

    def good(self, *arguments, **options):
        status, output, errors = self.run(*arguments, **options)
        expect(status == 0, f"{' '.join(arguments)}: status {status}: {errors}")
        return output

    def bad(self, *arguments, status=1, message="", **options):
        found, output, errors = self.run(*arguments, **options)
        expect_equal(found, status, f"{' '.join(arguments)}: status, saying {errors!r}")
        expect(message in errors, f"{' '.join(arguments)}: says {errors!r}, expected {message!r}")
        return output + errors


def writers(out):
    """Every way to have a file written: what it is, and its arguments."""
    machine = ("-i", "apart.isa")
    return {
        "asm": ("asm", *machine, "stop.s", "-o", out),
        "listing": ("asm", *machine, "stop.s", "--listing", out),
        "listing-json": ("asm", *machine, "stop.s", "--listing-json", out),
        "dis": ("dis", *machine, "stop-apart.o", "-o", out),
        "trace": ("run", *machine, "stop-apart.o", "--trace", out),
        "profile-json": ("run", *machine, "stop-apart.o", "--profile-json", out),
        "png": ("run", *machine, "stop-apart.o", "--png", f"{out}@0:16x16:rgb888"),
        "frame": ("run", "-i", "mapped.isa", "stop-mapped.o", "--map", f"frame@1G:16x16:rgb888={out}"),
        "sample": ("sample", "apart.isa", "-o", out),
        "map": ("map", "apart.isa", "-o", out),
        "hardware": ("hardware", "apart.isa", "-o", out),
        "allocate": ("allocate", "open.isa", "-o", out),
        "import": ("import", "notes.txt", "--name", "n", "-o", out),
    }


# --- writing

def check_outputs_are_written(bench):
    for what, arguments in writers("out").items():
        bench.reset()
        before = bench.names()
        bench.good(*arguments, umask=0o027)
        expect_equal(bench.names(), sorted(before + ["out"]), f"{what}: files")
        expect(len(bench.read("out")) > 0, f"{what}: writes nothing")
        expect_equal(stat.S_IMODE(os.stat(bench.path("out")).st_mode), 0o640, f"{what}: mode of a new file")


def check_old_file_survives_failure(bench):
    for what, arguments in writers("out").items():
        bench.reset()
        bench.write("out", OLD)
        before = bench.names()
        bench.bad(*arguments, message="'out'", limits=[(resource.RLIMIT_FSIZE, 8)])
        expect_equal(bench.names(), before, f"{what}: files")
        expect_equal(bench.read("out"), OLD, f"{what}: old file")


def check_protected_file_stays(bench):
    for what, arguments in writers("out").items():
        bench.reset()
        bench.write("out", OLD, mode=0o444)
        before = bench.names()
        bench.bad(*arguments, message="cannot write 'out': Permission denied")
        expect_equal((bench.names(), bench.read("out")), (before, OLD), f"{what}: old file")


def check_unwritable_folder(bench):
    for what, arguments in writers("folder/out").items():
        bench.reset()
        os.mkdir(bench.path("folder"))
        bench.write("folder/out", OLD * 100)
        os.chmod(bench.path("folder"), 0o555)
        try:
            bench.bad(*arguments, message="cannot write 'folder/out': ", limits=[(resource.RLIMIT_FSIZE, 8)])
            expect_equal(bench.read("folder/out"), OLD * 100, f"{what}: old file")
            bench.good(*arguments)
            expect(OLD not in bench.read("folder/out") and bench.read("folder/out"), f"{what}: not written")
            expect_equal(os.listdir(bench.path("folder")), ["out"], f"{what}: files")
            bench.bad(*[argument.replace("folder/out", "folder/new") for argument in arguments],
                      message="cannot write 'folder/new': Permission denied")
        finally:
            os.chmod(bench.path("folder"), 0o755)


def check_links_are_followed(bench):
    for what, arguments in writers("link").items():
        bench.reset()
        os.mkdir(bench.path("folder"))
        os.symlink("folder/out", bench.path("other"))
        os.symlink("other", bench.path("link"))
        for _ in "new", "old":
            bench.good(*arguments)
            expect(os.path.islink(bench.path("link")) and os.path.islink(bench.path("other")), f"{what}: link is gone")
            expect(not os.path.islink(bench.path("folder/out")) and bench.read("folder/out"), f"{what}: not written")
            expect_equal(os.listdir(bench.path("folder")), ["out"], f"{what}: files")


def check_other_names_of_a_file_stay_its_names(bench):
    bench.reset()
    bench.write("out", OLD)
    os.link(bench.path("out"), bench.path("other"))
    bench.good(*writers("out")["listing"])
    expect(OLD not in bench.read("other") and os.path.samefile(bench.path("out"), bench.path("other")), "two files now")


def check_mode_stays(bench):
    for what, arguments in writers("out").items():
        bench.reset()
        bench.write("out", OLD, mode=0o751)
        bench.good(*arguments)
        expect_equal(stat.S_IMODE(os.stat(bench.path("out")).st_mode), 0o751, f"{what}: mode")


def check_long_names(bench):
    name = "ü" * 125
    for what, arguments in writers(name).items():
        bench.reset()
        bench.good(*arguments)
        expect(bench.read(name), f"{what}: not written")
    bench.bad(*writers("n" * 256)["map"], message="File name too long")


def check_devices_and_pipes(bench):
    for what, arguments in writers("/dev/full").items():
        bench.reset()
        bench.bad(*arguments, message="cannot write '/dev/full': No space left on device")
    for what, arguments in writers("/dev/null").items():
        bench.good(*arguments)
        expect(stat.S_ISCHR(os.stat("/dev/null").st_mode), f"{what}: the device is gone")
    for what, arguments in writers("pipe").items():
        os.mkfifo(bench.path("pipe"))
        got = []
        reader = threading.Thread(target=lambda to=got: to.append(bench.read("pipe")), daemon=True)
        reader.start()
        bench.good(*arguments)
        reader.join(SECONDS)
        expect(got and got[0], f"{what}: nothing came through the pipe")
        expect(stat.S_ISFIFO(os.stat(bench.path("pipe")).st_mode), f"{what}: the pipe is gone")
        os.remove(bench.path("pipe"))
    text = bench.good(*writers("out")["map"]) + bench.read("out")
    for name in "-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1":
        expect_equal(bench.good(*writers(name)["map"]), text, f"output to {name}")
    bench.bad(*writers("folder/")["map"], message="cannot write 'folder/'")
    bench.bad(*writers(".")["map"], message="cannot write '.': Is a directory")


def check_signals_leave_nothing(bench):
    ways = {
        "sample": ("sample", "apart.isa", "-n", "100000000", "-o", "out"),
        "trace": ("run", "-i", "apart.isa", "endless-apart.o", "--max-instructions", "0", "--trace", "out"),
    }
    for what, arguments in ways.items():
        for number in signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT:
            bench.reset()
            bench.write("out", OLD)
            before = bench.names()
            process = bench.start(*arguments)
            deadline = time.monotonic() + SECONDS
            while bench.names() == before:
                expect(process.poll() is None and time.monotonic() < deadline, f"{what}: does not begin to write")
                time.sleep(0.005)
            process.send_signal(number)
            process.communicate(timeout=SECONDS)
            expect_equal(process.returncode, -number, f"{what}, signal {number}: status")
            expect_equal((bench.names(), bench.read("out")), (before, OLD), f"{what}, signal {number}: files")


def check_allocation_in_place_is_all_or_nothing(bench):
    bench.reset()
    head, rows = OPEN.split("instructions")
    bench.write("main.isa", head + 'include "a.isa"\ninstructions' + rows)
    bench.write("a.isa", 'instructions RR [OP] "{name} {D}, {A}" {\n  auto both D = D & A\n}\n')
    before = bench.read("main.isa"), bench.read("a.isa")
    os.chmod(bench.path("a.isa"), 0o444)
    bench.bad("allocate", "main.isa", "--in-place", message="cannot write 'a.isa'")
    expect_equal((bench.read("main.isa"), bench.read("a.isa")), before, "the files")
    os.chmod(bench.path("a.isa"), 0o644)
    bench.good("allocate", "main.isa", "--in-place")
    expect("auto" not in bench.read("main.isa") + bench.read("a.isa"), "numbers are missing")


# --- which file is which

def check_outputs_do_not_replace_inputs(bench):
    bench.reset()
    bench.write("part.s", " stop r1, r0, 0\n")
    bench.write("all.s", ' .include "part.s"\n')
    os.symlink("stop.s", bench.path("link.s"))
    os.link(bench.path("stop.s"), bench.path("same.s"))
    machine = ("-i", "apart.isa")
    for arguments in (
            ("asm", *machine, "stop.s", "-o", "stop.s"), ("asm", *machine, "stop.s", "-o", "./stop.s"),
            ("asm", *machine, "link.s", "-o", "stop.s"), ("asm", *machine, "stop.s", "-o", "link.s"),
            ("asm", *machine, "stop.s", "-o", "same.s"), ("asm", *machine, "stop.s", "-o", "apart.isa"),
            ("asm", *machine, "stop.s", "-o", "x.o", "--listing", "stop.s"), ("asm", *machine, "all.s", "-o", "part.s"),
            ("dis", *machine, "stop-apart.o", "-o", "stop-apart.o"),
            ("run", *machine, "stop-apart.o", "--trace", "stop-apart.o"),
            ("run", *machine, "stop-apart.o", "--load", "stop.s@0", "--png", "stop.s@0:1x1:gray8"),
            ("run", "-i", "mapped.isa", "stop-mapped.o", "--map", "frame@1G:1x1:gray8=stop-mapped.o"),
            ("sample", "apart.isa", "-o", "apart.isa"), ("map", "apart.isa", "-o", "apart.isa"),
            ("import", "notes.txt", "--name", "n", "-o", "notes.txt")):
        before = {name: bench.read(name) for name in bench.names()}
        bench.bad(*arguments, status=2, message="which was read")
        expect_equal({name: bench.read(name) for name in bench.names()}, before, " ".join(arguments))
    with open(bench.path("stop.s"), "rb") as source:
        bench.bad("asm", *machine, "-", "-o", "stop.s", stdin=source, status=2, message="which was read")
    bench.good("allocate", "open.isa", "-o", "open.isa")  # the same text with numbers


def check_two_outputs_are_two_files(bench):
    bench.reset()
    os.symlink("x", bench.path("y"))
    machine = ("-i", "apart.isa")
    for arguments in (
            ("asm", *machine, "stop.s", "-o", "x", "--listing", "x"), ("asm", *machine, "stop.s", "-o", "x", "--listing", "y"),
            ("asm", *machine, "stop.s", "-o", "-", "--listing", "-"),
            ("asm", *machine, "stop.s", "--listing-json", "./x", "--listing", "y"),
            ("run", *machine, "stop-apart.o", "--trace", "x", "--profile-json", "x"),
            ("run", *machine, "stop-apart.o", "--png", "x@0:1x1:gray8", "--png", "x@4:1x1:gray8"),
            ("run", "-i", "mapped.isa", "stop-mapped.o", "--map", "frame@1G:1x1:gray8=x", "--png", "y@4:1x1:gray8")):
        before = bench.names()
        bench.bad(*arguments, status=2, message="two outputs go to one file")
        expect_equal(bench.names(), before, " ".join(arguments))
    bench.good("asm", *machine, "stop.s", "-o", "/dev/null", "--listing", "/dev/null")


# --- reading

def check_inputs_without_end(bench):
    bench.reset()
    machine = ("-i", "apart.isa")
    message = "more than 256 MiB come from it, which is the limit"
    for arguments in (("asm", *machine, "/dev/zero", "-o", "x"), ("dis", *machine, "/dev/zero"),
                      ("run", *machine, "/dev/zero"), ("run", *machine, "stop-apart.o", "--load", "/dev/zero@0"),
                      ("import", "/dev/zero", "-o", "x"),
                      ("check", "notes.txt", "--instructions", "/dev/zero"),
                      ("debug", *machine, "stop-apart.o", "--command", "/dev/zero")):
        bench.bad(*arguments, message=message)
    bench.bad("asm", "-i", "/dev/zero", "stop.s", "-o", "x", message="more than 64 MiB come from it, which is the limit")
    with open("/dev/zero", "rb") as zeros:
        bench.bad("asm", *machine, "-", "-o", "x", stdin=zeros, message=message)
    with open(bench.path("long"), "wb") as long:
        long.truncate((1 << 30) + 1)
    bench.bad("asm", *machine, "long", "-o", "x", message="the file has more than 1024 MiB, which is the limit")


def check_names_in_inputs_are_files(bench):
    bench.reset()
    os.mkfifo(bench.path("pipe"))
    for name in "/dev/zero", "pipe", "-", ".":
        bench.write("all.s", f' .include "{name}"\n')
        bench.bad("asm", "-i", "apart.isa", "all.s", "-o", "x", message=f"'{name}' cannot be read: ")
        bench.write("all.isa", f'isa x "x"\ninclude "{name}"\n')
        bench.bad("check", "all.isa", message=name)


def check_pipes_as_inputs(bench):
    bench.reset()
    os.mkfifo(bench.path("pipe"))
    expected = bench.good("asm", "-i", "apart.isa", "stop.s", "-o", "-", "--format", "memh")

    def feed():
        with open(bench.path("pipe"), "w", encoding="utf-8") as pipe:
            pipe.write(" stop r0, r0, 0\n")

    threading.Thread(target=feed, daemon=True).start()
    expect_equal(bench.good("asm", "-i", "apart.isa", "pipe", "-o", "-", "--format", "memh"), expected, "from a pipe")


# --- what the system does not give

def long_program(bench, name):
    lines = bench.good("sample", "apart.isa", "-n", "60000")
    bench.write(name, lines)


def check_fewer_threads(bench):
    """With no room for a second thread the first does all the work."""
    bench.reset()
    long_program(bench, "long.s")
    none = [(resource.RLIMIT_NPROC, 0)]
    assemble = ("asm", "-i", "apart.isa", "long.s", "--threads", "8", "--format", "bin", "-o")
    bench.good(*assemble, "many.bin")
    bench.good(*assemble, "one.bin", limits=none)
    expect_equal(bench.read("one.bin"), bench.read("many.bin"), "the bytes")
    disassemble = ("dis", "-i", "apart.isa", "many.bin", "--threads", "8")
    expect_equal(bench.good(*disassemble, limits=none), bench.good(*disassemble), "the text")
    bench.good("run", "-i", "mapped.isa", "stop-mapped.o", "--harts", "8", "--threads", limits=none)


def check_too_little_memory(bench):
    """Whatever does not fit: an ordinary error, and no half of a file. The sanitizers need more than there is here."""
    if bench.sanitized:
        return
    bench.reset()
    long_program(bench, "long.s")
    bench.good("asm", "-i", "apart.isa", "long.s", "--format", "bin", "-o", "long.bin")
    seen = set()
    # With less than its own size and its libraries' the command does not come to begin.
    sizes = [megabytes for megabytes in [*range(20, 60, 2), *range(60, 160, 16)]
             if bench.run("--version", limits=[(resource.RLIMIT_AS, megabytes << 20)])[0] == 0]
    expect(len(sizes) >= 15, f"the command begins in {sizes} MiB alone")
    for command in (("asm", "-i", "apart.isa", "long.s", "--threads", "8", "-o", "out"),
                    ("dis", "-i", "apart.isa", "long.bin", "--threads", "8", "-o", "out"),
                    ("run", "-i", "mapped.isa", "stop-mapped.o", "--harts", "8", "--threads", "--profile-json", "out")):
        for megabytes in sizes:
            bench.write("out", OLD)
            before = bench.names()
            status, _, errors = bench.run(*command, limits=[(resource.RLIMIT_AS, megabytes << 20)])
            seen.add((command[0], status))
            expect(status in (0, 1, 2), f"{command} in {megabytes} MiB: status {status}, {errors!r}")
            expect(status == 0 or errors.startswith("isaforge: error: "), f"{command} in {megabytes} MiB: {errors!r}")
            expect_equal(bench.names(), before, f"{command} in {megabytes} MiB: files")
            expect(status == 0 or bench.read("out") == OLD, f"{command} in {megabytes} MiB: the old file")
    expect({("asm", 0), ("asm", 1), ("dis", 0), ("run", 0)} <= seen, f"no limit was between enough and too little: {seen}")


def check_memory_that_cannot_be_had(bench):
    bench.reset()
    for isa in "apart", "words", "mapped":
        program = f"stop-{isa}.o"
        for size in "0xfffffffffffffff8", "0xffffffffffffffff", "0x7fffffffffffffff", "0x400000000001":
            bench.bad("run", "-i", f"{isa}.isa", program, "--memory", size,
                      message=f"there is no room for {int(size, 0):#x} bytes; the most is 0x400000000000")
        bench.bad("debug", "-i", f"{isa}.isa", program, "--memory", "0xfffffffffffffff8", "-e", "quit", message="no room")
    for what in "ram@1G:0xfffffffffffffff8", "ram@8:0xfffffffffffffff8", "ram@0:0xffffffffffffffff":
        bench.bad("run", "-i", "mapped.isa", "stop-mapped.o", "--map", what, message=f"cannot map '{what}': ")
    for load in "stop.s@0xffffffffffffffff", "stop.s@0xfffffffffffffff8":
        for isa in "apart", "mapped":
            bench.bad("run", "-i", f"{isa}.isa", f"stop-{isa}.o", "--load", load, message="does not fit into the memory")
    # Much memory costs nothing before it is used, nor when a program begins anew.
    output = bench.good("debug", "-i", "apart.isa", "stop-apart.o", "--memory", "1024G", "-e", "run", "-e", "run", "-e", "quit")
    expect("error" not in output, output)


# --- programs that try

def programs_of(bench, isa, programs):
    """As many files of machine code, assembled at once: what each line is is the same everywhere."""
    lines = sorted({line for program in programs for line in program})
    bench.write("lines.s", "".join(f" {line}\n" for line in lines))
    bench.good("asm", "-i", f"{isa}.isa", "lines.s", "--format", "bin", "-o", "lines.bin")
    with open(bench.path("lines.bin"), "rb") as file:
        code = dict(zip(lines, iter(lambda: file.read(4), b"")))
    expect_equal(len(code), len(lines), "instructions")
    for number, program in enumerate(programs):
        with open(bench.path(f"{number}.bin"), "wb") as file:
            file.write(b"".join(code[line] for line in program))
    return [f"{number}.bin" for number in range(len(programs))]


def number_into(register, value):
    return [f"lih {register}, r0, {value >> 48 & 0xffff}"] + [
        f"lih {register}, {register}, {value >> shift & 0xffff}" for shift in (32, 16, 0)]


def check_accesses_stay_in_the_memory(bench):
    """At both ends of a memory, and far from it: an access is done whole, or ends the program."""
    bench.reset()
    size = 4096
    for isa, unit in ("apart", 1), ("words", 8), ("mapped", 1):
        units = size // unit
        places = [units - back for back in range(-9, 10)]
        places += [*([] if isa == "mapped" else [0]), 2**31, 2**32, 2**61, 2**63, 2**64 - 1, 2**64 - 8, 2**64 - 4096]
        accesses = [(address, operation, width) for address in places for operation, width in (("ld", 8), ("st", 8), ("ldb", 1), ("stb", 1))
                    if width == 8 or abs(address - units) < 3 or address > 2 * units]
        programs = programs_of(bench, isa, [[*number_into("r1", address % 2**64), f"{operation} r0, r1, 0", "stop r0, r0, 0"]
                                            for address, operation, _ in accesses])
        for program, (address, operation, width) in zip(programs, accesses):
            fits = address * unit + width <= size
            status, _, errors = bench.run("run", "-i", f"{isa}.isa", program, "--memory", str(size))
            expect_equal(status, 0 if fits else 1, f"{isa}: {operation} at {address:#x}: {errors}")
    for operation in "ld", "st", "ldb", "stb":
        bench.write("own.s", f" {operation} r0, r1, 0\n stop r0, r0, 0\n")
        bench.good("asm", "-i", "mapped.isa", "own.s", "-o", "own.o")
        status, _, errors = bench.run("run", "-i", "mapped.isa", "own.o")
        expect_equal(status, 1 if operation.startswith("st") else 0, f"{operation} of its own code: {errors}")


def check_host_calls_reach_no_other_files(bench):
    """A descriptor that the command inherited and a name in memory are of no use to a program."""
    bench.reset()
    bench.write("secret", "secret")
    calls = [*range(1, 8), 99, 1000, 65535]
    with open(bench.path("secret"), "r+b", buffering=0) as secret:
        asked = [(file, address, length) for file in (0, 1, 2, 3, secret.fileno(), 100, 2**32, 2**32 + 1, 2**64 - 1)
                 for address, length in ((0x8000, 16), (0x8000, 2**64 - 1), (2**64 - 8, 16), (2**64 - 8, 2**64 - 1))]
        # One after the other, with the answers at 0xc000.
        programs = programs_of(bench, "mapped", [
            [line for place, (file, address, length) in enumerate(asked)
             for line in (*number_into("r1", file), *number_into("r2", address), *number_into("r3", length), f"host r4, r0, {call}",
                          *number_into("r1", 0xc000 + 8 * place), "st r4, r1, 0")] + ["stop r0, r0, 0"] for call in calls])
        for program, call in zip(programs, calls):
            status, output, errors = bench.run("run", "-i", "mapped.isa", program, "--memory", "64K", "--dump",
                                               f"0xc000:{8 * len(asked)}", pass_fds=[secret.fileno()])
            expect(status == 0, f"host({call}): {errors}")
            dumped = bytes.fromhex("".join(re.findall(r"[0-9a-f]{8}  ((?:[0-9a-f]{2} +){16})\|", output)))
            answers = [int.from_bytes(each, "little") for each in zip(*[iter(dumped)] * 8)]
            expect_equal(len(answers), len(asked), "answers")
            for (file, address, length), answer in zip(asked, answers):
                there = (address, length) == (0x8000, 16)
                works = call in (3, 4) or (there and (call == 1 and file == 0 or call == 2 and file in (1, 2)))
                expect_equal(answer != 2**64 - 1, works, f"host({call}, {file:#x}, {address:#x}, {length:#x})")
            expect(len(output) + len(errors) < 100_000, "more was written than there is memory")
    expect_equal(bench.read("secret"), "secret", "the file of the inherited descriptor")


def check_random_programs_stay_in_their_machine(bench):
    """Bytes of chance as programs: whatever they do, the command ends in an orderly way and no file appears."""
    bench.reset()
    chance = random.Random(1)
    for isa in "apart", "words", "mapped":
        for _ in range(40):
            with open(bench.path("try.bin"), "wb") as program:
                program.write(b"".join(chance.randrange(8).to_bytes(1, "little") + chance.randbytes(3)
                                       if chance.random() < 0.9 else chance.randbytes(4) for _ in range(200)))
            before = bench.names()
            status, _, errors = bench.run("run", "-i", f"{isa}.isa", "try.bin", "--memory", "64K", "--max-instructions", "20000")
            expect(0 <= status < 256 and "Sanitizer" not in errors, f"{isa}: status {status}, {errors}")
            expect_equal(bench.names(), before, f"{isa}: files")


# --- text of others

ESCAPE, C1, TURNED = "\x1b[31m", "\u009b31m", "\u202eevil"


def check_terminal_stays_as_it_is(bench):
    """What inputs say is shown, but commands nothing: in errors, listings, dumps, whatever is printed."""
    bench.reset()
    for evil in ESCAPE, C1, TURNED, "\x07", "\x7f":
        name = f"{evil}.s"
        bench.write(name, f' .error "Grüße {evil}"\n foo{evil} r0\n .warning "{evil}"\n')
        bench.write("evil.isa", f'isa evil "{evil}"\nbogus {evil}\n')
        bench.write("evil.txt", f"Formats {evil}\n[A] |OPCODE(07)|RA(05){evil}|IMM(20)|\n{evil} [B] |OPCODE(07)|\n")
        bench.write("label.s", f'a{evil if ord(evil[0]) > 0x7f else ""}: stop r0, r0, 0 // {evil}\n .section "x{evil}"\n .byte 1\n')
        runs = [("asm", "-i", "apart.isa", name, "-o", "x"), ("check", "evil.isa"), ("show", "evil.isa"),
                ("check", "evil.isa", "--json"), ("check", "evil.txt"), ("check", "evil.txt", "--json"),
                ("import", "evil.txt", "--name", "n", "-o", "-"), ("asm", "-i", evil, "stop.s", "-o", "x"),
                ("asm", "-i", "apart.isa", evil, "-o", f"{evil}/x"), (evil,), ("asm", f"--{evil}"), ("dis", "--format", evil),
                ("run", "-i", "apart.isa", "stop-apart.o", "--dump", evil), ("run", "-i", "apart.isa", "stop-apart.o", "--load", f"{evil}@0"),
                ("asm", "-i", "apart.isa", "label.s", "--listing", "-", "-o", "label.o"),
                ("asm", "-i", "apart.isa", "label.s", "--listing-json", "-"), ("dis", "-i", "apart.isa", "label.o"),
                ("dis", "-i", "apart.isa", "label.o", "--listing"), ("dis", "-i", "apart.isa", "label.o", "--json"),
                ("debug", "-i", "apart.isa", "stop-apart.o", "-e", f"break {evil}", "-e", f"{evil}", "-e", "quit")]
        for arguments in runs:
            if any("\x00" in argument for argument in arguments):
                continue
            _, output, errors = bench.run(*arguments)
            for control in evil[0], "\x1b":
                expect(control not in output + errors, f"{arguments}: {output + errors!r}")
        _, _, errors = bench.run("asm", "-i", "apart.isa", name, "-o", "x")
        expect("Grüße" in errors, f"letters are lost: {errors!r}")


def check_source_names_in_objects(bench):
    """The name of the source is in the debug information, where the program stops it is told."""
    bench.reset()
    name = f"{ESCAPE}x{TURNED}.s"
    bench.write(name, " ld r0, r0, 0xffff\n")
    bench.good("asm", "-i", "apart.isa", name, "-o", "x.o")
    for arguments in (("run", "-i", "apart.isa", "x.o", "--profile", "--profile-json", "-"),
                      ("debug", "-i", "apart.isa", "x.o", "-e", "list", "-e", "run", "-e", "where", "-e", "quit"),
                      ("run", "-i", "apart.isa", "x.o", "--trace", "-")):
        _, output, errors = bench.run(*arguments)
        for control in "\x1b", "\u202e":
            expect(control not in output + errors, f"{arguments}: {output + errors!r}")
    expect("\\u001b[31mx\\u202eevil.s:1" in bench.bad("run", "-i", "apart.isa", "x.o"), "the place is lost")


def become_nobody(folder):
    """From here on without special rights, and the owner of the folder."""
    if os.geteuid() != 0:
        return
    os.chown(folder, NOBODY, NOBODY)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--sanitized", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    checks = {name[6:]: value for name, value in globals().items() if name.startswith("check_")}
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        bench = Bench(os.path.abspath(options.isaforge), folder, options.sanitized)
        become_nobody(folder)
        for name in options.only or checks:
            try:
                checks[name](bench)
            except Failure as failure:
                failed += 1
                print(f"{name}: {failure}", flush=True)
    print(f"{failed} of {len(options.only or checks)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
