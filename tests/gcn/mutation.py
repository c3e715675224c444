"""Lines that are nearly right: what an assembler has to refuse, and a few that it has to accept after all."""
import re

NUMBERS = ['-4097', '-4096', '-32769', '-17', '-16', '-1', '0', '1', '2', '3', '4', '7', '8', '15', '16', '31', '32', '63', '64', '65',
           '127', '128', '255', '256', '4095', '4096', '32767', '32768', '65535', '65536', '0x7fffffff', '0x80000000', '0xffffffff',
           '0x100000000', '0.5', '1.0', '-4.0', '0.15915494']
OPERANDS = ['v0', 'v255', 'v256', 's0', 's101', 's102', 's103', 's104', 'ttmp0', 'ttmp11', 'ttmp15', 'ttmp16', 'vcc', 'vcc_lo', 'vcc_hi',
            'exec', 'exec_lo', 'exec_hi', 'm0', 'flat_scratch', 'flat_scratch_lo', 'tba', 'tma_lo', 'scc', 'vccz', 'execz', 'off',
            'v[0:1]', 'v[254:255]', 'v[255:256]', 'v[0:2]', 'v[0:3]', 's[0:1]', 's[1:2]', 's[2:3]', 's[0:3]', 's[2:5]', 's[0:7]', 's[4:11]',
            's[100:101]', 's[102:103]', 'ttmp[0:1]', 'ttmp[1:2]', 'ttmp[4:7]', 'src_lds_direct', 'src_shared_base', 'sext(v1)', 'neg(v1)',
            'abs(v1)', '-v1', '|v1|', '-|v1|', 'neg(s1)', 'null', 'pops_exiting_wave_id']
MODIFIERS = ['clamp', 'mul:2', 'mul:4', 'div:2', 'mul:3', 'gds', 'glc', 'slc', 'lds', 'tfe', 'lwe', 'unorm', 'da', 'r128', 'a16', 'd16', 'offen',
             'idxen', 'addr64', 'offset:0', 'offset:1', 'offset:4095', 'offset:4096', 'offset:-1', 'offset:65535', 'offset:65536', 'offset0:255',
             'offset0:256', 'offset1:1', 'dmask:0x1', 'dmask:0xf', 'dmask:0x10', 'compr', 'done', 'vm', 'high', 'op_sel:[1]', 'op_sel:[0,1]',
             'op_sel:[1,0,1]', 'op_sel:[0,0,0,1]', 'op_sel_hi:[0,0]', 'op_sel_hi:[1,1,1]', 'neg_lo:[1,0]', 'neg_hi:[0,1]', 'neg_lo:[0,0,1]',
             'quad_perm:[0,1,2,3]', 'quad_perm:[0,1,2,4]', 'row_shl:1', 'row_shl:0', 'row_shl:16', 'row_mirror', 'row_bcast:15', 'row_bcast:16',
             'wave_shl:1', 'wave_shl:2', 'row_mask:0xf', 'row_mask:0x1', 'bank_mask:0x10', 'bound_ctrl:0', 'bound_ctrl:1', 'dst_sel:BYTE_0',
             'dst_sel:DWORD', 'dst_unused:UNUSED_PAD', 'src0_sel:WORD_1', 'src1_sel:BYTE_4', 'src1_sel:DWORD', 'format:0', 'format:128',
             'format:[BUF_DATA_FORMAT_32]', 'dfmt:1', 'nfmt:1']
SUFFIXES = ['', '_e32', '_e64', '_sdwa', '_dpp']


def number(chance, mnemonic, rest):
    found = list(re.finditer(r'(?<![\w.])-?(0x[0-9a-f]+|\d+(\.\d+)?)|(?<=[vsp])\d+', rest))
    if not found:
        return mnemonic, rest
    one = chance.choice(found)
    new = chance.choice(NUMBERS)
    if one.start() and rest[one.start() - 1] in 'vsp':
        new = str(abs(int(new, 0))) if '.' not in new else '102'
    return mnemonic, rest[:one.start()] + new + rest[one.end():]


def width(chance, mnemonic, rest):
    found = list(re.finditer(r'\[(\d+):(\d+)\]', rest))
    if not found:
        return operand(chance, mnemonic, rest)
    one = chance.choice(found)
    low, high = int(one[1]), int(one[2])
    low, high = chance.choice([(low, high + 1), (low, high - 1), (low + 1, high + 1), (low - 1, high - 1), (low, low), (high, low),
                               (low + 2, high + 2)])
    return mnemonic, f'{rest[:one.start()]}[{low}:{high}]{rest[one.end():]}'


def split(rest):
    """The operands, the last with the modifiers behind it as an item of its own."""
    parts = re.split(r', (?![^\[(]*[\])])', rest)
    last, _, modifiers = parts[-1].partition(' ')
    return parts[:-1] + [last], modifiers


def operand(chance, mnemonic, rest):
    parts, modifiers = split(rest)
    at = chance.randrange(len(parts))
    what = chance.randrange(5)
    if what == 0:
        parts.pop(at)
    elif what == 1:
        parts.insert(at, parts[at])
    elif what == 2 and len(parts) > 1:
        parts[at], parts[at - 1] = parts[at - 1], parts[at]
    else:
        parts[at] = chance.choice(OPERANDS + NUMBERS)
    return mnemonic, ', '.join(parts) + (' ' + modifiers if modifiers else '')


def modifier(chance, mnemonic, rest):
    parts, modifiers = split(rest)
    words = modifiers.split()
    what = chance.randrange(4)
    if what == 0 and words:
        words.pop(chance.randrange(len(words)))
    elif what == 1 and words:
        words.append(chance.choice(words))
    else:
        words.insert(chance.randrange(len(words) + 1), chance.choice(MODIFIERS))
    return mnemonic, ', '.join(parts) + ''.join(' ' + word for word in words)


def suffix(chance, mnemonic, rest):
    stem = re.sub(r'_(e32|e64|sdwa|dpp)$', '', mnemonic)
    return stem + chance.choice(SUFFIXES), rest


def mutated(chance, line):
    mnemonic, _, rest = line.partition(' ')
    how = chance.choice([number, width, operand, operand, modifier, modifier, suffix])
    mnemonic, rest = how(chance, mnemonic, rest)
    return f'{mnemonic} {rest}'.strip()
