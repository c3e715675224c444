#!/usr/bin/env python3
"""Programs for GPUs, compiled as they would be for a real one and run by `isaforge gpu`: those of examples/hip and
examples/openmp, and the libraries rocRAND, rocPRIM and rocSPARSE beside this file. Each compares its results with those of the host, and
says in one line whether they are equal.

A sample, which `make test` runs, leaves out rocPRIM, which takes long to compile, and makes each program for one processor, the
next one for another; every second is run under --check, and only so. --every takes all but rocSPARSE, whose library has 1.3 GB:
that is run if it is named.
"""
import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
HIP = ROOT / 'examples/hip'
OPENMP = ROOT / 'examples/openmp'
TARGETS = ['gfx900', 'gfx803', 'gfx906']
ASSEMBLED = {'gfx900': ['gcn1.4', '9'], 'gfx803': ['gcn1.2', '8'], 'gfx906': ['gfx906', '9']}  # what module.s is told
GCC_NAMES = {'gfx900': 'gfx900', 'gfx803': 'fiji', 'gfx906': 'gfx906'}
ROCPRIM_TYPES = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'float', 'double', 'half', 'struct']
ROCSPARSE_TYPES = ['float', 'double', 'complex-float', 'complex-double']
ROCPRIM_SIZES = ['0', '1', '2', '63', '64', '65', '1000', '4097', '100000']
# The bugs of bugs.cpp, and what is reported: who does not wait reads what others are about to write, or what nobody wrote yet.
BUGS = {'none': [], 'bounds': ['bounds'], 'race': ['races'], 'barrier': ['races', 'uninitialised']}
LONGEST = 600  # seconds of a compiler or a run

# All groups of a grid wait for each other on processors from gfx900 on alone.
TARGETS_OF = {'grid_sync': ['gfx900', 'gfx906']}
# In all programs but bugs.cpp the checks have to find nothing. Those that they are not run on, and why:
UNCHECKED = {'bugs': 'it has its own runs'}
OPENMP_PROGRAMS = [('target_loops.c', 'gcc-12', '-fopenmp'), ('target_loops.f90', 'gfortran-12', '-fopenmp'),
                   ('regions.c', 'gcc-12', '-fopenmp'), ('regions.c', 'clang-14', ''), ('openacc.c', 'gcc-12', '-fopenacc')]
# Of OpenMP and OpenACC, where GCC's runtime is checked, too, or LLVM's.
CHECKED = ['target_loops.c', 'regions.c', 'openacc.c']


@dataclasses.dataclass
class Run:
    name: str            # of the program in what it prints
    isa: str
    arguments: list
    options: tuple = ()  # of isaforge gpu
    judge: object = None
    bug: str = ''
    source: str = ''  # where its name does not say which program it is

    def __str__(self):
        return ' '.join([self.source or self.name, *([self.bug] if self.bug else []), self.isa, *self.options])


@dataclasses.dataclass
class Program:
    name: str
    commands: list  # that make it
    runs: list


def hip(source, program, targets, *options):
    return ['hipcc', *(f'--offload-arch={target}' for target in targets), '-O2', *options, source, '-o', program]


def gcc(compiler, language, isa, source, program):
    offload = '-foffload-options=amdgcn-amdhsa='
    libraries = ['-foffload-options=-lgfortran'] if compiler == 'gfortran-12' else []
    return [compiler, '-O2', language, '-foffload=amdgcn-amdhsa', offload + '-march=' + GCC_NAMES[isa], source, '-o', program, *libraries,
            '-foffload-options=-lm', '-lm']


def clang(isa, source, program):
    device = '-fopenmp-targets=amdgcn-amd-amdhsa'
    return ['clang-14', '-O2', '-fopenmp', device, '-Xopenmp-target=amdgcn-amd-amdhsa', '-march=' + isa, '-fopenmp-target-new-runtime', source,
            '-o', program]


def as_on_host(run, done):
    """What is wrong with a run of a program that says itself whether its results are right."""
    if done.returncode != 0:
        return f'exit status {done.returncode}'
    if not re.fullmatch(re.escape(run.name) + r': [1-9]\d* results, all as on the host\n', done.stdout):
        return 'it does not say that its results are right'
    return 'it says something else' if done.stderr else None


def of_cases(run, done):
    if done.returncode == 0 and re.fullmatch(re.escape(run.name) + r': [1-9]\d* cases, 0 wrong\n', done.stdout):
        return 'it says something else' if done.stderr else None
    return f'exit status {done.returncode}, or it does not say that no case is wrong'


def of_runtime(run, done):
    """What is wrong with a checked run, where GCC's runtime writes what is the same for all teams once for each, and GCC waits too little."""
    reports = [line for line in done.stderr.splitlines() if line.startswith('isaforge: ')]
    for line in reports:
        kind = re.search(r'(\w+): (?:reads|writes|updates) ', line)
        if not kind or not (kind[1] == 'hazards' or kind[1] == 'races' and re.search('/src-gcn/(libgomp|newlib)/', line)):
            return 'it reports something else: ' + line
    return as_on_host(run, subprocess.CompletedProcess(done.args, done.returncode, done.stdout, ''))


def picture(run, done):
    wrong = as_on_host(run, done)
    size = pathlib.Path(run.arguments[-1]).stat().st_size if not wrong else 0
    return wrong or (None if size == len('P6\n320 200\n255\n') + 320 * 200 * 3 else f'the picture has {size} bytes')


def one_bug(run, done):
    """Reports have to be of the right kinds, and one of the first has to name the line that is marked with the bug."""
    kinds = BUGS[run.bug]
    reports = re.findall(r'^isaforge: .*bugs\.cpp:(\d+): (\w+): ', done.stderr, re.MULTILINE)
    others = [line for line in done.stderr.splitlines() if line.startswith('isaforge: ') and 'bugs.cpp' not in line]
    if others or not {kind for _, kind in reports} <= set(kinds):
        return 'it reports something else'
    lines = [number for number, line in enumerate((HIP / 'bugs.cpp').read_text().splitlines(), 1) if line.endswith('// ' + run.bug)]
    if kinds and not any(kind == kinds[0] and int(number) in lines for number, kind in reports):
        return f'it does not name line {lines}'
    return None if kinds else as_on_host(run, done)


def hip_programs(folder, isaforge, all_targets, every):
    for number, source in enumerate(sorted(HIP.glob('*.cpp'))):
        name, program = source.stem, folder / source.stem
        targets = [target for target in all_targets if target in TARGETS_OF.get(name, TARGETS)]
        if not targets:
            continue
        if not every:
            targets = [targets[number % len(targets)]]
        commands = [hip(source, program, targets, *(['-g'] if name == 'bugs' else []))]
        runs = [Run(name, isa, [program]) for isa in targets]
        if name == 'bugs':
            runs = [Run(name, isa, [program, bug], ('--check',), one_bug, bug) for isa in targets for bug in BUGS]
        if name == 'ray_tracer':
            runs = [Run(name, isa, [program, folder / f'{isa}.ppm'], judge=picture) for isa in targets]
        if name == 'module':
            for isa in targets:
                isa_name, generation = ASSEMBLED[isa]
                made = folder / f'module.{isa}'
                commands.append([isaforge, 'asm', '-i', isa_name, '-D', 'GENERATION=' + generation, '--target', isa, HIP / 'module.s', '-o',
                                 made.with_suffix('.o')])
                commands.append(['ld.lld-14', '-shared', made.with_suffix('.o'), '-o', f'{made}.co'])
            runs = [Run(name, isa, [program, folder / f'module.{isa}.co']) for isa in targets]
        if name not in UNCHECKED:
            checked = [dataclasses.replace(runs[0], options=('--check',))]
            runs = runs + checked if every else checked if number % 2 else runs
        yield Program(name, commands, runs)


def openmp_programs(folder, all_targets, every):
    for number, (source, compiler, language) in enumerate(OPENMP_PROGRAMS):
        targets = all_targets if every else [all_targets[number % len(all_targets)]]
        for isa in targets:
            program = folder / f'{source}.{compiler}.{isa}'
            make = clang(isa, OPENMP / source, program) if compiler == 'clang-14' else gcc(compiler, language, isa, OPENMP / source, program)
            run = Run(source.partition('.')[0], isa, [program], source=f'{source} {compiler}')
            is_checked = isa == targets[0] and source in CHECKED
            checked = [dataclasses.replace(run, options=('--check',), judge=of_runtime)] if is_checked else []
            runs = [run, *checked] if every else checked if source == 'regions.c' else [run]
            yield Program(f'{source} {compiler} {isa}', [make], runs)


def rocsparse_programs(folder, targets, every):
    """One of eleven cases of each type, or all; compiled code from the beginning, too."""
    for element in ROCSPARSE_TYPES:
        program = folder / f'rocsparse.{element}'
        make = ['g++', '-std=c++17', '-O1', '-D__HIP_PLATFORM_AMD__', HERE / 'rocsparse.cpp', '-o', program, '-lrocsparse', '-lamdhip64']
        runs = [Run('rocsparse', isa, [program, element, '1' if every else '11'], options, of_cases, source='rocsparse ' + element)
                for isa in targets for options in ((), ('--engine', 'jit'))]
        yield Program(f'rocsparse {element}', [make], runs)


def library_programs(folder, targets, every):
    rocrand = ['g++', '-std=c++17', '-O2', '-D__HIP_PLATFORM_AMD__', HERE / 'rocrand.cpp', '-o', folder / 'rocrand', '-lrocrand', '-lamdhip64']
    runs = [Run('rocrand', isa, [folder / 'rocrand', *(['--every'] if every else [])]) for isa in (targets if every else targets[:1])]
    yield Program('rocrand', [rocrand], runs)
    for number, element in enumerate(ROCPRIM_TYPES):
        if not every:
            continue
        program = folder / f'rocprim.{element}'
        yield Program(f'rocprim {element}', [hip(HERE / 'rocprim.cpp', program, targets, '-std=c++17', f'-DTYPE={number}')],
                      [Run(f'rocprim {element}', isa, [program, *ROCPRIM_SIZES, '1000000']) for isa in targets])


def output_of(command):
    try:
        return subprocess.run([str(part) for part in command], capture_output=True, text=True, errors='replace', timeout=LONGEST)
    except subprocess.TimeoutExpired as expired:
        return subprocess.CompletedProcess(command, -1, '', f'takes more than {expired.timeout} seconds')


def beginning(text, lines=12):
    return ''.join('\n        ' + line for line in text.splitlines()[:lines])


def outcome(run, isaforge):
    """In words what failed, or None."""
    done = output_of([isaforge, 'gpu', '--isa', run.isa, *run.options, '--', *run.arguments])
    wrong = (run.judge or as_on_host)(run, done)
    return f'{run}: {wrong}' + beginning(done.stdout + done.stderr) if wrong else None


def outcomes(program, isaforge):
    for command in program.commands:
        done = output_of(command)
        if done.returncode != 0:
            return [f'{program.name} cannot be made: {pathlib.Path(str(command[0])).name} ends with {done.returncode}' + beginning(done.stderr)]
    return [text for text in (outcome(run, isaforge) for run in program.runs) if text]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('program', nargs='*', help='only these, such as histogram, target_loops.c or rocprim')
    parser.add_argument('--isaforge', type=pathlib.Path, default=ROOT / 'build/isaforge')
    parser.add_argument('--isa', choices=TARGETS, action='append', help='only this one')
    parser.add_argument('--every', action='store_true', help='all types of rocPRIM, more numbers, and every program for every processor')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    targets = options.isa or TARGETS
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        folder, isaforge = pathlib.Path(scratch), options.isaforge.resolve()
        programs = [*(rocsparse_programs(folder, targets, options.every) if 'rocsparse' in options.program else []),
                    *library_programs(folder, targets, options.every), *openmp_programs(folder, targets, options.every),
                    *hip_programs(folder, isaforge, targets, options.every)]
        if options.program:
            programs = [program for program in programs if {program.name, program.name.partition(' ')[0]} & set(options.program)]
        failures = [text for texts in pool.map(lambda program: outcomes(program, isaforge), programs) for text in texts]
    for text in failures:
        print(text)
    runs = sum(len(program.runs) for program in programs)
    print(f'runs: {runs}, failed: {len(failures)}, {time.monotonic() - started:.0f} seconds')
    return 1 if failures or not runs else 0


if __name__ == '__main__':
    sys.exit(main())
