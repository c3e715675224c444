#!/usr/bin/env python3
"""What opcodes cost, as the allocator counts it and as synthesis says: three revisions of FabRISC, each with its opcodes taken
out and given again in three ways.

    opcodes.py --isaforge FILE --root FOLDER [--shuffles N]

`cheapest` is the allocator's choice within the ranges of the author's notes; `pools` lays his formats into these ranges one
after the other, from the bottom, as one does by hand; `rows` gives each row the first opcode that is free. With --shuffles
the formats of the ranges also come in N other orders, for more points. Yosys makes LUTs of the decoders for lengths and for
formats. The last lines say how well costs and LUTs go together: of all pairs of assignments of one revision that differ in
both, how many stand in the same order.
"""
import argparse
import itertools
import json
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

OPCODES = {"OPCODE", "LONG", "EXT"}
REVISIONS = ["2022-03-18", "2022-05-02", "2022-05-15"]


def without_opcodes(text):
    """The description with `auto` for each number in a column of opcodes."""
    out, columns = [], []
    for line in text.split("\n"):
        if line.startswith("instructions "):
            brackets = re.search(r"\[([^]]*)\]", line)
            columns = [name.strip() for name in brackets.group(1).split(",")] if brackets else []
        elif line.startswith("}"):
            columns = []
        elif columns and re.match(r"    \d", line):
            rest = line.strip()
            cells = []
            for column in columns:
                word, _, rest = rest.partition(" ")
                cells.append("auto" if column in OPCODES else word)
                rest = rest.lstrip()
            line = "    " + " ".join(cells) + " " + rest
        out.append(line)
    return "\n".join(out)


def shuffled(text, dice):
    """The formats of each range in another order, which `pools` heeds."""
    def reordered(found):
        names = found.group(2).split(", ")
        dice.shuffle(names)
        return found.group(1) + ", ".join(names)
    return re.sub(r"(pool .* for )([A-Z][^ ,]*(?:, [A-Z][^ ,]*)*)", reordered, text)


def run(command, folder):
    return subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True).stdout


def measure(isaforge, folder, source, order):
    figures = json.loads(run([isaforge, "allocate", source, "--order", order, "--json", "-o", "numbered.isa"], folder))
    figures = figures[{"cheapest": "chosen", "pools": "in_order_of_pools", "rows": "first_fit"}[order]]
    for part in ("length", "format"):
        lines = run([isaforge, "hardware", "numbered.isa", f"--report={part}"], folder).split("\n")
        figures[f"{part}_luts"], figures[f"{part}_depth"] = [int(word) for word in lines[1].split()[1:]]
    return figures


def agreement(points, of, says):
    """Of pairs that differ in both, how many stand in the same order."""
    same = other = 0
    for revision in REVISIONS:
        for a, b in itertools.combinations([point for point in points if point["revision"] == revision], 2):
            product = (of(a) - of(b)) * (says(a) - says(b))
            same += product > 0
            other += product < 0
    return f"{same} of {same + other}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--root", required=True)
    parser.add_argument("--shuffles", type=int, default=0)
    parser.add_argument("--json", help="where the points go")
    arguments = parser.parse_args()
    isaforge = str(pathlib.Path(arguments.isaforge).resolve())
    points = []
    print("revision    order       length: bits terms LUTs depth   format: bits terms LUTs depth   apart  cost", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch) / "isas"
        shutil.copytree(pathlib.Path(arguments.root) / "isas" / "fabrisc", folder)
        for revision in REVISIONS:
            text = without_opcodes((folder / f"{revision}.isa").read_text())
            dice = random.Random(1)
            cases = [(order, text) for order in ("cheapest", "pools", "rows")]
            cases += [("pools", shuffled(text, dice)) for _ in range(arguments.shuffles)]
            for number, (order, source) in enumerate(cases):
                (folder / "source.isa").write_text(source)
                try:
                    point = measure(isaforge, folder, "source.isa", order)
                except subprocess.CalledProcessError as error:
                    if number < 3:
                        raise SystemExit(error.stdout) from error
                    continue  # an order that does not fit
                point |= {"revision": revision, "order": order if number < 3 else f"order {number - 2}"}
                points.append(point)
                columns = [(13, "length_bits"), (6, "length_terms"), (5, "length_luts"), (6, "length_depth"),
                           (15, "format_bits"), (6, "format_terms"), (5, "format_luts"), (6, "format_depth"),
                           (8, "pairs_apart"), (6, "cost")]
                print(f"{revision}  {point['order']:<10}" + "".join(f"{point[name]:>{width}}" for width, name in columns),
                      flush=True)
    if arguments.json:
        pathlib.Path(arguments.json).write_text(json.dumps(points, indent=1))
    for part in ("length", "format"):
        def cost(point, part=part):
            return point[f"{part}_bits"] + point[f"{part}_terms"]

        def luts(point, part=part):
            return point[f"{part}_luts"]
        print(f"{part}: bits + terms orders {agreement(points, cost, luts)} pairs as LUTs do")


if __name__ == "__main__":
    main()
