#!/bin/sh
# Runs every fuzzer of a build folder for a while, from the shipped files as seeds. What it finds stays in the folder
# `findings` of the build, what it learnt in `corpus`, so that the next run goes on from there.
#
#   scripts/fuzz.sh BUILD SECONDS [TARGET …]
set -eu

build=$1 seconds=$2
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
seeds=$build/seeds

mkdir -p "$build/findings" "$seeds/description" "$seeds/assembler" "$seeds/object" "$seeds/machine" "$seeds/notes" "$seeds/gdb"
find "$root/isas" "$root/tests" "$root/examples" -name '*.isa' -exec cp {} "$seeds/description" \;
find "$root/examples" "$root/tests" -name '*.s' -exec cp {} "$seeds/assembler" \;
cp "$root/docs/notes.md" "$seeds/notes"  # all of the notation is in it
printf '\0$qSupported:swbreak+#00$Z0,0,4#13$g#67$m0,40#61$vCont;c#a8' >"$seeds/gdb/packets"
for source in "$root"/examples/wishbone-gpu/*.s; do
    name=$(basename "$source" .s)
    "$build/isaforge" asm -i wishbone-gpu "$source" -o "$seeds/object/$name.o" || continue
    "$build/isaforge" asm -i wishbone-gpu "$source" --format ihex -o "$seeds/object/$name.hex"
    "$build/isaforge" asm -i wishbone-gpu "$source" --format bin -o "$seeds/machine/$name.bin"
done

failed=
for target in "${@:-description assembler object machine notes gdb}"; do
    for name in $target; do
        mkdir -p "$build/corpus/$name"
        echo "fuzzing: $name for $seconds s"
        "$build/fuzz/${name}_fuzz" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=16384 \
            -print_final_stats=1 -artifact_prefix="$build/findings/$name-" "$build/corpus/$name" "$seeds/$name" \
            2>"$build/findings/$name.log" || failed="$failed $name"
        grep -E 'stat::number_of_executed_units|SUMMARY' "$build/findings/$name.log" || true
    done
done
[ -z "$failed" ] || { echo "found something:$failed; see $build/findings" >&2; exit 1; }
