#!/usr/bin/env python3
"""Handlers jump to the next one: where the compiler has made a call of it, each operation takes room on the stack until a
hart's turn ends, and a loop that waits for another hart takes all of it.

    tail_calls.py OBJECT_FOLDER

Looks at the machine code of the handlers. An operation's handler is a few bytes behind `op`; other calls by an address are of
members of the core, which are far behind its beginning, and of what KNOWN names.
"""
import pathlib
import re
import subprocess
import sys

FAR = 0x1000
KNOWN = {"execute": "the first operation", "handlers::end_modes": "what is told that modes have changed"}  # one each
FUNCTION = re.compile(r"^[0-9a-f]+ <(?:void )?(?:isaforge::machine::)?(.*?)\(isaforge::machine::(?:MicroOp const\*|Core&)")
CALL = re.compile(r"\tcallq?\s+\*(.*)")


def calls(listing):
    """Each function, and what it calls by an address."""
    function = ""
    for line in listing.splitlines():
        if line.endswith(">:"):
            found = FUNCTION.match(line.replace("(anonymous namespace)::", ""))
            function = found.group(1) if found else ""
        elif function:
            found = CALL.search(line)
            yield function, found.group(1).strip() if found else None


def main():
    objects = sorted(pathlib.Path(sys.argv[1]).rglob("*_handlers.cpp.o"))
    seen, wrong, known = set(), [], {name: 0 for name in KNOWN}
    for each in objects:
        listing = subprocess.run(["objdump", "-dC", "--no-show-raw-insn", str(each)], capture_output=True, text=True,
                                 check=True).stdout
        for function, target in calls(listing):
            seen.add((each.name, function))
            if target is None:
                continue
            distance = re.match(r"0x([0-9a-f]+)\(", target)
            if distance and int(distance.group(1), 16) >= FAR:
                continue
            if function in known and known[function] == 0:
                known[function] += 1
                continue
            wrong.append(f"{each.name}: {function} calls {target}")
    for line in wrong:
        print(line)
    if len(objects) < 6 or len(seen) < 500:
        print(f"only {len(seen)} handlers in {len(objects)} objects of {sys.argv[1]}")
        wrong.append("")
    print(f"{len(seen)} passed, {len(wrong)} failed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
