#!/usr/bin/env python3
"""Measures the built command on this machine, next to the peers that are installed, in one run.

    bench/run.py BUILD [--lines N] [--turns N] [--repeat N]

Every figure is the best of several whole-process runs, so it counts start-up, reading and writing; the last table is
taken inside one process by BUILD/bench/bench_codec and says what the parts could do alone. Peers do the same work on the
same lines, and their bytes are compared with ours.
"""
import argparse
import json
import os
import platform
import re
import sys

import emulate as fabrisc
import gcn
import kernels
import programs
import text
from generate import LOOP
from measure import Failed, Table, rate, timed, write

HERE = os.path.dirname(os.path.abspath(__file__))


def describe_machine():
    model = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            model = re.search(r"model name\s*: (.*)", file.read())[1]
    except (OSError, TypeError):
        pass
    return f"{model}, {os.cpu_count()} processors"


def emulate(isaforge, work, options):
    instructions = 9 * options.turns
    table = Table(f"Emulating {instructions / 1e6:.0f} million instructions")
    source = write(work, "loop.s", LOOP.replace("{turns}", str(options.turns)))
    program = os.path.join(work, "loop.o")
    timed([isaforge, "asm", "-i", "wishbone-gpu", source, "-o", program], 1)
    table.add("isaforge, interpreter", instructions, [isaforge, "run", "-i", "wishbone-gpu", program],
              min(3, options.repeat))
    return not table.failed


LINES = {
    "wishbone-gpu": "fadd r1, r2, r3;",
    "fabrisc-2022-05-15": "ADD.32: $S0, $S1, $S2;",
    "gcn1.0": "v_add_f32 v1, v2, v3",
    "gcn1.2": "v_add_f32 v1, v2, v3",
    "gcn1.4": "v_add_f32 v1, v2, v3",
}


def start_up(isaforge, options):
    """Built-in descriptions, and one that is the reader's own: read, and taken from what was kept."""
    print("\nOne line, from start to finish")
    repeat = 20 * options.repeat

    def show(name, command):
        seconds, _, _ = timed(command, repeat)
        print(f"  {name:38} {seconds * 1e3:23.2f} ms")

    for name, line in LINES.items():
        show(f"isaforge asm --line, {name}", [isaforge, "asm", "-i", name, "--line", line])
    own = os.path.join(HERE, os.pardir, "isas", "gcn", "gcn.isa")
    for how, extra in (("read", ["--no-cache"]), ("kept", [])):
        show(f"… a file with gcn1.2, {how}",
             [isaforge, "asm", "-i", own, "--variant", "gcn1.2", "--line", LINES["gcn1.2"]] + extra)
    show("a program that does nothing", ["true"])


def inside_one_process(build, seconds):
    print("\nInside one process")
    for name in ("bench_codec", "bench_allocate"):
        program = os.path.join(build, "bench", name)
        if not os.path.exists(program):
            print("  Google Benchmark is not installed, so nothing is measured here.")
            return
        _, output, _ = timed([program, "--benchmark_format=json", f"--benchmark_min_time={seconds}"], 1)
        for result in json.loads(output)["benchmarks"]:
            speed = result.get("items_per_second")
            to_ms = {"ns": 1e-6, "us": 1e-3, "ms": 1.0, "s": 1e3}[result["time_unit"]]
            shown = f"{rate(speed):>12}" if speed else f"{result['real_time'] * to_ms:23.3f} ms"
            print(f"  {result['name']:38} {shown}")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("build", help="folder that holds the built command")
    arguments.add_argument("--lines", type=int, default=500_000)
    arguments.add_argument("--turns", type=int, default=8_000_000, help="of the emulated loop, nine instructions each")
    arguments.add_argument("--repeat", type=int, default=5)
    arguments.add_argument("--alone", action="store_true", help="without what needs a compiler for RISC-V, or programs for GPUs")
    options = arguments.parse_args()
    isaforge = os.path.abspath(os.path.join(options.build, "isaforge"))
    work = os.path.join(options.build, "bench", "work")
    os.makedirs(work, exist_ok=True)
    os.environ["ISAFORGE_CACHE"] = os.path.join(work, "kept")
    print(describe_machine())
    try:
        good = gcn.measure(isaforge, work, options)
        good = good and text.measure(isaforge, work, options) and emulate(isaforge, work, options)
        good = not kernels.measure(options.build, work, max(1, 500_000 // options.lines), options.repeat) and good
        if not options.alone:  # compiling them takes longer than a test of this program may
            good = programs.measure(isaforge, work, max(1, min(16, 500_000 // options.lines)), options.repeat) and good
        good = good and fabrisc.measure(isaforge, work, options)
        start_up(isaforge, options)
        inside_one_process(options.build, 0.3 if options.repeat > 1 else 0.05)
    except Failed as failure:
        print(failure)
        good = False
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
