#!/usr/bin/env python3
"""Runs the Python of Markdown pages, as doctests.

    pages.py --module FOLDER PAGE.md ...

What stands in ```python blocks is typed into one interpreter for each page, in an empty folder. A block whose info string has
a second word that names a file is written to that file first. `…` in an answer stands for anything.
"""
import argparse
import doctest
import os
import re
import sys
import tempfile

fence = re.compile(r"^```\s*(\S*)\s*(\S*)\s*$")


class Checker(doctest.OutputChecker):
    """`…` is what doctest writes as `...`."""

    def check_output(self, want, got, optionflags):
        return super().check_output(want.replace("…", "..."), got, optionflags)


def python_of(text):
    """The page with all but its Python left out, line by line; and the files that it shows."""
    kept, files, kind, name = [], {}, None, ""
    for line in text.split("\n"):
        found = fence.match(line)
        if found and kind is None:
            kind, name = found[1] or "text", found[2]
            if name:
                files[name] = []
            kept.append("")
        elif found:
            kind, name = None, ""
            kept.append("")
        else:
            kept.append(line if kind == "python" else "")
            if name:
                files[name].append(line)
    return "\n".join(kept), {name: "\n".join(lines) + "\n" for name, lines in files.items()}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--module", required=True, help="folder that holds the package")
    arguments.add_argument("pages", nargs="+")
    options = arguments.parse_args()
    sys.path.insert(0, os.path.abspath(options.module))
    failed = tried = 0
    for page in options.pages:
        page = os.path.abspath(page)
        with open(page, encoding="utf-8") as file:
            text, files = python_of(file.read())
        test = doctest.DocTestParser().get_doctest(text, {"__name__": "__main__"}, os.path.basename(page), page, 0)
        runner = doctest.DocTestRunner(checker=Checker(), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(content)
            os.chdir(folder)
            found = runner.run(test)
            os.chdir("/")
        failed += found.failed
        tried += found.attempted
    print(f"{tried} commands, {failed} not as shown")
    return 1 if failed or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
