"""Compute kernels for GCN on the emulator, the same sources as native code of this machine by PoCL, and interpreted by Oclgrind,
where those are installed."""
import array
import dataclasses
import math
import os
import random
import shutil
import subprocess

from measure import rate, write, write_bytes

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kernels.cl")
TARGET = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn--amdhsa", "-mcpu=gfx900", "-nogpulib", "-O2"]
GROUP = 256


@dataclasses.dataclass
class Work:
    name: str
    lines: list          # of the script that both hosts read; the result is saved to {result}
    size: float          # by which the work of the same kernel grows
    distance: float = 0  # by which floats of the result may differ


def rounded(number, unit):
    return max(unit, int(number) // unit * unit)


def works(scale, inputs):
    """The kernels, with their work divided by `scale`, about."""
    return [mandelbrot(scale), matrix(scale, inputs), bodies(scale, inputs), sha256(scale), radix_sort(scale, inputs), sums(scale, inputs),
            fourier(scale, inputs), histogram(scale, inputs)]


def mandelbrot(scale):
    width = rounded(1024 / math.sqrt(scale), 64)
    return Work(f"Mandelbrot, {width} by {width} points, 255 steps",
                [f"buffer out {width * width * 4}", f"run mandelbrot {width * width} 64 out u32:{width} f32:{3 / width} u32:255"], width ** 2)


def matrix(scale, inputs):
    side = rounded(1024 / scale ** (1 / 3), 16)
    return Work(f"product of matrices, {side} by {side}",
                [f"buffer a {side * side * 4} {inputs['floats']}", f"buffer b {side * side * 4} {inputs['floats']}", f"buffer out {side * side * 4}",
                 f"run matrix {side * side} {GROUP} a b out u32:{side}"], side ** 3, 1e-4)


def bodies(scale, inputs):
    count = rounded(8192 / math.sqrt(scale), 64)
    return Work(f"bodies, {count}",
                [f"buffer p {count * 16} {inputs['floats']}", f"buffer out {count * 16}", f"run bodies {count} 64 p out u32:{count}"], count ** 2, 1e-2)


def sha256(scale):
    count = rounded(1 << 20, 64) if scale == 1 else rounded((1 << 20) / scale, 64)
    return Work(f"SHA-256 of {count} messages", [f"buffer out {count * 32}", f"run sha256 {count} 64 out u32:7"], count)


def radix_sort(scale, inputs):
    groups = rounded(1024 / scale, 16)
    count = groups * GROUP * 16
    lines = [f"buffer out {count * 4} {inputs['words']}", f"buffer other {count * 4}", f"buffer counts {groups * 64}"]
    for number in range(8):
        one, two = ("out", "other") if number % 2 == 0 else ("other", "out")
        lines += [f"run count_digits {groups * GROUP} {GROUP} {one} counts u32:{4 * number} u32:{groups}",
                  f"run sum_counts {GROUP} {GROUP} counts u32:{groups * 16}",
                  f"run move_keys {groups * GROUP} {GROUP} {one} {two} counts u32:{4 * number} u32:{groups}"]
    return Work(f"radix sort of {count} keys", lines, count)


def sums(scale, inputs):
    groups = rounded(4096 / scale, 1)
    count = groups * GROUP * 64
    return Work(f"sums of {count} floats",
                [f"buffer in {count * 4} {inputs['floats']}", f"buffer out {groups * 4}", f"run sums {groups * GROUP} {GROUP} in out u32:64"],
                count, 1e-3)


def fourier(scale, inputs):
    points = 4 ** round(math.log(max(1024, (1 << 20) / scale), 4))
    turns = array.array("f", (part for k in range(points) for part in (math.cos(2 * math.pi * k / points), -math.sin(2 * math.pi * k / points))))
    path = write_bytes(inputs["folder"], f"turns{points}.bin", turns.tobytes())
    lines = [f"buffer turns {points * 8} {path}", f"buffer out {points * 8} {inputs['floats']}", f"buffer other {points * 8}"]
    done, passes = 1, 0
    while done < points:
        one, two = ("out", "other") if passes % 2 == 0 else ("other", "out")
        lines.append(f"run fourier {points // 4} {GROUP} {one} {two} turns u32:{points} u32:{done}")
        done, passes = done * 4, passes + 1
    if passes % 2 == 1:
        lines = [line.replace(" out ", " swapped ").replace(" other ", " out ").replace(" swapped ", " other ") for line in lines]
    return Work(f"Fourier transform of {points} points", lines, points * passes, 1e-2)


def histogram(scale, inputs):
    groups = rounded(1024 / scale, 1)
    count = groups * GROUP * 64
    return Work(f"histogram of {count} words, atomic",
                [f"buffer in {count * 4} {inputs['words']}", "buffer out 1024", f"run histogram {groups * GROUP} {GROUP} in out u32:64"], count)


def make_inputs(folder, scale):
    random.seed(1)
    repeats = max(1, 1024 // scale)
    reals = array.array("f", (random.random() for _ in range(1 << 16)))
    return {"folder": folder, "floats": write_bytes(folder, "floats.bin", reals.tobytes() * repeats),
            "words": write_bytes(folder, "words.bin", random.randbytes(1 << 22) * max(1, 16 // scale))}


def same(ours, theirs, distance):
    with open(ours, "rb") as one, open(theirs, "rb") as other:
        a, b = one.read(), other.read()
    if distance == 0:
        return a == b
    x, y = array.array("f", a), array.array("f", b)
    return len(x) == len(y) and all(abs(p - q) <= distance * max(1, abs(p), abs(q)) for p, q in zip(x, y))


def host(folder):
    """The program that runs scripts by OpenCL; None where there is none."""
    program = os.path.join(folder, "opencl_host")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    made = subprocess.run([compiler, "-O1", os.path.join(HERE, "opencl_host.c"), "-o", program, "-lOpenCL"], capture_output=True)
    return program if made.returncode == 0 else None


def script_of(work, folder, result):
    return write(folder, "script", "\n".join([*work.lines, f"save out {result}", ""]))


def seconds_of(command):
    """The numbers that a host prints, and what went wrong."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or ["failed"])[0]
    return [float(word) for word in done.stdout.split()], ""


def measure(build, folder, scale, repeat):
    """True where something failed."""
    print("\nKernels for gfx900 by clang -O2, all processors, from the first launch to the end of the last: the first time, with what is\n"
          "compiled beside it, and again. Oclgrind has less to do, and runs with checks too; their times are multiplied")
    clang, linker = shutil.which("clang-14") or shutil.which("clang"), shutil.which("ld.lld-14") or shutil.which("ld.lld")
    if clang is None or linker is None:
        print("  clang or lld is not installed")
        return False
    shared = os.path.join(folder, "kernels.co")
    subprocess.run([clang, *TARGET, "-c", SOURCE, "-o", shared + ".o"], check=True)
    subprocess.run([linker, "-shared", shared + ".o", "-o", shared], check=True)
    inputs, peer, failed = make_inputs(folder, scale), host(folder), False
    if peer is None:
        print("  PoCL and Oclgrind cannot be measured: no C compiler, or no OpenCL to link to")
    has_oclgrind = peer is not None and shutil.which("oclgrind") is not None and scale < 64
    small, medium = (works(scale * 256, inputs), works(scale * 16, inputs)) if has_oclgrind else ([], [])
    for number, work in enumerate(works(scale, inputs)):
        mine, other = os.path.join(folder, "ours.bin"), os.path.join(folder, "theirs.bin")
        ours = [os.path.join(build, "bench", "bench_device"), shared]
        times, problem = seconds_of([*ours, script_of(work, folder, mine), str(max(2, repeat)), "auto"])
        if times is None:
            print(f"  {work.name:44} {problem}")
            failed = True
            continue
        first, again, instructions = times
        line = f"  {work.name:44} {first:8.3f} s, again {again:8.3f} s {rate(64 * instructions / max(again, 1e-6)):>12} lanes"
        if peer is not None:
            native, problem = seconds_of([peer, SOURCE, script_of(work, folder, other), str(max(2, repeat))])
            if native is None:
                line += f"   PoCL: {problem}"
            else:
                line += f"   PoCL {native[0]:8.3f} s: {first / native[0]:6.1f} and {again / native[0]:6.1f} times its time"
                if not same(mine, other, work.distance):
                    line += ", and the results differ"
                    failed = True
        if small:
            less = small[number]
            theirs, problem = seconds_of(["oclgrind", peer, SOURCE, script_of(less, folder, other), "1"])
            if theirs is None:
                line += f"   Oclgrind: {problem}"
            else:
                whole = theirs[0] * work.size / less.size
                line += f"   Oclgrind {whole:8.1f} s: {whole / first:6.0f} and {whole / again:6.0f} times as long"
                some = medium[number]
                checked, problem = seconds_of([*ours, script_of(some, folder, mine), "1", "checked"])
                if checked is None:
                    line += f"   with checks: {problem}"
                else:
                    watched = checked[0] * work.size / some.size
                    line += f"   with all checks {watched:8.1f} s, {whole / watched:6.0f}"
        print(line, flush=True)
    return failed
