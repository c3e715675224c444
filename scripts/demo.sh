#!/bin/sh
# The demonstration: a scene, the program that draws it, assembled and emulated, and a picture of it.
#
#   scripts/demo.sh [the command] [folder for what it makes]
set -eu
cd "$(dirname "$0")/.."
isaforge=${1:-build/isaforge}
out=${2:-out}
examples=examples/wishbone-gpu

mkdir -p "$out"
echo 'making the scene'
python3 $examples/make_scene.py "$out/scene.bin"
echo 'assembling the 3-D pipeline'
"$isaforge" asm -i wishbone-gpu $examples/pipeline.s -o "$out/pipeline.elf"
echo 'running it'
"$isaforge" run -i wishbone-gpu "$out/pipeline.elf" --memory 16M --load "$out/scene.bin@0x100000" \
    --png "$out/frame.png@0xD00000:960x720:xrgb8888" --stats
echo "the picture is $out/frame.png"
