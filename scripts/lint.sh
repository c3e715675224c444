#!/bin/sh
# Everything that is asked of the sources without running them: house rules, formatting, static analysis.
#
#   scripts/lint.sh [build folder with compile_commands.json] [parallel jobs]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
jobs=${2:-$(nproc)}
failed=0

echo 'house rules'
scripts/check-house.sh || failed=1

echo 'formatting'
scripts/format.py --check || failed=1

# Says nothing about a file without findings. The consumer below tests/install is a project of its own, built against an
# installed library only.
echo 'static analysis'
git ls-files -z 'src/*.cpp' 'tests/*.cpp' 'bench/*.cpp' ':!tests/install' |
    # shellcheck disable=SC2016  # the inner shell expands
    xargs -0 -n 1 -P "$jobs" sh -c '
        found=$(clang-tidy -p "$0" --quiet "$1" 2>/dev/null) || { printf "%s\n%s\n" "$1" "$found"; exit 1; }
    ' "$build" || failed=1

exit $failed
