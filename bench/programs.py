"""Programs for GPUs under `isaforge gpu`, next to the same work done by the host in C++ with OpenMP."""
import os
import shutil
import subprocess

from measure import Failed, run, timed

HERE = os.path.dirname(os.path.abspath(__file__))
ADDED = 16 << 20   # floats in each of three arrays


def seconds_by_name(output):
    return {name: float(seconds) for name, seconds in (line.split() for line in output.decode().splitlines())}


def compiled(command, folder, source):
    program = os.path.join(folder, os.path.splitext(source)[0])
    subprocess.run([*command, os.path.join(HERE, "hip", source), "-o", program], check=True, stderr=subprocess.DEVNULL)
    return program


def measure(isaforge, folder, less, repeat):
    """With the work divided by `less`. Whether it all worked."""
    print("\nPrograms for GPUs, next to the host's own")
    if not shutil.which("hipcc"):
        print("  there is no hipcc")
        return True
    program = compiled(["hipcc", "-O2", "-std=c++17", "--offload-arch=gfx900", "-lrocrand"], folder, "programs.cpp")
    host = compiled(["g++", "-O3", "-march=native", "-fopenmp"], folder, "host_loops.cpp")
    gpu = [isaforge, "gpu", "--", program]
    try:
        first, _, _ = timed([*gpu, "first", "1"], repeat)
        ours = seconds_by_name(run([*gpu, "launch", str(less)])[1])
        for name in ("multiply", "sort", "random", "copy"):
            ours |= seconds_by_name(run([*gpu, name, str(less)])[1])
        _, printed, memory = run([*gpu, "add", str(less)])
        ours |= seconds_by_name(printed)
        theirs = seconds_by_name(run([host, str(less)])[1])
    except Failed as failure:
        print(f"  {failure}")
        return False
    print(f"  {'a program with one kernel, from start to end':48} {first * 1e3:10.1f} ms")
    print(f"  {'an empty kernel, to its end':48} {ours['launch'] * 1e6:10.1f} us")
    names = {"add": "sums of two arrays of 16 M floats", "multiply": "product of matrices, 1024 by 1024",
             "sort": "rocPRIM's radix sort of 4 M keys, and std::sort", "random": "rocRAND's Philox, 100 M floats",
             "copy": "hipMemcpy of 256 MB, and memcpy"}
    for name, text in names.items():
        mine, other = ours[name], theirs[name]
        print(f"  {text:48} {mine * 1e3:10.1f} ms  host {other * 1e3:8.1f} ms: {mine / other:5.1f} times")
    print(f"  {'memory, without the arrays of the sums':48} {(memory - 3 * ADDED * 4 // less) / 1e6:10.1f} MB")
    return True
