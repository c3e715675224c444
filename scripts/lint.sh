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

# The consumer below tests/install is a project of its own, built against an installed library only.
echo 'static analysis'
git ls-files -z 'src/*.cpp' 'tests/*.cpp' 'bench/*.cpp' ':!tests/install' |
    xargs -0 -n 1 -P "$jobs" clang-tidy -p "$build" --quiet || failed=1

exit $failed
