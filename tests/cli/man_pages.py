#!/usr/bin/env python3
"""The manual pages of all commands: without a complaint from man and mandoc, with each option that the help has.

    man_pages.py --isaforge COMMAND
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

option = re.compile(r"^  (-[^ ]*)", re.MULTILINE)
listed = re.compile(r"^  ([a-z]+) {2,}", re.MULTILINE)


def said(*command):
    environment = os.environ | {"LC_ALL": "C.UTF-8", "MANWIDTH": "100", "MAN_KEEP_FORMATTING": ""}
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, check=False)
    return done.stdout, done.stderr


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--isaforge", required=True)
    isaforge = arguments.parse_args().isaforge
    problems = []
    commands = listed.findall(said(isaforge, "--help")[0])
    with tempfile.TemporaryDirectory() as folder:
        said(isaforge, "help", "--man-pages", folder)
        wanted = {"isaforge.1"} | {f"isaforge-{command}.1" for command in commands}
        if set(os.listdir(folder)) != wanted or len(wanted) < 15:
            problems.append(f"pages of other commands than the help lists: {sorted(set(os.listdir(folder)) ^ wanted)}")
        for name in sorted(os.listdir(folder)):
            path = os.path.join(folder, name)
            text, complaints = said("man", "--warnings", "--nj", "--nh", "-l", path)
            text = re.sub(".\b", "", text)
            complaints += said("mandoc", "-T", "lint", "-W", "warning", path)[0]
            if complaints:
                problems.append(f"{name}: {complaints}")
            command = name.removesuffix(".1").removeprefix("isaforge").removeprefix("-")
            help_text = said(isaforge, *filter(None, [command]), "--help")[0]
            names = [one.split("{")[0] for found in option.findall(help_text) for one in found.split(",")]
            missing = [one for one in names if not re.search(rf"(^|[\s,]){re.escape(one)}(?![\w-])", text)]
            if missing or not names:
                problems.append(f"{name}: of {names} there are no {missing}")
            if command and "NAME" not in text:
                problems.append(f"{name}: there is no text: {text[:200]!r}")
    for problem in problems:
        print(problem)
    print(f"{len(commands) + 1} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
