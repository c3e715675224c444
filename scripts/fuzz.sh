#!/bin/sh
# Runs every fuzzer of a build folder for a while, JOBS at a time (as many as there are processors), from seeds that are made
# of the shipped files. What a fuzzer finds stays in the folder `findings` of the build, with its log; what it learnt in
# `corpus`, so that the next run goes on from there.
#
#   scripts/fuzz.sh BUILD SECONDS [TARGET …]
#
# With RUNS in the environment it is a test: each fuzzer makes the same inputs every time, at most so many, from seeds alone.
set -eu
export ISAFORGE_CACHE=  # nothing is kept between inputs
# The search for leaks guesses where variables of threads are in libraries loaded later, such as the compiler's, and now and then
# looks where nothing is.
export ASAN_OPTIONS=intercept_tls_get_addr=0

build=$1 seconds=$2
shift 2
if [ $# -eq 0 ]; then
    for program in "$build"/fuzz/*_fuzz; do
        program=${program##*/}
        set -- "$@" "${program%_fuzz}"
    done
fi
mkdir -p "$build/findings" "$build/corpus"
"$build/fuzz/seeds" "$build/seeds"

# Objects with the line tables of a compiler, each version, behind the byte that chooses the machine.
for version in 2 3 4 5; do
    object=$build/seeds/object/dwarf-$version
    printf 'int square(int n) {\n    return n * n;\n}\n' |
        clang-14 -x c -c -g "-gdwarf-$version" -O1 -fno-asynchronous-unwind-tables -o "$object.o" -
    { printf '\001' && cat "$object.o"; } >"$object"
    rm "$object.o"
done

# One fuzzer: $1 build, $2 seconds, $3 its name. Instructions need few bytes, files more.
# shellcheck disable=SC2016  # the inner shell expands
one='
build=$1 seconds=$2 name=$3
case $name in
    code | machine) most=128 ;;
    object | container | link) most=4096 ;;
    *) most=2048 ;;
esac
corpus=$build/corpus/$name
[ -z "${RUNS:-}" ] || corpus=$(mktemp -d)
mkdir -p "$corpus"
log=$build/findings/$name.log
status=0
"$build/fuzz/${name}_fuzz" -max_total_time="$seconds" -timeout=120 -rss_limit_mb=2048 -max_len=$most -entropic=0 \
    -print_final_stats=1 -dict="$build/seeds/words.dict" -artifact_prefix="$build/findings/$name-" \
    ${RUNS:+-runs="$RUNS" -seed=1} "$corpus" "$build/seeds/$name" 2>"$log" || status=1
[ -z "${RUNS:-}" ] || rm -rf "$corpus"
value() { sed -n "s/^stat::$1: *//p" "$log"; }
echo "$name: $(value number_of_executed_units) inputs, $(value average_exec_per_sec) a second"
[ $status = 0 ] || grep -m 1 SUMMARY "$log" || tail -n 1 "$log"
exit $status
'
printf '%s\n' "$@" | xargs -P "${JOBS:-$(nproc)}" -n 1 sh -c "$one" fuzz "$build" "$seconds" ||
    { echo "something was found: see $build/findings" >&2; exit 1; }
