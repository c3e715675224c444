"""Whether two contents of a buffer are equal, as far as its comparison asks for it; and if not, what differs most."""
import math
import struct

from program import BITS_OF, FLOATS, size_of, unpack


def ulp(kind, value):
    """The distance between numbers of the type around a value."""
    fraction, exponent = FLOATS[kind]
    lowest = 2 - (1 << (exponent - 1)) - fraction
    if value == 0 or math.isinf(value):
        return 2.0**lowest
    return 2.0**max(math.frexp(value)[1] - 1 - fraction, lowest)


def error_in_ulp(kind, expected, found):
    if math.isnan(expected) or math.isnan(found):
        return 0 if math.isnan(expected) and math.isnan(found) else math.inf
    if expected == found:
        return 0
    return math.inf if math.isinf(expected) or math.isinf(found) else abs(expected - found) / ulp(kind, expected)


def absolute_error(expected, found):
    if math.isnan(expected) or math.isnan(found):
        return 0 if math.isnan(expected) and math.isnan(found) else math.inf
    return 0 if expected == found else abs(expected - found)


def bits_error(kind):
    """Any NaN is as good as any other: which one comes out of an operation is not what OpenCL says."""
    if kind not in FLOATS:
        return lambda expected, found: 0 if expected == found else math.inf
    as_bits = struct.Struct('<' + {'H': 'e', 'I': 'f', 'Q': 'd'}[BITS_OF[kind]])
    return lambda expected, found: (0 if as_bits.pack(expected) == as_bits.pack(found) or math.isnan(expected) and math.isnan(found) else math.inf)


def difference(buffer, expected, found):
    """What differs, in words, or None."""
    if expected == found:
        return None
    if len(expected) != len(found):
        return f'{buffer.name} has {len(found)} bytes instead of {len(expected)}'
    words = buffer.comparison.split()
    allowed, error = 0, bits_error(buffer.kind)
    ours, theirs = unpack(buffer.kind, found), unpack(buffer.kind, expected)
    if buffer.comparison == 'in any order':
        ours, theirs = sorted(ours), sorted(theirs)
    elif words[0] == 'within':
        allowed = float(words[1])
        error = (lambda a, b: error_in_ulp(buffer.kind, a, b)) if words[2:] == ['ulp'] else absolute_error
    errors = [error(a, b) for a, b in zip(theirs, ours)]
    wrong = [i for i, amount in enumerate(errors) if not amount <= allowed]
    if not wrong:
        return None
    worst = max(wrong, key=errors.__getitem__)
    amount = '' if math.isinf(errors[worst]) else f', {errors[worst]:.3g} {"ulp" if words[-1] == "ulp" else "apart"}'
    return (f'{buffer.name}: {len(wrong)} of {len(ours)} differ, first [{wrong[0]}], most [{worst}]: {shown(buffer.kind, ours[worst])} '
            f'instead of {shown(buffer.kind, theirs[worst])}{amount}')


def shown(kind, value):
    if kind in FLOATS:
        return repr(value)
    return f'{value} ({value & ((1 << 8 * size_of(kind)) - 1):#x})'
