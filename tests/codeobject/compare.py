"""Code objects of AMD's machines as isaforge writes and reads them, against LLVM's.

    compare.py --isaforge BUILD/isaforge [--isa FILE] [--count N] [--seed S] [--in-turn] [NAME …]

Each check is a function named check_*; without names all are done. Ends with 1 where something differs, and then says what and
where the input is.
"""

import argparse
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

PROCESSORS = ["gfx600", "gfx700", "gfx704", "gfx801", "gfx802", "gfx803", "gfx900", "gfx906"]
VARIANTS = {"gfx6": "gcn1.0", "gfx7": "gcn1.1", "gfx8": "gcn1.2", "gfx9": "gcn1.4"}


def variant_of(processor):
    return VARIANTS[processor[:4]]


class Failure(Exception):
    pass


class Section:
    def __init__(self, name, header, data):
        self.name, self.data = name, data
        (_, self.type, self.flags, self.address, _, self.size, self.link, self.info, self.align, self.entry) = header


class Elf:
    """A 64-bit little-endian ELF file: as much of it as the checks look at."""

    def __init__(self, path):
        data = open(path, "rb").read()
        if data[:6] != b"\x7fELF\2\1":
            raise Failure(f"{path} is no 64-bit little-endian ELF file")
        self.os_abi, self.abi_version = data[7], data[8]
        self.machine = struct.unpack_from("<H", data, 18)[0]
        self.flags = struct.unpack_from("<I", data, 48)[0]
        offset, = struct.unpack_from("<Q", data, 40)
        _, count, names = struct.unpack_from("<HHH", data, 58)
        headers = [struct.unpack_from("<IIQQQQIIQQ", data, offset + 64 * i) for i in range(count)]
        name_table = headers[names][4]
        self.sections = []
        for header in headers:
            begin = name_table + header[0]
            name = data[begin:data.index(b"\0", begin)].decode()
            content = b"" if header[1] in (0, 8) else data[header[4]:header[4] + header[5]]
            self.sections.append(Section(name, header, content))

    def data(self, name):
        return b"".join(s.data for s in self.sections if s.name == name)

    def symbols(self):
        """Name to (section's name, value, size, binding and type, visibility), without section symbols."""
        found = {}
        for table in (s for s in self.sections if s.type == 2):
            strings = self.sections[table.link].data
            for at in range(24, len(table.data), 24):
                name, info, other, index, value, size = struct.unpack_from("<IBBHQQ", table.data, at)
                if info & 15 in (3, 4):
                    continue
                text = strings[name:strings.index(b"\0", name)].decode()
                where = self.sections[index].name if index < len(self.sections) else hex(index)
                found[text] = (where, value, size, info, other & 3)
        return found

    def relocations(self, of):
        """Of the section of this name: (offset, type, symbol or section, addend), in order."""
        found = []
        table = next(s for s in self.sections if s.type == 2)
        strings = self.sections[table.link].data
        for section in (s for s in self.sections if s.type == 4 and self.sections[s.info].name == of):
            for at in range(0, len(section.data), 24):
                offset, info, addend = struct.unpack_from("<QQq", section.data, at)
                name, kind, _, index, _, _ = struct.unpack_from("<IBBHQQ", table.data, 24 * (info >> 32))
                text = self.sections[index].name if kind & 15 == 3 else strings[name:strings.index(b"\0", name)].decode()
                found.append((offset, info & 0xFFFFFFFF, text, addend))
        return sorted(found)


class Tools:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.random = random.Random(options.seed)
        self.mc, self.lld = "llvm-mc-19", "ld.lld-19"

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(text)
        return self.path(name)

    def run(self, *command):
        return subprocess.run(command, capture_output=True, text=True, errors="replace")

    def must(self, *command):
        done = self.run(*command)
        if done.returncode != 0:
            raise Failure(f"{' '.join(command)}\n{done.stderr[:2000]}")
        return done.stdout

    def isa(self, processor):
        if self.options.isa:
            return ["-i", self.options.isa, "--variant", variant_of(processor)]
        return ["-i", variant_of(processor)]

    def ours(self, source, processor, out):
        return self.run(self.options.isaforge, "asm", *self.isa(processor), "--target", processor, source, "-o", out)

    def llvm(self, source, processor, out, *more, mc=None):
        return self.run(mc or self.mc, "-triple=amdgcn-amd-amdhsa", f"-mcpu={processor}", "-filetype=obj", *more,
                        source, "-o", out)

    def disassemble(self, file, processor=None):
        return self.must(self.options.isaforge, "dis", *(self.isa(processor) if processor and self.options.isa else []),
                         file)


def error_lines(text):
    return {int(line) for line in re.findall(r"^[^\s:][^:\n]*:(\d+):\d+: error:", text, re.M)}


def must_be_equal(what, ours, theirs):
    if ours != theirs:
        raise Failure(f"{what} differs\n  ours:   {ours!r}"[:1500] + f"\n  theirs: {theirs!r}"[:1500])


# --- kernel descriptors

FLAGS = ["user_sgpr_private_segment_buffer", "user_sgpr_dispatch_ptr", "user_sgpr_queue_ptr",
         "user_sgpr_kernarg_segment_ptr", "user_sgpr_dispatch_id", "user_sgpr_flat_scratch_init",
         "user_sgpr_private_segment_size", "uses_dynamic_stack", "system_sgpr_private_segment_wavefront_offset",
         "system_sgpr_workgroup_id_x", "system_sgpr_workgroup_id_y", "system_sgpr_workgroup_id_z",
         "system_sgpr_workgroup_info", "dx10_clamp", "ieee_mode", "fp16_overflow", "exception_fp_ieee_invalid_op",
         "exception_fp_denorm_src", "exception_fp_ieee_div_zero", "exception_fp_ieee_overflow",
         "exception_fp_ieee_underflow", "exception_fp_ieee_inexact", "exception_int_div_zero", "reserve_vcc",
         "reserve_flat_scratch", "reserve_xnack_mask", "tg_split", "wavefront_size32", "memory_ordered",
         "forward_progress"]
SMALL = ["system_vgpr_workitem_id", "float_round_mode_32", "float_round_mode_16_64", "float_denorm_mode_32",
         "float_denorm_mode_16_64"]
SIZES = ["group_segment_fixed_size", "private_segment_fixed_size", "kernarg_size"]


def random_settings(rnd):
    """Directives of one kernel: most of them right, some out of range, repeated, missing or of another machine."""
    settings = [(name, rnd.randint(0, 1)) for name in FLAGS[:-7] if rnd.random() < 0.5]
    settings += [(name, rnd.randint(0, 1)) for name in FLAGS[-7:] if rnd.random() < 0.03]
    settings += [(name, rnd.randint(0, 3)) for name in SMALL if rnd.random() < 0.5]
    settings += [(name, rnd.choice([0, 1, 16, 65536, 0xFFFFFFFF, rnd.getrandbits(32)])) for name in SIZES
                 if rnd.random() < 0.5]
    if rnd.random() < 0.98:
        settings.append(("next_free_vgpr", rnd.randint(0, 256) if rnd.random() < 0.97 else rnd.randint(0, 300)))
    if rnd.random() < 0.98:
        settings.append(("next_free_sgpr", rnd.randint(0, 96) if rnd.random() < 0.8 else rnd.randint(90, 112)))
    if rnd.random() < 0.3:
        settings.append(("user_sgpr_count", rnd.randint(8, 33)))
    rnd.shuffle(settings)
    if settings and rnd.random() < 0.02:
        settings.append(rnd.choice(settings))
    if settings and rnd.random() < 0.03:
        at = rnd.randrange(len(settings))
        settings[at] = (settings[at][0], rnd.choice([-1, 2, 4, 1 << 32, 256]))
    return settings


def kernel_lines(index, settings):
    return ([f".amdhsa_kernel k{index}"] + [f"  .amdhsa_{name} {value}" for name, value in settings] +
            [".end_amdhsa_kernel"])


def source_of(kernels):
    lines = [".text"]
    lines += [f".globl k{i}\n.p2align 8\n.type k{i},@function\nk{i}: v_nop" for i in kernels]
    lines = "\n".join(lines).split("\n") + ['.section .rodata,"a",@progbits', ".p2align 6"]
    first = {}
    for index, settings in kernels.items():
        first[index] = len(lines) + 1
        lines += kernel_lines(index, settings)
    return "\n".join(lines) + "\n", first, len(lines)


def kernels_with_errors(messages, first, last):
    begins = sorted((line, index) for index, line in first.items())
    wrong = set()
    for line in error_lines(messages):
        owner = [index for begin, index in begins if begin <= line]
        if owner:
            wrong.add(owner[-1])
    return wrong


def check_descriptors(tools):
    """Random directives: the same kernels are refused, and the others have the same bytes and symbols."""
    total = refused = 0
    portion = 400  # past a thousand messages we are silent
    portions = [min(portion, tools.options.count - at) for at in range(0, tools.options.count, portion)]
    for processor, count in ((processor, count) for processor in PROCESSORS for count in portions):
        kernels = {i: random_settings(tools.random) for i in range(count)}
        text, first, last = source_of(kernels)
        source = tools.write(f"all-{processor}.s", text)
        theirs = kernels_with_errors(tools.llvm(source, processor, tools.path("x.o")).stderr, first, last)
        done = tools.ours(source, processor, tools.path("y.o"))
        ours = kernels_with_errors(done.stderr, first, last)
        if done.returncode and not ours:
            raise Failure(done.stderr[:1000])
        if ours != theirs:
            some = sorted(ours ^ theirs)[0]
            raise Failure(f"{processor}: kernel {some} is refused by {'us' if some in ours else 'LLVM'} alone\n" +
                          "\n".join(kernel_lines(some, kernels[some])))
        refused += len(theirs)
        right = {i: settings for i, settings in kernels.items() if i not in theirs}
        text, first, last = source_of(right)
        source = tools.write(f"right-{processor}.s", text)
        for run, out in ((tools.llvm, "x.o"), (tools.ours, "y.o")):
            done = run(source, processor, tools.path(out))
            if done.returncode:
                raise Failure(f"{source}: {done.stderr[:1000]}")
        a, b = Elf(tools.path("y.o")), Elf(tools.path("x.o"))
        order = list(right)
        for at in range(0, len(b.data(".rodata")), 64):
            mine, other = a.data(".rodata")[at:at + 64], b.data(".rodata")[at:at + 64]
            if mine != other:
                raise Failure(f"{processor}\n" + "\n".join(kernel_lines(order[at // 64], right[order[at // 64]])) +
                              f"\n{mine.hex()}\n{other.hex()}")
        must_be_equal("symbols", a.symbols(), b.symbols())
        must_be_equal("relocations", a.relocations(".rodata"), b.relocations(".rodata"))
        must_be_equal(".text", a.data(".text"), b.data(".text"))
        must_be_equal("e_flags", a.flags, b.flags)
        total += len(right)
        round_trip(tools, tools.path("y.o"), processor)
    print(f"descriptors: {total} equal, {refused} refused by both, {len(PROCESSORS)} processors")


def round_trip(tools, file, processor, version=None):
    """Disassembled and assembled again, by us and by LLVM, it is an equivalent object."""
    original = Elf(file)
    text = tools.disassemble(file, processor)
    source = tools.write("again.s", text)
    theirs = source
    mc, more = tools.mc, []
    if version == "3":  # LLVM 19 has forgotten it, and LLVM 14 has no directive for it
        mc, more = "llvm-mc-14", ["--amdhsa-code-object-version=3"]
        theirs = tools.write("again-llvm.s", text.replace(".amdhsa_code_object_version 3\n", ""))
    results = [("us", tools.ours(source, processor, tools.path("again.o"))),
               ("LLVM", tools.llvm(theirs, processor, tools.path("again-llvm.o"), *more, mc=mc))]
    for (who, done), out in zip(results, ("again.o", "again-llvm.o")):
        if done.returncode:
            raise Failure(f"{source} from {file} is refused by {who}:\n{done.stderr[:1000]}")
        again = Elf(tools.path(out))
        for name in (".text", ".rodata", ".note"):
            must_be_equal(f"{file}: {name} by {who}", again.data(name), original.data(name))
        for name in (".text", ".rodata"):
            must_be_equal(f"{file}: relocations of {name} by {who}", again.relocations(name), original.relocations(name))
        if who == "us":
            must_be_equal(f"{file}: flags", (again.flags, again.os_abi, again.abi_version),
                          (original.flags, original.os_abi, original.abi_version))
    return source


# --- metadata

def random_text(rnd):
    some = ["foo", "float*", "n", "yes", "1", "0x10", "1e5", "a b", "", "it's", 'say "so"', "a;b", "a//b", "-", "~",
            "true", "012", "0o7", "0b1", "inf", "nan", "_Z3foo.kd", "a: b", "#x", "é", "tab\there", "x" * 40, "x" * 300]
    return rnd.choice(some)


def yaml_scalar(rnd):
    kind = rnd.randrange(5)
    if kind == 0:
        return str(rnd.choice([0, 1, 127, 128, 255, 256, 65535, 65536, 2**32 - 1, 2**32, 2**63, 2**64 - 1,
                               rnd.getrandbits(rnd.randint(1, 64))]))
    if kind == 1:
        return str(-rnd.choice([1, 31, 32, 33, 127, 128, 129, 32768, 32769, 2**31, 2**31 + 1, 2**63]))
    if kind == 2:
        return rnd.choice(["true", "false", "0x10", "0b101", "0o17", "017", "0", "no", "Y", "On"])
    if kind == 3:
        return rnd.choice(["global_buffer", "foo.kd", "OpenCL C", "gfx803", "a-b", "x_y"])
    text = rnd.choice(["foo", "float*", "a b", "it is", "_Z3foo.kd", "x" * 40, "x" * 300, "12", "true", "yes"])
    return rnd.choice(["'{}'", '"{}"', "!str '{}'"]).format(text)


def yaml_value(rnd, indent, depth):
    """Text behind `key:` or `-`, with its line end."""
    kind = rnd.random()
    if depth > 3 or kind < 0.6:
        return " " + yaml_scalar(rnd) + "\n"
    pad = "  " * indent
    if kind < 0.8:
        keys = rnd.sample(["zeta", ".name", "alpha", ".size", "amd.x", "b", "B", "Mm"], rnd.randint(1, 5))
        return "\n" + "".join(f"{pad}{key}:{yaml_value(rnd, indent + 1, depth + 1)}" for key in keys)
    return "\n" + "".join(f"{pad}-{yaml_value(rnd, indent + 1, depth + 1)}" for _ in range(rnd.randint(1, 20)))


def random_metadata(rnd):
    keys = ["custom." + str(i) for i in range(rnd.randint(0, 5))]
    text = "---\namdhsa.version:\n  - 1\n  - 1\namdhsa.kernels:\n"
    text += "  - .name: foo\n    .symbol: foo.kd\n    .kernarg_segment_size: 8\n    .group_segment_fixed_size: 0\n"
    text += "    .private_segment_fixed_size: 0\n    .kernarg_segment_align: 8\n    .wavefront_size: 64\n"
    text += "    .sgpr_count: 8\n    .vgpr_count: 4\n    .max_flat_workgroup_size: 256\n"
    for key in keys:
        text += f"{key}:{yaml_value(rnd, 1, 0)}"
    return text + "...\n"


def check_metadata(tools):
    """Random YAML without floats, which LLVM loses: the same MessagePack; printed and read again it stays so."""
    count = max(20, tools.options.count // 20)
    for i in range(count):
        text = ".amdgpu_metadata\n" + random_metadata(tools.random) + ".end_amdgpu_metadata\n"
        source = tools.write("metadata.s", text)
        theirs = tools.llvm(source, "gfx803", tools.path("x.o"))
        ours = tools.ours(source, "gfx803", tools.path("y.o"))
        if theirs.returncode or ours.returncode:
            raise Failure(f"{source}: {theirs.stderr[:500]}{ours.stderr[:500]}\n{text}")
        must_be_equal("the note of\n" + text, Elf(tools.path("y.o")).data(".note"), Elf(tools.path("x.o")).data(".note"))
        round_trip(tools, tools.path("y.o"), "gfx803")
    print(f"metadata: {count} equal")


# --- what compilers make

KERNELS = r"""
typedef unsigned uint;
uint __attribute__((const)) id(void) { return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x(); }
__constant float table[5] = {1.0f, -2.0f, 0.25f, 3.5f, 100.0f};
__global int counter = 7;
extern __global int outside;
float __attribute__((noinline)) helper(float x, float y) { return x * y + table[(int)x & 3]; }
__kernel void scale(__global float* out, __global const float* in, float by, uint n) {
    uint i = id();
    if (i < n) out[i] = in[i] * by + table[i % 5];
}
__kernel void sums(__global int* out, __global const int* in) {
    __local int part[64];
    uint i = __builtin_amdgcn_workitem_id_x();
    part[i] = in[id()];
    for (uint step = 32; step > 0; step /= 2) {
        __builtin_amdgcn_s_barrier();
        if (i < step) part[i] += part[i + step];
    }
    if (i == 0) out[__builtin_amdgcn_workgroup_id_x()] = part[0] + counter;
}
__kernel void calls(__global float* out) { out[id()] = helper(out[0], out[1]); }
__kernel void far(__global int* out) { out[id()] = outside; }
__kernel __attribute__((reqd_work_group_size(64, 2, 1))) void wide(__global double* out, __global long* more) {
    out[id()] = out[id() + 1] / 3.0;
    more[id()] *= 12345678901L;
}
"""
COMPILED = ["gfx600", "gfx700", "gfx803", "gfx900"]
# Kernels alone: what calls needs relocations that only some of these processors' linkers keep.
LINKED = KERNELS.replace("extern __global int outside;", "__global int outside = 3;")


def compile(tools, clang, processor, *more, text=KERNELS):
    source = tools.write("kernels.cl", text)
    out = tools.path(f"{clang}-{processor}{'-'.join(more)}.{'s' if '-S' in more else 'o'}")
    done = tools.run(clang, "-x", "cl", "-target", "amdgcn-amd-amdhsa", f"-mcpu={processor}", "-nogpulib", "-cl-std=CL2.0",
                     *more,
                     source, "-o", out)
    if done.returncode:
        raise Failure(f"{clang} {processor} {more}: {done.stderr[:1000]}")
    return out


COMPILERS = ["clang-14", "clang-19"]
LEVELS = ["-O0", "-O2"]


def makers(tools):
    """Compiler, processor and level of each: all that there are, or one level for each two of the others, in turn."""
    for i, clang in enumerate(COMPILERS):
        for k, processor in enumerate(COMPILED):
            for level in LEVELS if not tools.options.in_turn else [LEVELS[(i + k) % len(LEVELS)]]:
                yield clang, processor, level


def check_compiled(tools):
    """What clang -S writes: the same sections, relocations and symbols as llvm-mc makes of it."""
    count = 0
    for clang, processor, level in makers(tools):
        source = compile(tools, clang, processor, level, "-S")
        theirs = tools.llvm(source, processor, tools.path("x.o"), mc=clang.replace("clang", "llvm-mc"))
        ours = tools.ours(source, processor, tools.path("y.o"))
        if theirs.returncode or ours.returncode:
            raise Failure(f"{source}: {theirs.stderr[:1000]}{ours.stderr[:1000]}")
        a, b = Elf(tools.path("y.o")), Elf(tools.path("x.o"))
        for name in (".text", ".rodata", ".note", ".data"):
            must_be_equal(f"{source}: {name}", a.data(name), b.data(name))
            must_be_equal(f"{source}: relocations of {name}", a.relocations(name), b.relocations(name))
        must_be_equal(f"{source}: symbols", a.symbols(), b.symbols())
        must_be_equal(f"{source}: flags", (a.flags, a.os_abi, a.abi_version), (b.flags, b.os_abi, b.abi_version))
        count += 1
    print(f"compiled: {count} sources equal")


def check_taken_apart(tools):
    """What clang -c makes, in every version of the format: our source of it makes it again, by us and by LLVM."""
    count = 0
    for clang, processor, level in makers(tools):
        for version in ("3", "4") if clang != "clang-19" else ("4", "5"):
            file = compile(tools, clang, processor, level, "-c", f"-mcode-object-version={version}")
            source = round_trip(tools, file, processor, version)
            must_know_kernels(source, 5)
            count += 1
    print(f"taken apart: {count} objects equal again")


def must_know_kernels(source, wanted):
    text = open(source).read()
    for mark, times in ((".amdhsa_kernel ", wanted), (".amdgpu_metadata", 1), (".amdgcn_target ", 1)):
        if text.count(mark) != times:
            raise Failure(f"{source}: {mark} stands there {text.count(mark)} times, not {times}")


def check_linked(tools):
    """What we assemble links, is accepted by the other tools, and what is linked can be taken apart."""
    count = 0
    for clang in COMPILERS:
        for processor in COMPILED:
            source = compile(tools, clang, processor, "-O2", "-S", text=LINKED)
            done = tools.ours(source, processor, tools.path("y.o"))
            if done.returncode:
                raise Failure(f"{source}: {done.stderr[:1000]}")
            must_link(tools, "y.o", "y.co")
            tools.must("llvm-readelf-19", "--notes", tools.path("y.co"))
            tools.must("llvm-objdump-19", "-h", "-t", tools.path("y.co"))
            text = tools.disassemble(tools.path("y.co"), processor)
            again = tools.write("linked.s", text)
            must_know_kernels(again, 5)
            # What a linker puts into a literal may have a shorter way to be written, which LLVM takes.
            for who in (tools.ours,):
                done = who(again, processor, tools.path("z.o"))
                if done.returncode:
                    raise Failure(f"{again}: {done.stderr[:1000]}")
                for name in (".text", ".note"):
                    must_be_equal(f"{again}: {name}", Elf(tools.path("z.o")).data(name),
                                  Elf(tools.path("y.co")).data(name))
            count += 1
    print(f"linked: {count} code objects")


def must_link(tools, what, out):
    tools.must(tools.lld, "-shared", tools.path(what), "-o", tools.path(out))


def check_version_2(tools):
    """The old format, and Mesa's: headers before the code and notes of version 2 are read and written."""
    count = 0
    for processor in COMPILED[1:]:
        file = compile(tools, "clang-14", processor, "-O2", "-c", "-mcode-object-version=2")
        source = tools.write("again.s", tools.disassemble(file, processor))
        if open(source).read().count(".amd_kernel_code_t") != 5:
            raise Failure(f"{source}: five kernels have a header each")
        original = Elf(file)
        results = [("us", tools.ours(source, processor, tools.path("again.o"))),
                   ("LLVM", tools.llvm(source, processor, tools.path("again.o"), "--amdhsa-code-object-version=2",
                                       mc="llvm-mc-14"))]
        for who, done in results:
            if done.returncode:
                raise Failure(f"{source} from {file} is refused by {who}:\n{done.stderr[:1000]}")
        tools.ours(source, processor, tools.path("again.o"))
        again = Elf(tools.path("again.o"))
        for name in (".text", ".rodata", ".note"):
            must_be_equal(f"{file}: {name}", again.data(name), original.data(name))
        # The labels that a disassembly makes are additional ones.
        must_be_equal(f"{file}: symbols", {k: again.symbols().get(k) for k in original.symbols()}, original.symbols())
        count += 1
    print(f"version 2: {count} objects equal again")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--isa", help="an .isa file instead of the built-in description")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--in-turn", action="store_true", help="not every level for every compiler and processor")
    parser.add_argument("--keep", action="store_true", help="leave the files where they are")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    checks = {name[6:]: check for name, check in globals().items() if name.startswith("check_")}
    folder = tempfile.mkdtemp(prefix="codeobject-")
    status = 0
    for name in options.names or checks:
        try:
            checks[name](Tools(options, folder))
        except Failure as failure:
            print(f"{name}: {failure}\nfiles: {folder}")
            status = 1
    if status == 0 and not options.keep:
        shutil.rmtree(folder)
    return status


if __name__ == "__main__":
    sys.exit(main())
