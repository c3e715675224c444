#!/bin/sh
# Everything that is asked of the sources without running them: house rules, formatting, the scripts, static analysis.
#
#   scripts/lint.sh [build folder with compile_commands.json] [parallel jobs]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
jobs=${2:-$(nproc)}
failed=0

# each COMMAND: runs it with every file of standard input, separated by zeros; says what it printed where it failed. As the
# end of a pipe it has variables of its own, so its status tells.
each() {
    # shellcheck disable=SC2016  # the inner shell expands
    xargs -0 -n 1 -P "$jobs" sh -c '
        found=$(eval "$0" 2>&1) || { printf "%s\n%s\n" "$1" "$found"; exit 1; }
    ' "$1"
}

echo 'house rules'
scripts/check-house.sh || failed=1

echo 'formatting'
scripts/format.py --check || failed=1

echo 'scripts'
shellcheck scripts/*.sh .ci/run || failed=1

# What GCC alone understands is not for the tools of clang.
mkdir -p "$build/lint"
sed 's/ -fira-[a-z=-]*//g' "$build/compile_commands.json" >"$build/lint/compile_commands.json"
build=$build/lint

# The checks of .clang-tidy, by clangd: it asks them about the one file, where clang-tidy asks them about all that the file
# includes, the standard library too, and takes eight times as long. So headers are files of their own here. The consumer below
# tests/install is a project of its own, built against an installed library only; below tests/hip and bench/hip are programs for
# GPUs, and their peers; src/playground is compiled for browsers alone.
echo 'checks'
export build
# shellcheck disable=SC2016
git ls-files -z 'src/*.[ch]pp' 'include/*.hpp' 'python/*.[ch]pp' 'tests/*.[ch]pp' 'bench/*.cpp' ':!tests/install' ':!tests/hip' ':!bench/hip' \
    ':!src/playground' |
    each 'said=$(clangd-14 --check="$1" --compile-commands-dir="$build" --enable-config=0 --check-lines=1-1 --log=error 2>&1) ||
          { printf "%s\n" "$said" | grep "^E\["; false; }' || failed=1

# What clangd leaves out: paths through a function, and what was moved from. Fields stand in the order in which tables are read.
echo 'paths'
# shellcheck disable=SC2016
git ls-files -z 'src/*.cpp' ':!src/playground' |
    each 'clang-tidy-14 -p "$build" --quiet --checks="-*,clang-analyzer-*,-clang-analyzer-deadcode.DeadStores,-clang-analyzer-optin.performance.Padding" "$1" 2>/dev/null' || failed=1

exit $failed
