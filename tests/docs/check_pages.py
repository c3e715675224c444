#!/usr/bin/env python3
"""Checks that what the documentation shows is true.

    check_pages.py --build BUILD --root REPOSITORY [--update] PAGE.md ...

What a fenced block is follows from its info string:

    sh          commands, run in a temporary copy of examples/ with BUILD in front of PATH; blocks of a page run in order
                and keep the working directory. A `text` block right behind it is the expected output, standard error
                included. `sh fails` says that the last command's status is not 0.
    isa         a description, or a piece of one, which has to load and check without an error. An HTML comment right
                before it, `<!-- rest` … `-->`, holds what completes the piece; where no line begins with `isa `, `isa
                sample` is added.
    isa wrong   the same with a defect; the `text` block right behind it holds the exact diagnostics, counted from the
                block's first line, under the name machine.isa.
    isa file=F  lines of the file F below examples/, as they stand there
    asm file=F  likewise
    asm         statements of the WISHBONE GPU that have to assemble

In expected output a line `…` stands for any lines, `…` inside a line for any characters. Other blocks are not looked at.
--update rewrites the `text` blocks with what was said.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

SECONDS = 120


class Block:
    def __init__(self, info, number):
        self.words = info.split()
        self.number = number        # of the fence, from 1
        self.lines = []
        self.rest = []              # of the comment before it
        self.answer = None          # the text block behind it

    kind = property(lambda self: self.words[0] if self.words else "")

    def file(self):
        return next((word[5:] for word in self.words if word.startswith("file=")), None)


def blocks_of(lines):
    blocks, rest, block, comment = [], [], None, None
    for number, line in enumerate(lines, 1):
        if block is not None:
            if line.startswith("```"):
                blocks.append(block)
                block = None
            else:
                block.lines.append(line)
        elif comment is not None:
            if line.strip() == "-->":
                rest, comment = comment, None
            else:
                comment.append(line)
        elif line.strip() == "<!-- rest":
            comment = []
        elif line.startswith("```"):
            block = Block(line[3:], number)
            block.rest, rest = rest, []
    for before, behind in zip(blocks, blocks[1:]):
        if behind.kind == "text" and before.kind in ("sh", "isa"):
            before.answer = behind
    return blocks


def matches(expected, actual):
    pattern = "".join(r"(?:.*\n)*?" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
                      for line in expected)
    return re.fullmatch(pattern, "".join(line + "\n" for line in actual)) is not None


class Page:
    def __init__(self, path, options):
        self.path, self.options = path, options
        with open(path, encoding="utf-8") as file:
            self.lines = file.read().split("\n")
        self.failures = []
        self.changes = []           # text blocks and their new lines

    def fail(self, block, message, details=()):
        self.failures.append(f"{self.path}:{block.number}: {message}" + "".join(f"\n    {line}" for line in details))

    def compare(self, block, actual):
        if block.answer is None or matches(block.answer.lines, actual):
            return
        if self.options.update:
            self.changes.append((block.answer, actual))
            return
        details = ["expected:"] + ["  " + line for line in block.answer.lines]
        self.fail(block.answer, "the output is another", details + ["printed:"] + ["  " + line for line in actual])

    def run(self, command, folder, given=None):
        environment = dict(os.environ, LC_ALL="C.UTF-8")
        environment["PATH"] = os.path.abspath(self.options.build) + os.pathsep + environment["PATH"]
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, timeout=SECONDS, input=given,
                              stdin=None if given is not None else subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
        return done.returncode, done.stdout.rstrip("\n").split("\n") if done.stdout.strip("\n") else []

    def check_commands(self, block):
        where = os.path.join(self.top, ".where")
        command = "\n".join(["set -e", f"trap 'pwd > {where}' EXIT"] + block.lines)
        status, output = self.run(command, self.folder)
        with open(where, encoding="utf-8") as file:
            self.folder = file.read().strip()
        if (status != 0) != ("fails" in block.words):
            self.fail(block, f"the commands ended with status {status}", output)
        self.compare(block, output)

    def check_description(self, block):
        text = block.lines + block.rest
        if not any(line.startswith("isa ") for line in text):
            text = text + ["isa sample"]
        with open(os.path.join(self.top, "machine.isa"), "w", encoding="utf-8") as file:
            file.write("\n".join(text) + "\n")
        _, output = self.run("isaforge check machine.isa", self.top)
        wrong = "wrong" in block.words
        output = [line for line in output if not re.fullmatch(r"machine\.isa: \d+ defects?", line)]
        if not wrong and any(": error: " in line for line in output):
            self.fail(block, "this has an error", output)
        if wrong and not any(re.search(r": (error|warning): ", line) for line in output):
            self.fail(block, "nothing is found wrong here")
        if wrong:
            self.compare(block, output)

    def check_quotation(self, block):
        path = os.path.join(self.options.root, "examples", block.file())
        with open(path, encoding="utf-8") as file:
            text = "\n" + file.read()
        if "\n" + "\n".join(block.lines) + "\n" not in text:
            self.fail(block, f"this is not what {path} holds")

    def check_statements(self, block):
        status, output = self.run("isaforge asm -i wishbone-gpu - --listing /dev/null", self.top,
                                  "\n".join(block.lines) + "\n")
        if status != 0:
            self.fail(block, "this does not assemble", output)

    def check(self):
        with tempfile.TemporaryDirectory() as top:
            self.top = os.path.realpath(top)
            self.folder = os.path.join(self.top, "repository")
            os.mkdir(self.folder)
            shutil.copytree(os.path.join(self.options.root, "examples"), os.path.join(self.folder, "examples"))
            for block in blocks_of(self.lines):
                if block.file():
                    self.check_quotation(block)
                elif block.kind == "sh":
                    self.check_commands(block)
                elif block.kind == "isa":
                    self.check_description(block)
                elif block.kind == "asm":
                    self.check_statements(block)
        for block, lines in sorted(self.changes, key=lambda change: -change[0].number):
            self.lines[block.number:block.number + len(block.lines)] = lines
        if self.changes:
            with open(self.path, "w", encoding="utf-8") as file:
                file.write("\n".join(self.lines))
        return self.failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("pages", nargs="+")
    options = parser.parse_args()
    failures = [failure for page in options.pages for failure in Page(page, options).check()]
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
