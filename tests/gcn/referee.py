#!/usr/bin/env python3
"""Compares GCN as it is described with llvm-mc: which lines are instructions, their bytes, and the text of those bytes.

The lines come from the description: samples of every form, every code of every operand, other ways of writing the same, and
lines that are nearly right. The codes are those of samples, some with a bit or two turned over, and random ones. Two
versions of llvm-mc are asked: what either of them accepts is right. Differences that are meant stand in differences.txt.
"""
import argparse
import collections
import pathlib
import random
import re
import sys
import time

import mutation
import lines_scalar
from tools import BASES, POOL, REFEREES, TARGETS, WITH_TEXT, Isaforge, LlvmMc

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent

PACKED = ['op_sel', 'op_sel_hi', 'neg_lo', 'neg_hi', 'clamp']
SDWA = ['dst_sel', 'dst_unused', 'src0_sel', 'src1_sel']
MEMORY = ['glc', 'slc', 'tfe', 'lds', 'gds']


class Rule:
    """A difference that is meant: the variant or *, a pattern, and examples, which are lines or codes."""

    def __init__(self, variant, pattern):
        self.variant, self.text, self.pattern, self.examples, self.used = variant, pattern, re.compile(pattern), [], []


class Differences:
    """What came out differently, sorted by what was said about it."""

    def __init__(self, rules):
        self.rules, self.meant, self.found = rules, 0, collections.defaultdict(list)

    def add(self, variant, group, text):
        for rule in self.rules:
            if rule.variant in ('*', variant, BASES.get(variant)) and rule.pattern.search(text):
                rule.used.append(text.partition('\n')[0])
                self.meant += 1
                return
        self.found[group].append(text)

    def count(self):
        return sum(map(len, self.found.values()))

    def show(self, most, each):
        for group, texts in sorted(self.found.items(), key=lambda item: -len(item[1]))[:most]:
            print(f'  {len(texts)} times: {group}')
            for text in texts[:each]:
                print('      ' + text.replace('\n', '\n          '))


def same_spaces(text):
    return ' '.join(text.split())


def name_of(line):
    return re.sub(r'_(e32|e64|sdwa|dpp)$', '', line.split(' ')[0])


def handwritten():
    lines = [line.split('//')[0].strip() for path in sorted(HERE.glob('lines-*.txt')) for line in path.read_text().splitlines()]
    return [line for line in lines if line] + list(lines_scalar.lines())


def in_order(line, canonical):
    """The line with its modifiers in the order in which the disassembler writes them, or None if they are others."""
    parts, modifiers = mutation.split(line)
    words, wanted = modifiers.split(), mutation.split(canonical)[1].split()
    key = lambda word: word.partition(':')[0]
    order = [key(word) for word in wanted]
    before = lambda names: min([i for i, word in enumerate(order) if word in names], default=len(order))
    for word, behind in (('offset', MEMORY), ('mul', SDWA), ('div', SDWA)):  # offset:0 and mul:1 say nothing and are not written
        if word not in order:
            order.insert(before(behind), word)
    if set(map(key, words)) <= set(PACKED):  # lists that say nothing are not written
        order = PACKED
    if len(words) < 2 or len(set(map(key, words))) != len(words):
        return None
    rank = lambda word: order.index(key(word)) if key(word) in order else -1
    return ', '.join(parts) + ''.join(' ' + word for word in sorted(words, key=rank))


def only_in_another_order(variant, lines, isaforge, referees):
    """Of lines that only isaforge reads, with their bytes: those that llvm-mc reads as well in its own order."""
    texts = isaforge.texts(variant, [digits for _, digits in lines])
    ordered = [in_order(line, text) if text else None for (line, _), (_, text) in zip(lines, texts)]
    asked = [line or '.nothing' for line in ordered]
    good = set()
    for referee in referees:
        for (line, digits), (theirs, _) in zip(lines, referee.assemble(variant, asked)):
            if theirs == digits:
                good.add(line)
    return good


def compare_lines(variant, lines, isaforge, referees, known, differences):
    """Accepted or refused, and the same bytes. Lines of instructions that are not described do not count, and modifiers may
    stand in any order, which llvm-mc does not read."""
    lines = [line for line in dict.fromkeys(lines) if name_of(line) in known]
    ours = POOL.submit(isaforge.assemble, variant, lines)
    theirs = list(zip(*[referee.assemble(variant, lines) for referee in referees]))
    accepted, wider = 0, []
    for line, (mine, complaint), others in zip(lines, ours.result(), theirs):
        right = [digits for digits, _ in others if digits]
        accepted += bool(right)
        if mine in right or (not mine and not right):
            continue
        why = '; '.join(dict.fromkeys(reason for _, reason in others if reason))
        if mine and not right:
            wider.append((line, mine, why))
            continue
        group = 'other bytes' if mine else 'isaforge refuses: ' + re.sub(r"'[^']*'|`[^`]*`|\d+", '…', complaint)[:80]
        differences.add(variant, group, f'{line}\nisaforge {mine or "refuses: " + complaint}\n'
                                        f'llvm-mc  {" or ".join(dict.fromkeys(right)) or "refuses: " + why}')
    good = only_in_another_order(variant, [(line, mine) for line, mine, _ in wider], isaforge, referees)
    for line, mine, why in wider:
        if line not in good:
            differences.add(variant, 'llvm-mc refuses: ' + why, f'{line}\nisaforge {mine}\nllvm-mc  refuses: {why}')
    return len(lines), accepted, len(good)


def compare_codes(variant, codes, isaforge, referees, differences):
    """The same text. Where there is none of ours, or another one, the code counts if llvm-mc's own text gives it again."""
    codes = list(dict.fromkeys(codes))
    ours = isaforge.texts(variant, codes)
    cut = [code[:2 * size] if size else code for code, (size, _) in zip(codes, ours)]
    for i, (code, (size, _)) in enumerate(zip(codes, ours)):
        if not size:
            cut[i] = code[:8]
    doubtful = [i for i, (size, _) in enumerate(ours) if not size]
    theirs = [referee.texts(variant, cut) for referee in referees]
    longer = [i for i in doubtful if all(texts[i] is None for texts in theirs)]
    for referee, texts in zip(referees, theirs):  # what is no instruction of one word may be one of two
        for i, text in zip(longer, referee.texts(variant, [codes[i] for i in longer])):
            texts[i] = text
    for i in longer:
        cut[i] = codes[i]
    equal, left = 0, []
    for i, (size, mine) in enumerate(ours):
        texts = [same_spaces(t[i]) for t in theirs if t[i]]
        if mine is not None and same_spaces(mine) in texts:
            equal += 1
        elif texts:
            left.append((i, texts))
        elif mine is not None:
            differences.add(variant, 'a code that only isaforge knows', f'{cut[i]}\nisaforge {mine}\nllvm-mc  nothing')
    tried = [text for _, texts in left for text in texts]
    again = [set() for _ in tried]
    for referee in referees:
        for result, (digits, _) in zip(again, referee.assemble(variant, tried) if tried else []):
            result.add(digits)
    results = iter(again)
    for i, texts in left:
        valid = [text for text in texts if cut[i] in next(results)]
        if valid:
            group = 'another text' if ours[i][1] else 'a code that only llvm-mc knows'
            differences.add(variant, group, f'{cut[i]}\nisaforge {ours[i][1] or "nothing"}\nllvm-mc  {valid[0]}')
    return len(codes), equal


def lines_of(variant, count, seed, isaforge):
    """A quarter each: samples and codes of operands, other texts, and lines that are nearly right (half as many again)."""
    chance = random.Random(f'{seed} {variant}')
    each = isaforge.sample(variant, '--each', '-n', 1, '--seed', seed)
    codes = isaforge.sample(variant, '--codes', '-n', count // 4, '--seed', seed)
    printed = isaforge.sample(variant, '-n', count // 4, '--seed', seed)
    other = isaforge.sample(variant, '-n', count // 4, '--other-texts', '--seed', seed + 1)
    always = handwritten()  # a short run takes some of them
    always = chance.sample(always, min(len(always), 4 * count))
    right = always + each + codes + printed + other
    wrong = [mutation.mutated(chance, chance.choice(printed)) for _ in range(count // 4)]
    return right + wrong, {name_of(line) for line in each}


def codes_of(variant, count, seed, isaforge):
    """A third each: samples, samples with bits turned over, random ones. Eight bytes each, the second half often without use."""
    chance = random.Random(f'{seed} {variant} codes')
    filler = lambda: f'{chance.getrandbits(32):08x}'
    samples = [(digits + filler())[:16] for digits, _ in isaforge.sample(variant, '-n', count // 3, '--words', '--seed', seed + 2)]
    turned = []
    for code in samples:
        bits = int(code, 16)
        for _ in range(chance.choice([1, 1, 2])):
            bits ^= 1 << chance.randrange(64)
        turned.append(f'{bits:016x}')
    return samples + turned + [filler() + filler() for _ in range(count // 3)]


def excused(path):
    rules = []
    for line in path.read_text().splitlines():
        if line.startswith('    '):
            rules[-1].examples.append(line.strip())
        elif line.strip() and not line.startswith('//'):
            rules.append(Rule(*line.strip().split(None, 1)))
    return rules


def examples(rules, variant):
    """Those of the rules for a variant: lines and codes."""
    all_of_them = [example for rule in rules if rule.variant in ('*', variant) for example in rule.examples]
    is_code = re.compile('(?:[0-9a-f]{8}){1,2}').fullmatch
    return [each for each in all_of_them if not is_code(each)], [each for each in all_of_them if is_code(each)]


def show_unused(rules):
    """Rules that excuse nothing, which have no business there. That each is used does not hang on chance: its examples are
    compared in every run."""
    unused = [rule for rule in rules if not rule.used]
    for rule in unused:
        print(f'differences.txt: no line and no code needs this rule: {rule.variant}  {rule.text}')
    return bool(unused)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--isaforge', default=str(ROOT / 'build/isaforge'))
    parser.add_argument('--llvm-mc', action='append', help='the one to ask, or several; by default ' + ' and '.join(REFEREES))
    parser.add_argument('--description', default=str(ROOT / 'isas/gcn/gcn.isa'))
    parser.add_argument('--variant', choices=list(TARGETS), help='only this one')
    parser.add_argument('--count', type=int, default=20000, help='lines for each generation, and as many codes')
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', default='', help='lines whose mnemonic is like this regular expression')
    parser.add_argument('--examples', action='store_true', help='print the shortest example of each rule of differences.txt')
    parser.add_argument('--groups', type=int, default=12, help='how many kinds of differences are shown for each generation')
    parser.add_argument('--show', type=int, default=3, help='how many differences of each kind')
    options = parser.parse_args()
    referees = [LlvmMc(name) for name in options.llvm_mc or REFEREES]
    isaforge = Isaforge(options.isaforge, options.description)
    failed = False
    rules = excused(HERE / 'differences.txt')
    for variant in [options.variant] if options.variant else TARGETS:
        start = time.monotonic()
        differences = Differences(rules)
        lines, known = lines_of(variant, options.count, options.seed, isaforge)
        meant_lines, meant_codes = examples(rules, variant)
        lines = [line for line in lines + meant_lines if re.match(options.only, line)]
        total, accepted, reordered = compare_lines(variant, lines, isaforge, referees, known, differences)
        summary = f'{total} lines, {accepted} of them instructions, {reordered} more in another order, {len(known)} mnemonics'
        if variant in WITH_TEXT and not options.only:
            codes = codes_of(variant, options.count, options.seed, isaforge) + meant_codes
            codes, equal = compare_codes(variant, codes, isaforge, referees, differences)
            summary += f'; {codes} codes, {equal} texts equal'
        print(f'{variant} and {" and ".join(r.command for r in referees)}: {summary}; {differences.count()} differences, '
              f'{differences.meant} more that are meant; {time.monotonic() - start:.0f} s', flush=True)
        differences.show(options.groups, options.show)
        failed = failed or differences.count() > 0
    if options.examples:
        for rule in rules:
            print(f'{rule.variant}  {rule.text}\n    {min(rule.used, key=len, default="")}')
    if not options.variant and not options.only:
        failed = show_unused(rules) or failed
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
