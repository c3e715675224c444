#!/bin/sh
# Runs the tests of a preset, and says at the end how many there were and how many did not run. A test that does not run
# guards nothing: it counts as a failure, whether ctest left it out or the program skipped a part of itself.
#
#   scripts/run-tests.sh PRESET [parallel jobs]
set -eu
cd "$(dirname "$0")/.."
preset=$1
jobs=${2:-$(nproc)}
report=$(mktemp)
trap 'rm -f "$report"' EXIT

failed=0
ctest --preset "$preset" --parallel "$jobs" --output-junit "$report" || failed=1

# number OF: an attribute of the report's first element, which counts.
number() { sed -n '/<testsuite/,/>/s/.*[[:space:]]'"$1"'="\([0-9]*\)".*/\1/p' "$report" | head -n 1; }
all=$(number tests) wrong=$(number failures)
skipped=$(($(number skipped) + $(number disabled)))
echo "tests: $all, failed: $wrong, skipped: $skipped"
[ "$failed" = 0 ] && [ "$skipped" = 0 ]
