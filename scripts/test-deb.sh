#!/bin/sh
# Unpacks the Debian packages into an empty folder and uses what is there: the command with its compiler, manual pages and
# completion, the library from another project, the Python module.
#
#   scripts/test-deb.sh [folder with the packages]
set -eu
cd "$(dirname "$0")/.."
packages=$(cd "${1:-out}" && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
unset ISAFORGE_CACHE
export HOME="$root/home" PATH="$root/usr/bin:$PATH"
mkdir -p "$HOME"

# must WHAT COMMAND: says what did not work, with what it printed.
must() {
    what=$1
    shift
    "$@" >"$root/said" 2>&1 || { printf '%s:\n' "$what" >&2; cat "$root/said" >&2; exit 1; }
}
# The last command's output has the pattern.
says() { grep -q -- "$1" "$root/said" || { printf '%s: not as expected:\n' "$what" >&2; cat "$root/said" >&2; exit 1; }; }

for package in isaforge libisaforge-dev python3-isaforge; do
    set -- "$packages/${package}"_*.deb
    must "unpacking $package" dpkg-deb -x "$1" "$root"
done
libraries=$(dirname "$(find "$root/usr/lib" -name libisaforge.a)")

[ "$(command -v isaforge)" = "$root/usr/bin/isaforge" ]
must 'the version' isaforge --version
version=$(sed 's/isaforge //' "$root/said")
must 'the description that is installed' isaforge check "$root/usr/share/isaforge/wishbone-gpu.isa"
must 'assembling' isaforge asm -i wishbone-gpu examples/wishbone-gpu/fib.s -o "$root/fib.o"
must 'running with the compiler' isaforge run --engine jit -i wishbone-gpu "$root/fib.o"
must 'the runtime library for GPUs' isaforge gpu --info
says gfx900
must 'a manual page' man -M "$root/usr/share/man" isaforge-run
says 'Run a program'
must 'completion' bash -c ". '$root/usr/share/bash-completion/completions/isaforge'; complete -p isaforge"
says _isaforge

export PKG_CONFIG_PATH="$libraries/pkgconfig"
must 'pkg-config' pkg-config --exact-version="$version" isaforge
# shellcheck disable=SC2046  # words, on purpose
must 'a program with the library' c++ -std=c++20 tests/install/consumer.cpp -o "$root/consumer" \
    $(pkg-config --cflags --libs isaforge)
must 'what it says' "$root/consumer"
says '^nop$'

export PYTHONPATH="$root/usr/lib/python3/dist-packages"
must 'the Python module' /usr/bin/python3 -c '
import isaforge, sys
isa = isaforge.load("wishbone-gpu")
machine = isa.machine(isa.assemble("again: jump again; nop;"), engine="jit")
assert machine.run(100000000).reason == "limit"
print(isaforge.__file__, isaforge.__version__)'
says "$root/usr/lib/python3/dist-packages/isaforge/__init__.py $version"
must 'the pages of the Python module' /usr/bin/python3 tests/python/pages.py --module "$PYTHONPATH" docs/python.md

echo 'the packages work'
