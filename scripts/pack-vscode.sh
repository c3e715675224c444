#!/bin/sh
# Packs the extension for VS Code: scripts/pack-vscode.sh ISAFORGE OUT.vsix [ISA]. npm downloads what it is made with; the
# grammar that colours programs where no server runs is made of the description ISA.
set -eu
isaforge=$(realpath "$1") out=$(realpath -m "$2") isa=${3:-gcn1.4}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$root/editors/vscode/." "$work"
cp "$root/LICENSE" "$work"
"$isaforge" show "$isa" --textmate >"$work/syntaxes/isaforge-asm.tmLanguage.json"
mkdir -p "$(dirname "$out")"
cd "$work"
npm install --omit=dev --no-audit --no-fund --no-package-lock
npx --yes @vscode/vsce package --no-git-tag-version --allow-missing-repository --out "$out"
