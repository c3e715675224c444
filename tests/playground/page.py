#!/usr/bin/env python3
"""The playground as its readers use it: in a browser, from the disk.

    page.py --page PLAYGROUND.html [--pictures FOLDER]
"""
import argparse
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "manual"))
import webdriver  # noqa: E402
from pages import ACCESSIBLE  # noqa: E402

TEXT = "return document.querySelector(arguments[0])?.textContent"
SET = """const e = document.querySelector(arguments[0]); e.value = arguments[1];
         e.dispatchEvent(new Event(arguments[2] || 'change', {bubbles: true}))"""


class Page:
    def __init__(self, browser, path):
        self.browser, self.path = browser, path

    def open(self, fragment=""):
        self.browser.open("/dev/null")
        self.browser.open(self.path, fragment)
        self.browser.wait("return document.documentElement.dataset.answered > 0")

    def text(self, selector):
        return self.browser.run(TEXT, selector)

    def answered(self, act):
        """What `act` asks of the engine is done."""
        before = int(self.browser.run("return document.documentElement.dataset.answered"))
        act()
        self.browser.wait("return document.documentElement.dataset.answered > arguments[0]", before)

    def choose(self, selector, value):
        self.answered(lambda: self.browser.run(SET, selector, value))

    def example(self, title):
        value = self.browser.run("""return [...document.querySelectorAll('#examples option')].find(
            o => o.textContent.startsWith(arguments[0])).value""", title)
        self.choose("#examples", value)

    def write(self, editor, text):
        self.answered(lambda: self.browser.run(SET, f"#{editor} textarea", text, "input"))

    def read(self, editor):
        return self.browser.run(f"return document.querySelector('#{editor} textarea').value")

    def run_to_end(self):
        self.browser.click("#run")
        self.browser.wait("return document.getElementById('pause').disabled")
        return self.text("#outcome")


def check_begin(page):
    page.open()
    assert "isa wishbone-gpu" in page.read("description")
    assert "instructions" in page.text("#program-state"), page.text("#program-state")
    rows = page.browser.run("return [...document.querySelectorAll('#code .row')].map(r => r.textContent)")
    assert any("stop_core" in row for row in rows), rows
    page.browser.wait("return document.querySelector('#map svg') && document.querySelector('#bits svg.bits')")
    # Bytes of two instructions: the bits of the first, the text of both.
    page.browser.run(SET, "#hex", "001c00a8 8500c526")
    page.browser.wait("return document.querySelector('#bits pre')")
    assert page.text("#bits .syntax").startswith("jump"), page.text("#bits .syntax")
    assert "[!cr3] fadd pi, r4, r5;" in page.text("#bits pre"), page.text("#bits pre")
    assert "Ready" in page.text("#outcome")


def check_run(page):
    page.example("A picture in twelve")
    said = page.run_to_end()
    assert "has stopped" in said, said
    size = page.browser.run("const c = document.getElementById('picture'); return [c.width, c.height]")
    assert size == [64, 64], size
    colours = page.browser.run("""const c = document.getElementById('picture');
        const d = new Uint32Array(c.getContext('2d').getImageData(0, 0, 64, 64).data.buffer);
        return new Set(d).size""")
    assert colours > 100, f"a picture of {colours} colours"
    memory = page.text("#memory")
    assert re.search(r"^000000  [0-9a-f]{2} ", memory), memory[:80]


def check_steps(page):
    page.example("Fibonacci")
    page.browser.click("#step")
    page.browser.wait("return document.getElementById('pc').textContent.includes(', 1 instr')")
    first = page.text("#code .row.now")
    page.browser.press("F10")
    page.browser.wait("return document.getElementById('pc').textContent.includes(', 2 instr')")
    assert page.text("#code .row.now") != first
    page.browser.click("#step")
    page.browser.wait("return document.querySelectorAll('#registers .changed').length > 0")
    page.answered(lambda: page.browser.click("#reset"))
    assert ", 0 instr" in page.text("#pc")
    # A breakpoint: set beside a line of the program, taken away in the disassembly.
    page.browser.run("""const e = document.querySelector('#program textarea'), g = document.querySelector('#program .gutter');
        const line = e.value.split('\\n').findIndex(l => /^\\s*stop_core/.test(l));
        const y = (line + 0.5) * parseFloat(getComputedStyle(e).lineHeight) - e.scrollTop;
        g.dispatchEvent(new MouseEvent('click', {clientY: g.getBoundingClientRect().top + y}))""")
    page.browser.wait("return document.querySelectorAll('#program .dot').length === 1")
    assert "breakpoint" in page.run_to_end(), page.text("#outcome")
    row = page.text("#code .row.now")
    assert row.startswith("●") and row.endswith("stop_core"), row
    page.browser.run("document.querySelector('#code .row.now .at').click()")
    assert page.browser.run("return document.querySelectorAll('#program .dot').length") == 0
    page.answered(lambda: page.browser.click("#reset"))
    assert "has stopped" in page.run_to_end(), page.text("#outcome")


def check_endless(page):
    page.write("program", "again: jump again;\n nop;\n")
    page.browser.click("#run")
    page.browser.wait("return document.getElementById('outcome').textContent.startsWith('Running: ')")
    assert page.browser.run("return 6 * 7") == 42, "the page hangs"
    page.browser.click("#pause")
    page.browser.wait("return document.getElementById('outcome').textContent.startsWith('Stopped by you')")
    # An edit ends a run too.
    page.browser.click("#run")
    page.browser.wait("return document.getElementById('outcome').textContent.startsWith('Running: ')")
    page.write("program", "stop_core;\n")
    assert "has stopped" in page.run_to_end()


def check_messages(page):
    page.example("Fibonacci")
    good = page.read("program")
    page.write("program", "nop;\n\tfadd 0.f, r4, ü;\n" + good)
    assert "1 error" in page.text("#program-state"), page.text("#program-state")
    assert page.browser.run("return document.querySelectorAll('#program .mark').length") == 1
    page.browser.click("#program-messages button")
    chosen = page.browser.run("""const a = document.querySelector('#program textarea');
        return a.value.slice(a.selectionStart, a.selectionEnd)""")
    assert chosen == "ü", chosen
    place = page.browser.run("""const box = e => document.querySelector(e).getBoundingClientRect();
        return [box('#program .mark').top - box('#program .sheet').top, box('#program .mark').height]""")
    assert round(place[0] / place[1]) == 1, place
    assert page.browser.run("return document.getElementById('run').disabled")
    page.write("program", good)
    assert page.browser.run("return document.querySelectorAll('#program .mark').length") == 0

    whole = page.read("description")
    page.write("description", whole.replace("register", "registre", 1))
    assert "error" in page.text("#description-state"), page.text("#description-state")
    assert page.browser.run("return document.querySelectorAll('#description .mark').length") > 0
    page.answered(lambda: page.browser.click("#undo"))
    assert page.read("description") == whole and "instructions" in page.text("#description-state")
    assert "stopped" in page.run_to_end()


def check_edit(page):
    """A new name for an instruction: the program's disassembly has it, and what only checking finds is found."""
    page.example("Fibonacci")
    whole = page.read("description")
    assert whole.count("stop_core") >= 1
    page.write("description", whole.replace("stop_core", "all_done"))
    assert "error" in page.text("#program-state"), "the old name still assembles"
    page.write("program", page.read("program").replace("stop_core", "all_done"))
    assert "has stopped" in page.run_to_end(), page.text("#outcome")
    page.write("description", whole + "\nconstant never = 1\n")
    page.browser.wait("return document.getElementById('description-state').textContent.includes('warning')")
    # What stands in a description is text wherever it is shown.
    title = "<img src=x onerror=document.title=1> & more"
    page.write("description", whole.replace("OpenCores WISHBONE GPU core", title))
    page.browser.wait("return document.querySelector('#map svg').textContent.includes('& more')")
    assert page.browser.run("return document.querySelectorAll('main img').length") == 0
    page.answered(lambda: page.browser.click("#undo"))


CHOICES = """return [...document.querySelectorAll(arguments[0] + ' option')].filter(o => !o.hidden).map(
    o => [o.value, o.textContent])"""


def check_sets(page):
    for name, _ in page.browser.run(CHOICES, "#sets"):
        page.choose("#sets", name)
        said = page.text("#description-state")
        assert re.fullmatch(r"\d+ instructions, \d+ formats", said), (name, said)
        assert page.read("description").count("\n") > 10, name
    page.choose("#sets", "fabrisc-2022-05-15")
    page.browser.run(SET, "#description-file", "isas/fabrisc/meanings.isa")
    page.browser.wait("return document.querySelector('#description textarea').value.includes('function')")


def check_examples(page):
    values = page.browser.run(CHOICES, "#examples")
    assert len(values) > 20, values
    for value, title in values:
        page.choose("#examples", value)
        assert re.fullmatch(r"\d+ instructions, \d+ bytes", page.text("#program-state")), (title, page.text("#program-state"))
    page.example("Greetings")
    assert "ended with status 0" in page.run_to_end(), page.text("#outcome")
    assert page.text("#output") == "Hello, world!\n", page.text("#output")
    page.example("SHA-256")
    page.run_to_end()
    assert page.text("#output").startswith("ba7816bf8f01cfea"), page.text("#output")


def check_link(page):
    page.example("Fibonacci")
    marked = page.read("program") + "// kept, with ü and 世\n"
    page.write("program", marked)
    page.write("description", page.read("description") + "\n// of my own\n")
    page.browser.click("#share")
    page.browser.wait("return location.hash.length > 10")
    fragment = page.browser.run("return location.hash")
    assert len(fragment) < 8000, len(fragment)
    page.open(fragment)
    assert page.read("program") == marked
    assert page.read("description").endswith("// of my own\n")
    assert "instructions" in page.text("#program-state")
    for wrong in ("#%20", "#AAAA", "#" + "A" * 70000, fragment[:-20]):
        page.open(wrong)
        assert "instructions" in page.text("#program-state"), wrong[:40]
        assert "link" in page.text("#said"), wrong[:40]


def check_nothing_leaves(page):
    page.open()
    asked = page.browser.run("return performance.getEntriesByType('resource').map(e => e.name)")
    assert all(name.startswith(("blob:", "data:")) for name in asked), asked


def check_without_worker(page):
    """Where a browser refuses workers the page runs programs itself, and still answers."""
    def protocol(what, **how):
        browser = page.browser
        return browser.call("POST", browser.session + "/goog/cdp/execute", {"cmd": f"Page.{what}", "params": how})
    script = protocol("addScriptToEvaluateOnNewDocument", source="delete self.Worker")["identifier"]
    page.open()
    assert page.browser.run("return typeof Worker") == "undefined"
    check_endless(page)
    # An engine that fails is told of, and the next edit has another.
    page.browser.run("const parse = JSON.parse; JSON.parse = () => { JSON.parse = parse; throw new Error('broken'); };")
    page.write("program", "nop;\n")
    assert "The engine has failed" in page.text("#outcome"), page.text("#outcome")
    page.write("program", "nop;\nstop_core;\n")
    assert "has stopped" in page.run_to_end(), page.text("#outcome")
    protocol("removeScriptToEvaluateOnNewDocument", identifier=script)


def check_access(page, pictures):
    for width in (1280, 900, 390):
        page.browser.resize(width, 900)
        for theme in ("light", "dark"):
            page.open()
            page.browser.run("document.documentElement.dataset.theme = arguments[0]", theme)
            page.example("A picture in twelve")
            page.run_to_end()
            faults = page.browser.run(ACCESSIBLE)
            assert not faults, f"{width} {theme}: " + "\n".join(faults[:10])
            if pictures:
                name = os.path.join(pictures, f"{width}-{theme}.png")
                with open(name, "wb") as file:
                    file.write(page.browser.picture())
    page.browser.resize(1280, 900)


def figures(page):
    """How long it takes, for people to read: no test fails by it."""
    page.open()
    paint = page.browser.run("return performance.getEntriesByType('paint').map(e => [e.name, Math.round(e.startTime)])")
    print("paint, ms:", dict(paint))
    for title in ("Fibonacci", "Sorting"):
        page.example(title)
        for editor in ("program", "description"):
            text, took = page.read(editor), []
            for i in range(8):
                page.write(editor, text + "\n" * (i + 1))
                took.append(float(page.browser.run("return document.documentElement.dataset.took")))
            page.write(editor, text)
            usual = sorted(took)[len(took) // 2]
            print(f"{title}: an edit of the {editor} is answered within {usual:.0f} ms, best {min(took):.0f} ms")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", required=True)
    parser.add_argument("--pictures", help="a folder for pictures of the page")
    options = parser.parse_args()
    with webdriver.Browser() as browser:
        page = Page(browser, options.page)
        for check in (check_begin, check_run, check_steps, check_endless, check_messages, check_edit, check_sets,
                      check_examples, check_link, check_nothing_leaves, check_without_worker):
            check(page)
            print(check.__name__.replace("check_", "").replace("_", " "), "as it should be", flush=True)
        check_access(page, options.pictures)
        figures(page)
        complaints = [line for line in browser.complaints() if "/dev/null" not in line]
        assert not complaints, complaints
    print("the playground is as it should be")


if __name__ == "__main__":
    sys.exit(main())
