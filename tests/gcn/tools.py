"""Runs isaforge and llvm-mc on many lines or codes at once, and says for each what came out."""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

GENERATIONS = {'gcn1.0': 'tahiti', 'gcn1.1': 'bonaire', 'gcn1.2': 'fiji', 'gcn1.4': 'gfx900'}
BASES = {'gfx810': 'gcn1.2', 'gfx904': 'gcn1.4', 'gfx906': 'gcn1.4', 'gfx908': 'gcn1.4'}  # whose differences are theirs, too
TARGETS = {**GENERATIONS, **{name: name for name in BASES}}
WITH_TEXT = ('gcn1.2', 'gcn1.4', 'gfx810', 'gfx904', 'gfx906', 'gfx908')  # llvm-mc disassembles these only
POOL = concurrent.futures.ThreadPoolExecutor(2)
PORTION = 50000                   # lines or codes for one run of llvm-mc
REFEREES = ('llvm-mc-14', 'llvm-mc-19')


def portions(items):
    return [items[i:i + PORTION] for i in range(0, len(items), PORTION)]


def flat(lists):
    return [item for one in lists for item in one]


class Isaforge:
    def __init__(self, command, description):
        self.command, self.description = command, description

    def run(self, variant, arguments, **more):
        return subprocess.run([self.command, *arguments[:1], *(['-i'] if arguments[0] != 'sample' else []), self.description, '--variant',
                               variant, *arguments[1:]], capture_output=True, text=True, **more)

    def sample(self, variant, *arguments):
        """Statements, or with --words pairs of digits and statement."""
        run = self.run(variant, ['sample', *map(str, arguments)])
        if run.returncode != 0:
            sys.exit(f'isaforge sample: {run.stderr}')
        lines = run.stdout.splitlines()
        return [tuple(line.split('\t')) for line in lines] if '--words' in arguments else lines

    def assemble_once(self, variant, lines):
        """For each line its bytes as hexadecimal digits, or None; what was said of it; and names that have no value."""
        with tempfile.TemporaryDirectory() as folder:
            source, listing = pathlib.Path(folder, 'lines.s'), pathlib.Path(folder, 'listing.json')
            source.write_text('\n'.join(lines) + '\n')
            run = self.run(variant, ['asm', source, '--format', 'bin', '-o', pathlib.Path(folder, 'lines.bin'), '--listing-json', listing,
                                     '--error-limit', str(len(lines) * 2)])
            if run.returncode not in (0, 1) or not listing.exists():
                sys.exit(f'isaforge asm ends with {run.returncode}:\n{run.stderr[:2000]}')
            result = [[None, ''] for _ in lines]
            for line, digits in re.findall(r'"line":(\d+),.*?"bytes":"([0-9a-f]+)"', listing.read_text()):
                result[int(line) - 1][0] = digits
            unknown = set()
            for line, why in re.findall(r'lines\.s:(\d+):\d+: error: (.*)', run.stderr):
                result[int(line) - 1] = [None, why]
                unknown.update(re.findall(r"'(\w+)' is not defined", why))
            return result, unknown

    def assemble(self, variant, lines):
        """For each line its bytes, or None, and what was said of it. A name that has no value is complained about where it stands
        first; the lines behind that have it too are tried without that one."""
        result, unknown = self.assemble_once(variant, lines)
        while unknown:
            doubtful = [i for i, line in enumerate(lines) if result[i][0] and not unknown.isdisjoint(re.findall(r'\w+', line))]
            again, unknown = self.assemble_once(variant, [lines[i] for i in doubtful])
            for i, one in zip(doubtful, again):
                result[i] = one
        return result

    def texts(self, variant, codes):
        """For each code, of at most 8 bytes, its length in bytes and its text, or (0, None)."""
        fence = '0000007e'  # v_nop: what may be left of a code has that as its second word, and the next code is by itself again
        with tempfile.TemporaryDirectory() as folder:
            image = pathlib.Path(folder, 'codes.bin')
            image.write_bytes(bytes.fromhex(''.join(code.ljust(16, '0') + fence for code in codes)))
            run = self.run(variant, ['dis', '--format', 'bin', '--json', image])
        result = [(0, None)] * len(codes)
        pattern = r'"address":(\d+),"bytes":"([0-9a-f]+)","text":"((?:[^"\\]|\\.)*)","mnemonic":(null|")'
        for address, digits, text, mnemonic in re.findall(pattern, run.stdout):
            at = int(address)
            if at % 12 == 0 and mnemonic != 'null':
                result[at // 12] = (len(digits) // 2, text.replace('\\"', '"'))
        return result


class LlvmMc:
    def __init__(self, command):
        self.command = command

    def run(self, variant, arguments, text):
        return subprocess.run([self.command, '-arch=amdgcn', '-mcpu=' + TARGETS[variant], *arguments], input=text, capture_output=True,
                              text=True, timeout=600, env={**os.environ, 'LLVM_DISABLE_SYMBOLIZATION': '1'})  # where it crashes

    def halves(self, work, variant, items, lost):
        """For what makes llvm-mc crash, or say something else than one line for each: the item is found and left out."""
        if len(items) == 1:
            return [lost]
        middle = len(items) // 2
        return work(variant, items[:middle]) + work(variant, items[middle:])

    def assemble_portion(self, variant, lines):
        run = self.run(variant, ['-show-encoding'], '\n'.join(lines) + '\n')
        refused = {int(n): why for n, why in re.findall(r'^<stdin>:(\d+):\d+: error: (.*)$', run.stderr, re.M)}
        encodings = re.findall(r'; encoding: \[([^\]]*)\]', run.stdout)
        if run.returncode not in (0, 1) or len(encodings) + len(refused) != len(lines):
            return self.halves(self.assemble_portion, variant, lines, (None, 'is lost'))
        following = iter(encodings)
        result = []
        for i in range(1, len(lines) + 1):
            if i in refused:
                result.append((None, refused[i]))
                continue
            digits = next(following).replace('0x', '').replace(',', '').lower()
            result.append((digits, '') if re.fullmatch('[0-9a-f]*', digits) and len(digits) % 8 == 0 else (None, 'a symbol'))
        return result

    def assemble(self, variant, lines):
        """For each line its bytes, or None and the reason."""
        return flat(POOL.map(lambda part: self.assemble_portion(variant, part), portions(lines)))

    def texts_portion(self, variant, codes):
        source = '\n'.join('[' + ','.join('0x' + code[i:i + 2] for i in range(0, len(code), 2)) + ']' for code in codes)
        run = self.run(variant, ['-disassemble'], source + '\n')
        refused = {int(n) for n in re.findall(r'^<stdin>:(\d+):\d+: warning: ', run.stderr, re.M)}
        texts = [line.strip() for line in run.stdout.splitlines() if line.strip() and not line.strip().startswith('.')]
        if run.returncode not in (0, 1) or len(texts) + len(refused) != len(codes):
            return self.halves(self.texts_portion, variant, codes, None)
        following = iter(texts)
        return [None if i in refused else next(following) for i in range(1, len(codes) + 1)]

    def texts(self, variant, codes):
        """For each code the text of the one instruction that it is, or None."""
        return flat(POOL.map(lambda part: self.texts_portion(variant, part), portions(codes)))
