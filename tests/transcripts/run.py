#!/usr/bin/env python3
"""Checks that what a Markdown page shows of the command line is what happens.

    run.py --path BUILD [--update] PAGE.md ...

A ```console block holds commands behind `$ ` and what they print, standard error included; `[exit N]` below says that the
status is not 0. A command goes on in lines behind `> `. In the output, a line `…` stands for any lines and `…` inside a
line for any characters. A block whose info string has a second word that names a file, as in ```asm loop.s, is written
to that file first. The blocks of one page share an empty working directory and run in order, with the folder BUILD in
front of PATH. --update rewrites the pages with what was printed, except where what stands there matches already.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SECONDS = 60
fence = re.compile(r"^( *)(`{3,})\s*(\S*)\s*(\S*)\s*$")


class Step:
    """One command of a console block and the lines that it should print."""

    def __init__(self, lines, number):
        self.lines = lines      # as they stand on the page
        self.number = number    # of the first line
        self.expected = []

    def command(self):
        return "\n".join(line[2:] for line in self.lines)


def steps_of(lines, first_number):
    steps = []
    for offset, line in enumerate(lines):
        if line.startswith("$ "):
            steps.append(Step([line], first_number + offset))
        elif line.startswith("> ") and steps and not steps[-1].expected:
            steps[-1].lines.append(line)
        elif steps:
            steps[-1].expected.append(line)
        else:
            raise SystemExit(f"line {first_number + offset}: output before the first command")
    return steps


def matches(expected, actual):
    pattern = []
    for line in expected:
        if line == "…":
            pattern.append(r"(?:.*\n)*?")
        else:
            pattern.append(".*".join(re.escape(part) for part in line.split("…")) + r"\n")
    return re.fullmatch("".join(pattern), "".join(line + "\n" for line in actual)) is not None


def run(step, folder, environment):
    """What the command prints, as lines, with the status where it is not 0."""
    try:
        done = subprocess.run(["sh", "-c", step.command()], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return [f"[still running after {SECONDS} seconds]"]
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    return lines + ([f"[exit {done.returncode}]"] if done.returncode else [])


def blocks_of(lines):
    """Yields (kind, file name, first line, end line) of each fenced block."""
    opened = None
    for index, line in enumerate(lines):
        found = fence.match(line)
        if not found:
            continue
        if opened is None:
            opened = (found[2], found[3], found[4], index + 1)
        elif found[2].startswith(opened[0]) and not found[3]:
            yield opened[1], opened[2], opened[3], index
            opened = None


def check_page(page, folder, environment, update):
    """The number of commands, and of those that did something else than the page says."""
    with open(page, encoding="utf-8") as file:
        lines = file.read().split("\n")
    result, copied, commands, wrong = [], 0, 0, 0
    for kind, name, begin, end in blocks_of(lines):
        if kind != "console":
            if name:
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write("\n".join(lines[begin:end]) + "\n")
            continue
        result += lines[copied:begin]
        copied = end
        for step in steps_of(lines[begin:end], begin + 1):
            actual = run(step, folder, environment)
            good = matches(step.expected, actual)
            result += step.lines + (step.expected if good else actual)
            commands += 1
            if not good:
                wrong += 1
                print(f"{page}:{step.number}: {step.command()}")
                print("    expected:", *step.expected, sep="\n        ")
                print("    printed:", *actual, sep="\n        ")
    if update and wrong:
        with open(page, "w", encoding="utf-8") as file:
            file.write("\n".join(result + lines[copied:]))
    return commands, wrong


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--path", required=True, help="folder that holds the command")
    arguments.add_argument("--update", action="store_true", help="rewrite the pages")
    arguments.add_argument("pages", nargs="+")
    options = arguments.parse_args()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "LC_CTYPE", "LANG")}
    environment |= {"PATH": os.path.abspath(options.path) + os.pathsep + os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    total = failed = 0
    for page in options.pages:
        with tempfile.TemporaryDirectory() as folder:
            commands, wrong = check_page(page, folder, environment, options.update)
            total += commands
            failed += wrong
    print(f"{total} commands, {failed} not as shown")
    return 1 if failed and not options.update else 0


if __name__ == "__main__":
    sys.exit(main())
