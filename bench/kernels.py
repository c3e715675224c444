"""Compute kernels for GCN on the emulator, and the same sources as native code of this machine by PoCL, where it is installed."""
import array
import os
import random
import re
import shutil
import subprocess

from measure import rate, write_bytes

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "kernels.cl")
TARGET = ["-x", "cl", "-cl-std=CL2.0", "-target", "amdgcn--amdhsa", "-mcpu=gfx900", "-nogpulib", "-O2"]


def kernels(scale, floats, words):
    """Name, kernel, work-items, those of a group, arguments, bytes of the result, how far floats may differ."""
    side, width, bodies = max(16, 512 // scale // 16 * 16), max(64, 1024 // scale // 64 * 64), max(64, 8192 // scale // 64 * 64)
    messages, groups = max(64, 1_000_000 // scale // 64 * 64), max(1, 1024 // scale)
    return [("Mandelbrot", "mandelbrot", width * width, 64, [f"i32:{width}", f"f32:{3 / width}", "i32:255"], width * width * 4, 0),
            ("product of matrices, in local memory", "matrix", side * side, 256, [f"in:{floats}", f"in:{floats}", f"i32:{side}"],
             side * side * 4, 1e-4),
            ("bodies", "bodies", bodies, 64, [f"in:{floats}", f"i32:{bodies}"], bodies * 16, 1e-2),
            ("SHA-256", "sha256", messages, 64, ["i32:7"], messages * 32, 0),
            ("sums", "sums", groups * 256, 256, [f"in:{floats}", "i32:64"], groups * 4, 1e-3),
            ("histogram, atomic", "histogram", groups * 256, 256, [f"in:{words}", "i32:64"], 1024, 0)]


def placed(kernel, arguments, out):
    """The result is the last buffer of those that are inputs."""
    at = sum(each.startswith("in:") for each in arguments)
    return [*arguments[:at], out, *arguments[at:]]


def same(ours, theirs, distance):
    with open(ours, "rb") as one, open(theirs, "rb") as other:
        a, b = one.read(), other.read()
    if distance == 0:
        return a == b
    x, y = array.array("f", a), array.array("f", b)
    return len(x) == len(y) and all(abs(p - q) <= distance * max(1, abs(p), abs(q)) for p, q in zip(x, y))


def host(work):
    """The program that runs kernels by OpenCL; None where there is none."""
    program = os.path.join(work, "opencl_host")
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    made = subprocess.run([compiler, "-O1", os.path.join(HERE, "opencl_host.c"), "-o", program, "-lOpenCL"], capture_output=True)
    return program if made.returncode == 0 else None


def measure(isaforge, work, scale, repeat):
    """True where something failed."""
    print("\nKernels for gfx900 by clang -O2, all processors: from the launch to its end, what we compile beside it included")
    clang, linker = shutil.which("clang-14") or shutil.which("clang"), shutil.which("ld.lld-14") or shutil.which("ld.lld")
    if clang is None or linker is None:
        print("  clang or lld is not installed")
        return False
    shared = os.path.join(work, "kernels.co")
    subprocess.run([clang, *TARGET, "-c", SOURCE, "-o", shared + ".o"], check=True)
    subprocess.run([linker, "-shared", shared + ".o", "-o", shared], check=True)
    random.seed(1)
    reals = array.array("f", (random.random() for _ in range(1 << 16))) * 320
    floats = write_bytes(work, "floats.bin", reals.tobytes())
    words = write_bytes(work, "words.bin", random.randbytes(1 << 18) * 320)
    peer, failed = host(work), False
    if peer is None:
        print("  PoCL cannot be measured: no C compiler, or no OpenCL to link to")
    for name, kernel, items, group, arguments, size, distance in kernels(scale, floats, words):
        mine, other = os.path.join(work, "ours.bin"), os.path.join(work, "theirs.bin")
        command = [isaforge, "run", shared, "--kernel", kernel, "--grid", str(items), "--group", str(group), "--stats"]
        for each in placed(kernel, arguments, f"out:{size}:{mine}"):
            command += ["--arg", each]
        seconds, speed = None, 0.0
        for _ in range(min(3, repeat)):
            said = subprocess.run(command, capture_output=True, text=True)
            found = re.search(r"^(\d+) instructions of wavefronts in ([0-9.]+) s", said.stderr, re.MULTILINE)
            if said.returncode != 0 or found is None:
                seconds = None
                break
            if seconds is None or float(found[2]) < seconds:
                seconds, speed = float(found[2]), int(found[1]) / max(float(found[2]), 0.001)
        if seconds is None:
            print(f"  {name:38} {said.stderr.strip().splitlines()[0] if said.stderr else 'failed'}")
            failed = True
            continue
        line = f"  {name:38} {seconds:8.3f} s {rate(64 * speed):>12} lanes"
        if peer is not None:
            native = subprocess.run([peer, SOURCE, kernel, str(items), str(group), str(max(2, repeat)),
                                     *placed(kernel, arguments, f"out:{size}:{other}")], capture_output=True, text=True)
            if native.returncode != 0:
                line += f"   PoCL: {native.stderr.strip().splitlines()[0]}"
            else:
                line += f"   PoCL {float(native.stdout):8.3f} s: {seconds / float(native.stdout):7.1f} times its time"
                if not same(mine, other, distance):
                    line += ", and the results differ"
                    failed = True
        print(line)
    return failed
