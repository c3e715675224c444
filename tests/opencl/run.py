#!/usr/bin/env python3
"""Kernels in OpenCL C, compiled by clang for each target at each level and run by isaforge, against the same kernels run by
the OpenCL of this machine (PoCL), which knows nothing of the machine that isaforge plays.

A sample takes each program once, and targets, levels and compilers in turn; `make test` runs every third one of it (--each 3), and
--every takes all.
What a program is, its first lines say: see program.py. host_runner.cpp is the side of the host.
"""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from differences import difference
from program import Program

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
TARGETS = ['gfx600', 'gfx700', 'gfx803', 'gfx900', 'gfx906']
GENERATIONS = {'gfx600': ('gcn1.0', 6), 'gfx700': ('gcn1.1', 7), 'gfx803': ('gcn1.2', 8), 'gfx900': ('gcn1.4', 9),
               'gfx906': ('gfx906', 9)}
LEVELS = ['0', '2', '3']
COMPILERS = ['14', '19', '19-libclc', 'isaforge']  # another library, for programs that need one; assembly beside the program
ENGINES = ['interpreter', 'jit']
LIBRARY = '/usr/lib/x86_64-linux-gnu/amdgcn/bitcode'  # where the package rocm-device-libs has it
LIBCLC = '/usr/lib/clc/amdgcn--amdhsa.bc'
LIBCLC_IS_WRONG = ['convert_to_floats',  # toward zero from 0xffffffff, where it finds no need to go down
                   'vector_functions']   # sub_sat(0, INT_MIN) is INT_MIN to it
ROUNDED = '-cl-fp32-correctly-rounded-divide-sqrt'


class Failure(Exception):
    pass


def run(*command, timeout=900):  # what 90,000 instructions take to be compiled at once on a busy machine, twice
    try:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired as expired:
        raise Failure(f'{pathlib.Path(str(command[0])).name} takes more than {timeout} seconds') from expired
    if done.returncode != 0:
        said = '\n'.join((done.stderr or done.stdout).splitlines()[:12])
        raise Failure(f'{pathlib.Path(str(command[0])).name} ends with {done.returncode}:\n{said}')
    return done.stdout


class Host:
    """What the OpenCL of this machine makes of programs: one run of each serves all builds."""

    def __init__(self, runner, folder, programs):
        self.runner, self.folder, self.programs = runner, folder, programs
        # Work-items one after the other: where PoCL makes vectors of their loop, AES comes out wrong.
        self.environment = {'POCL_WORK_GROUP_METHOD': 'loops', 'POCL_CACHE_DIR': str(folder / 'host-cache'), **os.environ}
        self.outcomes = {program.name: concurrent.futures.Future() for program in programs}
        for program in programs:
            (folder / program.name).mkdir(parents=True, exist_ok=True)
            for buffer in program.buffers.values():
                (folder / program.name / f'{buffer.name}.in').write_bytes(buffer.content(program.name))

    def lines(self, program):
        folder = self.folder / program.name
        yield f'print {folder}/printed'
        yield f'build {program.path} -cl-std=CL1.2 {ROUNDED} -DHOST'
        for name in program.buffers:
            yield f'buffer {name} {folder}/{name}.in'
        for launch in program.launches:
            yield f'kernel {launch.kernel}'
            for argument in launch.arguments:
                yield (f'arg buffer {argument.buffer}' if argument.buffer else f'arg local {argument.local}' if argument.local is not None else
                       f'arg bytes {argument.data.hex()}')
            yield 'run ' + ' '.join(str(number) for number in launch.grid + launch.host_group)
        for name in program.buffers:
            yield f'save {name} {folder}/{name}.host'
        yield f'done {program.name}'

    def run(self, programs):
        """All of them in one process, since it takes OpenCL long to begin; where it ends early, another goes on with the next."""
        while programs:
            script = ''.join(line + '\n' for program in programs for line in self.lines(program))
            try:
                done = subprocess.run([self.runner], input=script, capture_output=True, text=True, env=self.environment, timeout=1200)
            except (OSError, subprocess.TimeoutExpired) as error:
                for program in programs:
                    self.outcomes[program.name].set_exception(Failure(f'the host: {error}'))
                return
            finished = done.stdout.split()
            for program in programs[:len(finished)]:
                self.outcomes[program.name].set_result(self.results(program))
            programs = programs[len(finished):]
            if programs:
                failure = Failure(f'the host ends with {done.returncode}:\n' + '\n'.join(done.stderr.splitlines()[:20]))
                self.outcomes[programs[0].name].set_exception(failure)
                programs = programs[1:]

    def results(self, program):
        """The contents of all buffers, and what was printed."""
        folder = self.folder / program.name
        return {name: (folder / f'{name}.host').read_bytes() for name in program.buffers}, (folder / 'printed').read_text()


class Build:
    """One program, made by one compiler for one target at one level."""

    def __init__(self, options, engines, program, compiler, target, level, folder, linked):
        self.options, self.engines, self.program, self.compiler, self.target, self.level = options, engines, program, compiler, target, level
        self.code = 'kernels.co' if linked else 'kernels.o'  # with what is left for the loader to do
        self.name = f'{"assembly" if compiler == "isaforge" else "clang-" + compiler} {target} -O{level}'
        self.folder = folder / program.name / self.name.replace(' ', '')

    def compile(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.compiler == 'isaforge':
            return self.assemble()
        version = self.compiler.partition('-')[0]
        command = ['clang-' + version, '-x', 'cl', '-cl-std=' + self.standard(), ROUNDED, '-target', 'amdgcn-amd-amdhsa', '-mcpu=' + self.target,
                   '-O' + self.level, '-g1', '-w', *self.program.options, *self.library()]
        if self.program.prints:
            command.append('-DPRINTS')
        run(*command, '-c', self.program.path, '-o', self.folder / 'kernels.o')
        self.link('ld.lld-' + version)

    def assemble(self):
        isa, generation = GENERATIONS[self.target]
        run(self.options.isaforge, 'asm', '-i', isa, '-D', f'GENERATION={generation}', '-I', HERE, self.program.path.with_suffix('.s'),
            '-o', self.folder / 'kernels.o')
        self.link('ld.lld-19')

    def link(self, linker):
        if self.code == 'kernels.co':
            run(linker, '-shared', '--no-undefined', self.folder / 'kernels.o', '-o', self.folder / self.code)

    def standard(self):
        """Without generic pointers where the target, or the library, has none."""
        return 'CL1.2' if self.program.library and (self.target == 'gfx600' or self.compiler == '19-libclc') else 'CL2.0'

    def library(self):
        if not self.program.library:
            return ['-nogpulib', '-include', HERE / 'device.h']
        if self.compiler == '19-libclc':
            return ['-nogpulib', '-include', HERE / 'work_items.h', '-Xclang', '-mlink-builtin-bitcode', '-Xclang', LIBCLC]
        options = ['--rocm-device-lib-path=' + LIBRARY]
        if self.compiler == '14':  # the library is of a later version, with which it has to be told to work
            for word in ['-mllvm', '-opaque-pointers', '-mlink-builtin-bitcode', LIBRARY + '/oclc_abi_version_400.bc']:
                options += ['-Xclang', word]
        return options

    def argument(self, argument):
        if argument.buffer:
            path = self.folder / argument.buffer
            return f'inout:{path}:{path}'
        if argument.local is not None:
            return f'lds:{argument.local}'
        return 'bytes:' + argument.data.hex()

    def run(self, engine):
        printed = ''
        for name in self.program.buffers:
            shutil.copyfile(self.folder.parent / f'{name}.in', self.folder / name)
        for launch in self.program.launches:
            command = [self.options.isaforge, 'run', self.folder / self.code, '--kernel', launch.kernel, '--engine', engine]
            command += [] if self.options.check is None else ['--check=' + self.options.check]
            command += ['--grid', ','.join(map(str, launch.grid)), '--group', ','.join(map(str, launch.group))]
            for argument in launch.arguments:
                command += ['--arg', self.argument(argument)]
            printed += run(*command)
        return {name: (self.folder / name).read_bytes() for name in self.program.buffers}, printed

    def compare(self, engine, host):
        expected, lines = host.result()
        found, printed = self.run(engine)
        differences = [difference(buffer, expected[name], found[name]) for name, buffer in self.program.buffers.items()]
        if self.program.prints and sorted(lines.splitlines()) != sorted(printed.splitlines()):
            differences.append(f'prints {printed[:200]!r} instead of {lines[:200]!r}')
        return [f'{self.name} {engine}: {text}' for text in differences if text]

    def failures(self, host):
        """In words, for each engine that has one; and the number of runs."""
        found = []
        try:
            self.compile()
        except Failure as failure:
            return [f'{self.name}: {failure}'], 0
        for engine in self.engines:
            try:
                found += self.compare(engine, host)
            except Failure as failure:
                found.append(f'{self.name} {engine}: {failure}')
        if not self.options.keep:
            shutil.rmtree(self.folder)
        return found, len(self.engines)


def can_compile(program, compiler, target, level):
    """Whether there is something to compile, and the compiler survives it: clang 14 crashes over the library at other levels."""
    if compiler == 'isaforge':
        return program.path.with_suffix('.s').exists() and level == LEVELS[0]  # there is but one
    if compiler == '19-libclc':
        return program.library and program.name not in LIBCLC_IS_WRONG
    if program.library and compiler == '14':
        return level == '2'
    return (program.name, target, level) != ('half_memory', 'gfx600', '0')  # the library's way to halves has generic pointers there


def builds_of(options, program, number, folder):
    """All that a program can be made by; for the sample one of these, another for each program."""
    engines = options.engine or (ENGINES if options.every or number % 17 == 5 else ['interpreter'])  # to compile takes longest
    linked = options.every or number % 4 == 0
    every = [Build(options, engines, program, compiler, target, level, folder, linked)
             for level, target, compiler in itertools.product(options.level or LEVELS, options.target or TARGETS, options.compiler or COMPILERS)
             if target in (program.targets or [target]) and can_compile(program, compiler, target, level)]
    if options.every:
        return every
    makers = [[build for build in every if (build.compiler == 'isaforge') == assembly] for assembly in (False, True)]
    chosen = [builds[number * 7 % len(builds)] for builds in makers if builds]
    return [build for build in every if build.name == program.sample] or chosen


def report(programs, outcomes):
    failed = runs = 0
    for program, builds in outcomes:
        done = [build.result() for _, build in builds]
        failures = [text for texts, _ in done for text in texts]
        runs += sum(count for _, count in done)
        failed += bool(failures)
        names = builds[0][0].name if len(builds) == 1 else f'{len(builds)} builds'
        print(f'{program.name:24} {names:22} ' + ('equal' if not failures else f'{len(failures)} DIFFER'), flush=True)
        for text in failures:
            print('    ' + text.replace('\n', '\n        '))
    kernels = sum(len({launch.kernel for launch in program.launches}) for program in programs)
    builds = sum(len(builds) for _, builds in outcomes)
    print(f'{len(programs)} programs of {kernels} kernels, {builds} builds, {runs} runs: {failed} programs differ from the host')
    return failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', nargs='*', help='only these, by the names of their files')
    parser.add_argument('--isaforge', default=str(ROOT / 'build/isaforge'))
    parser.add_argument('--host', default=str(ROOT / 'build/tests/opencl_host'), help='the program made of host_runner.cpp')
    parser.add_argument('--every', action='store_true', help='all targets, levels and compilers for each program')
    parser.add_argument('--each', type=int, default=1, metavar='N', help='every Nth program only')
    parser.add_argument('--target', choices=TARGETS, action='append', help='only this one')
    parser.add_argument('--level', choices=LEVELS, action='append', help='only this one')
    parser.add_argument('--compiler', choices=COMPILERS, action='append', help='only this version of clang')
    parser.add_argument('--engine', choices=ENGINES, action='append', help='only this one')
    parser.add_argument('--check', const='all', nargs='?', help='watched, or for some checks only: nothing may be found')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    parser.add_argument('--keep', type=pathlib.Path, help='leave what was made in this folder')
    options = parser.parse_args()
    started = time.monotonic()
    programs = [Program(path) for path in sorted(HERE.glob('*.cl'))][::options.each]
    known = {program.name for program in programs}
    for name in options.program:
        if name not in known:
            parser.error(f'there is no {name}.cl; there are {", ".join(sorted(known))}')
    numbered = [(number, program) for number, program in enumerate(programs) if program.name in (options.program or known)]
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder = (options.keep or pathlib.Path(scratch)).resolve()
        chosen = [(program, builds_of(options, program, number, folder)) for number, program in numbered]
        chosen = [(program, builds) for program, builds in chosen if builds]
        programs = [program for program, _ in chosen]
        host = Host(options.host, folder, programs)
        for worker in range(options.jobs):
            pool.submit(host.run, programs[worker::options.jobs])
        outcomes = [(program, [(build, pool.submit(build.failures, host.outcomes[program.name])) for build in builds]) for program, builds in chosen]
        failed = report(programs, outcomes)
    print(f'{time.monotonic() - started:.0f} seconds')
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
