#!/usr/bin/env python3
"""An editor's side of `isaforge lsp` over its standard streams, and a real editor.

    client.py --isaforge PROGRAM [--neovim NVIM] --root REPOSITORY
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import textwrap

PROGRAM = """\
// isaforge: wishbone-gpu
start:  ploadu_l 10; loadu_h 10, r1;
        adx r1, r2, r3;
        jump start; nop;
"""


class Client:
    def __init__(self, command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.diagnostics = {}

    def send_bytes(self, content):
        self.process.stdin.write(content)
        self.process.stdin.flush()

    def send(self, message):
        content = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n" % len(content) + content)

    def receive(self):
        length = None
        while (line := self.process.stdout.readline()) != b"\r\n":
            assert line, "the server is gone"
            if line.startswith(b"Content-Length: "):
                length = int(line[16:])
        message = json.loads(self.process.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self.diagnostics[message["params"]["uri"]] = message["params"]
        return message

    def ask(self, method, params=None):
        self.number += 1
        self.send({"id": self.number, "method": method, "params": params})
        while True:
            message = self.receive()
            if message.get("id") == self.number and "method" not in message:
                return message

    def tell(self, method, params):
        self.send({"method": method, "params": params})

    def told(self, uri, version):
        while self.diagnostics.get(uri, {}).get("version") != version:
            self.receive()
        return [one["message"] for one in self.diagnostics[uri]["diagnostics"]]


def expect(what, wanted, message):
    if what != wanted:
        sys.exit(f"{message}: {what!r}, and not {wanted!r}")


def session(isaforge):
    client = Client([isaforge, "lsp"])
    uri = "file:///nowhere/program.s"
    about = {"textDocument": {"uri": uri}}
    expect(client.ask("textDocument/hover", about)["error"]["code"], -32002, "a request before `initialize`")
    answer = client.ask("initialize", {"capabilities": {"general": {"positionEncodings": ["utf-8", "utf-16"]}}})
    expect(answer["result"]["capabilities"]["positionEncoding"], "utf-8", "columns")
    client.tell("initialized", {})
    client.tell("textDocument/didOpen", {"textDocument": {"uri": uri, "version": 1, "languageId": "asm", "text": PROGRAM}})
    expect(client.told(uri, 1), ["unknown instruction 'adx'"], "messages")
    # What is no message is told and passed over.
    client.send_bytes(b"Content-Length: 2\r\n\r\n{]Content-Type: x\r\n\r\n")
    expect([client.receive()["error"]["code"] for _ in range(2)], [-32700, -32700], "damaged messages")
    word = {"start": {"line": 2, "character": 8}, "end": {"line": 2, "character": 11}}
    change = [{"range": word, "text": "add"}]
    client.tell("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": change})
    place = {"position": {"line": 3, "character": 15}}
    where = client.ask("textDocument/definition", {**about, **place})["result"]
    expect(where[0]["range"]["start"], {"line": 1, "character": 0}, "a definition")
    expect(client.told(uri, 2), [], "messages of what was mended")
    listed = client.ask("textDocument/completion", {**about, "position": {"line": 2, "character": 10}})["result"]["items"]
    expect([item["label"] for item in listed], ["add"], "completion")
    expect(client.ask("nothing/of/this/name")["error"]["code"], -32601, "an unknown method")
    client.tell("textDocument/didClose", about)
    expect(client.ask("shutdown")["result"], None, "shutdown")
    client.tell("exit", None)
    expect(client.process.wait(30), 0, "the exit status")

    gone = Client([isaforge, "lsp", "-i", "wishbone-gpu"])
    gone.ask("initialize", {"capabilities": {}})
    gone.process.stdin.close()
    expect(gone.process.wait(30), 1, "the exit status where nobody said goodbye")


def neovim(editor, isaforge, root):
    """Opens a program with the settings that this repository has for Neovim, and looks at what the editor then knows."""
    with tempfile.TemporaryDirectory() as folder:
        program = pathlib.Path(folder) / "program.s"
        program.write_text(PROGRAM)
        script = pathlib.Path(folder) / "script.lua"
        script.write_text(textwrap.dedent(f"""\
            vim.g.isaforge_command = {{ {json.dumps(isaforge)}, "lsp" }}
            dofile({json.dumps(str(root / "editors/neovim/isaforge.lua"))})
            vim.cmd("edit " .. {json.dumps(str(program))})
            local function wait(what, holds)
              if not vim.wait(30000, holds, 20) then print("no " .. what) vim.cmd("cquit") end
            end
            wait("message", function() return #vim.diagnostic.get(0) == 1 end)
            print(vim.bo.filetype .. ": " .. vim.diagnostic.get(0)[1].message)
            if not vim.lsp.semantic_tokens then
              local space = vim.api.nvim_create_namespace("isaforge")
              local function marks() return vim.api.nvim_buf_get_extmarks(0, space, 0, -1, {{ details = true }}) end
              wait("colours", function() return #marks() > 0 end)
              print("coloured: " .. marks()[1][4].hl_group)
            end
            vim.api.nvim_buf_set_text(0, 2, 8, 2, 11, {{ "add" }})
            wait("mended message", function() return #vim.diagnostic.get(0) == 0 end)
            vim.api.nvim_win_set_cursor(0, {{ 4, 14 }})
            vim.lsp.buf.definition()
            wait("definition", function() return vim.api.nvim_win_get_cursor(0)[1] == 2 end)
            local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 30000)
            for _, answer in pairs(answers) do print(answer.result.contents.value) end
            vim.cmd("qall!")
            """))
        ran = subprocess.run([editor, "--headless", "--clean", "-S", str(script)], capture_output=True,
                             text=True, timeout=120, env={"HOME": folder, "PATH": "/usr/bin:/bin"})
        said = ran.stdout + ran.stderr
        if "coloured: " in said and "coloured: Comment" not in said:
            sys.exit(f"the first word, a comment, is not coloured as one:\n{said}")
        for wanted in ("isaforge-asm: unknown instruction 'adx'", "`start`: 0x0 in .text"):
            if ran.returncode != 0 or wanted not in said:
                sys.exit(f"{editor} ended with {ran.returncode} and did not say {wanted!r}:\n{said}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isaforge", required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--neovim")
    options = parser.parse_args()
    session(options.isaforge)
    if options.neovim:
        neovim(options.neovim, options.isaforge, options.root)


if __name__ == "__main__":
    main()
