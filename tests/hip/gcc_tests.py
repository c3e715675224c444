#!/usr/bin/env python3
"""GCC's own tests of OpenMP and OpenACC on GPUs, from Debian's package gcc-12-source, compiled by GCC 12 and run by `isaforge
gpu`. They check themselves, and were written by people who had the GPU.

They are downloaded by apt-get unless the package is given, and unpacked into the scratch folder. All take about an hour for one
processor on two cores; --count takes so many, evenly. What a test wants is in its comments, in the words of DejaGnu, of which
this reads those that matter here.
"""
import argparse
import collections
import concurrent.futures
import dataclasses
import fnmatch
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ARCHITECTURES = {'gfx900': 'gfx900', 'gfx803': 'fiji', 'gfx906': 'gfx906'}
COMPILERS = {'.c': 'gcc-12', '.C': 'g++-12', '.f90': 'gfortran-12', '.F90': 'gfortran-12', '.f': 'gfortran-12', '.f95': 'gfortran-12'}
FOLDERS = [('libgomp.c', 'target-*'), ('libgomp.c-c++-common', 'target-*'), ('libgomp.c++', 'target-*'), ('libgomp.fortran', 'target*'),
           ('libgomp.oacc-c-c++-common', '*'), ('libgomp.oacc-c', '*'), ('libgomp.oacc-c++', '*'), ('libgomp.oacc-fortran', '*')]

# What DejaGnu would find true of this machine.
TRUE = ['*-*-*', 'x86_64-*-*', '*-*-linux*', 'lp64', 'run_expensive_tests', 'tls_runtime', 'offload_device', 'offloading_enabled',
        'offload_device_nonshared_as', 'offload_device_gcn', 'offload_target_amdgcn', 'offload_target_amdgcn*', 'openacc_radeon_accel_selected',
        'openacc_radeon_accel_present', 'fopenacc', 'fopenmp', 'alloca', 'libgomp_has_offload', 'any_offload_device', 'size32plus', 'int128', 'lto', '__OPTIMIZE__']

# Those that are wrong themselves ...
KNOWN = {'libgomp.oacc-c-c++-common/deep-copy-10.c': 'attaches and detaches a pointer in two queues that do not wait for each other',
         'libgomp.oacc-c-c++-common/lib-11.c': 'wants an error in the very sentence of another runtime',
         'libgomp.oacc-c-c++-common/static-variable-1.c': 'goes on with its loop while libgomp has yet to copy the variable of the loop'}
# ... only on processors that have such instructions ...
KNOWN_FROM_GFX9 = {'libgomp.oacc-fortran/print-1.f90': 'reads the local data share by global_load_dword in its library, which goes to memory'}
# ... and those whose mistake only the checks see.
FREES = 'frees in one queue what kernels in others use; a GPU keeps the page'
KNOWN_TO_CHECKS = {'libgomp.oacc-c-c++-common/data-2-lib.c': FREES, 'libgomp.oacc-c-c++-common/data-2.c': FREES,
                   'libgomp.oacc-c-c++-common/data-3.c': FREES, 'libgomp.oacc-fortran/lib-13.f90': FREES}


def holds(condition, language):
    """Whether a selector, such as `{ target { lp64 && { ! openacc_host_selected } } }`, is true here."""
    words = re.findall(r'[{}()!]|&&|\|\||[^\s{}()!]+', condition)
    text = []
    for word in words:
        if word in ('target', 'xfail'):
            continue
        operator = {'{': '(', '}': ')', '(': '(', ')': ')', '!': ' not ', '&&': ' and ', '||': ' or '}.get(word)
        value = word in TRUE or word == language
        if operator is None and text and text[-1] in ('True', 'False'):
            text.append(' or ')  # names in a row: any of them
        text.append(operator or str(value))
    joined = re.sub(r'\(\s*\)', 'True', ''.join(text))
    try:
        return bool(eval(joined)) if joined else True  # made of the words above only
    except (SyntaxError, TypeError):
        return False


def arguments_of(text):
    """The words of a directive: in quotes, in braces, or neither."""
    words, position = [], 0
    while match := re.compile(r'\s*("(?:\\.|[^"\\])*"|\{|[^\s{}"]+)').match(text, position):
        word, position = match.group(1), match.end()
        if word == '{':
            depth, begin = 1, position
            while depth and position < len(text):
                depth += {'{': 1, '}': -1}.get(text[position], 0)
                position += 1
            word = text[begin:position - 1].strip()
        words.append(re.sub(r'\\(.)', unescaped, word[1:-1]) if word.startswith('"') else word)
    return words


def directives_of(text):
    """Their names and words: they are in braces, anywhere in comments."""
    for match in re.finditer(r'\{\s*(dg-[\w-]+)', text):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += 0 if text[end - 1] == '\\' else {'{': 1, '}': -1}.get(text[end], 0)
            end += 1
        words = arguments_of(text[match.end():end - 1])
        if words:
            yield match.group(1), words


def unescaped(match):
    return {'n': '\n', 'r': '\r', 't': '\t'}.get(match.group(1), match.group(1))


@dataclasses.dataclass
class Test:
    path: pathlib.Path
    options: list
    sources: list
    environment: dict
    output: list
    fails: bool
    skipped: str


def read_test(path):
    accelerated = 'oacc' in path.parent.name
    language = 'c' if path.suffix == '.c' else 'c++' if path.suffix == '.C' else 'fortran'
    optimised = ['-O2']
    test = Test(path, [], [], {'ACC_DEVICE_TYPE': 'radeon'} if accelerated else {}, [], False, '')
    usual = ['-fopenacc', '-DACC_DEVICE_TYPE_radeon=1', '-DACC_MEM_SHARED=0'] if accelerated else ['-fopenmp']
    for name, words in directives_of(path.read_text(errors='replace')):
        selectors = [word for word in words[1:] if word.startswith(('target', 'xfail'))]
        if not all(holds(word, language) for word in selectors if word.startswith('target')):
            if name == 'dg-do':
                test.skipped = 'is not for this machine'
            continue
        if name == 'dg-do' and words[0] != 'run':
            test.skipped = f'is only to {words[0]}'
        elif name == 'dg-options':
            optimised = shlex.split(words[0])
        elif name == 'dg-additional-options':
            test.options += shlex.split(words[0])
        elif name == 'dg-additional-sources':
            test.sources += words[0].split()
        elif name == 'dg-set-target-env-var':
            test.environment[words[0]] = words[1]
        elif name == 'dg-output' and not any(holds(word, language) for word in selectors if word.startswith('xfail')):
            test.output.append(words[0])
        elif name == 'dg-shouldfail':
            test.fails = len(words) < 2 or holds(words[1], language)
        elif name in ('dg-require-effective-target', 'dg-xfail-run-if') and holds(words[name == 'dg-xfail-run-if'], language) == (name == 'dg-xfail-run-if'):
            test.skipped = 'is not for this machine'
        elif name == 'dg-skip-if' and holds(words[1], language):
            wanted = words[2].replace('"', ' ').split() if len(words) > 2 else ['*']
            unwanted = words[3].replace('"', ' ').split() if len(words) > 3 else []
            given = ['-O2', *usual]
            if any(fnmatch.filter(given, one) for one in wanted) and not any(fnmatch.filter(given, one) for one in unwanted if one):
                test.skipped = 'is not for this machine'
    test.options = [*usual, *optimised, *test.options]
    return test


def unpack(package, folder):
    root = folder / 'gcc-12.2.0'
    if (root / 'libgomp/testsuite').exists():
        return root
    if package is None:
        subprocess.run(['apt-get', 'download', 'gcc-12-source'], cwd=folder, check=True)
        package = next(folder.glob('gcc-12-source_*.deb'))
    files = subprocess.Popen(['dpkg-deb', '--fsys-tarfile', package], stdout=subprocess.PIPE)
    subprocess.run(['tar', 'x', '-C', folder, '--strip-components=4', '--wildcards', './usr/src/gcc-12/gcc-*.tar.xz'], stdin=files.stdout, check=True)
    files.communicate()
    archive = next(folder.glob('gcc-*.tar.xz'))
    subprocess.run(['tar', 'xf', archive, '-C', folder, '--wildcards', '*/libgomp/*', '*/include/gomp-constants.h'], check=True)
    return next(folder.glob('gcc-*/libgomp')).parent


def compile_test(test, root, program, isa):
    compiler = COMPILERS[test.path.suffix]
    fortran = ['-foffload-options=-lgfortran'] if compiler == 'gfortran-12' else []
    command = [compiler, *test.options, '-foffload=amdgcn-amdhsa', '-foffload-options=amdgcn-amdhsa=-march=' + ARCHITECTURES[isa], '-w',
               '-I', root / 'include', '-I', root / 'libgomp', '-J', program.parent, test.path, *(test.path.parent / name for name in test.sources),
               '-o', program, *fortran, '-foffload-options=-lm', '-lm']
    if compiler != 'gfortran-12':
        command = [word for word in command if word not in ('-J', program.parent)]
    done = subprocess.run(command, capture_output=True, text=True, errors='replace', timeout=300)
    return None if done.returncode == 0 else next((line for line in done.stderr.splitlines() if 'error' in line), done.stderr[-200:])


def judge(test, done):
    if (done.returncode != 0) != test.fails:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        return f'ends with {done.returncode}: {said[0] if said else "and says nothing"}'
    pattern = ''.join(test.output)
    try:
        found = re.search(pattern, done.stdout + done.stderr, re.DOTALL)
    except re.error:
        found = True  # not a pattern as Python has them
    return '' if found else f'does not print {pattern!r} but {(done.stdout + done.stderr)[:100]!r}'


def run_test(test, options, root, scratch):
    """What became of it, in one word, and why."""
    mistakes = KNOWN | (KNOWN_FROM_GFX9 if options.isa >= 'gfx900' else {}) | (KNOWN_TO_CHECKS if options.check else {})
    known = mistakes.get(f'{test.path.parent.name}/{test.path.name}')
    if test.skipped or known:
        return 'skipped', test.skipped or known
    with tempfile.TemporaryDirectory(dir=scratch) as folder:
        program = pathlib.Path(folder) / 'program'
        try:
            error = compile_test(test, root, program, options.isa)
            if error:
                return 'not compiled', error
            command = [options.isaforge, 'gpu', '--isa', options.isa, '--engine', options.engine, *(['--check'] if options.check else [])]
            done = subprocess.run([*command, '--', program], capture_output=True, text=True, errors='replace', timeout=options.timeout,
                                  env={**os.environ, **test.environment}, cwd=folder)
        except subprocess.TimeoutExpired as expired:
            return 'failed', f'takes more than {expired.timeout} seconds'
        wrong = judge(test, done)
        return ('failed', wrong) if wrong else ('passed', '')


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('test', nargs='*', help='only those whose names contain one of these')
    parser.add_argument('--isaforge', type=pathlib.Path, default=ROOT / 'build/isaforge')
    parser.add_argument('--isa', choices=sorted(ARCHITECTURES), default='gfx900')
    parser.add_argument('--engine', choices=['interpreter', 'jit', 'auto'], default='auto')
    parser.add_argument('--check', action='store_true', help='with all checks, which must not change what programs do')
    parser.add_argument('--scratch', type=pathlib.Path, required=True, help='where they are unpacked, compiled, and left')
    parser.add_argument('--package', type=pathlib.Path, help='gcc-12-source_….deb, if it is there already')
    parser.add_argument('--count', type=int, help='so many of them')
    parser.add_argument('--timeout', type=int, default=300, help='seconds that a test may run')
    parser.add_argument('--jobs', type=int, default=os.cpu_count())
    options = parser.parse_args()
    options.isaforge = options.isaforge.resolve()
    options.scratch.mkdir(parents=True, exist_ok=True)
    root = unpack(options.package and options.package.resolve(), options.scratch.resolve())
    suite = root / 'libgomp/testsuite'
    paths = [path for folder, pattern in FOLDERS for path in sorted((suite / folder).glob(pattern)) if path.suffix in COMPILERS]
    tests = [read_test(path) for path in paths if not options.test or any(word in str(path.relative_to(suite)) for word in options.test)]
    if options.count:
        tests = [test for test in tests if not test.skipped]
        count = min(options.count, len(tests))
        tests = [tests[i * len(tests) // count] for i in range(count)]
    table = collections.defaultdict(collections.Counter)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for test, (outcome, why) in zip(tests, pool.map(lambda one: run_test(one, options, root, options.scratch.resolve()), tests)):
            table[test.path.parent.name][outcome] += 1
            if outcome not in ('passed', 'skipped'):
                print(f'{test.path.relative_to(suite)}: {outcome}: {why}', flush=True)
    outcomes = ['passed', 'failed', 'not compiled', 'skipped']
    print(f'{options.isa:28}' + ''.join(f'{outcome:>14}' for outcome in outcomes))
    for folder, counts in table.items():
        print(f'{folder:28}' + ''.join(f'{counts[outcome]:14}' for outcome in outcomes))
    totals = sum(table.values(), collections.Counter())
    print(f'{"all":28}' + ''.join(f'{totals[outcome]:14}' for outcome in outcomes))
    return 1 if totals['failed'] or not totals['passed'] else 0


if __name__ == '__main__':
    sys.exit(main())
