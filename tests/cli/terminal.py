#!/usr/bin/env python3
"""What is different on a terminal: colours, and how far something has come that takes long.

    terminal.py --isaforge COMMAND
"""
import argparse
import os
import pty
import select
import subprocess
import sys
import tempfile
import time

SECONDS = 60
ESCAPE = b"\x1b["
WRONG = ["check", "nothing.isa"]        # a diagnostic
REFUSED = ["check", "--nothing"]        # a complaint
PICTURE = ["map", "wishbone-gpu"]
HELP = ["check", "--help"]

problems = []


def expect(good, what):
    if not good:
        problems.append(what)


def at_terminal(command, environment, during=None):
    """What a command says on a terminal; `during` is called with a function that waits for some text."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    said = b""

    def read(until=None):
        nonlocal said
        end = time.monotonic() + SECONDS
        while time.monotonic() < end and not (until and until in said):
            if not select.select([ours], [], [], 0.1)[0]:
                continue
            try:
                said += os.read(ours, 65536)
            except OSError:     # nobody has the other end any more
                break
        return said

    if during:
        during(read)
    read()
    process.wait(SECONDS)
    os.close(ours)
    return said


def check_colours(isaforge, environment):
    without, no_colour = environment, environment | {"NO_COLOR": "1"}
    for words in (WRONG, REFUSED, PICTURE, HELP):
        name = " ".join(words)

        def piped(*more, env=without, words=words):
            done = subprocess.run([isaforge, *words[:1], *more, *words[1:]], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, env=env, check=False)
            return done.stdout

        def shown(*more, env=without, words=words):
            return at_terminal([isaforge, *words[:1], *more, *words[1:]], env)

        expect(ESCAPE not in piped(), f"{name}: coloured in a pipe")
        expect(ESCAPE in piped("--color=always"), f"{name}: --color=always does not colour")
        expect(ESCAPE in piped("--color=always", env=no_colour), f"{name}: NO_COLOR is stronger than --color")
        expect(ESCAPE in shown(), f"{name}: not coloured on a terminal")
        expect(ESCAPE not in shown(env=no_colour), f"{name}: coloured in spite of NO_COLOR")
        expect(ESCAPE not in shown("--color=never"), f"{name}: --color=never colours")
        expect(ESCAPE in shown("--color", "auto"), f"{name}: --color=auto does not colour")


def check_progress(isaforge, environment, folder):
    """Something takes as long as nobody reads what it writes."""
    count = 20000       # more than a pipe holds

    def command(pipe):
        os.mkfifo(pipe)
        return [isaforge, "sample", "wishbone-gpu", "-n", str(count), "-o", pipe]

    # Beside it one that has no terminal, for as long.
    silent = os.path.join(folder, "silent")
    other = subprocess.Popen(command(silent), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment)
    held = open(silent, "rb")
    pipe = os.path.join(folder, "pipe")
    lines = 0

    def during(read):
        nonlocal lines
        with open(pipe, "rb") as file:
            said = read(b" s\x1b[K\r")       # the line, and the next one
            expect(b"sample: [" in said and b"of 20,000 statements" in said, f"no progress on a terminal: {said!r}")
            lines = len(file.read().splitlines())

    said = at_terminal(command(pipe), environment, during)
    expect(lines == count, f"{lines} statements instead of {count}")
    expect(said.endswith(b"\r\x1b[K"), f"progress does not erase itself: {said[-100:]!r}")
    held.read()
    held.close()
    expect(other.communicate()[1] == b"", "progress where there is no terminal")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--isaforge", required=True)
    isaforge = arguments.parse_args().isaforge
    environment = {name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"}
    check_colours(isaforge, environment)
    with tempfile.TemporaryDirectory() as folder:
        check_progress(isaforge, environment, folder)
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
