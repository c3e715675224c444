#!/usr/bin/env python3
"""Compares GCN as it is described with llvm-mc: which lines are instructions, their bytes, and the text of those bytes.

The lines come from lines-*.txt beside this file, and from the description itself: random words are disassembled, what comes
out is assembled again by both. A line counts only where the description has a row for its mnemonic in that generation;
so parts that are not described yet do no harm. Without llvm-mc nothing is tested, and that is said.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
GENERATIONS = {'gcn1.0': 'tahiti', 'gcn1.1': 'bonaire', 'gcn1.2': 'fiji', 'gcn1.4': 'gfx900'}
WITH_TEXT = ('gcn1.2', 'gcn1.4')  # llvm-mc disassembles these only
SKIPPED = 77                      # what ctest takes for "not run"


class Tools:
    def __init__(self, isaforge, llvm, description, scratch):
        self.isaforge, self.llvm, self.description, self.scratch = isaforge, llvm, description, scratch

    def ours(self, variant, lines):
        """The bytes of each line, or None, as hexadecimal digits."""
        source, listing = self.scratch / 'lines.s', self.scratch / 'listing.json'
        source.write_text('\n'.join(lines) + '\n')
        listing.unlink(missing_ok=True)
        run = subprocess.run([self.isaforge, 'asm', '-i', self.description, '--variant', variant, source, '--format', 'bin',
                              '-o', self.scratch / 'lines.bin', '--listing-json', listing], capture_output=True, text=True)
        if run.returncode not in (0, 1) or not listing.exists():
            sys.exit(f'isaforge asm ends with {run.returncode}:\n{run.stderr[:2000]}')
        result = [None] * len(lines)
        refused = {int(n) for n in re.findall(r'lines\.s:(\d+):\d+: error', run.stderr)}
        for row in map(json.loads, listing.read_text().splitlines()):
            if row.get('bytes') and row['line'] not in refused:
                result[row['line'] - 1] = row['bytes']
        return result

    def theirs(self, variant, lines):
        """The bytes of each line, or None and the reason."""
        run = subprocess.run([self.llvm, '-arch=amdgcn', '-mcpu=' + GENERATIONS[variant], '-show-encoding'],
                             input='\n'.join(lines) + '\n', capture_output=True, text=True)
        refused = {int(n): why for n, why in re.findall(r'^<stdin>:(\d+):\d+: error: (.*)$', run.stderr, re.M)}
        encodings = iter(re.findall(r'; encoding: \[([^\]]*)\]', run.stdout))
        bytes_of = lambda text: text.replace('0x', '').replace(',', '').lower()
        return [(None, refused[i]) if i in refused else (bytes_of(next(encodings, '')), '') for i in range(1, len(lines) + 1)]

    def their_text(self, variant, codes):
        """The text of each code, in one run: a code that is refused has no line, so codes stand between marks."""
        mark = '0x00,0x00,0x80,0xbf'  # s_nop 0
        source = []
        for code in codes:
            source += [','.join('0x' + code[i:i + 2] for i in range(0, len(code), 2)), mark]
        run = subprocess.run([self.llvm, '-arch=amdgcn', '-mcpu=' + GENERATIONS[variant], '-disassemble'],
                             input='\n'.join(source) + '\n', capture_output=True, text=True)
        texts, current = [], []
        for line in run.stdout.splitlines():
            line = line.strip()
            if line == 's_nop 0':
                texts.append('; '.join(current))
                current = []
            elif line and not line.startswith('.'):
                current.append(line)
        return texts

    def our_text(self, variant, codes):
        image = self.scratch / 'codes.bin'
        image.write_bytes(bytes.fromhex(''.join(codes)))
        run = subprocess.run([self.isaforge, 'dis', '-i', self.description, '--variant', variant, '--format', 'bin', '--json', image],
                             capture_output=True, text=True)
        return [json.loads(line) for line in run.stdout.splitlines()]


def handwritten():
    lines = []
    for path in sorted(HERE.glob('lines-*.txt')):
        for line in path.read_text().splitlines():
            line = line.split('//')[0].strip()
            if line:
                lines.append(line)
    return lines


def generated(tools, variant, count, seed):
    """Lines from the description: random bits behind the leading bits that rows of a table have in common."""
    chance = random.Random(f'{seed} {variant}')
    words = bytearray()
    for _ in range(count):
        first = chance.getrandbits(32) if chance.random() < 0.3 else (chance.choice(PREFIXES) << 26) | chance.getrandbits(26)
        second = chance.getrandbits(32)
        for mask in ZEROS[first >> 26]:           # most random words have bits where nothing may stand
            if chance.random() < 0.7:
                first &= mask[0]
                second &= mask[1]
        words += first.to_bytes(4, 'little') + second.to_bytes(4, 'little')
    image = tools.scratch / 'random.bin'
    image.write_bytes(words)
    run = subprocess.run([tools.isaforge, 'dis', '-i', tools.description, '--variant', variant, '--format', 'bin', '--json', image],
                         capture_output=True, text=True)
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    by_name = collections.defaultdict(list)
    for row in rows:
        if row.get('mnemonic') and len(by_name[row['mnemonic']]) < 12:
            by_name[row['mnemonic']].append(row['text'])
    return [text for texts in by_name.values() for text in texts]


# The first six bits of SMRD, VINTRP, VOP3, DS, FLAT, MUBUF, MTBUF, MIMG and EXP; and what has to be zero there, or what makes
# other forms of the same instructions when it is.
PREFIXES = [0b110000, 0b110010, 0b110101, 0b110100, 0b110100, 0b110110, 0b110110, 0b110111, 0b111000, 0b111010, 0b111100,
            0b111110, 0b110001]
ZEROS = collections.defaultdict(list, {
    0b110000: [(0xfffeffff, 0x001fffff)],
    0b110100: [(0xffff00ff, 0x07ffffff), (0xffffffff, 0x1803ffff)],
    0b110110: [(0xfdffffff, 0xffffffff), (0xfffeffff, 0x00ffffff), (0xffffffff, 0xff0000ff), (0xffffffff, 0xff00ffff)],
    0b110111: [(0xfdff1fff, 0xff7fffff), (0xffff9fff, 0xff7f00ff)],
    0b111000: [(0xfdff7fff, 0xff1fffff), (0xfffeffff, 0xffffffff), (0xfffe4fff, 0xffffff00)],
    0b111010: [(0xffffffff, 0xff1fffff), (0xffffcfff, 0xffffff00)],
    0b111100: [(0xffffff00, 0x03ffffff), (0xfffe7fff, 0x001fffff)],
    0b111110: [(0xfc001fff, 0xffffffff)],
    0b110001: [(0xfc001fff, 0xffffffff)],
})


def without_spaces(text):
    return re.sub(r'\s+', ' ', text).strip()


def compare(tools, variant, lines, known):
    """Counts, and a list of differences as pairs of a kind and a text."""
    differences = []
    ours, theirs = tools.ours(variant, lines), tools.theirs(variant, lines)
    both = []
    for line, mine, (other, why) in zip(lines, ours, theirs):
        if mine == other:
            if mine:
                both.append(mine)
        elif line.split()[0].lower() in known or mine:
            differences.append(('bytes', f'{line}\n      isaforge {mine or "refuses it"}\n      llvm-mc  {other or "refuses it: " + why}'))
    same_text = 0
    if variant in WITH_TEXT and both:
        both = sorted(set(both))
        rows = tools.our_text(variant, both)
        other = tools.their_text(variant, both)
        if len(other) != len(both):
            differences.append(('text', f'llvm-mc prints {len(other)} texts for {len(both)} codes'))
        texts = {}
        address = 0
        for row in rows:
            texts[row['address']] = row['text']
        for code, expected in zip(both, other):
            mine = without_spaces(texts.get(address, 'nothing'))
            if mine == without_spaces(expected):
                same_text += 1
            else:
                differences.append(('text', f'{code}\n      isaforge {mine}\n      llvm-mc  {without_spaces(expected)}'))
            address += len(code) // 2
    return len(lines), sum(1 for x in ours if x), same_text, differences


def excused(path):
    """Differences that are meant: a generation or *, and a pattern for the line; each with its reason."""
    rules = []
    if path.exists():
        for line in path.read_text().splitlines():
            line = line.strip()
            if line and not line.startswith('//'):
                variant, pattern = line.split(None, 1)
                rules.append((variant, re.compile(pattern)))
    return rules


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--isaforge', default=str(ROOT / 'build/isaforge'))
    parser.add_argument('--llvm-mc', default='llvm-mc')
    parser.add_argument('--description', default=str(ROOT / 'isas/gcn/gcn.isa'))
    parser.add_argument('--words', type=int, default=60000, help='random words for each generation')
    parser.add_argument('--seed', default='1')
    parser.add_argument('--only', help='lines whose mnemonic begins so')
    parser.add_argument('--show', type=int, default=20, help='how many differences are shown for each generation')
    options = parser.parse_args()
    if not shutil.which(options.llvm_mc):
        print(f'NOT TESTED: there is no {options.llvm_mc} here, and it is what GCN is compared with.')
        return SKIPPED
    failed = False
    rules = excused(HERE / 'differences.txt')
    with tempfile.TemporaryDirectory() as folder:
        tools = Tools(options.isaforge, options.llvm_mc, options.description, pathlib.Path(folder))
        for variant in GENERATIONS:
            made = generated(tools, variant, options.words, options.seed)
            written = handwritten()
            known = {line.split()[0].lower() for line in made}
            lines = [line for line in dict.fromkeys(written + made) if not options.only or line.startswith(options.only)]
            total, accepted, texts, differences = compare(tools, variant, lines, known)
            meant = [d for d in differences if any(v in ('*', variant) and p.search(d[1]) for v, p in rules)]
            rest = [d for d in differences if d not in meant]
            print(f'{variant} and {GENERATIONS[variant]}: {total} lines, {accepted} of them instructions, {len(known)} mnemonics, '
                  f'{texts} texts equal; {len(rest)} differences' + (f', {len(meant)} more that are meant' if meant else ''))
            for kind, text in rest[:options.show]:
                print(f'  {kind}: {text}')
            failed = failed or bool(rest)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
