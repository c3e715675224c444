#include "disassembler/verify.hpp"

#include <set>
#include <string>
#include <unordered_map>

#include "assembler/expression.hpp"
#include "codec/tables.hpp"

namespace isaforge::disassembler {

namespace {

// Numbers only: no symbol has a value here.
class NoSections final : public assembler::SectionMap {
public:
    unsigned step(Index) const override { return 1; }
    std::uint64_t address(const assembler::Position&) const override { return 0; }
    bool addresses_final() const override { return false; }
};

}  // namespace

struct Verifier::Reading {
    assembler::SymbolTable symbols;
    NoSections sections;
    assembler::Expressions expressions{symbols, sections};
    Encoded encoded;
    ReadFailure failure;
};

Verifier::~Verifier() = default;

Verifier::Verifier(const Codec& codec)
    : codec_(codec),
      reading_(std::make_unique<Reading>()),
      sure_(codec.isa().forms.size()),
      operands_(codec.isa().operand_types.size()) {
    reading_->expressions.stable_text = false;
    const Isa& isa = codec.isa();
    std::unordered_map<std::string_view, unsigned> uses;
    for (const Form& form : isa.forms) {
        for (const std::string& name : isa.instruction_of(form).names) ++uses[name];
    }
    for (Index i = 0; i < isa.forms.size(); ++i) {
        const Form& form = isa.forms[i];
        Sure& sure = sure_[i];
        sure.certain = uses[isa.instruction_of(form).names[0]] == 1 && text_is_plain(form);
        sure.wide = form.bits > 64;
        Image covered = form.mask;
        for (const Field& field : form.fields) {
            if (field.type >= isa.operand_types.size()) {
                if (!field.fixed) sure.certain = false;
                continue;
            }
            if (!field.fixed && !operand_is_certain(field.type)) sure.certain = false;
            for (const BitPiece& piece : field.place.pieces)
                covered.set(piece.position, piece.width, ~std::uint64_t{0});
        }
        for (unsigned bit = 0; bit < form.bits; ++bit) {
            if (!covered.get(bit, 1)) sure.loose.set(bit, 1, 1);
        }
    }
}

// Every field that is free stands in the text exactly once.
bool Verifier::text_is_plain(const Form& form) const {
    std::vector<unsigned> seen(form.fields.size());
    for (const TextElement& element : form.texts[0]) {
        if (element.kind == TextKind::any || element.kind == TextKind::number) return false;
        if (element.kind == TextKind::field) ++seen[element.field];
    }
    for (std::size_t i = 0; i < form.fields.size(); ++i) {
        if (!form.fields[i].fixed && seen[i] != 1) return false;
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
    } else {
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
    const char* p = text;
    return codec_.assemble(p, end, address, reading.expressions, reading.encoded, reading.failure) && p == end &&
           reading.encoded.deferred_count == 0;
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
