#!/usr/bin/env python3
"""The playground's engine does what the command does: bytes, texts, and what programs leave behind, of every example.

    same.py --isaforge COMMAND --build FOLDER      FOLDER has engine.js and engine.wasm
"""
import argparse
import json
import os
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = os.path.dirname(os.path.dirname(HERE))
MEMORY = 16 << 20
MOST = 200_000_000  # instructions: a program that does not end is compared after so many


class Engine:
    def __init__(self, folder):
        self.process = subprocess.Popen(["node", os.path.join(HERE, "answers.js"), folder], text=True, encoding="utf-8",
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

        self.about = ""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def ask(self, what, **rest):
        self.process.stdin.write(json.dumps({"do": what, **rest}) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the engine has ended at {what}: {self.about}"
        return json.loads(line)


def command(isaforge, *words, given=b"", good=True):
    done = subprocess.run([isaforge, *map(str, words)], input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert not good or done.returncode in (0, *range(3, 256)), done.stderr.decode()
    return done


def texts_of(folder):
    where = os.path.join(SOURCES, "examples", folder)
    return {name: open(os.path.join(where, name), encoding="utf-8").read()
            for name in sorted(os.listdir(where)) if name.endswith((".s", ".inc", ".isa"))}


def code_of(path):
    """The section .text of a 64-bit ELF file."""
    with open(path, "rb") as file:
        data = file.read()
    table, size, count, names = struct.unpack_from("<Q", data, 40) + struct.unpack_from("<HHH", data, 58)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    for name, _, _, _, at, length in headers:
        begin = headers[names][4] + name
        if data[begin:data.index(b"\0", begin)] == b".text":
            return data[at:at + length]
    raise AssertionError(f"{path} has no code")


def compare_program(isaforge, engine, group, program, isa, scratch):
    texts = texts_of(group["folder"])
    path = os.path.join(SOURCES, "examples", group["folder"], program["file"])
    includes = {name: text for name, text in texts.items() if name.endswith(".inc")}
    engine.about = path
    given = engine.ask("assemble", name=program["file"], text=texts[program["file"]], files=includes, image=True)
    assert given["good"], (program["file"], given["messages"])

    elf = os.path.join(scratch, "program.elf")
    command(isaforge, "asm", "-i", isa, path, "-o", elf)
    if "text" in group.get("compare", ""):  # what only a loader of its own puts together
        code = code_of(elf)
        rows = "".join(row[1] for row in given["rows"])
        assert rows == code.hex(), f"{path}: other code"
        return 0
    binary = os.path.join(scratch, "program.bin")
    command(isaforge, "asm", "-i", isa, path, "--format", "bin", "-o", binary)
    with open(binary, "rb") as file:
        image = file.read()
    assert given["image"] == image.hex(), f"{path}: {len(image)} bytes, and {len(given['image']) // 2} in the playground"

    expected = command(isaforge, "dis", "-i", isa, binary, "--format", "bin").stdout.decode()
    actual = engine.ask("disassemble", bytes=image.hex())["text"]
    assert actual == expected, f"{path}: disassembled otherwise"

    memory, harts = program.get("memory", MEMORY), program.get("harts", 1)
    maps = [word for at, size in program.get("storage", []) for word in ("--map", f"ram@{at}:{size}")]
    done = command(isaforge, "run", "-i", isa, elf, "--memory", memory, "--harts", harts, *maps, "--engine", "interpreter",
                   "--registers", "--max-instructions", MOST, given=program.get("input", "").encode(), good=False)
    printed = done.stdout.decode("utf-8", "replace")
    started = engine.ask("start", memory=memory, harts=harts, storage=program.get("storage", []),
                         input=program.get("input", ""))
    assert "failure" not in started, (path, started)
    ended = engine.ask("run", limit=MOST)
    left = engine.ask("registers")["text"]
    assert printed == ended["output"] + left, f"{path}: the command prints\n{printed}\nthe playground\n{ended['output']}{left}"
    if "exit" in ended:
        assert done.returncode == ended["exit"] & 255, (path, done.returncode, ended["exit"])
    return ended["instructions"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--build", required=True)
    options = parser.parse_args()
    with open(os.path.join(SOURCES, "playground", "examples.json"), encoding="utf-8") as file:
        groups = json.load(file)
    count = instructions = 0
    with tempfile.TemporaryDirectory() as scratch, Engine(options.build) as engine:
        known = dict(line.split(None, 1) for line in command(options.isaforge, "list").stdout.decode().splitlines())
        sets = {each["name"]: each["title"] for each in engine.ask("list")["sets"]}
        assert sets == {name: title.strip() for name, title in known.items()}, (sets, known)
        for name in sets:
            loaded = engine.ask("load", name=name)
            assert loaded["good"] and not loaded["messages"], (name, loaded)
        for group in groups:
            isa = group.get("set")
            if isa:
                assert engine.ask("load", name=isa)["good"]
            else:
                isa = os.path.join(SOURCES, "examples", group["description"])
                with open(isa, encoding="utf-8") as file:
                    loaded = engine.ask("load", main=group["description"], files={group["description"]: file.read()})
                assert loaded["good"] and not loaded["messages"], loaded
            for program in group["programs"]:
                instructions += compare_program(options.isaforge, engine, group, program, isa, scratch)
                count += 1
    assert count > 20 and instructions > 1_000_000, (count, instructions)
    print(f"{count} programs, {instructions} instructions: the same as the command")


if __name__ == "__main__":
    sys.exit(main())
