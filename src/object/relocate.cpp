// Applying relocations: what a linker would do, for flat outputs and for running an object that was not linked. An
// instruction's relocation says which operand type it is about; where its bits are follows from the instruction itself.
#include <fmt/format.h>

#include <algorithm>

#include "isaforge/object.hpp"
#include "object/relocation_place.hpp"

namespace isaforge {

namespace {

constexpr unsigned deepest_operand = 16;

// Where a number's bits are: in the code of the operand that was searched, or, in a tail, in the whole image.
struct Found : Deferred {
    bool in_image = false;
};

// `inner` counts in the code that `outer` holds; the result counts where `outer` counts.
bool compose(const BitPlace& outer, const Found& inner, Found& result) {
    result = inner;
    result.piece_count = 0;
    for (unsigned i = 0; i < inner.piece_count; ++i) {
        const BitPiece& piece = inner.pieces[i];
        for (const BitPiece& around : outer.pieces) {
            const unsigned low = std::max<unsigned>(piece.position, around.shift);
            const unsigned high = std::min<unsigned>(piece.position + piece.width, around.shift + around.width);
            if (low >= high) continue;
            if (result.piece_count == std::size(result.pieces)) return false;
            result.pieces[result.piece_count++] = {static_cast<std::uint16_t>(around.position + low - around.shift),
                                                   static_cast<std::uint8_t>(high - low),
                                                   static_cast<std::uint8_t>(piece.shift + low - piece.position)};
        }
    }
    return true;
}

class NumberFinder {
public:
    NumberFinder(const Codec& codec, const Image& image, std::uint32_t wanted)
        : codec_(codec), isa_(codec.isa()), image_(image), wanted_(wanted) {}

    bool in_form(const Form& form, Found& found) const;

private:
    bool is_wanted(Index type) const;
    bool in_operand(Index type, std::uint64_t code, unsigned tail, Found& found, unsigned depth) const;
    bool in_field(const Field& field, std::uint64_t code, unsigned tail, Found& found, unsigned depth) const;

    const Codec& codec_;
    const Isa& isa_;
    const Image& image_;
    std::uint32_t wanted_;
};

bool NumberFinder::is_wanted(Index type) const {
    const OperandType& operand = isa_.operand_types[type];
    return operand.kind == OperandKind::number && wanted_ == operand.number.relocation_type;
}

bool NumberFinder::in_field(const Field& field, std::uint64_t code, unsigned tail, Found& found, unsigned depth) const {
    if (field.type >= isa_.operand_types.size()) return false;
    BitPlace place = field.place;
    if (field.in_tail) {
        for (BitPiece& piece : place.pieces) piece.position = static_cast<std::uint16_t>(piece.position + tail);
    }
    Found inner;
    if (!in_operand(field.type, field.in_tail ? place.extract(image_) : place.extract(code), tail, inner, depth))
        return false;
    if (inner.in_image) {
        found = inner;
        return true;
    }
    const bool good = compose(place, inner, found);
    found.in_image = field.in_tail;
    return good;
}

bool NumberFinder::in_operand(Index type, std::uint64_t code, unsigned tail, Found& found, unsigned depth) const {
    if (depth > deepest_operand) return false;
    const OperandType& operand = isa_.operand_types[type];
    if (is_wanted(type)) {
        found = {};
        found.type = type;
        found.width = static_cast<std::uint8_t>(operand.width);
        found.piece_count = 1;
        found.pieces[0] = {0, found.width, 0};
        return true;
    }
    const Index row = operand.kind == OperandKind::table ? codec_.row_of(type, code) : no_index;
    if (row == no_index) return false;
    for (const Field& field : operand.rows[row].fields) {
        if (in_field(field, code, tail, found, depth + 1)) return true;
    }
    return false;
}

bool NumberFinder::in_form(const Form& form, Found& found) const {
    for (const Field& field : form.fields) {
        if (field.type >= isa_.operand_types.size()) continue;
        Found inner;
        if (!in_operand(field.type, field.place.extract(image_), form.bits, inner, 0)) continue;
        if (inner.in_image) {
            found = inner;
            return true;
        }
        return compose(field.place, inner, found);
    }
    return false;
}

class Relocator {
public:
    Relocator(Object& object, const Codec& codec, Diagnostics& diagnostics)
        : object_(object), codec_(codec), isa_(codec.isa()), diagnostics_(diagnostics) {}

    bool run();

private:
    bool apply(Relocation& relocation, bool& keep);
    bool value_of(const Relocation& relocation, std::int64_t& value);
    bool apply_data(const Relocation& relocation, std::int64_t value);
    bool apply_instruction(Relocation& relocation, std::int64_t value, bool& keep);
    bool fail(const Relocation& relocation, std::string message);

    Object& object_;
    const Codec& codec_;
    const Isa& isa_;
    Diagnostics& diagnostics_;
};

bool Relocator::fail(const Relocation& relocation, std::string message) {
    if (!relocation.place.known()) {
        message = fmt::format("{}+0x{:x}: {}", object_.sections[relocation.section].name, relocation.offset, message);
    }
    diagnostics_.error(relocation.place, std::move(message));
    return false;
}

bool Relocator::run() {
    bool good = true;
    std::vector<Relocation> kept;
    for (Relocation& relocation : object_.relocations) {
        if (relocation.section >= object_.sections.size()) continue;
        bool keep = false;
        good &= apply(relocation, keep);
        if (keep) kept.push_back(relocation);
    }
    object_.relocations = std::move(kept);
    return good;
}

bool Relocator::apply(Relocation& relocation, bool& keep) {
    if (relocation.symbol >= object_.symbols.size()) {
        keep = true;
        return true;
    }
    std::int64_t value = 0;
    if (!value_of(relocation, value)) return false;
    const bool data = relocation.type >= relocation_type::absolute_8 && relocation.type <= relocation_type::relative_64;
    return data ? apply_data(relocation, value) : apply_instruction(relocation, value, keep);
}

// In address units for code, in bytes otherwise.
bool Relocator::value_of(const Relocation& relocation, std::int64_t& value) {
    const Symbol& symbol = object_.symbols[relocation.symbol];
    std::uint64_t bytes = symbol.value + static_cast<std::uint64_t>(relocation.addend);
    if (symbol.section < object_.sections.size()) {
        const Section& section = object_.sections[symbol.section];
        bytes += section.address;
        value = static_cast<std::int64_t>(section.executable ? bytes / object_.address_bytes : bytes);
        return true;
    }
    value = static_cast<std::int64_t>(bytes);
    if (symbol.section == absolute_section) return true;
    if (symbol.section == undefined_section && symbol.binding == Binding::weak) {
        value = relocation.addend;
        return true;
    }
    return fail(relocation, fmt::format("'{}' is not defined", symbol.name));
}

bool Relocator::apply_data(const Relocation& relocation, std::int64_t value) {
    const bool relative = relocation.type >= relocation_type::relative_8;
    const unsigned size =
        1u << (relocation.type - (relative ? relocation_type::relative_8 : relocation_type::absolute_8));
    Section& section = object_.sections[relocation.section];
    if (relocation.offset > section.bytes.size() || size > section.bytes.size() - relocation.offset) {
        return fail(relocation, "this relocation lies outside its section");
    }
    auto bits = static_cast<std::uint64_t>(value);
    if (relative) bits -= section.address + relocation.offset;
    for (unsigned i = 0; i < size; ++i) {
        section.bytes[relocation.offset + i] =
            static_cast<std::uint8_t>(bits >> 8 * (object_.big_endian ? size - 1 - i : i));
    }
    const auto number = static_cast<std::int64_t>(bits);
    const bool fits = size == 8 || (number >> (size * 8)) == 0 || (number >> (size * 8 - 1)) == -1;
    return fits || fail(relocation, fmt::format("the value {} does not fit into {} bits", number, size * 8));
}

bool Relocator::apply_instruction(Relocation& relocation, std::int64_t value, bool& keep) {
    Section& section = object_.sections[relocation.section];
    if (relocation.offset >= section.bytes.size()) return fail(relocation, "this relocation lies outside its section");
    std::uint8_t* const bytes = section.bytes.data() + relocation.offset;
    const std::size_t available =
        std::min<std::size_t>(section.bytes.size() - relocation.offset, max_instruction_bits / 8);
    Encoded encoded;
    encoded.image = codec_.load(bytes, available);
    RelocatedNumber found;
    if (!find_relocated_number(codec_, encoded.image, static_cast<unsigned>(available * 8), relocation.type, found)) {
        return fail(relocation, fmt::format("relocation type {} does not belong to this instruction", relocation.type));
    }
    encoded.form = found.form;
    encoded.bits = found.bits;
    const std::uint64_t address = (section.address + relocation.offset) / object_.address_bytes;
    std::string wrong = codec_.patch(encoded, found.number, value, address);
    if (!wrong.empty()) return fail(relocation, std::move(wrong));
    codec_.store(encoded.image, encoded.bits, bytes);
    const NumberRule& rule = isa_.operand_types[found.number.type].number;
    keep = rule.relocation != 0 && !rule.relative;
    if (keep) {
        relocation.symbol = no_index;
        relocation.addend = value;
    }
    return true;
}

}  // namespace

// An alias may name the operand type that the printed form of the instruction does not have, so every form that these bits
// match is looked at, the decoded one first.
bool find_relocated_number(const Codec& codec, const Image& image, unsigned available, std::uint32_t type,
                           RelocatedNumber& found) {
    const Isa& isa = codec.isa();
    const NumberFinder finder(codec, image, type);
    Found number;
    found.form = codec.decode(image, available, found.bits);
    if (found.form == no_index) found.bits = 0;
    bool good = found.form != no_index && finder.in_form(isa.forms[found.form], number);
    for (Index i = 0; !good && i < isa.forms.size(); ++i) {
        const Form& form = isa.forms[i];
        bool matches = form.bits <= available;
        for (std::size_t w = 0; matches && w < form.mask.words.size(); ++w) {
            matches = (image.words[w] & form.mask.words[w]) == form.value.words[w];
        }
        if (!matches || !finder.in_form(form, number)) continue;
        good = true;
        found.form = i;
        found.bits = std::max(found.bits, form.bits);
    }
    found.number = number;
    return good;
}

bool apply_relocations(Object& object, const Codec& codec, Diagnostics& diagnostics) {
    return Relocator(object, codec, diagnostics).run();
}

}  // namespace isaforge
