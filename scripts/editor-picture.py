#!/usr/bin/env python3
"""Draws docs/editor.png: Neovim, as it is with editors/neovim/isaforge.lua, on a program with a mistake.

    scripts/editor-picture.py [--isaforge COMMAND] [--output PICTURE]

Neovim runs in tmux, which tells what stands in each cell of the screen and in which colours; Chromium paints that. Needs neovim,
tmux and chromium.
"""
import argparse
import html
import os
import re
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
COLUMNS, LINES = 118, 26
PROGRAM = """\
// isaforge: wishbone-gpu
// The sum of the numbers from 1 to 10.
        copy 0.f, r3;                       // the sum
        ploadu_l 10;    loadu_h 10, r1;     // what is added next
        ploadu_l -1;    loadu_h -1, r2;
again:  add r3, r1, r3;
        add r1, r2, r1;
        u32tof r1, r4;
        fcomp_ne r4, 0.f, cr0;
        [cr0] jump again;
        nop;                                // executed in any case
        stop_core;
"""
# What a person would have in a configuration, and the keys that were pressed.
INIT = """\
vim.o.termguicolors = true
vim.o.number = true
vim.o.signcolumn = "yes"
vim.o.laststatus = 2
vim.o.shortmess = vim.o.shortmess .. "I"
vim.cmd("colorscheme desert")
vim.cmd("highlight Normal guibg=#1d2127 guifg=#dfe3e8")
vim.cmd("highlight NormalFloat guibg=#2a313a guifg=#dfe3e8")
vim.cmd("highlight SignColumn guibg=#1d2127")
vim.cmd("highlight NonText guibg=#1d2127 guifg=#56616c")
vim.cmd("highlight LineNr guifg=#6b7480")
vim.cmd("highlight StatusLine guibg=#2a313a guifg=#dfe3e8 gui=none")
vim.cmd("highlight DiagnosticError guifg=#ff7b72")
vim.g.isaforge_command = { "%s", "lsp" }
vim.cmd("source %s/editors/neovim/isaforge.lua")
"""


def tmux(socket, *words):
    return subprocess.run(["tmux", "-L", socket, *words], check=True, text=True, stdout=subprocess.PIPE).stdout


def screen_of(isaforge):
    """The lines of the screen, with the sequences that colour them."""
    with tempfile.TemporaryDirectory() as folder:
        files = {"sum.s": PROGRAM, "init.lua": INIT % (isaforge, HERE),
                 "tmux.conf": 'set -g default-terminal "tmux-256color"\nset -as terminal-overrides ",*:Tc"\nset -g status off\n'}
        for name, text in files.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        socket = f"picture-{os.getpid()}"
        environment = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder, "LC_ALL": "C.UTF-8"}
        subprocess.run(["tmux", "-L", socket, "-f", f"{folder}/tmux.conf", "new-session", "-d", "-x", str(COLUMNS), "-y",
                        str(LINES), "-c", folder, f"nvim -u {folder}/init.lua sum.s"], check=True, env=environment)
        try:
            wait_for(socket, "expected r0 to r31")              # the message about the mistake
            tmux(socket, "send-keys", "-t", "0", "10G", "0", "fj", ":lua vim.lsp.buf.hover()", "Enter")
            wait_for(socket, "pc = T")                          # what `jump` does
            tmux(socket, "send-keys", "-t", "0", ":", "Escape")  # takes away what stands in the last line
            time.sleep(0.5)
            return tmux(socket, "capture-pane", "-e", "-p", "-t", "0").split("\n")[:LINES]
        finally:
            tmux(socket, "kill-server")


def wait_for(socket, text):
    for _ in range(100):
        time.sleep(0.2)
        if text in tmux(socket, "capture-pane", "-p", "-t", "0"):
            time.sleep(0.5)
            return
    raise SystemExit(f"the editor does not show {text!r}:\n" + tmux(socket, "capture-pane", "-p", "-t", "0"))


BASIC = ["#000000", "#cd5c5c", "#98c379", "#e5c07b", "#61afef", "#c678dd", "#56b6c2", "#dfe3e8",
         "#6b7480", "#ff7b72", "#b5e890", "#ffd68a", "#82bcf4", "#e0a3ff", "#7fdbe6", "#ffffff"]


def indexed(number):
    if number < 16:
        return BASIC[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    levels = [0, 95, 135, 175, 215, 255]
    number -= 16
    return "#" + "".join(f"{levels[n]:02x}" for n in (number // 36, number // 6 % 6, number % 6))


def style_after(style, codes):
    """What a sequence makes of the colours: [text, ground, bold, underlined, reversed]."""
    codes = [int(code or 0) for code in codes.replace(":", ";").split(";")]
    while codes:
        code = codes.pop(0)
        if code == 0:
            style = [None, None, False, False, False]
        elif code in (1, 22):
            style[2] = code == 1
        elif code in (4, 24):
            style[3] = code == 4
        elif code in (7, 27):
            style[4] = code == 7
        elif code in (38, 48):
            kind = codes.pop(0)
            colour = indexed(codes.pop(0)) if kind == 5 else "#%02x%02x%02x" % tuple(codes.pop(0) for _ in range(3))
            style[code == 48] = colour
        elif 30 <= code <= 37 or 90 <= code <= 97:
            style[0] = BASIC[code % 10 + (8 if code >= 90 else 0)]
        elif 40 <= code <= 47 or 100 <= code <= 107:
            style[1] = BASIC[code % 10 + (8 if code >= 100 else 0)]
        elif code in (39, 49):
            style[code == 49] = None
    return style


def page_of(lines):
    rows, style = [], [None, None, False, False, False]
    for line in lines:
        row = ""
        for piece in re.split(r"(\x1b\[[\d;:]*m)", line):
            if piece.startswith("\x1b["):
                style = style_after(list(style), piece[2:-1])
            elif piece:
                text, ground, bold, underlined, reverse = style
                text, ground = text or "#dfe3e8", ground or "#1d2127"
                if reverse:
                    text, ground = ground, text
                looks = f"color:{text};background:{ground}" + ";font-weight:700" * bold + ";text-decoration:underline" * underlined
                row += f'<span style="{looks}">{html.escape(piece)}</span>'
        rows.append(f"<div>{row}</div>")
    return ("<!doctype html><meta charset=utf-8><style>body{margin:0;padding:12px;background:#1d2127;color:#dfe3e8;"
            "font:15px/20px 'DejaVu Sans Mono',monospace;white-space:pre}div{height:20px}span{display:inline-block;height:20px}"
            "</style>" + "".join(rows))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--isaforge", default=os.path.join(HERE, "build/isaforge"))
    parser.add_argument("--output", default=os.path.join(HERE, "docs/editor.png"))
    options = parser.parse_args()
    page = page_of(screen_of(os.path.abspath(options.isaforge)))
    with tempfile.TemporaryDirectory() as folder:
        with open(f"{folder}/page.html", "w", encoding="utf-8") as file:
            file.write(page)
        subprocess.run(["chromium", "--headless", "--disable-gpu", "--no-sandbox", "--hide-scrollbars", f"--user-data-dir={folder}/profile",
                        f"--window-size={24 + round(COLUMNS * 9.03)},{24 + 20 * LINES}", f"--screenshot={os.path.abspath(options.output)}",
                        f"file://{folder}/page.html"], check=True, stderr=subprocess.DEVNULL)
    print(options.output)


if __name__ == "__main__":
    sys.exit(main())
