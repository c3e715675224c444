// The opcode space, exhaustively: no two instructions share a word, the first 16 bits tell the length, and the decoder
// finds what a search through all forms finds. The search knows masks and operand tables only.
#include <random>
#include <vector>

#include "assembler/assemble_text.hpp"
#include "fabrisc/revision.hpp"
#include "isaforge/disassembler.hpp"

namespace isaforge::test {
namespace {

class SpaceOfRevision : public OfRevision {};

bool has_operand(const Isa& isa, Index type_index, std::uint64_t code) {
    const OperandType& type = isa.operand_types[type_index];
    if (type.kind == OperandKind::enumeration) {
        for (const Entry& entry : type.entries) {
            if (entry.code == code) return true;
        }
        return false;
    }
    if (type.kind != OperandKind::table) return true;
    for (const OperandRow& row : type.rows) {
        if (row.alias || !row.claims(code)) continue;
        if (row.reserved) return false;
        for (const Field& field : row.fields) {
            if (!has_operand(isa, field.type, field.place.extract(code))) return false;
        }
        return true;
    }
    return false;
}

bool matches(const Isa& isa, const Form& form, std::uint64_t word) {
    if (((word ^ value_of(form)) & mask_of(form)) != 0) return false;
    Image image;
    image.words[0] = word;
    for (const Field& field : form.fields) {
        if (!field.fixed && !has_operand(isa, field.type, field.place.extract(image))) return false;
    }
    return true;
}

TEST_P(SpaceOfRevision, NoInstructionBeginsAnother) {
    const auto& forms = isa().forms;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        for (std::size_t j = i + 1; j < forms.size(); ++j) {
            if (forms[i].alias || forms[j].alias) continue;
            const std::uint64_t common = low_mask(std::min(forms[i].bits, forms[j].bits));
            const std::uint64_t apart =
                mask_of(forms[i]) & mask_of(forms[j]) & (value_of(forms[i]) ^ value_of(forms[j])) & common;
            ASSERT_NE(apart, 0u) << isa().instruction_of(forms[i]).names[0] << " and "
                                 << isa().instruction_of(forms[j]).names[0];
        }
    }
}

TEST_P(SpaceOfRevision, EveryFirstHalfwordTellsTheLengthAndDecodesAsASearchFinds) {
    std::mt19937_64 random(2);
    unsigned lengths[4] = {};
    std::vector<std::vector<Index>> candidates_of(65536);
    for (Index i = 0; i < isa().forms.size(); ++i) {
        const Form& form = isa().forms[i];
        if (form.alias) continue;
        const std::uint64_t open = ~mask_of(form) & 0xffff;  // counts through all values of the bits that are open
        for (std::uint64_t rest = open;; rest = (rest - 1) & open) {
            candidates_of[(value_of(form) & mask_of(form) & 0xffff) | rest].push_back(i);
            if (rest == 0) break;
        }
    }
    for (std::uint64_t first = 0; first < 65536; ++first) {
        const std::vector<Index>& candidates = candidates_of[first];
        for (const Index candidate : candidates)
            ASSERT_EQ(isa().forms[candidate].bits, isa().forms[candidates[0]].bits) << first;
        ++lengths[candidates.empty() ? 0 : isa().forms[candidates[0]].bits / 16];
        for (const std::uint64_t rest :
             {std::uint64_t{0}, low_mask(32), random() & low_mask(32), random() & low_mask(32)}) {
            Image image;
            image.words[0] = first | rest << 16;
            Index found = no_index;
            for (const Index candidate : candidates) {
                if (!matches(isa(), isa().forms[candidate], image.words[0])) continue;
                ASSERT_EQ(found, no_index) << "two forms have " << image.words[0];
                found = candidate;
            }
            unsigned bits = 0;
            ASSERT_EQ(codec().decode(image, 48, bits), found) << image.words[0];
            if (found == no_index) continue;
            ASSERT_EQ(bits, isa().forms[found].bits);
        }
    }
    std::printf("first halfwords of 2, 4, 6 bytes and of none: %u, %u, %u, %u\n", lengths[1], lengths[2], lengths[3],
                lengths[0]);
    EXPECT_EQ(lengths[0] + lengths[1] + lengths[2] + lengths[3], 65536u);
    for (unsigned length = 1; length < 4; ++length) EXPECT_GT(lengths[length], 1000u);
}

TEST_P(SpaceOfRevision, AllZerosAndAllOnesAreIllegal) {
    for (const std::uint64_t first : {0x0000u, 0xffffu}) {
        for (const std::uint64_t rest : {std::uint64_t{0}, low_mask(32)}) {
            Image image;
            image.words[0] = first | rest << 16;
            unsigned bits = 0;
            EXPECT_EQ(codec().decode(image, 48, bits), no_index) << image.words[0];
        }
    }
}

TEST_P(SpaceOfRevision, InstructionsLieInTheDesignersPools) {
    ASSERT_FALSE(isa().pools.empty());
    for (const Form& form : isa().forms) {
        const std::uint64_t opcode_mask = mask_of(form) & 0xffff;
        bool inside = false;
        for (const Pool& pool : isa().pools) {
            const unsigned shift = 16 - pool.width;
            const std::uint64_t leading = (value_of(form) & opcode_mask) >> shift;
            const bool whole = (opcode_mask >> shift) == low_mask(pool.width);
            const bool named = std::find(pool.formats.begin(), pool.formats.end(), form.format) != pool.formats.end();
            if (named) inside |= whole && leading >= pool.low && leading <= pool.high;
            EXPECT_EQ(pool.capacity.value_or(0), pool.opcodes());
        }
        EXPECT_TRUE(inside) << isa().instruction_of(form).names[0];
    }
}

// Random bytes, random instructions and mixtures of both.
std::vector<std::uint8_t> random_bytes(const Codec& codec, std::mt19937_64& random, std::size_t size) {
    const Isa& isa = codec.isa();
    std::vector<std::uint8_t> bytes;
    while (bytes.size() < size) {
        if (random() % 2) {
            bytes.push_back(static_cast<std::uint8_t>(random()));
            bytes.push_back(static_cast<std::uint8_t>(random()));
            continue;
        }
        const Form& form = isa.forms[random() % isa.forms.size()];
        Image image;
        image.words[0] = ((random() & ~mask_of(form)) | value_of(form)) & low_mask(form.bits);
        std::uint8_t stored[max_instruction_bits / 8] = {};
        codec.store(image, form.bits, stored);
        bytes.insert(bytes.end(), stored, stored + form.bits / 8);
    }
    bytes.resize(size - random() % 2);
    return bytes;
}

TEST_P(SpaceOfRevision, RandomBytesComeBackFromTheirDisassembly) {
    std::mt19937_64 random(3);
    for (unsigned round = 0; round < 16; ++round) {
        const std::vector<std::uint8_t> bytes = random_bytes(codec(), random, 65536);
        DisassembleOptions style;
        style.labels = round % 2 == 0;
        const std::string text = disassemble(codec(), read_binary(bytes, isa()), style);
        AssembleOptions options;
        options.flat = true;
        const auto again = testing::assemble_text(text, options, codec());
        ASSERT_EQ(again->messages().substr(0, 1000), "");
        ASSERT_EQ(again->object.sections[0].bytes, bytes);
    }
}

INSTANTIATE_TEST_SUITE_P(Fabrisc, SpaceOfRevision, ::testing::ValuesIn(revisions), revision_name);

}  // namespace
}  // namespace isaforge::test
