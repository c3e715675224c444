#!/usr/bin/env python3
"""Compares the opcodes of GCN with those of llvm-mc, which opcodes.txt lists: encoding, mnemonic, the opcode in each generation,
and the generations in which there is a form with SDWA and one with DPP.
"""
import argparse
import dataclasses
import pathlib
import re
import sys

from tools import GENERATIONS, Isaforge

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

# What a first word begins with, which encoding that is, and where its opcode lies: lowest bit and width.
COMMON = [('101111101', 'SOP1', 8, 8), ('101111110', 'SOPC', 16, 7), ('101111111', 'SOPP', 16, 7), ('1011', 'SOPK', 23, 5),
          ('10', 'SOP2', 23, 7), ('0111111', 'VOP1', 9, 8), ('0111110', 'VOPC', 17, 8), ('0', 'VOP2', 25, 6),
          ('111000', 'MUBUF', 18, 7), ('111100', 'MIMG', 18, 7)]
FIRST = COMMON + [('11000', 'SMEM/SMRD', 22, 5), ('110010', 'VINTRP', 16, 2), ('110100', 'VOP3', 17, 9), ('110110', 'DS', 18, 8),
                  ('110111', 'FLAT', 18, 7), ('111010', 'MTBUF', 16, 3), ('111110', 'EXP', 0, 0)]
LATER = COMMON + [('110000', 'SMEM/SMRD', 18, 8), ('110101', 'VINTRP', 16, 2), ('110100111', 'VOP3P', 16, 7), ('110100', 'VOP3', 16, 10),
                  ('110110', 'DS', 17, 8), ('110111', 'FLAT', 18, 7), ('111010', 'MTBUF', 15, 4), ('110001', 'EXP', 0, 0)]
SEGMENTS = ('FLAT', 'SCRATCH', 'GLOBAL')


def encoding_of(word, variant):
    bits = f'{word:032b}'
    for start, name, low, width in LATER if variant in ('gcn1.2', 'gcn1.4') else FIRST:
        if bits.startswith(start):
            if name == 'FLAT' and variant == 'gcn1.4':
                name = SEGMENTS[word >> 14 & 3]
            return name, word >> low & (1 << width) - 1
    return '', 0


def forms_of(isaforge, variant):
    """All (encoding, mnemonic, opcode) of samples of each form, with each of its names; and (mnemonic, 'sdwa' or 'dpp')."""
    found, special = set(), set()
    samples = isaforge.sample(variant, '--each', '-n', 1, '--words') + isaforge.sample(variant, '--each', '-n', 12, '--words', '--other-texts')
    for digits, text in samples:
        word = int.from_bytes(bytes.fromhex(digits[:8]), 'little')
        name, encoding = re.sub(r'_(e32|e64|sdwa|dpp)$', '', text.split(' ')[0]), encoding_of(word, variant)
        found.add((encoding[0], name, encoding[1]))
        source = word & 0x1ff
        if encoding[0] in ('VOP1', 'VOP2', 'VOPC') and source in (249, 250):
            special.add((name, 'sdwa' if source == 249 else 'dpp'))
    return found, special


@dataclasses.dataclass
class Row:
    encoding: str
    mnemonic: str
    opcodes: dict  # variant to opcode
    special: dict  # 'sdwa' and 'dpp' to variants


def listed(path):
    rows, encoding = [], ''
    for line in path.read_text().splitlines():
        if line.startswith('['):
            encoding = line.strip('[]')
        elif line and not line.startswith('//'):
            mnemonic, *words = line.split()
            opcodes = {variant: int(word, 16) for variant, word in zip(GENERATIONS, words) if word != '-'}
            special = {kind: ['gcn' + number for number in numbers.split(',')]
                       for kind, _, numbers in (word.partition(':') for word in words[len(GENERATIONS):])}
            rows.append(Row(encoding, mnemonic, opcodes, special))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--isaforge', default=str(ROOT / 'build/isaforge'))
    parser.add_argument('--description', default=str(ROOT / 'isas/gcn/gcn.isa'))
    parser.add_argument('--table', type=pathlib.Path, default=HERE / 'opcodes.txt')
    options = parser.parse_args()
    table = listed(options.table)
    isaforge = Isaforge(options.isaforge, options.description)
    missing = []
    for variant in GENERATIONS:
        found, special = forms_of(isaforge, variant)
        wanted = [(row.encoding, row.mnemonic, row.opcodes[variant]) for row in table if variant in row.opcodes]
        lost = [f'{variant} {encoding} {name} {opcode:#x}' for encoding, name, opcode in wanted if (encoding, name, opcode) not in found]
        lost += [f'{variant} {row.mnemonic} {kind}' for row in table for kind, variants in row.special.items()
                 if variant in variants and (row.mnemonic, kind) not in special]
        print(f'{variant}: {len(wanted)} opcodes of the table, {len(lost)} are missing or others')
        missing += lost
    for line in missing:
        print('    ' + line)
    return 1 if missing else 0


if __name__ == '__main__':
    sys.exit(main())
