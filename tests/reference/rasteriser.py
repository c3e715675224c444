#!/usr/bin/env python3
"""Draws the scene of examples/wishbone-gpu a second time, and compares the result with the emulator's picture.

    python3 rasteriser.py scene.bin reference.ppm [--compare frame.png] [--size 960x720]

It takes a different road from the assembly program: it works in double precision and decides by three edge functions
for each pixel of a bounding box where the program walks along rows. So the two agree only if clipping, projection, fill
rule, depth and perspective are right in both. It exits with 1 if more than `--tolerance` of the pixels differ visibly;
a few always do, where an edge passes within rounding of a pixel's centre.
"""
import argparse
import math
import struct
import sys
import zlib

LOAD_ADDRESS = 0x100000


class Scene:
    """What the header of scene.bin says; see pipeline.s."""

    def __init__(self, data):
        self.data = data
        vertex_count, triangle_count, vertices, triangles = struct.unpack_from("<4I", data)
        matrix = struct.unpack_from("<16f", data, 16)
        self.matrix = [matrix[i:i + 4] for i in range(0, 16, 4)]
        self.sky_top = struct.unpack_from("<3f", data, 80)
        self.sky_horizon = struct.unpack_from("<3f", data, 92)
        self.sky_step, = struct.unpack_from("<f", data, 104)
        self.vertices = [struct.unpack_from("<8f", data, vertices - LOAD_ADDRESS + 32 * i) for i in range(vertex_count)]
        self.triangles = [struct.unpack_from("<4I", data, triangles - LOAD_ADDRESS + 16 * i)
                          for i in range(triangle_count)]

    def texel(self, texture, u, v):
        x, y = min(max(int(u), 0), 255), min(max(int(v), 0), 255)
        blue, green, red, _ = self.data[texture * 4 - LOAD_ADDRESS + (y * 256 + x) * 4:][:4]
        return red, green, blue


def to_clip_space(scene):
    """x y z w and the five attributes of every vertex."""
    result = []
    for x, y, z, *attributes in scene.vertices:
        result.append([a * x + b * y + c * z + d for a, b, c, d in scene.matrix] + attributes)
    return result


def clip(corners):
    """Sutherland-Hodgman against the near plane z = 0."""
    result = []
    for start, end in zip(corners, corners[1:] + corners[:1]):
        if start[2] >= 0:
            result.append(start)
        if (start[2] >= 0) != (end[2] >= 0):
            t = start[2] / (start[2] - end[2])
            result.append([a + t * (b - a) for a, b in zip(start, end)])
    return result


def project(corner, width, height):
    """Screen x and y, then 1/w and the attributes times 1/w."""
    q = 1 / corner[3]
    return [(1 + corner[0] * q) * width / 2, (1 - corner[1] * q) * height / 2, q] + [a * q for a in corner[4:]]


class Picture:
    def __init__(self, scene, width, height):
        self.scene, self.width, self.height = scene, width, height
        self.depth = [0.0] * (width * height)
        self.pixels = []
        for row in range(height):
            t = min(row * scene.sky_step, 1) ** 2
            self.pixels += [tuple(int(a + (b - a) * t) for a, b in zip(scene.sky_top, scene.sky_horizon))] * width

    def draw(self, a, b, c, texture):
        """Edge functions are positive inside a front face once y points up; here it points down, hence the signs."""
        area = (c[0] - a[0]) * (b[1] - a[1]) - (b[0] - a[0]) * (c[1] - a[1])
        if not area > 0:
            return
        xs, ys = [p[0] for p in (a, b, c)], [p[1] for p in (a, b, c)]
        left, right = max(math.ceil(min(xs) - 0.5), 0), min(math.ceil(max(xs) - 0.5), self.width)
        top, bottom = max(math.ceil(min(ys) - 0.5), 0), min(math.ceil(max(ys) - 0.5), self.height)
        for row in range(top, bottom):
            y = row + 0.5
            for column in range(left, right):
                x = column + 0.5
                wa = (c[0] - b[0]) * (y - b[1]) - (x - b[0]) * (c[1] - b[1])
                wb = (a[0] - c[0]) * (y - c[1]) - (x - c[0]) * (a[1] - c[1])
                wc = (b[0] - a[0]) * (y - a[1]) - (x - a[0]) * (b[1] - a[1])
                if wa > 0 or wb > 0 or wc > 0:
                    continue
                self.shade(row * self.width + column, a, b, c, (-wa / area, -wb / area, -wc / area), texture)

    def shade(self, at, a, b, c, weights, texture):
        wa, wb, wc = weights
        q = wa * a[2] + wb * b[2] + wc * c[2]
        if q <= self.depth[at]:
            return
        self.depth[at] = q
        red, green, blue, u, v = ((wa * x + wb * y + wc * z) / q for x, y, z in zip(a[3:], b[3:], c[3:]))
        texel = self.scene.texel(texture, u, v)
        self.pixels[at] = tuple(min(max(int(f * t), 0), 255) for f, t in zip((red, green, blue), texel))


def render(scene, width, height):
    picture = Picture(scene, width, height)
    vertices = to_clip_space(scene)
    for a, b, c, texture in scene.triangles:
        corners = [project(p, width, height) for p in clip([vertices[a // 64], vertices[b // 64], vertices[c // 64]])]
        for second, third in zip(corners[1:], corners[2:]):
            picture.draw(corners[0], second, third, texture)
    return picture.pixels


def read_png(path):
    """Width, height and pixels of a PNG with 8 bits per channel, RGB or RGBA, not interlaced."""
    with open(path, "rb") as file:
        data = file.read()
    at, compressed = 8, b""
    while at < len(data):
        length, kind = struct.unpack_from(">I4s", data, at)
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack_from(">IIBBBBB", data, at + 8)
        elif kind == b"IDAT":
            compressed += data[at + 8:at + 8 + length]
        at += 12 + length
    if depth != 8 or colour not in (2, 6) or interlaced:
        sys.exit(f"{path}: only plain 8-bit RGB and RGBA pictures are read")
    return width, height, unfilter(zlib.decompress(compressed), width, height, 3 if colour == 2 else 4)


def unfilter(raw, width, height, size):
    """Undoes the five PNG line filters; `size` is bytes per pixel."""
    stride, previous, pixels = width * size, bytearray(width * size), []
    for row in range(height):
        start = row * (stride + 1)
        kind, line = raw[start], bytearray(raw[start + 1:start + 1 + stride])
        for i in range(stride):
            left, up = line[i - size] if i >= size else 0, previous[i]
            corner = previous[i - size] if i >= size else 0
            if kind == 1:
                line[i] = (line[i] + left) & 255
            elif kind == 2:
                line[i] = (line[i] + up) & 255
            elif kind == 3:
                line[i] = (line[i] + (left + up) // 2) & 255
            elif kind == 4:
                estimate = left + up - corner
                nearest = min((left, up, corner), key=lambda value: abs(estimate - value))
                line[i] = (line[i] + nearest) & 255
        pixels += [tuple(line[i:i + 3]) for i in range(0, stride, size)]
        previous = line
    return pixels


def compare(path, pixels, width, height, tolerance):
    """Whether few enough pixels differ by more than 10 levels in some channel."""
    other_width, other_height, other = read_png(path)
    if (other_width, other_height) != (width, height):
        sys.exit(f"{path}: is {other_width}x{other_height}, expected {width}x{height}")
    different = sum(max(abs(x - y) for x, y in zip(a, b)) > 10 for a, b in zip(pixels, other))
    print(f"{different} of {len(pixels)} pixels differ visibly ({100 * different / len(pixels):.3f} %)")
    return different <= tolerance * len(pixels)


def main():
    parser = argparse.ArgumentParser(description="Draws scene.bin in double precision and compares pictures.")
    parser.add_argument("scene")
    parser.add_argument("output", help="PPM file to write")
    parser.add_argument("--compare", metavar="PNG", help="picture to check")
    parser.add_argument("--size", default="960x720")
    parser.add_argument("--tolerance", type=float, default=0.01, help="share of pixels that may differ")
    arguments = parser.parse_args()
    width, height = map(int, arguments.size.split("x"))
    with open(arguments.scene, "rb") as file:
        pixels = render(Scene(file.read()), width, height)
    with open(arguments.output, "wb") as file:
        file.write(b"P6 %d %d 255\n" % (width, height) + bytes(channel for pixel in pixels for channel in pixel))
    if arguments.compare and not compare(arguments.compare, pixels, width, height, arguments.tolerance):
        sys.exit(1)


if __name__ == "__main__":
    main()
