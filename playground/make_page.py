#!/usr/bin/env python3
"""Puts the playground's page together: one file, which asks for no other.

    make_page.py SOURCES ENGINE PAGE      ENGINE.js and ENGINE.wasm are what Emscripten made
"""
import base64
import gzip
import json
import os
import sys


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def gathered_examples(sources):
    """Every program with its texts: programs that include others of their folder need those too."""
    groups = json.loads(read(sources, "playground", "examples.json"))
    for group in groups:
        folder = os.path.join(sources, "examples", group["folder"])
        group["includes"] = {name: read(folder, name) for name in sorted(os.listdir(folder)) if name.endswith(".inc")}
        for program in group["programs"]:
            program["text"] = read(folder, program["file"])
        if "description" in group:
            group["text"] = read(sources, "examples", group["description"])
    return groups


def packed(data):
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


def in_script(text):
    """A text as it may stand between <script> and </script>."""
    return text.replace("</script", "<\\/script")


def main():
    sources, engine, page = sys.argv[1:]
    with open(engine + ".wasm", "rb") as file:
        wasm = file.read()
    style = read(sources, "src", "manual", "manual.css") + read(sources, "playground", "playground.css")
    parts = {
        "STYLE": style,
        "PAGE": in_script(read(sources, "playground", "page.js")),
        "WORKER": in_script(read(sources, "playground", "worker.js")),
        "EXAMPLES": packed(json.dumps(gathered_examples(sources), ensure_ascii=False).encode()),
        "ENGINE": packed(read(engine + ".js").encode()),
        "WASM": packed(wasm),
    }
    text = read(sources, "playground", "page.html")
    for name, part in parts.items():
        mark = f"@{name}@"
        if text.count(mark) != 1:
            raise SystemExit(f"page.html has {mark} {text.count(mark)} times")
    before, text = "", text
    for name in parts:  # in the order of the page, so that no part is looked through
        head, text = text.split(f"@{name}@")
        before += head + parts[name]
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + text)


if __name__ == "__main__":
    main()
