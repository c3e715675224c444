#!/usr/bin/env python3
"""Writes the scene that pipeline.s draws: a torus knot over a marble floor, between columns, at dusk.

    python3 make_scene.py scene.bin

The pipeline only multiplies a texture by an interpolated colour, so all that makes the picture is prepared here:
meshes, light and shadows baked into vertex colours and into the floor's texture, coarser texture levels for what is far
away. It is kept in Python's standard library, and it is deterministic: the same file every time.

scene.bin holds little-endian words and is meant to be loaded at 0x100000; all addresses in it count from zero:
    header     128 bytes, see pipeline.s
    vertices   x y z, red green blue (factors of the texture), u v (texels, 0 .. 255.99): eight floats each
    triangles  three vertex numbers times 64, and a quarter of the address of the texture: four words each
    textures   256 x 256 words 0x00RRGGBB, each at a multiple of 256 KB
"""
import argparse
import math
import struct

LOAD_ADDRESS = 0x100000
MAX_ADDRESS = 0x800000          # where the pipeline keeps its depth buffer
MAX_VERTICES = 36864
TEXTURE_SIZE = 256
TEXTURE_BYTES = TEXTURE_SIZE * TEXTURE_SIZE * 4

# --- vectors ---------------------------------------------------------------------------------------------------------


def add(a, b):
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a, b):
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def scale(a, s):
    return (a[0] * s, a[1] * s, a[2] * s)


def dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def normalize(a):
    return scale(a, 1 / math.sqrt(dot(a, a)))


def mix(a, b, t):
    return (a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t)


def smooth(low, high, x):
    t = min(max((x - low) / (high - low), 0.0), 1.0)
    return t * t * (3 - 2 * t)


# --- camera and light ------------------------------------------------------------------------------------------------

EYE = (0.9, 2.35, 7.2)
TARGET = (0.1, 1.62, 0.0)
FIELD_OF_VIEW = 46.0            # vertical, degrees
ASPECT = 4 / 3
NEAR = 0.75
ROWS = 720                      # of the picture, for the position of the horizon and the texture levels

SKY_TOP = (9, 13, 42)
SKY_HORIZON = (232, 146, 112)
LIGHT = normalize((-0.55, 0.80, 0.80))
LIGHT_COLOUR = (1.02, 0.94, 0.80)
SKY_LIGHT = (0.22, 0.24, 0.38)
GROUND_LIGHT = (0.16, 0.12, 0.11)


def camera_axes():
    forward = normalize(sub(TARGET, EYE))
    right = normalize(cross(forward, (0.0, 1.0, 0.0)))
    return right, cross(right, forward), forward


def clip_matrix():
    """From the world to clip space, by rows: w is the distance along the line of sight, z = w - NEAR."""
    right, up, forward = camera_axes()
    zoom = 1 / math.tan(math.radians(FIELD_OF_VIEW) / 2)

    def row(axis, factor, offset=0.0):
        return [*scale(axis, factor), -dot(axis, EYE) * factor + offset]

    return [row(right, zoom / ASPECT), row(up, zoom), row(forward, 1, -NEAR), row(forward, 1)]


MATRIX = clip_matrix()


def to_clip(point):
    return [dot(row, point) + row[3] for row in MATRIX]


def horizon_row():
    _, y, _, w = to_clip((EYE[0] * 1e6, EYE[1], -1e9))
    return ROWS / 2 * (1 - y / w)


def is_outside(points):
    """Whether all points lie beyond one side of the view: nothing of their convex hull can be seen."""
    clip = [to_clip(p) for p in points]
    tests = (lambda c: c[2] < 0, lambda c: c[0] > c[3], lambda c: -c[0] > c[3], lambda c: c[1] > c[3],
             lambda c: -c[1] > c[3])
    return any(all(test(c) for c in clip) for test in tests)


# --- noise and textures ----------------------------------------------------------------------------------------------


def lattice(x, y, seed):
    """A reproducible number in 0 .. 1 for a lattice point."""
    n = (x * 374761393 + y * 668265263 + seed * 974634777) & 0xffffffff
    n = ((n ^ (n >> 13)) * 1274126177) & 0xffffffff
    return ((n ^ (n >> 16)) & 0xffff) / 0xffff


def noise(x, y, period, seed):
    """Smooth noise that repeats after `period` lattice cells in both directions."""
    cell_x, cell_y = math.floor(x), math.floor(y)
    fx, fy = x - cell_x, y - cell_y
    fx, fy = fx * fx * (3 - 2 * fx), fy * fy * (3 - 2 * fy)
    x0, x1, y0, y1 = cell_x % period, (cell_x + 1) % period, cell_y % period, (cell_y + 1) % period
    top = lattice(x0, y0, seed) * (1 - fx) + lattice(x1, y0, seed) * fx
    low = lattice(x0, y1, seed) * (1 - fx) + lattice(x1, y1, seed) * fx
    return top * (1 - fy) + low * fy


def turbulence(x, y, period, seed, octaves=4):
    """Sum of noise at doubling frequencies; x and y in 0 .. 1, result about 0 .. 1."""
    total, weight = 0.0, 0.5
    for octave in range(octaves):
        total += weight * noise(x * period, y * period, period, seed + octave)
        period, weight = period * 2, weight / 2
    return total


def paint(colour_at):
    """A texture from a function of u and v in 0 .. 1: rows of colours 0 .. 255."""
    step = 1 / TEXTURE_SIZE
    return [[colour_at((x + 0.5) * step, (y + 0.5) * step) for x in range(TEXTURE_SIZE)] for y in range(TEXTURE_SIZE)]


def marble_colour(u, v):
    """Four by four marble tiles, light and dark, with a fine joint."""
    x, y = u * 4 % 1, v * 4 % 1
    vein = abs(turbulence(u, v, 8, 11) - 0.47) * 9
    is_light = (int(u * 4) + int(v * 4)) % 2 == 0
    if is_light:
        colour = mix((196, 180, 168), (236, 229, 216), min(vein, 1))
    else:
        colour = mix((104, 96, 110), (44, 43, 60), min(vein * 1.3, 1))
    joint = min(x, y, 1 - x, 1 - y)
    return mix((70, 64, 66), colour, smooth(0.006, 0.022, joint))


def knot_colour(u, v):
    """A band of enamel between gold braids; u runs around the tube, v along it."""
    braid = math.sin(2 * math.pi * (6 * v + 4 * u)) * math.sin(2 * math.pi * (6 * v - 4 * u))
    gold = mix((150, 88, 30), (255, 204, 104), smooth(-0.6, 0.7, braid))
    grain = 0.9 + 0.2 * turbulence(u, v, 16, 31, 3)
    band = abs(2 * (2 * u % 1) - 1)             # two bands around the tube
    shade = smooth(0.47, 0.5, band)
    rim = smooth(0.40, 0.43, band) * (1 - smooth(0.52, 0.55, band))
    diamond = abs(2 * (6 * v % 1) - 1) + band / 0.47
    enamel = mix((20, 140, 150), (30, 78, 168), smooth(0.7, 0.78, diamond))
    enamel = mix((222, 236, 220), enamel, smooth(0.26, 0.33, diamond))
    colour = mix(mix(enamel, gold, shade), (96, 52, 20), rim)
    return tuple(min(255, c * grain) for c in colour)


def planet_colour(u, v):
    """Cloud bands of a gas planet, v from pole to pole."""
    swirl = turbulence(u, v, 4, 51, 5) - 0.47
    band = v + swirl * 0.13
    t = 0.5 + 0.5 * math.sin(band * 34) * math.cos(band * 11)
    colour = mix((176, 88, 58), (246, 222, 186), smooth(0.15, 0.85, t))
    return mix(colour, (120, 62, 58), smooth(0.12, 0.3, swirl))


def mosaic_colour(u, v):
    """Glazed tiles in blues and greens with light joints."""
    x, y = u * 24, v * 12
    pick = lattice(int(x), int(y), 71)
    colour = mix((22, 66, 140), (64, 190, 176), pick)
    if lattice(int(x), int(y), 72) > 0.9:
        colour = (236, 178, 70)
    joint = min(x % 1, y % 1, 1 - x % 1, 1 - y % 1)
    return mix((206, 214, 210), colour, smooth(0.05, 0.12, joint))


def moon_colour(u, v):
    """Dark plains on a pale ground."""
    plain = smooth(0.42, 0.56, turbulence(u, v, 4, 111, 5))
    return mix((236, 216, 190), (150, 128, 124), plain)


def column_colour(u, v):
    """Fluted sandstone in drums."""
    flute = 0.72 + 0.28 * abs(math.sin(math.pi * 8 * u))
    stone = mix((178, 142, 112), (224, 196, 160), turbulence(u, v, 8, 91))
    joint = abs(v * 4 % 1 - 0.5)
    return scale(stone, flute * (1 - 0.45 * smooth(0.485, 0.495, joint)))


def halve(texture):
    half = len(texture) // 2

    def average(x, y):
        above, below = texture[2 * y][2 * x:2 * x + 2], texture[2 * y + 1][2 * x:2 * x + 2]
        return tuple(sum(channel) / 4 for channel in zip(*above, *below))

    return [[average(x, y) for x in range(half)] for y in range(half)]


def smaller_levels(texture):
    """All halved levels in one texture, side by side; also (x, size) of each level, the full one (0, 256) first."""
    page = [[(0, 0, 0)] * TEXTURE_SIZE for _ in range(TEXTURE_SIZE)]
    places, x = [(0, TEXTURE_SIZE)], 0
    while len(texture) > 2:
        texture = halve(texture)
        for y, line in enumerate(texture):
            page[y][x:x + len(line)] = line
        places.append((x, len(texture)))
        x += len(texture)
    return page, places


# --- the scene -------------------------------------------------------------------------------------------------------


class Scene:
    """Vertices, triangles and textures as they go into the file."""

    def __init__(self):
        self.vertices, self.triangles, self.textures = [], [], []

    def texture(self, rows):
        self.textures.append(rows)
        return len(self.textures) - 1

    def vertex(self, position, colour, u, v):
        """u and v in texels."""
        self.vertices.append((*position, *colour, min(max(u, 0), 255.99), min(max(v, 0), 255.99)))
        return len(self.vertices) - 1

    def quad(self, a, b, c, d, texture):
        """Corners counter-clockwise as seen from outside."""
        self.triangles.append((a, b, c, texture))
        self.triangles.append((a, c, d, texture))

    def grid(self, rows, texture):
        """A mesh from rows of vertex numbers."""
        for low, high in zip(rows, rows[1:]):
            for i in range(len(low) - 1):
                self.quad(low[i], low[i + 1], high[i + 1], high[i], texture)


class Occluders:
    """Spheres standing for the objects when shadows are computed."""

    def __init__(self):
        self.spheres = []

    def light_at(self, point, skip=0.0):
        """How much of the lamp reaches a point, 0 .. 1. Spheres nearer than `skip` along the ray do not count."""
        light = 1.0
        px, py, pz = point
        lx, ly, lz = LIGHT
        for (x, y, z), radius in self.spheres:
            x, y, z = x - px, y - py, z - pz
            along = x * lx + y * ly + z * lz
            if along <= skip:
                continue
            square = x * x + y * y + z * z - along * along      # of the distance between centre and ray
            blur = 0.05 + 0.05 * along                          # farther shadows are softer
            if square < (radius + blur) ** 2:
                light = min(light, smooth(radius - blur, radius + blur, math.sqrt(max(square, 0.0))))
        return light

    def openness(self, point):
        """How much of the sky a point on the floor sees, 0 .. 1."""
        hidden = 0.0
        px, _, pz = point
        for (x, y, z), radius in self.spheres:
            square = (x - px) ** 2 + y * y + (z - pz) ** 2
            hidden = max(hidden, radius * radius * y / (square * math.sqrt(square)))
        return 1 - 0.85 * min(hidden, 1.0)


def shade(point, normal, lamp, gloss, shininess=40):
    """Colour factor of a surface: sky from above, reflected light from below, the lamp, and its highlight."""
    ambient = mix(GROUND_LIGHT, SKY_LIGHT, 0.5 + 0.5 * normal[1])
    diffuse = max(dot(normal, LIGHT), 0.0) * lamp
    half = normalize(add(LIGHT, normalize(sub(EYE, point))))
    highlight = gloss * lamp * max(dot(normal, half), 0.0) ** shininess
    # A rim of the glowing horizon behind the objects.
    away = 1 - max(dot(normal, normalize(sub(EYE, point))), 0.0)
    rim = scale((0.34, 0.19, 0.15), away ** 3)
    return tuple(a + c * (diffuse + highlight) + r for a, c, r in zip(ambient, LIGHT_COLOUR, rim))


KNOT_CENTRE = (0.0, 1.98, -0.2)
KNOT_TUBE = 0.36
KNOT_SEGMENTS, KNOT_SIDES, KNOT_TILE = 264, 24, 44


def knot_point(t):
    radius = 2 + math.cos(3 * t)
    x, y, z = radius * math.cos(2 * t) * 0.53, radius * math.sin(2 * t) * 0.53, -math.sin(3 * t) * 0.62
    turn = math.radians(24)
    return add(KNOT_CENTRE, (x * math.cos(turn) + z * math.sin(turn), y, z * math.cos(turn) - x * math.sin(turn)))


def knot_frame(t):
    """Centre of the tube at t and two axes across it, which return to themselves after a full turn."""
    centre, ahead = knot_point(t), knot_point(t + 1e-4)
    along = normalize(sub(ahead, centre))
    bend = sub(add(knot_point(t + 1e-2), knot_point(t - 1e-2)), scale(centre, 2))
    across = normalize(cross(along, bend))
    return centre, across, cross(along, across)


def add_knot(scene, occluders):
    texture = scene.texture(paint(knot_colour))
    for segment in range(0, KNOT_SEGMENTS, KNOT_TILE):
        rows = []
        for i in range(KNOT_TILE + 1):
            centre, side, out = knot_frame((segment + i) % KNOT_SEGMENTS * 2 * math.pi / KNOT_SEGMENTS)
            row = []
            for j in range(KNOT_SIDES + 1):
                angle = j % KNOT_SIDES * 2 * math.pi / KNOT_SIDES
                normal = add(scale(side, math.cos(angle)), scale(out, math.sin(angle)))
                point = add(centre, scale(normal, KNOT_TUBE))
                lamp = occluders.light_at(point, KNOT_TUBE * 1.3)
                row.append(scene.vertex(point, shade(point, normal, lamp, 1.5, 28), j * 256 / KNOT_SIDES,
                                        i * 256 / KNOT_TILE))
            rows.append(row)
        scene.grid(rows, texture)


# Centre, radius, texture, gloss.
SPHERES = [((-2.55, 0.78, 1.05), 0.78, planet_colour, 0.45), ((2.62, 0.62, 1.35), 0.62, mosaic_colour, 1.2)]


def add_sphere(scene, occluders, centre, radius, colour_at, gloss, rings=28, sides=44):
    texture = scene.texture(paint(colour_at))
    rows = []
    for i in range(rings + 1):
        polar = math.pi * i / rings
        row = []
        for j in range(sides + 1):
            angle = j % sides * 2 * math.pi / sides
            # The axis is tilted a little towards the camera.
            x, y, z = math.sin(polar) * math.cos(angle), math.cos(polar), math.sin(polar) * math.sin(angle)
            normal = (x * 0.94 + y * 0.342, y * 0.94 - x * 0.342, z)
            point = add(centre, scale(normal, radius))
            lamp = occluders.light_at(point, radius)
            row.append(scene.vertex(point, shade(point, normal, lamp, gloss), 256 - j * 256 / sides, i * 256 / rings))
        rows.append(row)
    scene.grid(rows, texture)


def add_moon(scene, occluders):
    """A large moon low in the sky: placed by its position in the picture, right and up from the middle."""
    right, up, forward = camera_axes()
    direction = add(forward, add(scale(right, 0.285), scale(up, 0.275)))
    add_sphere(scene, occluders, add(EYE, scale(direction, 90)), 7.2, moon_colour, 0.0)


COLUMNS = [(side * (4.3 + 0.25 * i), -2.6 - 4.4 * i) for i in range(6) for side in (-1, 1)]


def add_column(scene, texture, x, z, sides=20):
    profile = [(0.0, 0.62, 0), (0.3, 0.62, 8), (0.301, 0.45, 10), (1.6, 0.44, 80), (3.2, 0.40, 170), (4.6, 0.38, 246),
               (4.601, 0.56, 250), (4.95, 0.6, 255)]
    fog = smooth(5, 60, math.hypot(x - EYE[0], z - EYE[2]))
    rows = []
    for height, radius, v in profile:
        row = []
        for j in range(sides + 1):
            angle = j % sides * 2 * math.pi / sides
            normal = (math.cos(angle), 0.0, -math.sin(angle))
            point = (x + radius * normal[0], height, z + radius * normal[2])
            dark = 0.55 + 0.45 * smooth(0, 1.2, height)
            colour = mix(scale(shade(point, normal, 1.0, 0.0), dark), scale(SKY_HORIZON, 1 / 190), fog)
            row.append(scene.vertex(point, colour, j * 256 / sides, v))
        rows.append(row)
    scene.grid(rows, texture)


# The floor repeats one texture of four by four units. Around the origin it has textures of its own, which hold the
# shadows; elsewhere a cell takes the level of detail that suits its distance.
FLOOR_TILE = 4
FLOOR_EDGE = -1.2               # tiles begin here along z: one row of them reaches from the visible floor to behind
                                # the camera, so that the near plane cuts it
SHADOW_RANGE = 8                # half the side of the part with shadows


def floor_shadow(occluders, x0, z0, cells=48):
    """Light on one tile of the floor, sampled on a coarse lattice: rows of colour factors."""
    rows = []
    for j in range(cells + 1):
        row = []
        for i in range(cells + 1):
            point = (x0 + i * FLOOR_TILE / cells, 0.0, z0 + j * FLOOR_TILE / cells)
            lamp, open_sky = occluders.light_at(point), occluders.openness(point)
            row.append(tuple(s * open_sky + c * LIGHT[1] * lamp for s, c in zip(SKY_LIGHT, LIGHT_COLOUR)))
        rows.append(row)
    return rows


def shadowed(texture, light):
    cells = len(light) - 1

    def texel(x, y):
        fx, fy = (x + 0.5) * cells / TEXTURE_SIZE, (y + 0.5) * cells / TEXTURE_SIZE
        i, j = int(fx), int(fy)
        above = mix(light[j][i], light[j][i + 1], fx - i)
        below = mix(light[j + 1][i], light[j + 1][i + 1], fx - i)
        factor = mix(above, below, fy - j)
        red, green, blue = texture[y][x]
        return (red * factor[0], green * factor[1], blue * factor[2])

    return [[texel(x, y) for x in range(TEXTURE_SIZE)] for y in range(TEXTURE_SIZE)]


def detail_level(x, z):
    """Halvings of the texture for which one texel is about one pixel, at a point of the floor."""
    distance = math.hypot(x - EYE[0], z - EYE[2])
    unit_per_pixel = distance * 2 * math.tan(math.radians(FIELD_OF_VIEW) / 2) / ROWS
    stretched = unit_per_pixel * max(1.0, distance / EYE[1]) 
    return max(0, math.floor(math.log2(stretched * TEXTURE_SIZE / FLOOR_TILE) + 0.2))


def floor_colour(average, x, z, lit):
    """Fades into the colour of the horizon with distance."""
    fog = smooth(8, 75, math.hypot(x - EYE[0], z - EYE[2]))
    return mix(lit, tuple(h / a for h, a in zip(SKY_HORIZON, average)), fog)


def add_floor(scene, occluders):
    marble = paint(marble_colour)
    page, places = smaller_levels(marble)
    far = [scene.texture(marble), scene.texture(page)]
    average = page[0][places[-1][0]]
    near = {}
    lamp = tuple(s + c * LIGHT[1] for s, c in zip(SKY_LIGHT, LIGHT_COLOUR))
    for row in range(-25, 3):
        for column in range(-20, 20):
            x0, z0 = column * FLOOR_TILE, row * FLOOR_TILE + FLOOR_EDGE
            x1, z1 = x0 + FLOOR_TILE, z0 + FLOOR_TILE
            corners = [(x0, 0, z1), (x1, 0, z1), (x1, 0, z0), (x0, 0, z0)]
            if is_outside(corners):
                continue
            level = min(detail_level((x0 + x1) / 2, (z0 + z1) / 2), len(places) - 1)
            has_shadow = max(abs(x0 + x1), abs(z0 + z1)) < 2 * SHADOW_RANGE
            if has_shadow:
                if (x0, z0) not in near:
                    light = floor_shadow(occluders, x0, z0)
                    near[x0, z0] = scene.texture(shadowed(marble, light))
                level = 0
            place, size = places[level]
            texture = near[x0, z0] if has_shadow else far[min(level, 1)]
            numbers = []
            for x, _, z in corners:
                colour = floor_colour(average, x, z, (1.0, 1.0, 1.0) if has_shadow else lamp)
                u, v = (x - x0) / FLOOR_TILE * size, (z - z0) / FLOOR_TILE * size
                inside = size - 0.01
                numbers.append(scene.vertex((x, 0, z), colour, place + min(u, inside), min(v, inside)))
            scene.quad(*numbers, texture)


def build():
    scene, occluders = Scene(), Occluders()
    for i in range(132):
        occluders.spheres.append((knot_point(i * 2 * math.pi / 132), KNOT_TUBE))
    for centre, radius, *_ in SPHERES:
        occluders.spheres.append((centre, radius))
    # Near things first: what lies behind them is then not shaded at all.
    add_knot(scene, occluders)
    for sphere in SPHERES:
        add_sphere(scene, occluders, *sphere)
    texture = scene.texture(paint(column_colour))
    for x, z in COLUMNS:
        add_column(scene, texture, x, z)
    add_floor(scene, occluders)
    add_moon(scene, occluders)
    return scene


# --- the file --------------------------------------------------------------------------------------------------------


def byte(level):
    return min(max(int(level + 0.5), 0), 255)


def pack(scene):
    vertices = LOAD_ADDRESS + 128
    triangles = vertices + 32 * len(scene.vertices)
    end = triangles + 16 * len(scene.triangles)
    textures = (end + TEXTURE_BYTES - 1) // TEXTURE_BYTES * TEXTURE_BYTES
    data = struct.pack("<4I", len(scene.vertices), len(scene.triangles), vertices, triangles)
    data += struct.pack("<16f", *(number for row in MATRIX for number in row))
    data += struct.pack("<7f", *SKY_TOP, *SKY_HORIZON, 1 / horizon_row())
    data = bytearray(data.ljust(128, b"\0"))
    for vertex in scene.vertices:
        data += struct.pack("<8f", *vertex)
    for a, b, c, texture in scene.triangles:
        data += struct.pack("<4I", a * 64, b * 64, c * 64, (textures + texture * TEXTURE_BYTES) // 4)
    data += bytes(textures - end)
    for texture in scene.textures:
        for row in texture:
            for red, green, blue in row:
                data += bytes((byte(blue), byte(green), byte(red), 0))
    return bytes(data)


def main():
    parser = argparse.ArgumentParser(description="Writes the scene that pipeline.s draws.")
    parser.add_argument("output", help="the file to write, usually scene.bin")
    arguments = parser.parse_args()
    scene = build()
    data = pack(scene)
    if len(scene.vertices) > MAX_VERTICES or LOAD_ADDRESS + len(data) > MAX_ADDRESS:
        parser.error("the scene is too large for the pipeline's memory map")
    with open(arguments.output, "wb") as file:
        file.write(data)
    print(f"{len(scene.vertices)} vertices, {len(scene.triangles)} triangles, {len(scene.textures)} textures, "
          f"{len(data)} bytes")


if __name__ == "__main__":
    main()
