#!/usr/bin/env python3
"""Real shells complete command lines of isaforge: bash, zsh and fish.

    run.py --isaforge COMMAND

Each case is a line up to the cursor and what has to be in the line, or among what is offered, when the key was pressed.
"""
import argparse
import os
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

SECONDS = 20  # that a shell may take to answer on a busy machine

# The line that was typed, and the line that completing it makes: there is one way to go on.
WHOLE = [
    ("isaforge chec", "isaforge check "),
    ("isaforge check wish", "isaforge check wishbone-gpu "),
    ("isaforge check mine", "isaforge check mine.isa "),
    ("isaforge asm -i wishbone-gpu --line fad", "isaforge asm -i wishbone-gpu --line fadd "),
    ("isaforge show mine.isa fr", "isaforge show mine.isa frob "),
    ("isaforge run --profile-j", "isaforge run --profile-json "),
    ("isaforge run --engine=inter", "isaforge run --engine=interpreter "),
    ("isaforge run --engine inter", "isaforge run --engine interpreter "),
    ("isaforge asm -o prog", "isaforge asm -o program.s "),
    ("isaforge manual mine.isa --dia", "isaforge manual mine.isa --dialect "),
    ("isaforge completion fi", "isaforge completion fish "),
]
# The line that was typed, and some of the words that are offered.
OFFERED = [
    ("isaforge sho", ["show"]),
    ("isaforge a", ["allocate", "asm"]),
    ("isaforge check fabrisc-", ["fabrisc-2022-05-15"]),
    ("isaforge asm --format ", ["elf", "bin", "vhdl"]),
    ("isaforge check gcn1.", ["gcn1.0", "gcn1.4"]),
]
# What must never be offered.
HIDDEN = ("isaforge comp", "complete")

DESCRIPTION = """isa mine "One instruction"
code unit 16 little
syntax { comment "//" }
registers r : 3 of u16 "r{n}"
format REG | OP:4 | D:r | A:r | -:6 |
instructions REG [OP] "{name} {D}, {A}" {
    0  frob  D = A
}
"""

escapes = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x1b\][^\x07]*\x07|\r|\x07|\x08")


def is_offered(word, text):
    """The line that is being typed may stand right behind the last word, without the movements of the cursor."""
    return re.search(rf"(^|\s){re.escape(word)}(\s|$|isaforge)", text) is not None


class Terminal:
    """An interactive shell at a terminal of our own."""

    def __init__(self, arguments, folder, environment):
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(arguments[0], arguments, environment)

    def send(self, text):
        os.write(self.file, text.encode())

    def read_until(self, found):
        """What was printed until `found(text)`, or until nothing more is to be expected."""
        text, end = "", time.monotonic() + SECONDS
        while time.monotonic() < end:
            if select.select([self.file], [], [], 0.1)[0]:
                try:
                    text += os.read(self.file, 65536).decode("utf-8", "replace")
                except OSError:
                    break
            if found(escapes.sub("", text)):
                break
        return escapes.sub("", text)

    def close(self):
        os.close(self.file)
        os.kill(self.process, 9)
        os.waitpid(self.process, 0)


def at_terminal(arguments, setup, folder, environment, problems):
    """Cases for a shell with a key for completion. The line is printed by it afterwards, which shows the end of it too."""
    name = arguments[0]
    shell = Terminal(arguments, folder, environment)
    shell.send(setup + "\necho re''ady\n")
    if "ready" not in shell.read_until(lambda text: "ready\n" in text):
        problems.append(f"{name} does not start")
        return
    for typed, wanted in WHOLE:
        shell.send(typed + "\t")
        # What follows the key is shown behind the completed line, once that is there.
        text = shell.read_until(lambda text: text.rstrip("\n").endswith(wanted.rstrip()) or wanted in text)
        if wanted not in text:
            problems.append(f"{name}: '{typed}' becomes {text!r} instead of '{wanted}'")
        shell.send("\x15\necho ne''xt\n")
        shell.read_until(lambda text: "next\n" in text)
    for typed, words in OFFERED:
        shell.send(typed + "\t\t")
        text = shell.read_until(lambda text: all(is_offered(word, text) for word in words))
        for word in words:
            if not is_offered(word, text):
                problems.append(f"{name}: '{typed}' does not offer '{word}': {text!r}")
        shell.send("\x15\necho ne''xt\n")
        shell.read_until(lambda text: "next\n" in text)
    typed, hidden = HIDDEN
    shell.send(typed + "\t\t")
    text = shell.read_until(lambda text: "completion" in text)
    if "completion" not in text or is_offered(hidden, text):
        problems.append(f"{name}: '{typed}' offers '{hidden}': {text!r}")
    shell.close()


def in_fish(folder, environment, problems):
    """fish says what it would offer, without a terminal."""
    def offered(typed):
        script = f"isaforge completion fish | source; complete -C '{typed}'"
        done = subprocess.run(["fish", "--no-config", "-c", script], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=SECONDS, check=False)
        return [line.split("\t")[0] for line in done.stdout.splitlines()]

    for typed, wanted in WHOLE:
        words = offered(typed)
        if words != [wanted.split()[-1]]:
            problems.append(f"fish: '{typed}' offers {words} instead of '{wanted}' alone")
    for typed, wanted in OFFERED:
        words = offered(typed)
        for word in wanted:
            if word not in words:
                problems.append(f"fish: '{typed}' does not offer '{word}' but {words}")
    typed, hidden = HIDDEN
    if hidden in offered(typed):
        problems.append(f"fish: '{typed}' offers '{hidden}'")


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--isaforge", required=True)
    command = os.path.abspath(arguments.parse_args().isaforge)
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("mine.isa", DESCRIPTION), ("program.s", "")):
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        environment = {"PATH": os.path.dirname(command) + os.pathsep + os.environ["PATH"], "HOME": folder, "TERM": "xterm",
                       "LC_ALL": "C.UTF-8", "COLUMNS": "200", "PS1": "$ ", "INPUTRC": "/dev/null",
                       "ISAFORGE_CACHE": os.environ.get("ISAFORGE_CACHE", "")}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
            if name in os.environ:
                environment[name] = os.environ[name]
        at_terminal(["bash", "--norc", "--noprofile", "-i"], "bind 'set enable-bracketed-paste off'; "
                    "bind 'set show-all-if-ambiguous on'; "
                    'eval "$(isaforge completion bash)"', folder, environment, problems)
        at_terminal(["zsh", "-f", "-i"], "PS1='$ '; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -u -D; "
                    'eval "$(isaforge completion zsh)"', folder, environment, problems)
        in_fish(folder, environment, problems)
    for problem in problems:
        print(problem)
    print(f"{len(WHOLE) + len(OFFERED)} lines in 3 shells, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
