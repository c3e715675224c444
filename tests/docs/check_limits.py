#!/usr/bin/env python3
"""Checks that the limits that a page states are those that the sources have.

    check_limits.py --root REPOSITORY PAGE.md ...

In a table whose last heading is `limit`, each row's last cell is a number and a comment that says where it comes from:

    | terms of a sum | 1,000 <!-- src/language/parser.cpp most_terms --> |

The number may have commas, a unit behind it (KiB, MiB, GiB, bytes, or any other word, which counts as 1) or be a power, as
2^40. A row without such a comment is a failure, and so is a constant that its file does not have exactly once.
"""
import argparse
import pathlib
import re
import sys

UNITS = {"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}
SOURCE = re.compile(r"<!-- (\S+) (\S+) -->")


def constant(path, name):
    """The value of the one constant of this name in a source file; what is wrong, as a text, where there is not one."""
    try:
        text = path.read_text()
    except OSError as error:
        return str(error)
    text = re.sub(r"std::\w+\{(\w+)\}", r"\1", text)  # std::uint64_t{1} << 30
    values = set()
    for expression in re.findall(rf"\b{re.escape(name)} *= *([^;,]+)[;,]", text):
        plain = expression.strip().replace("'", "")
        plain = re.sub(r"\b(0x[0-9a-fA-F]+|\d+)[uUlL]+\b", r"\1", plain)
        if not re.fullmatch(r"[\s\dxa-fA-F<*+()-]+", plain):
            continue
        values.add(eval(plain))  # numbers and operators alone
    if len(values) != 1:
        return f"{path.name} has {len(values)} values of {name}"
    return values.pop()


def stated(cell):
    """The number that a cell begins with; None where it does not."""
    match = re.match(r"([\d,]+)(?:\^(\d+))? *(\w*)", cell)
    if not match or not match[1].strip(","):
        return None
    number = int(match[1].replace(",", ""))
    return (number ** int(match[2]) if match[2] else number) * UNITS.get(match[3], 1)


def check(page, root):
    rows, failures, in_table = 0, [], False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if not line.startswith("|"):
            in_table = False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[-1] == "limit":
            in_table = True
        elif in_table and not set(cells[-1]) <= set("-: "):
            rows += 1
            source = SOURCE.search(cells[-1])
            value = constant(root / source[1], source[2]) if source else "no comment says where the limit comes from"
            if value != stated(cells[-1]):
                failures.append(f"{page}:{number}: {cells[0]}: the page says {stated(cells[-1])}, the source: {value}")
    if rows == 0:
        failures.append(f"{page}: no table of limits")
    return failures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("pages", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    failures = [failure for page in arguments.pages for failure in check(page, arguments.root)]
    print("\n".join(failures) if failures else "all limits are as stated")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
