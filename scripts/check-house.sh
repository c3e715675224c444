#!/bin/sh
# House rules that no compiler checks, over the files that git tracks:
#   - no path of somebody's machine,
#   - no word that marks unfinished work,
#   - no instruction set's name in the library: what only one machine needs belongs into its description. The command's
#     help texts may name them, the readers and writers of one machine's object files in src/codeobject, and the device that
#     runs one machine's kernels in src/device,
#   - no word of one machine's makers in the assembler: what only their sources have belongs to the flavour of its objects.
set -eu
cd "$(dirname "$0")/.."
failed=0

# rule WHAT PATTERN PATHS: complains about each line that matches, in either case.
rule() {
    what=$1 pattern=$2
    shift 2
    if found=$(git grep -nIiE "$pattern" -- "$@"); then
        printf '%s:\n%s\n' "$what" "$found" >&2
        failed=1
    fi
}

this=':!scripts/check-house.sh'
rule 'a path of one machine' '(^|[^A-Za-z0-9_.])/(home|work|Users|root|tmp)/[A-Za-z]' . "$this"
rule 'unfinished work' '\b(TODO|FIXME|XXX)\b' . "$this"
rule 'an instruction set in the library' 'gcn|fabrisc|wishbone' src ':!src/cli' ':!src/codeobject' ':!src/device'
rule 'one machine in the assembler' 'clrx|llvm|gpu|amd|(^|[^e])arch' src/assembler

exit $failed
