#include "disassembler/verify.hpp"

#include <set>
#include <string>

#include "assembler/no_sections.hpp"
#include "codec/tables.hpp"

namespace isaforge::disassembler {

struct Verifier::Reading {
    assembler::SymbolTable symbols;
    assembler::NoSections sections;
    assembler::Expressions expressions{symbols, sections};
    Encoded encoded;
    ReadFailure failure;
    StatementMemory memory;
    explicit Reading(const Codec& codec) : memory(codec) {}
};

Verifier::~Verifier() = default;

Verifier::Verifier(const Codec& codec)
    : codec_(codec),
      reading_(std::make_unique<Reading>(codec)),
      sure_(codec.isa().forms.size()),
      operands_(codec.isa().operand_types.size()),
      codes_(codec.isa().operand_types.size()) {
    for (std::size_t i = 0; i < codes_.size(); ++i) {
        const unsigned width = codec.isa().operand_types[i].width;
        if (width <= codec::widest_table) codes_[i].resize(std::size_t{1} << width);
    }
    reading_->expressions.stable_text = false;
}

void Verifier::examine(Index index) {
    const Isa& isa = codec_.isa();
    const Form& form = isa.forms[index];
    Sure& sure = sure_[index];
    sure.known = true;
    sure.certain = codec_.tables().forms[index].sole && text_is_plain(form) && is_separable(form);
    sure.wide = form.bits > 64;
    Image covered = form.mask;
    for (const Field& field : form.fields) {
        if (field.type >= isa.operand_types.size()) {
            if (!field.fixed) sure.certain = false;
            continue;
        }
        if (!field.fixed && !operand_is_certain(field.type)) sure.doubtful.push_back({field.type, &field.place});
        for (const BitPiece& piece : field.place.pieces) covered.set(piece.position, piece.width, ~std::uint64_t{0});
    }
    for (unsigned bit = 0; bit < form.bits; ++bit) {
        if (!covered.get(bit, 1)) sure.loose.set(bit, 1, 1);
    }
}

// Every field that is free stands in the text exactly once.
bool Verifier::text_is_plain(const Form& form) const {
    std::vector<unsigned> seen(form.fields.size());
    for (const TextElement& element : form.texts[0]) {
        if (element.kind == TextKind::number) return false;
        if (element.kind == TextKind::field) ++seen[element.field];
        for (const Index field : element.fields) ++seen[field];
    }
    for (std::size_t i = 0; i < form.fields.size(); ++i) {
        if (!form.fields[i].fixed && seen[i] != 1) return false;
    }
    return true;
}

// Whether the text of one code, by itself, is a pattern of the operand that gives the code back. A name or a number that
// ends where a blank or a comma stands is read the same in every instruction.
bool Verifier::read_code(Index index, std::uint64_t code) const {
    char text[Codec::max_text];
    const Image nothing;
    const codec::OperandTable& table = codec_.tables().operands[index];
    const codec::PrintContext context{codec_.isa(), codec_.tables(), nothing, 0, 0, nullptr, text + sizeof text};
    const char* const end = codec::print_operand(text, context, index, code);
    const char* p = text;
    while (p != end && *p == ' ') ++p;
    if (p == end) return table.left_out == code;
    codec::PatternMatch found;
    if (!table.patterns.match(p, end, false, found)) return false;
    return p == end && found.tail_bits == 0 && found.code == code;
}

// Whether some text of `other` begins like one of `type`. Texts that differ in a number only begin alike, so a few codes
// of a wide operand stand for all.
bool Verifier::reads_as(Index type, Index other) {
    const auto [place, is_new] = alike_.try_emplace({type, other}, false);
    if (!is_new) return place->second;
    constexpr unsigned few_bits = 4;
    char text[Codec::max_text];
    const Image nothing;
    const codec::PrintContext context{codec_.isa(), codec_.tables(), nothing, 0, 0, nullptr, text + sizeof text};
    const unsigned width = codec_.isa().operand_types[other].width;
    const std::uint64_t step = width <= few_bits ? 1 : low_bits(width) / 7;
    for (std::uint64_t i = 0; i < 16; ++i) {
        const std::uint64_t code = i * step;
        if (code > low_bits(width)) break;
        const char* const end = codec::print_operand(text, context, other, code);
        const char* p = text;
        while (p != end && *p == ' ') ++p;
        const char* const begin = p;
        codec::PatternMatch found;
        if (p != end && codec_.tables().operands[type].patterns.match(p, end, true, found) && p != begin)
            return place->second = true;
    }
    return false;
}

// Where an operand is left out, what follows must not be read as that operand.
bool Verifier::is_separable(const Form& form) {
    struct Item {
        Index type = no_index;  // a literal's: no_index
        char letter = 0;
        std::size_t group = 0;  // of fields in any order
    };
    std::vector<Item> items;
    for (std::size_t i = 0; i < form.texts[0].size(); ++i) {
        const TextElement& element = form.texts[0][i];
        if (element.kind == TextKind::literal) items.push_back({no_index, element.text[0], i});
        if (element.kind == TextKind::field) items.push_back({form.fields[element.field].type, 0, i});
        for (const Index field : element.fields) items.push_back({form.fields[field].type, 0, i});
    }
    const auto& operands = codec_.tables().operands;
    const auto can_be_left_out = [&](const Item& item) {
        return item.type != no_index && operands[item.type].nullable;
    };
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (!can_be_left_out(items[i])) continue;
        for (std::size_t k = 0; k < items.size(); ++k) {
            const bool same_group = items[k].group == items[i].group;
            if (k == i || (k < i && !same_group)) continue;
            if (items[k].type == no_index) {
                if (operands[items[i].type].patterns.may_begin(items[k].letter)) return false;
                break;
            }
            if (reads_as(items[i].type, items[k].type)) return false;
            if (k > i && !can_be_left_out(items[k])) break;
        }
    }
    return true;
}

bool Verifier::operand_is_certain(Index index) {
    if (operands_[index]) return operands_[index] == 1;
    operands_[index] = 2;
    const OperandType& type = codec_.isa().operand_types[index];
    bool certain = false;
    if (type.kind == OperandKind::number) {
        const NumberRule& rule = type.number;
        certain =
            rule.base != NumberBase::floating && !rule.minimum && !rule.maximum && rule.scale == 1 && rule.bias == 0;
    } else if (!codec_.tables().operands[index].needs_rows) {
        // Different codes have different texts; the reader takes the longest that fits.
        const std::vector<codec::Piece>& texts = codec_.tables().operands[index].printed;
        std::set<std::string_view> seen;
        certain = !texts.empty();
        for (std::size_t code = 0; code < texts.size() && certain; ++code) {
            if (!codec::code_is_valid(codec_.isa(), index, code)) continue;
            certain = seen.insert({texts[code].text, texts[code].size}).second;
        }
    }
    if (certain) operands_[index] = 1;
    return certain;
}

bool Verifier::reads(const char* text, const char* end, std::uint64_t address) {
    Reading& reading = *reading_;
    reading.expressions.clear_operands();
    reading.expressions.forget_nodes(0);
    const char* p = text;
    return codec_.assemble(p, end, address, reading.expressions, reading.encoded, reading.failure, 0,
                           &reading.memory) &&
           p == end && reading.encoded.deferred_count == 0;
}

unsigned Verifier::bits() const { return reading_->encoded.bits; }
const ReadFailure& Verifier::failure() const { return reading_->failure; }

bool Verifier::reads_back(const Image& image, unsigned bits, const char* text, const char* end, std::uint64_t address) {
    const Encoded& encoded = reading_->encoded;
    if (!reads(text, end, address) || encoded.bits != bits) return false;
    for (unsigned at = 0; at < bits; at += 64) {
        const unsigned width = bits - at < 64 ? bits - at : 64;
        if (encoded.image.get(at, width) != image.get(at, width)) return false;
    }
    return true;
}

}  // namespace isaforge::disassembler
