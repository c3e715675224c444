"""What the comment at the top of a kernel file says: the buffers, how they are filled, and the launches.

    // buffer  x    float[4096]  random -1 1
    // buffer  out  float[4096]  zero            within 2 ulp
    // run     scale(x, out, 2.5f, local float[64], 4096)   grid 4096   group 64
    // run     edges(x, out)   grid 100   group 64 host 50       where groups are cut off, which the host has not
    // repeat  t = 0 .. 62
    //     run step(x, out, t)   grid 64, 64   group 8, 8
    // library
    // targets gfx700 gfx803 gfx900
    // options -fsome-option
    // prints
    // sample  clang-14 gfx803 -O2

All buffers are compared after the last launch, to the bit unless `within N ulp`, `within X` (absolute) or `in any order`
says otherwise. Numbers are C's, with its suffixes: 7 is an int, 7u, 7l, 7ul, 2.5f, 2.5; `short 7` names other types, and
`bytes 01 00 02 00` is what a struct is in memory. Sizes and arguments may be expressions, with t of a `repeat`.
Elements are filled with `zero`, `= (i * 7) % 13` (an expression in i, of n elements), `random LOW HIGH`, `bits` (any bits)
or `edges` (what is special in the type, and any bits). The library is that of the device, for kernels that need more than
device.h has. Kernels without `targets` are for all targets. `sample` names the build that `make test` takes, where it
matters which: one that has found a mistake.
"""
import math
import random
import re
import struct

FORMATS = {'char': 'b', 'uchar': 'B', 'short': 'h', 'ushort': 'H', 'int': 'i', 'uint': 'I', 'long': 'q', 'ulong': 'Q', 'half': 'e', 'float': 'f',
           'double': 'd'}
FLOATS = {'half': (10, 5), 'float': (23, 8), 'double': (52, 11)}  # bits of the fraction and the exponent
BITS_OF = {'half': 'H', 'float': 'I', 'double': 'Q'}


class Malformed(Exception):
    pass


def evaluate(text, **names):
    return eval(text, {'__builtins__': {}, 'min': min, 'max': max, 'abs': abs, 'int': int, 'sin': math.sin, 'pi': math.pi}, names)


def size_of(kind):
    return struct.calcsize('<' + FORMATS[kind])


def pack(kind, values):
    """Values as they are in memory; integers are taken modulo the width."""
    if kind not in FLOATS:
        bits = 8 * size_of(kind)
        low = 0 if kind.startswith('u') else -(1 << (bits - 1))
        values = [(int(value) - low) % (1 << bits) + low for value in values]
    return struct.pack(f'<{len(values)}{FORMATS[kind]}', *values)


def unpack(kind, data):
    return list(struct.unpack(f'<{len(data) // size_of(kind)}{FORMATS[kind]}', data))


def is_subnormal(kind, bits):
    fraction, exponent = FLOATS[kind]
    return bits >> fraction & ((1 << exponent) - 1) == 0 and bits & ((1 << fraction) - 1) != 0


def any_bits(kind, count, source):
    """Any bits, without subnormal numbers where floats are meant: whether these are kept is a target's choice."""
    if kind not in FLOATS:
        return source.randbytes(count * size_of(kind))
    width, values = 8 * size_of(kind), []
    while len(values) < count:
        bits = source.getrandbits(width)
        if not is_subnormal(kind, bits):
            values.append(bits)
    return struct.pack(f'<{count}{BITS_OF[kind]}', *values)


def special_values(kind):
    """As bits for floats, as numbers for integers."""
    if kind not in FLOATS:
        top = 1 << (8 * size_of(kind) - (0 if kind.startswith('u') else 1))
        return [0, 1, 2, 3, -1, -2, top - 1, top - 2, top >> 1, (top >> 1) - 1, -top, -top + 1, 0x55, 0xaa, 7, 31, 32, 33, 63, 64, 100]
    fraction, exponent = FLOATS[kind]
    sign, infinity, one = 1 << (fraction + exponent), ((1 << exponent) - 1) << fraction, ((1 << (exponent - 1)) - 1) << fraction
    found = [0, infinity, infinity | 1 << (fraction - 1), infinity - 1, 1 << fraction, one, one + 1, one - 1, one + (1 << fraction),
             one + (1 << (fraction - 1)), one - (1 << fraction), one + (fraction << fraction), one + ((fraction + 1) << fraction)]
    return found + [value | sign for value in found]


def edges(kind, count, source):
    """Special values in pairs with each other at first, then at random among any bits."""
    special = special_values(kind)
    plain = pack(kind, special) if kind not in FLOATS else struct.pack(f'<{len(special)}{BITS_OF[kind]}', *special)
    width = size_of(kind)
    special = [plain[i:i + width] for i in range(0, len(plain), width)]
    others = any_bits(kind, count, source)
    return b''.join(source.choice(special) if source.random() < 0.6 else others[i * width:(i + 1) * width] for i in range(count))


class Buffer:
    def __init__(self, text):
        match = re.fullmatch(r'(\w+)\s+(\w+)\[([^]]+)\]\s+(.*?)(?:\s+(within .*|in any order))?', text)
        if not match or match[2] not in FORMATS:
            raise Malformed('a buffer is NAME TYPE[COUNT] FILLING, and how it is compared')
        self.name, self.kind, self.filling = match[1], match[2], match[4].strip()
        self.count, self.comparison = evaluate(match[3]), match[5] or 'bits'

    def content(self, seed):
        source, words = random.Random(f'{seed} {self.name}'), self.filling.split()
        if self.filling == 'zero':
            return bytes(self.count * size_of(self.kind))
        if self.filling == 'bits':
            return any_bits(self.kind, self.count, source)
        if self.filling == 'edges':
            return edges(self.kind, self.count, source)
        if words[0] == '=':
            return pack(self.kind, [evaluate(self.filling[1:].strip(), i=i, n=self.count) for i in range(self.count)])
        if words[0] == 'random' and len(words) == 3:
            low, high = evaluate(words[1]), evaluate(words[2])
            draw = source.uniform if self.kind in FLOATS else source.randint
            return pack(self.kind, [draw(low, high) for _ in range(self.count)])
        raise Malformed(f'nothing fills a buffer with `{self.filling}`')


class Argument:
    """A buffer's name, room in local memory, or a value: a type and its bytes."""

    def __init__(self, text, buffers, names):
        self.buffer, self.local, self.kind, self.data = None, None, None, b''
        words = text.split()
        if text in buffers:
            self.buffer = text
        elif words[0] == 'local':
            match = re.fullmatch(r'local (\w+)\[(.+)\]', text)
            self.local = size_of(match[1]) * evaluate(match[2], **names)
        elif words[0] == 'bytes':
            self.data = bytes.fromhex(' '.join(words[1:]))
        elif words[0] in FORMATS:
            self.value(words[0], text.split(maxsplit=1)[1], names)
        else:
            self.number(text, names)

    def number(self, text, names):
        whole = r'(.*(?:\b0x[\da-f]+|\b\d+|\)))'
        for pattern, kind in [(r'(-?[\d.]+(?:e-?\d+)?)f', 'float'), (r'(-?\d*\.\d*(?:e-?\d+)?)', 'double'), (whole + 'ul', 'ulong'),
                              (whole + 'l', 'long'), (whole + 'u', 'uint'), (r'(.*)', 'int')]:
            match = re.fullmatch(pattern, text)
            if match:
                return self.value(kind, match[1], names)

    def value(self, kind, text, names):
        self.kind, self.data = kind, pack(kind, [evaluate(text, **names)])


def triple(text, names):
    numbers = [evaluate(part, **names) for part in text.split(',')]
    return numbers + [1] * (3 - len(numbers))


class Launch:
    def __init__(self, text, buffers, names):
        match = re.fullmatch(r'(\w+)\s*\((.*)\)\s+grid\s+(.+?)\s+group\s+(.+?)(?:\s+host\s+(.+))?', text)
        if not match:
            raise Malformed('a launch is KERNEL(ARGUMENTS) grid X, Y, Z group X, Y, Z, and the group on the host')
        parts = re.split(r',\s*(?![^(]*\))', match[2].strip()) if match[2].strip() else []
        self.kernel, self.arguments = match[1], [Argument(part.strip(), buffers, names) for part in parts]
        self.grid, self.group = triple(match[3], names), triple(match[4], names)
        self.host_group = triple(match[5], names) if match[5] else self.group


class Program:
    def __init__(self, path):
        self.path, self.name = path, path.stem
        self.buffers, self.launches = {}, []
        self.library, self.prints, self.targets, self.options = False, False, None, []
        self.sample = None
        self.repeated, self.repeat = [], None
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if not line.startswith('//'):
                break
            match = re.fullmatch(r'//( +)(buffer|run|repeat|library|targets|options|prints|sample)\b\s*(.*)', line)
            if match:
                try:
                    self.line(match[2], match[3].strip(), len(match[1]) > 1)
                except (Malformed, SyntaxError, NameError, TypeError, ValueError, AttributeError) as error:
                    raise Malformed(f'{path}:{number}: {error}') from error
        self.unroll()

    def line(self, word, rest, indented):
        if not (word == 'run' and indented):
            self.unroll()
        if word == 'buffer':
            made = Buffer(rest)
            self.buffers[made.name] = made
        elif word == 'run' and indented:
            self.repeated.append(rest)
        elif word == 'run':
            self.launches.append(Launch(rest, self.buffers, {}))
        elif word == 'repeat':
            self.repeat = re.fullmatch(r'(\w+) = (.+?) \.\. (.+?)(?: by (.+))?', rest).groups()
        elif word == 'sample':
            self.sample = rest
        elif word in ('library', 'prints'):
            setattr(self, word, True)
        else:
            setattr(self, word, rest.split())

    def unroll(self):
        if self.repeat:
            name, first, last, by = self.repeat
            for value in range(evaluate(first), evaluate(last) + 1, evaluate(by or '1')):
                self.launches += [Launch(text, self.buffers, {name: value}) for text in self.repeated]
        self.repeated, self.repeat = [], None
