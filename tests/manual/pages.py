#!/usr/bin/env python3
"""Manuals as readers find them: files whose links lead somewhere, examples that disassemble to themselves, and pages that do
in a browser what they promise.

    pages.py --isaforge COMMAND [--keep FOLDER]
"""
import argparse
import html
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.parse

import webdriver

VOID = {"meta", "link", "input", "br", "img", "hr"}
ISAS = ["wishbone-gpu", "fabrisc-2022-05-15", "gcn1.4"]


class Reader(html.parser.HTMLParser):
    """Whether one page is put together as it should be."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids, self.headings = [], [], set(), []
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f"never closed: {self.open}")
        if self.headings.count(1) != 1:
            self.faults.append(f"{self.headings.count(1)} main headings")
        for before, after in zip(self.headings, self.headings[1:]):
            if after > before + 1:
                self.faults.append(f"a heading of level {after} behind one of level {before}")

    def handle_startendtag(self, tag, attributes):
        self.look_at(tag, attributes)

    def handle_starttag(self, tag, attributes):
        self.look_at(tag, attributes)
        if tag not in VOID:
            self.open.append(tag)

    def look_at(self, tag, attributes):
        own = dict(attributes)
        if len(own) != len(attributes):
            self.faults.append(f"an attribute of <{tag}> twice")
        if "id" in own:
            if own["id"] in self.ids:
                self.faults.append(f"two have the id {own['id']}")
            self.ids.add(own["id"])
        if own.get("role") in ("img", "group") and not own.get("aria-label"):
            self.faults.append(f"a <{tag}> without words")
        if re.fullmatch("h[1-6]", tag) and "main" in self.open:
            self.headings.append(int(tag[1]))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.faults.append(f"</{tag}> closes {self.open[-1:]} at {self.getpos()}")
        else:
            self.open.pop()


LINK = re.compile(r'\b(?:href|src)="([^"]*)"')
ANCHOR = re.compile(r'\bid="([^"]*)"')
LOOKED_AT = 1_500_000  # characters that are read closely


def check_links(folder):
    """Every link of every page; some of the pages closely, from the short ones on."""
    texts = {}
    for place, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html"):
                with open(os.path.join(place, name), encoding="utf-8") as file:
                    texts[os.path.relpath(os.path.join(place, name), folder)] = file.read()
    anchors = {path: set(map(html.unescape, ANCHOR.findall(text))) for path, text in texts.items()}
    faults, count, read = [], 0, 0
    for path, text in sorted(texts.items(), key=lambda page: len(page[1])):
        read += len(text)
        if read < LOOKED_AT:
            faults += [f"{path}: {fault}" for fault in Reader(text).faults]
        for link in set(LINK.findall(text)):
            count += 1
            parts = urllib.parse.urlsplit(html.unescape(link))
            if parts.scheme or parts.netloc or parts.path.startswith("/"):
                faults.append(f"{path}: leads outside: {link}")
                continue
            place = os.path.join(os.path.dirname(path), urllib.parse.unquote(parts.path))
            target = os.path.normpath(place) if parts.path else path
            if target not in texts and not os.path.exists(os.path.join(folder, target)):
                faults.append(f"{path}: leads nowhere: {link}")
            elif parts.fragment and urllib.parse.unquote(parts.fragment) not in anchors[target]:
                faults.append(f"{path}: no such place: {link}")
    assert not faults, "\n".join(faults[:20]) + f"\n{len(faults)} faults"
    return len(texts), count


def check_search_index(folder):
    with open(os.path.join(folder, "search.js"), encoding="utf-8") as file:
        text = file.read()
    entries, forms = json.loads("[" + text.strip()[len("manual.found("):-len(");")] + "]")
    texts = {}
    for name, _, where, _, _ in entries:
        target, _, anchor = where.partition("#")
        if not anchor:
            assert os.path.exists(os.path.join(folder, target)), f"search: {name} leads nowhere: {where}"
            continue
        if target not in texts:
            with open(os.path.join(folder, target), encoding="utf-8") as file:
                texts[target] = set(ANCHOR.findall(file.read()))
        assert anchor in texts[target], f"search: {name} leads nowhere: {where}"
    assert all(entry < len(entries) and len(mask) == len(value) for mask, value, entry, _ in forms)


EXAMPLE = re.compile(r'<code class="example">(.*?)</code> <span>assembles to</span> <code>([0-9a-f ]+)</code>')


def check_examples(isaforge, isa, folder, every):
    """The bytes of examples, disassembled, are their texts. Addresses are left out: they depend on the place."""
    examples = []
    for name in sorted(os.listdir(os.path.join(folder, "instructions")))[::every]:
        with open(os.path.join(folder, "instructions", name), encoding="utf-8") as file:
            page = file.read()
        if "a label or an address" in page or "data-in" in page or "never printed" in page:
            continue
        examples += [(html.unescape(text), code.replace(" ", ""), name) for text, code in EXAMPLE.findall(page)]
    assert len(examples) > 20, f"{isa}: only {len(examples)} examples"
    done = subprocess.run([isaforge, "dis", "-i", isa, "--hex", " ".join(code for _, code, _ in examples)], text=True,
                          stdout=subprocess.PIPE, check=True).stdout
    texts = [line.strip() for line in done.splitlines()]
    for (text, code, name), actual in zip(examples, texts, strict=True):
        assert text == actual, f"{isa}: {name}: {code} is {actual!r}, the page says {text!r}"
    return len(examples)


TEXT = "return document.querySelector(arguments[0])?.textContent"
VISIBLE = "return [...document.querySelectorAll(arguments[0])].filter(e => e.getClientRects().length).length"


def check_search(browser, folder):
    browser.open(f"{folder}/index.html")
    browser.press("/")
    assert browser.run("return document.activeElement.type") == "search"
    browser.press(*"fad")
    browser.wait("return document.querySelectorAll('.results li').length > 0")
    assert browser.run(TEXT, ".results li b") == "fadd"
    assert browser.run("return document.querySelector('[role=combobox]').getAttribute('aria-expanded')") == "true"
    browser.press("Down", "Up", "Enter")
    browser.wait("return location.pathname.endsWith('/instructions/fadd.html') && document.readyState === 'complete'")
    assert browser.run(TEXT, "h1").strip() == "fadd"
    browser.wait("return document.querySelectorAll('nav .near a').length > 10")
    browser.press("/", *"8500c526")
    browser.wait("return document.querySelectorAll('.results li').length > 0")
    assert browser.run(TEXT, ".results li b") == "fadd", "bytes are not decoded"
    browser.press("Escape")
    assert browser.run(VISIBLE, ".results") == 0
    browser.run("document.activeElement.value = ''")
    browser.press(*"scale power")
    browser.wait("return document.querySelector('.results').hidden === false")


def check_themes(browser, folder):
    browser.open(f"{folder}/index.html")
    paper = "return getComputedStyle(document.body).backgroundColor"
    colours = set()
    for _ in range(3):
        colours.add(browser.run(paper))
        browser.run("[...document.querySelectorAll('.tools button')].at(-1).click()")
    assert len(colours) == 2, colours


def check_pictures(browser, folder):
    """Boxes of a picture stand to scale, and are painted where they stand."""
    browser.open(f"{folder}/instructions/fadd.html")
    boxes = browser.run("""return [...document.querySelectorAll('svg.bits')[0].querySelectorAll('rect:not(.x)')].map(
        r => [r.className.baseVal, +r.getAttribute('x'), +r.getAttribute('y'), +r.getAttribute('width'), +r.getAttribute('height')])""")
    widths = [round(box[3] / 22) for box in boxes]
    assert widths == [5, 5, 6, 6, 5, 5], widths        # OP, COND, A, SEL, B, C
    assert [box[0] for box in boxes] == ["o", "v", "v", "o", "v", "v"], boxes
    rows = webdriver.pixels(browser.picture("svg.bits"))
    colours = {"o": set(), "v": set()}
    for kind, x, y, width, _ in boxes:
        colours[kind].add(rows[int(y) + 3][int(x + width - 4)])
    assert len(colours["o"]) == 1 and len(colours["v"]) == 1 and colours["o"] != colours["v"], colours


def check_switch(browser, folder):
    browser.open(f"{folder}/instructions/v_add_f32.html", "?variant=gcn1.0")
    forms = "article.form"
    first = browser.run(VISIBLE, forms)
    old = browser.run("return [...document.querySelectorAll('h3 small')].filter(e => e.getClientRects().length).map(e => e.textContent)")
    browser.run("""const s = document.querySelector('.switch select'); s.value = 'gcn1.4';
                   s.dispatchEvent(new Event('change'))""")
    new = browser.run("return [...document.querySelectorAll('h3 small')].filter(e => e.getClientRects().length).map(e => e.textContent)")
    assert "OP 0x3" in old[0].replace("OP 3", "OP 0x3") and old[0] != new[0], (old, new)
    assert first < browser.run(VISIBLE, forms), "gcn1.4 has more forms of v_add_f32"
    assert browser.run(VISIBLE, ".only") == 0, "one variant needs no marks"
    browser.run("""const s = document.querySelector('.switch select'); s.value = 'all'; s.dispatchEvent(new Event('change'))""")
    assert browser.run(VISIBLE, ".only") > 0
    browser.open(f"{folder}/instructions/v_add_f32.html")
    assert browser.run("return document.querySelector('.switch select').value") == "all", "the choice is not kept"


def check_map(browser, folder):
    browser.open(f"{folder}/map.html")
    whole = browser.run("return document.querySelector('.map svg').getAttribute('viewBox')")
    browser.click(".map-tools button")
    assert browser.run("return document.querySelector('.map svg').getAttribute('viewBox')") != whole
    browser.click(".map-tools button:last-child")
    assert browser.run("return document.querySelector('.map svg').getAttribute('viewBox')") == whole
    target = browser.run("return document.querySelector('.map svg a[href^=instructions]').href.baseVal")
    browser.run("""document.querySelector('.map svg a[href^=instructions]').dispatchEvent(
                   new MouseEvent('click', {bubbles: true, cancelable: true}))""")
    browser.wait("return location.pathname.endsWith(arguments[0])", "/" + target)


# What a page must have for those who do not see it or use no mouse, as far as a program can tell.
ACCESSIBLE = r"""
const faults = [], visible = e => e.getClientRects().length;
const name = e => e.getAttribute('aria-label') || e.textContent.trim() || e.closest('label')?.textContent.trim() || '';
for (const e of document.querySelectorAll('a[href], button, input, select')) if (visible(e) && !name(e)) faults.push('no name: ' + e.outerHTML.slice(0, 80));
for (const e of document.querySelectorAll('th')) if (visible(e) && !name(e)) faults.push('a head of a table without words: ' + e.parentElement.outerHTML.slice(0, 80));
for (const e of document.querySelectorAll('main *')) {
  const scrolls = e.scrollWidth > e.clientWidth + 1 && ['auto', 'scroll'].includes(getComputedStyle(e).overflowX);
  if (scrolls && e.tabIndex < 0) faults.push('scrolls without the keyboard: ' + e.outerHTML.slice(0, 80));
}
const luminance = c => { const v = c.match(/[\d.]+/g).map(Number).slice(0, 3).map(x => x / 255).map(x => x <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\)$/.test(c)) return c; } return 'rgb(255, 255, 255)'; };
for (const e of document.querySelectorAll('body *')) {
  if (e.closest('svg') || !visible(e) || ![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())) continue;
  const [a, b] = [luminance(getComputedStyle(e).color), luminance(behind(e))].sort((x, y) => y - x);
  if ((a + 0.05) / (b + 0.05) < 4.5) faults.push('too faint: ' + e.outerHTML.slice(0, 80));
}
if (document.documentElement.scrollWidth > innerWidth) faults.push('wider than the window: ' + document.documentElement.scrollWidth);
return faults;
"""


def check_access(browser, folders):
    """Every page in a wide window of one of the manuals, and in a narrow one of another."""
    pages = ("index", "registers", "machine", "operands", "formats", "map", "functions", "names", "by-format", "page-getting-started")
    for turn, width in enumerate((1280, 390)):
        browser.resize(width, 900)
        for number, page in enumerate(pages, turn):
            folder = folders[number % len(folders)]
            browser.open(f"{folder}/{page}.html")
            faults = browser.run(ACCESSIBLE)
            assert not faults, f"{folder} {page} at {width}: " + "\n".join(faults[:10])
    browser.resize(1280, 900)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--keep", help="where the manuals go, which are gone otherwise")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folders = {}
        for isa in ISAS:
            folders[isa] = os.path.join(options.keep or scratch, isa)
            subprocess.run([options.isaforge, "manual", isa, "-o", folders[isa]], check=True)
            pages, links = check_links(folders[isa])
            check_search_index(folders[isa])
            print(f"{isa}: {pages} pages, {links} links")
        for isa, every in zip(ISAS[:2], (1, 1)):
            print(f"{isa}: {check_examples(options.isaforge, isa, folders[isa], every)} examples")
        with webdriver.Browser() as browser:
            check_search(browser, folders["wishbone-gpu"])
            check_themes(browser, folders["wishbone-gpu"])
            check_pictures(browser, folders["wishbone-gpu"])
            check_map(browser, folders["wishbone-gpu"])
            check_switch(browser, folders["gcn1.4"])
            check_access(browser, [folders["wishbone-gpu"], folders["fabrisc-2022-05-15"]])
            assert not browser.complaints(), browser.complaints()
    print("the manuals are as they should be")


if __name__ == "__main__":
    sys.exit(main())
