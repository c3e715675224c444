#!/usr/bin/env python3
"""Takes what clang makes of the kernels in this folder apart and puts it together again, for each target and each level.

The code of the object, our disassembly of it, our assembly of that: the same bytes. llvm-mc's assembly of our text: the
same bytes. clang's own assembly text, assembled by us: the same bytes. The tools are those of one version of LLVM.
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGETS = {'gfx600': 'gcn1.0', 'gfx700': 'gcn1.1', 'gfx803': 'gcn1.2', 'gfx900': 'gcn1.4'}
LLVM = '-14'  # behind the names of the tools


class Failure(Exception):
    pass


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        raise Failure(f'{command[0]} ends with {done.returncode}:\n' + '\n'.join((done.stderr or done.stdout).splitlines()[:12]))
    return done.stdout


def code_of(path, folder):
    """The bytes of .text."""
    run('llvm-objcopy' + LLVM, '-O', 'binary', '--only-section=.text', path, folder / 'text.bin')
    return (folder / 'text.bin').read_bytes()


def first_difference(name, expected, found):
    if expected == found:
        return
    at = next((i for i, (a, b) in enumerate(zip(expected, found)) if a != b), min(len(expected), len(found)))
    at -= at % 4
    raise Failure(f'{name}: {len(found)} bytes instead of {len(expected)}, the first that differ at {at:#x}: '
                  f'{found[at:at + 8].hex()} instead of {expected[at:at + 8].hex()}')


def dumped(path, section):
    """Entries; of a line table the rows: address, line and file, which is all that ours says. Versions and columns differ."""
    lines = run('llvm-dwarfdump' + LLVM, section, path).splitlines()[1:]
    rows = [line.split() for line in lines if line.startswith('0x0')]
    return [(row[0], row[1], row[3]) for row in rows] if section == '--debug-line' else lines


class Trip:
    """One source for one target at one level."""

    def __init__(self, options, source, target, level, folder):
        self.options, self.source, self.target, self.level, self.folder = options, source, target, level, folder
        self.clang = ['clang' + LLVM, '-x', 'cl', '-cl-std=CL2.0', '-Xclang', '-finclude-default-header', '-target', 'amdgcn-amd-amdhsa',
                      '-mcpu=' + target, '-nogpulib', '-O' + level, source]

    def isaforge(self, command, *arguments):
        return run(self.options.isaforge, command, '-i', TARGETS[self.target], *arguments)

    def compile(self):
        """Linked, so that no number of the code is left open."""
        run(*self.clang, '-c', '-o', self.folder / 'clang.o')
        run('ld.lld' + LLVM, '-shared', self.folder / 'clang.o', '-o', self.folder / 'clang.so')
        return code_of(self.folder / 'clang.so', self.folder)

    def ours_again(self, code):
        (self.folder / 'clang.bin').write_bytes(code)
        self.isaforge('dis', '--format', 'bin', self.folder / 'clang.bin', '-o', self.folder / 'ours.s')
        self.only_long_constants((self.folder / 'ours.s').read_text())
        self.isaforge('asm', '--format', 'bin', self.folder / 'ours.s', '-o', self.folder / 'ours.bin')
        first_difference('our assembly of our disassembly', code, (self.folder / 'ours.bin').read_bytes())

    def only_long_constants(self, text):
        """What is data to us is a constant in 32 bits that has a shorter form: no text of it gives these bits again."""
        words = re.findall(r'^ +\.4byte 0x(\w+)(?: +(?:;|//) (.*))?\n(?: +\.4byte 0x(\w+)$)?', text, re.M)
        for first, said, second in words:
            if not re.search(r'\b0x(' + second.lstrip('0') + r'|0)$', said or '') or not second:
                raise Failure(f'data to us: {first} {second} {said}')
            done = subprocess.run(['llvm-mc' + LLVM, '-arch=amdgcn', '-mcpu=' + self.target, '-show-encoding'], input=said + '\n', capture_output=True,
                                  text=True)
            if len(re.findall('0x', done.stdout.partition('encoding:')[2])) != 4:
                raise Failure(f'data to us, and not to llvm-mc: {first} {second} {said}')

    def llvm_of_ours(self, code):
        run('llvm-mc' + LLVM, '-arch=amdgcn', '-mcpu=' + self.target, '-filetype=obj', self.folder / 'ours.s', '-o', self.folder / 'llvm.o')
        first_difference("llvm-mc's assembly of our disassembly", code, code_of(self.folder / 'llvm.o', self.folder))

    def ours_of_clang(self, code):
        run(*self.clang, '-S', '-o', self.folder / 'clang.s')
        self.isaforge('asm', self.folder / 'clang.s', '-o', self.folder / 'ours.o')
        first_difference("our assembly of clang's text", code_of(self.folder / 'clang.o', self.folder),
                         code_of(self.folder / 'ours.o', self.folder))

    def debugging(self, _):
        """What clang writes for debuggers, at one level of each: the same entries and lines from our object."""
        if self.level != '2':
            return
        run(*self.clang, '-g', '-S', '-o', self.folder / 'debug.s')
        run(*self.clang, '-g', '-c', '-o', self.folder / 'debug.o')
        self.isaforge('asm', self.folder / 'debug.s', '-o', self.folder / 'ours-debug.o')
        for section in ('--debug-info', '--debug-loclists', '--debug-rnglists', '--debug-line'):
            theirs, ours = (dumped(self.folder / name, section) for name in ('debug.o', 'ours-debug.o'))
            if theirs != ours:
                raise Failure(f"{section} of clang's text: {len(ours)} lines, and {len(theirs)} from clang itself")

    def failures(self):
        try:
            code = self.compile()
        except Failure as failure:
            return [str(failure)], 0
        found = []
        for step in [self.ours_again, self.llvm_of_ours, self.ours_of_clang, self.debugging]:
            try:
                step(code)
            except Failure as failure:
                found.append(str(failure))
        return found, len(code)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--isaforge', default=str(ROOT / 'build/isaforge'))
    parser.add_argument('--target', choices=list(TARGETS), action='append', help='only this one')
    parser.add_argument('--level', choices=list('0123'), action='append', help='only this one')
    parser.add_argument('--in-turn', action='store_true', help='one of the levels for each target')
    parser.add_argument('--each', action='store_true', help='every source by itself, instead of all in one')
    parser.add_argument('--keep', type=pathlib.Path, help='leave what was made in this folder')
    options = parser.parse_args()
    sources = sorted(set(HERE.glob('*.cl')) - {HERE / 'all.cl'}) if options.each else [HERE / 'all.cl']
    trips, failed = [], False
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(2) as pool:
        levels = options.level or list('0123')
        for number, target in enumerate(options.target or TARGETS):
            for level in [levels[number % len(levels)]] if options.in_turn else levels:
                for source in sources:
                    folder = (options.keep or pathlib.Path(scratch)) / f'{target}-O{level}-{source.stem}'
                    folder.mkdir(parents=True, exist_ok=True)
                    trips.append((folder.name, pool.submit(Trip(options, source, target, level, folder).failures)))
        for name, trip in trips:
            failures, size = trip.result()
            print(f'{name}: {size} bytes of code, ' + ('all equal' if not failures else f'{len(failures)} of 3 ways fail'), flush=True)
            for failure in failures:
                print('    ' + failure.replace('\n', '\n    '))
            failed = failed or bool(failures)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
