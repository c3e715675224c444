#!/usr/bin/env python3
"""Formats the C++ sources that git tracks with clang-format, or with --check only says where they differ.

It stands between us and clang-format for one reason: comments behind members are set in columns over a whole struct, and
clang-format knows columns only over neighbouring lines. So a line that would change in nothing but the blanks before its
comment stays as it is.
"""
import difflib
import re
import subprocess
import sys

before_comment = re.compile(r"(\S) +(// ?)")


def formatted(path, text):
    """The text as it should be."""
    theirs = subprocess.run(["clang-format-14", "--assume-filename", path], input=text, capture_output=True,
                            text=True, check=True).stdout.splitlines(keepends=True)
    ours = text.splitlines(keepends=True)
    same = difflib.SequenceMatcher(None, [before_comment.sub(r"\1  \2", line) for line in ours],
                                   [before_comment.sub(r"\1  \2", line) for line in theirs], autojunk=False)
    for a, b, length in same.get_matching_blocks():
        theirs[b:b + length] = ours[a:a + length]
    return "".join(theirs)


def main():
    check = "--check" in sys.argv[1:]
    listed = subprocess.run(["git", "ls-files", "-z", "*.cpp", "*.hpp"], capture_output=True, text=True, check=True)
    different = False
    for path in filter(None, listed.stdout.split("\0")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        wanted = formatted(path, text)
        if wanted == text:
            continue
        different = True
        if check:
            sys.stdout.writelines(difflib.unified_diff(text.splitlines(keepends=True), wanted.splitlines(keepends=True),
                                                       path, path + ", formatted", n=1))
        else:
            with open(path, "w", encoding="utf-8") as file:
                file.write(wanted)
            print("formatted", path)
    return 1 if check and different else 0


if __name__ == "__main__":
    sys.exit(main())
