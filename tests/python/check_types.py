#!/usr/bin/env python3
"""The types that the Python module declares: they name what the module has, and mypy agrees with the module's page.

    check_types.py FOLDER-OF-THE-PACKAGE PAGE.md
"""
import ast
import doctest
import os
import subprocess
import sys
import tempfile

from pages import python_of

# What every class has, or what Python asks of one without saying so.
USUAL = {"__init__", "__bool__", "__new__", "__repr__", "__str__"}


def names_in(body):
    """What a class or a module of stubs declares."""
    for item in body:
        if isinstance(item, (ast.FunctionDef, ast.ClassDef)):
            yield item.name
        elif isinstance(item, ast.AnnAssign):
            yield item.target.id


def differences(stubs, module):
    for item in stubs.body:
        name = getattr(item, "name", None)
        if name is None or name.startswith("_"):
            continue
        if not hasattr(module, name):
            yield f"{name} is not there"
        if not isinstance(item, ast.ClassDef):
            continue
        found = getattr(module, name)
        declared = set(names_in(item.body)) - USUAL
        inherited = set(dir(Exception)) | {"diagnostics"} if issubclass(found, Exception) else set()
        real = {each for each in dir(found) if not each.startswith("_")} - inherited
        yield from (f"{name}.{each} is not there" for each in sorted(declared) if not hasattr(found, each)
                    and not issubclass(found, Exception))
        yield from (f"{name}.{each} has no type" for each in sorted(real - declared))
    declared = set(names_in(stubs.body))
    yield from (f"{each} has no type" for each in dir(module) if not each.startswith("_") and each not in declared)


def mypy_says(folder, page):
    """What mypy finds in the page's Python, or in the stubs."""
    with open(page, encoding="utf-8") as file:
        examples = doctest.DocTestParser().get_examples(python_of(file.read())[0])
    with tempfile.TemporaryDirectory() as scratch:
        path = os.path.join(scratch, "page.py")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(example.source for example in examples)
        done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", os.path.join(scratch, "cache"), path],
                              env=os.environ | {"MYPYPATH": folder}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, check=False, cwd=scratch)
    return [line for line in done.stdout.splitlines() if done.returncode]


def main():
    folder, page = map(os.path.abspath, sys.argv[1:])
    sys.path.insert(0, folder)
    from isaforge import _isaforge
    with open(os.path.join(folder, "isaforge", "_isaforge.pyi"), encoding="utf-8") as file:
        stubs = ast.parse(file.read())
    problems = list(differences(stubs, _isaforge)) + mypy_says(folder, page)
    for problem in problems:
        print(problem)
    print(f"{len(list(names_in(stubs.body)))} names, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
