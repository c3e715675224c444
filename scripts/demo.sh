#!/bin/sh
# The demonstration: a scene, the program that draws it, assembled and emulated, and a picture of it; and a picture that a kernel
# for a GPU draws; and the manual of the first machine.
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
echo 'assembling a kernel for a GPU, and running it'
"$isaforge" asm -i gcn1.4 examples/gcn/mandelbrot.s -o "$out/mandelbrot.o"
"$isaforge" run "$out/mandelbrot.o" --grid 640,480 --arg zero:1228800 --arg i32:640 --arg i32:480 --arg f32:-2.3 \
    --arg f32:1.2 --arg f32:0.005 --arg i32:255 --png "$out/mandelbrot.png@1:640x480:xrgb8888" --stats
echo 'writing the manual of the machine that drew the first picture'
"$isaforge" manual wishbone-gpu -o "$out/manual"
echo "the pictures are $out/frame.png and $out/mandelbrot.png, the manual is $out/manual/index.html"
