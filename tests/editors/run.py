#!/usr/bin/env python3
"""What editors/ has for real editors, used as they use it: a session of Emacs's dap-mode with a program, and the parts of the
extension for VS Code, which Chromium runs with the editor's side of its interface in place of the editor.

    run.py --isaforge COMMAND
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
VSCODE = os.path.join(ROOT, "editors", "vscode")
sys.path.insert(0, os.path.join(ROOT, "tests", "manual"))
import webdriver  # noqa: E402

failures = []


def text_of(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as file:
        return file.read()


def expect(found, wanted, what):
    if found != wanted:
        failures.append(f"{what}: {found!r} instead of {wanted!r}")


def emacs(isaforge):
    """dap-mode launches a program, stops, steps and computes; then it attaches to one that waits."""
    program = re.search(r"```asm squares\.s\n(.*?)```", text_of("docs", "debugging.md"), re.DOTALL)[1]
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "squares.s"), "w", encoding="utf-8") as file:
            file.write(program)
        subprocess.run([isaforge, "asm", "-i", "fabrisc-2022-05-15", "squares.s", "-o", "squares.elf"], cwd=folder, check=True)
        with subprocess.Popen([isaforge, "run", "squares.elf", "--dap", "0"], cwd=folder, stderr=subprocess.PIPE, text=True) as waiting:
            port = re.search(r":(\d+)", waiting.stderr.readline())[1]
            environment = dict(os.environ, HOME=folder, WAITS_AT=port, PATH=os.path.dirname(isaforge) + ":" + os.environ["PATH"])
            here = os.path.join(ROOT, "tests", "editors", "debug.el")
            ran = subprocess.run(["emacs", "--batch", "-L", os.path.join(ROOT, "editors", "emacs"), "-l", here], cwd=folder,
                                 env=environment, capture_output=True, text=True, timeout=200)
            if ran.returncode != 0:
                waiting.kill()
        said = [line for line in ran.stderr.splitlines() if re.match(r"(breakpoint|next|out|value|attached|step|never): |ended$", line)]
        expect(said, ["breakpoint: square, line 14", "next: square+4, line 15", "out: next+4, line 7", "value: 0x000000000000001a (26)",
                      "ended", "attached: 0x0, line 1", "step: 0x4, line 2", "ended"], f"dap-mode\n{ran.stderr[-2000:]}")


# The editor's side: what is asked of it, it writes down.
EDITOR = r"""
    const [source, settings, steps] = arguments, noted = {registered: [], notifications: [], stopped: 0}, listeners = [];
    const vscode = {
        workspace: {
            getConfiguration: section => Object.assign({get: key => settings[key]}, section === "isaforge" ? settings : {}),
            createFileSystemWatcher: pattern => ({pattern}),
            onDidChangeConfiguration: listener => (listeners.push(listener), {dispose() {}}),
        },
        debug: {registerDebugAdapterDescriptorFactory: (type, factory) => (noted.registered.push([type, factory]), {dispose() {}})},
        DebugAdapterExecutable: class { constructor(command, args) { Object.assign(this, {command, args}); } },
        DebugAdapterServer: class { constructor(port, host) { Object.assign(this, {port, host}); } },
    };
    class LanguageClient {
        constructor(id, name, server, client) { noted.client = {id, name, server, client}; }
        async start() { noted.started = true; }
        async stop() { noted.stopped++; }
        sendNotification(method, params) { noted.notifications.push([method, params]); }
    }
    const module = {}, parts = {"vscode": vscode, "vscode-languageclient/node": {LanguageClient}};
    new Function("require", "exports", source)(name => parts[name], module);
    const context = {subscriptions: []};
    module.activate(context);
    for (const listener of listeners) listener({affectsConfiguration: section => section === "isaforge"});
    for (const listener of listeners) listener({affectsConfiguration: () => false});
    noted.subscriptions = context.subscriptions.length;
    const [[type, factory]] = noted.registered;
    noted.debug = {type, made: steps.map(configuration => factory.createDebugAdapterDescriptor({configuration}))};
    delete noted.registered;
    module.deactivate();
    return noted;
"""

# A grammar's patterns at the top of a line: [text, scope] for each piece. What begins at the same place: the first pattern.
COLOURS = r"""
    const [grammar, lines] = arguments;
    const compiled = text => new RegExp(text.replace(/^\(\?i\)/, ""), "dgm" + (text.startsWith("(?i)") ? "i" : ""));
    const rules = grammar.patterns.map(rule => ({name: rule.name, begin: compiled(rule.match ?? rule.begin),
                                                 end: rule.end && compiled(rule.end)}));
    for (const rule of grammar.patterns) for (const inner of rule.patterns ?? []) compiled(inner.match);
    return lines.map(line => {
        const pieces = [];
        for (let at = 0; at < line.length;) {
            let best;
            for (const rule of rules) {
                rule.begin.lastIndex = at;
                const found = rule.begin.exec(line);
                if (found && found[0] && (!best || found.index < best.found.index)) best = {rule, found};
            }
            if (!best) break;
            let to = best.found.index + best.found[0].length;
            if (best.rule.end) {
                best.rule.end.lastIndex = to;
                const end = best.rule.end.exec(line);
                to = end ? end.index + end[0].length : line.length;
            }
            pieces.push([line.slice(best.found.index, to), best.rule.name.split(".").slice(0, 2).join(".")]);
            at = to;
        }
        return pieces;
    });
"""


def speaks(command, arguments, options, folder):
    """Whether what the extension would start answers as a language server does."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize",
                       "params": {"processId": None, "rootUri": None, "capabilities": {}, "initializationOptions": options}})
    sent = f"Content-Length: {len(body)}\r\n\r\n{body}"
    ran = subprocess.run([command, *arguments], input=sent, capture_output=True, text=True, cwd=folder, timeout=60)
    return '"capabilities"' in ran.stdout


def vscode(isaforge):
    package = json.loads(text_of("editors", "vscode", "package.json"))
    contributes = package["contributes"]
    version = subprocess.run([isaforge, "--version"], capture_output=True, text=True, check=True).stdout
    expect(package["version"] in version.split(), True, f"version {package['version']} of the extension, {version.strip()}")
    languages = {each["id"] for each in contributes["languages"]}
    for each in contributes["languages"]:
        expect(os.path.exists(os.path.join(VSCODE, each["configuration"])), True, each["configuration"])

    # What a session may say is what the page on debugging says, and the other way round.
    table = text_of("docs", "debugging.md").split("## Editors", 1)[1].split("For VS Code", 1)[0]
    documented = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    debugger = contributes["debuggers"][0]
    expect(set(debugger["configurationAttributes"]["launch"]["properties"]), documented, "attributes of a launch")
    for snippet in debugger["initialConfigurations"] + [each["body"] for each in debugger["configurationSnippets"]]:
        own = {"type", "request", "name"}
        known = set(debugger["configurationAttributes"][snippet["request"]]["properties"])
        expect(set(snippet) - own - known, set(), f"attributes of {snippet['name']}")

    settings = {name.split(".")[1]: value["default"] for name, value in contributes["configuration"]["properties"].items()}
    settings.update(command=isaforge, isa="wishbone-gpu")
    with webdriver.Browser() as browser:
        noted = browser.run(EDITOR, text_of("editors", "vscode", "extension.js"), settings,
                            [{"request": "launch", "program": "a.s"}, {"request": "attach", "port": 4711}])
        client = noted["client"]
        expect({each["language"] for each in client["client"]["documentSelector"]}, languages, "languages that are served")
        expect(client["client"]["initializationOptions"]["isa"], "wishbone-gpu", "settings at the start")
        expect(noted["debug"], {"type": debugger["type"], "made": [{"command": isaforge, "args": ["dap"]},
                                                                  {"port": 4711, "host": "127.0.0.1"}]}, "debug adapters")
        expect(noted["notifications"], [["workspace/didChangeConfiguration",
                                         {"settings": {"isaforge": client["client"]["initializationOptions"]}}]], "a changed setting")
        expect([noted["started"], noted["stopped"], noted["subscriptions"]], [True, 1, 2], "begin and end")
        with tempfile.TemporaryDirectory() as folder:
            expect(speaks(client["server"]["command"], client["server"]["args"], client["client"]["initializationOptions"], folder), True,
                   "the server that the extension starts")

        for grammar in contributes["grammars"]:
            expect(grammar["language"] in languages, True, grammar["language"])
        isa = json.loads(text_of("editors", "vscode", "syntaxes", "isa.tmLanguage.json"))
        expect(isa["scopeName"], contributes["grammars"][1]["scopeName"], "scope of descriptions")
        pieces = browser.run(COLOURS, isa, ['instructions F [OP] "{name} {A}" {  // all', "    0x12 add  D = A + 5"])
        expect(pieces, [[["instructions", "keyword.control"], ['"{name} {A}"', "string.quoted"], ["// all", "comment.line"]],
                        [["0x12", "constant.numeric"], ["5", "constant.numeric"]]], "colours of a description")
        lines = {"wishbone-gpu": ("again: add r1, cr0, 0x10 // sum", ["again:", "add", "r1", "cr0", "0x10", "// sum"]),
                 "fabrisc-2022-05-15": (".again: IADD.32: $S0, $S0, #5; // sum", ["IADD.32", "$S0", "$S0", "5", "// sum"]),
                 "gcn1.4": ("V_add_f32 v1, s2, v3 ; sum", ["V_add_f32", "v1", "s2", "v3", "; sum"]),
                 "mos6502": ("        lda #$10 ; ten", ["lda", "$10", "; ten"]),
                 "msp430": ("        mov.w #5, r4 ; five", ["mov.w", "5", "r4", "; five"]),
                 "rv64gc": ("again: addi a0, sp, 16 # place", ["again:", "addi", "a0", "sp", "16", "# place"])}
        for name, (line, words) in lines.items():
            shown = subprocess.run([isaforge, "show", name, "--textmate"], capture_output=True, text=True, check=True)
            made = json.loads(shown.stdout)
            expect(made["scopeName"], contributes["grammars"][0]["scopeName"], f"scope of {name}")
            found = [text.strip() for text, _ in browser.run(COLOURS, made, [line])[0]]
            expect([word for word in words if word not in found], [], f"what is not coloured of {line!r} ({name}), of {found}")
        expect(browser.complaints(), [], "what the browser says")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--isaforge", required=True)
    isaforge = os.path.abspath(parser.parse_args().isaforge)
    parts = [emacs, vscode]
    for part in parts:
        part(isaforge)
    print("\n".join(failures))
    print(f"editors: {len(parts)} used, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
