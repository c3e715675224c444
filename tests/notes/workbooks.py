#!/usr/bin/env python3
"""Spreadsheets as their programs save them (.xlsx), made here of the sheet that docs/notes.md shows: the draft is that of the
text, whichever way the cells are stored, and what is damaged is refused with a sentence.

    workbooks.py --isaforge COMMAND
"""
import argparse
import io
import os
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from xml.sax.saxutils import escape

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
LINKS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
BOOK = f'<?xml version="1.0" encoding="UTF-8"?><workbook {MAIN} {LINKS}><sheets>%s</sheets></workbook>'


def column(number):
    return (column(number // 26 - 1) if number >= 26 else "") + chr(ord("A") + number % 26)


def shared(rows):
    """As Excel does: texts in a part of their own, numbers in place, and nothing for what is empty."""
    texts, lines = [], []
    for i, row in enumerate(rows):
        cells = []
        for k, value in enumerate(row):
            if value and not re.fullmatch("[1-9][0-9]*|0", value):
                texts.append(value)
                cells.append(f'<c r="{column(k)}{i + 1}" t="s"><v>{len(texts) - 1}</v></c>')
            elif value:
                cells.append(f'<c r="{column(k)}{i + 1}"><v>{value}</v></c>')
        if cells:
            lines.append(f'<row r="{i + 1}">{"".join(cells)}</row>')
    items = "".join(f"<si><r><t>{escape(text[:1])}</t></r><r><t>{escape(text[1:])}</t></r><rPh><t>no</t></rPh></si>" for text in texts)
    return "".join(lines), f"<sst {MAIN}>{items}</sst>"


def inline(rows):
    """As other programs do: texts in their cells, all of which are there and do not say where they are."""
    cell = '<x:c t="inlineStr"><x:is><x:t>%s</x:t></x:is></x:c>'
    lines = ["<x:row>" + "".join(cell % escape(value) if value else "<x:c/>" for value in row) + "</x:row>" for row in rows]
    return "".join(lines), None


def workbook(*sheets):
    """The bytes of one; of each sheet its name, rows and how they are stored."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as parts:
        names = "".join(f'<sheet name="{escape(name)}" sheetId="{i}" r:id="rId{i}"/>' for i, (name, _, _) in enumerate(sheets))
        parts.writestr("xl/workbook.xml", BOOK % names)
        targets = "".join(f'<Relationship Id="rId{i}" Target="{"/xl/" if i else ""}worksheets/s{i}.xml"/>' for i in range(len(sheets)))
        parts.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{targets}</Relationships>")
        for i, (_, rows, how) in enumerate(sheets):
            data, texts = how(rows)
            prefix = "x:" if how is inline else ""
            space = MAIN.replace("xmlns", "xmlns:x") if prefix else MAIN
            parts.writestr(f"xl/worksheets/s{i}.xml", f"<{prefix}worksheet {space}><{prefix}sheetData>{data}</{prefix}sheetData></{prefix}worksheet>")
            if texts:
                parts.writestr("xl/sharedStrings.xml", texts)
    return out.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isaforge", required=True)
    isaforge = os.path.abspath(parser.parse_args().isaforge)
    with open(os.path.join(ROOT, "docs", "notes.md"), encoding="utf-8") as page:
        pages = page.read()
    checks = failed = 0
    with tempfile.TemporaryDirectory() as folder:

        def ask(*words):
            return subprocess.run([isaforge, *words], cwd=folder, capture_output=True, text=True, timeout=60)

        def expect(good, what, ran=None):
            nonlocal checks, failed
            checks += 1
            if not good:
                failed += 1
                print(f"{what}: not as expected", ran and (ran.returncode, ran.stdout[-300:], ran.stderr[-300:]))

        def write(name, data):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(data)

        def draft(name):
            """What is made of the notes, and what is said of them, without their name and that of what separates cells."""
            made, said = ask("import", name, "-o", "-", "--name", "it"), ask("check", name)
            texts = made.stdout + said.stderr + said.stdout
            return re.sub(r", (separated by tabs|a sheet of a workbook)", "", texts.replace(name, "NOTES"))

        for kind in ("pasted", "whole"):
            text = re.search(rf"```text {kind}\.tsv\n(.*?)```", pages, re.DOTALL)[1]
            write("notes.tsv", text.encode())
            rows = [line.split("\t") for line in text.splitlines()]
            wanted = draft("notes.tsv")
            expect("isa it" in wanted, "the text")
            for how in (shared, inline):
                write("notes.xlsx", workbook(("ISA", rows, how)))
                expect(draft("notes.xlsx") == wanted, f"{kind}, {how.__name__}")
            write("notes.xlsx", workbook(("cover", [[""]], inline), ("ISA", rows, inline), ("more & more", [["x"]], shared)))
            ran = ask("check", "notes.xlsx")
            expect("notes.xlsx: of its sheets 'ISA' is read, and not: more & more" in ran.stderr, "several sheets", ran)

        good = workbook(("ISA", rows, shared))
        huge = ('<row r="4000000000"><c><v>1</v></c></row>', '<row><c r="ZZZZ1"><v>1</v></c></row>' * 200)
        bad = {"no workbook": b"PK\3\4 and no more", "an empty sheet": workbook(("a", [[""]], inline)),
               "65 empty sheets": workbook(*[("empty", [[""]], inline)] * 65, ("ISA", rows, inline)),
               "rows far away": workbook(("a", [], lambda _: (huge[0], None))), "columns far away": workbook(("a", [], lambda _: (huge[1], None))),
               "a text that is not there": workbook(("a", [], lambda _: ('<row><c t="s"><v>99999999999999999999</v></c></row>', None))),
               "a part that is large": workbook(("a", [["x" * (17 << 20)]], inline)),
               "XML that ends": workbook(("a", [], lambda _: ("<row><c>", None)))}
        for what, data in bad.items():
            write("bad.xlsx", data)
            ran = ask("import", "bad.xlsx", "-o", "out.isa")
            expect(ran.returncode == 1 and "error: cannot read 'bad.xlsx'" in ran.stderr, what, ran)
        chance = random.Random(1)
        for _ in range(150):
            data = bytearray(good)
            for _ in range(chance.randrange(1, 5)):
                data[chance.randrange(4, len(data))] = chance.randrange(256)
            write("bad.xlsx", bytes(data[:chance.choice([len(data), chance.randrange(len(data))])]))
            ran = ask("check", "bad.xlsx")
            expect(ran.returncode in (0, 1), "a damaged one", ran)
    print(f"workbooks: {checks} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
