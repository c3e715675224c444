// Applying relocations: what a linker would do, for flat outputs and for running an object that was not linked. An
// instruction's relocation says which operand type it is about; where its bits are follows from the instruction itself.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "codec/tables.hpp"
#include "isaforge/object.hpp"
#include "object/relocation_place.hpp"

namespace isaforge {

namespace {

constexpr unsigned deepest_operand = 16, most_rows_visited = 4096;

// Where a number's bits are: in the code of the operand that was searched, or, in a tail, in the whole image.
struct Found {
    Deferred number;
    bool in_image = false;
    std::vector<RowChoice> rows;
};

// `inner` counts in the code that `outer` holds; then it counts where `outer` counts.
bool compose(const BitPlace& outer, Deferred& inner) {
    const Deferred old = inner;
    inner.piece_count = 0;
    for (unsigned i = 0; i < old.piece_count; ++i) {
        const BitPiece& piece = old.pieces[i];
        for (const BitPiece& around : outer.pieces) {
            const unsigned low = std::max<unsigned>(piece.position, around.shift);
            const unsigned high = std::min<unsigned>(piece.position + piece.width, around.shift + around.width);
            if (low >= high) continue;
            if (inner.piece_count == std::size(inner.pieces)) return false;
            inner.pieces[inner.piece_count++] = {static_cast<std::uint16_t>(around.position + low - around.shift),
                                                 static_cast<std::uint8_t>(high - low),
                                                 static_cast<std::uint8_t>(piece.shift + low - piece.position)};
        }
    }
    return true;
}

bool same_place(const Deferred& a, const Deferred& b) {
    const auto bit_sets = [](const Deferred& number) {
        Image image;
        for (unsigned i = 0; i < number.piece_count; ++i)
            image.set(number.pieces[i].position, number.pieces[i].width, ~std::uint64_t{0});
        return image.words;
    };
    return bit_sets(a) == bit_sets(b);
}

// Searches an instruction for the numbers of a relocation type, in the order of its fields. The row to which an operand
// decodes is looked at first; but what was written may have been another row that has the same bits.
class NumberFinder {
public:
    NumberFinder(const Codec& codec, const Image& image, std::uint32_t wanted)
        : codec_(codec), isa_(codec.isa()), image_(image), wanted_(wanted) {}

    void in_form(Index form, unsigned bits, std::vector<RelocatedNumber>& out);

private:
    bool is_wanted(Index type) const;
    void in_operand(Index type, std::uint64_t code, unsigned tail, unsigned depth, std::vector<Found>& out);
    void in_row(const OperandRow& row, std::uint64_t code, unsigned tail, unsigned depth, std::vector<Found>& out);

    const Codec& codec_;
    const Isa& isa_;
    const Image& image_;
    std::uint32_t wanted_;
    unsigned visited_ = 0;
};

bool NumberFinder::is_wanted(Index type) const {
    const OperandType& operand = isa_.operand_types[type];
    if (operand.kind != OperandKind::number) return false;
    return wanted_ == operand.number.relocation_type ||
           std::ranges::find(operand.number.other_relocations, wanted_) != operand.number.other_relocations.end();
}

void NumberFinder::in_row(const OperandRow& row, std::uint64_t code, unsigned tail, unsigned depth,
                          std::vector<Found>& out) {
    for (const Field& field : row.fields) {
        if (field.type >= isa_.operand_types.size()) continue;
        BitPlace place = field.place;
        if (field.in_tail) {
            for (BitPiece& piece : place.pieces) piece.position = static_cast<std::uint16_t>(piece.position + tail);
        }
        std::vector<Found> inside;
        in_operand(field.type, field.in_tail ? place.extract(image_) : place.extract(code), tail, depth + 1, inside);
        for (Found& found : inside) {
            if (!found.in_image && !compose(place, found.number)) continue;
            found.in_image |= field.in_tail;
            out.push_back(std::move(found));
        }
    }
}

void NumberFinder::in_operand(Index type, std::uint64_t code, unsigned tail, unsigned depth, std::vector<Found>& out) {
    if (depth > deepest_operand || ++visited_ > most_rows_visited) return;
    const OperandType& operand = isa_.operand_types[type];
    if (is_wanted(type)) {
        Found found;
        found.number = {};
        found.number.type = type;
        found.number.width = static_cast<std::uint8_t>(operand.width);
        found.number.piece_count = 1;
        found.number.pieces[0] = {0, found.number.width, 0};
        out.push_back(std::move(found));
        return;
    }
    if (operand.kind != OperandKind::table) return;
    const Index decoded = codec_.row_of(type, code);
    if (decoded == no_index) return;
    in_row(operand.rows[decoded], code, tail, depth, out);
    for (Index i = 0; i < operand.rows.size(); ++i) {
        const OperandRow& row = operand.rows[i];
        const bool other = i != decoded && !row.texts.empty() && row.tail_bits == operand.rows[decoded].tail_bits;
        if (!other || row.fields.empty() || !row.claims(code)) continue;
        const std::size_t before = out.size();
        in_row(row, code, tail, depth, out);
        for (std::size_t k = before; k < out.size(); ++k) out[k].rows.push_back({no_index, type, i});
    }
}

void NumberFinder::in_form(Index index, unsigned bits, std::vector<RelocatedNumber>& out) {
    const Form& form = isa_.forms[index];
    for (Index i = 0; i < form.fields.size(); ++i) {
        const Field& field = form.fields[i];
        if (field.type >= isa_.operand_types.size()) continue;
        std::vector<Found> inside;
        in_operand(field.type, field.place.extract(image_), codec::tail_at(codec_, index, i, image_), 0, inside);
        for (Found& found : inside) {
            if (!found.in_image && !compose(field.place, found.number)) continue;
            const bool known = std::ranges::any_of(
                out, [&](const RelocatedNumber& other) { return same_place(other.number, found.number); });
            if (known) continue;
            for (RowChoice& choice : found.rows) choice.field = i;
            out.push_back({index, std::max(bits, form.bits), found.number, std::move(found.rows)});
        }
    }
}

class Relocator {
public:
    Relocator(Object& object, const Codec& codec, Diagnostics& diagnostics, const NamePlace& name_place,
              const LinkerTables* tables)
        : object_(object),
          codec_(codec),
          isa_(codec.isa()),
          diagnostics_(diagnostics),
          name_place_(name_place),
          tables_(tables) {
        for (const OperandType& type : isa_.operand_types) {
            if (type.kind != OperandKind::number) continue;
            rules_.try_emplace(type.number.relocation_type, &type.number);
            for (const unsigned other : type.number.other_relocations) rules_.try_emplace(other, &type.number);
        }
    }

    bool run();

private:
    bool apply(Relocation& relocation, bool& keep);
    bool value_of(const Relocation& relocation, std::int64_t& value);
    bool linked_value(const Relocation& relocation, const NumberRule* rule, std::int64_t& value);
    bool value_at_label(const Relocation& relocation, std::int64_t& value);
    const Relocation* high_part(Index section, std::uint64_t offset);
    const NumberRule* rule_of(std::uint32_t type) const {
        const auto found = rules_.find(type);
        return found == rules_.end() ? nullptr : found->second;
    }
    bool apply_data(const Relocation& relocation, std::int64_t value, unsigned size, bool relative);
    bool apply_operation(const Relocation& relocation, std::int64_t value, const ElfMachine::Operation& operation);
    bool apply_leb(const Relocation& relocation, std::uint64_t value, bool subtracts);
    bool apply_instruction(Relocation& relocation, std::int64_t value, bool& keep);
    bool fail(const Relocation& relocation, std::string message);

    Object& object_;
    const Codec& codec_;
    const Isa& isa_;
    Diagnostics& diagnostics_;
    const NamePlace& name_place_;
    const LinkerTables* tables_;
    std::unordered_map<std::uint32_t, const NumberRule*> rules_;  // by relocation type
    // Relocations of numbers that others have the rest of, by place; made when one is asked for.
    std::optional<std::map<std::pair<Index, std::uint64_t>, const Relocation*>> high_parts_;
};

bool Relocator::fail(const Relocation& relocation, std::string message) {
    if (!relocation.place.known()) {
        const std::string where =
            name_place_ ? name_place_(relocation.section, relocation.offset)
                        : fmt::format("{}+0x{:x}", object_.sections[relocation.section].name, relocation.offset);
        message = fmt::format("{}: {}", where, message);
    }
    diagnostics_.error(relocation.place, std::move(message));
    return false;
}

bool Relocator::run() {
    bool good = true;
    std::vector<Relocation> kept;
    // What is kept changes: those that ask for another one's value come before.
    for (const bool at_labels : {true, false}) {
        for (Relocation& relocation : object_.relocations) {
            const NumberRule* const rule = rule_of(relocation.type);
            if (relocation.section >= object_.sections.size()) continue;
            if ((rule && rule->linked == NumberRule::Linked::label) != at_labels) continue;
            bool keep = false;
            good &= apply(relocation, keep);
            if (keep) kept.push_back(relocation);
        }
    }
    object_.relocations = std::move(kept);
    return good;
}

bool Relocator::apply(Relocation& relocation, bool& keep) {
    const ElfMachine& elf = isa_.elf;
    if (elf.machine != 0 && (relocation.type == 0 || relocation.type == elf.none)) return true;
    if (relocation.type != 0 && (relocation.type == elf.relax || relocation.type == elf.align)) return true;
    if (relocation.symbol >= object_.symbols.size()) {
        keep = true;
        return true;
    }
    const NumberRule* const rule = rule_of(relocation.type);
    std::int64_t value = 0;
    if (!linked_value(relocation, rule, value)) return false;
    if (const unsigned size = elf.bytes_of(relocation.type))
        return apply_data(relocation, value, size, elf.is_relative(relocation.type));
    if (const ElfMachine::Operation* const operation = elf.operation(relocation.type))
        return apply_operation(relocation, value, *operation);
    return apply_instruction(relocation, value, keep);
}

// What the number or datum is about: the symbol, or what a linker has for it.
bool Relocator::linked_value(const Relocation& relocation, const NumberRule* rule, std::int64_t& value) {
    using Linked = NumberRule::Linked;
    const Linked linked = rule ? rule->linked : Linked::address;
    if (linked == Linked::label) return value_at_label(relocation, value);
    if (linked == Linked::slot || linked == Linked::thread_slot) {
        const bool thread = linked == Linked::thread_slot;
        const auto slot = tables_ ? tables_->slots.find({relocation.symbol, relocation.addend, thread})
                                  : decltype(tables_->slots.end()){};
        if (!tables_ || slot == tables_->slots.end())
            return fail(relocation, "this is a place in a table that a linker makes: `isaforge link` does");
        value = static_cast<std::int64_t>(slot->second / object_.address_bytes);
        return true;
    }
    if (!value_of(relocation, value)) return false;
    if (linked != Linked::thread) return true;
    if (!tables_ || !tables_->thread_begin)
        return fail(relocation,
                    "this counts from what a thread has a copy of, which a linker places, and there is none");
    value -= static_cast<std::int64_t>(*tables_->thread_begin);
    return true;
}

const Relocation* Relocator::high_part(Index section, std::uint64_t offset) {
    if (!high_parts_) {
        high_parts_.emplace();
        for (const Relocation& relocation : object_.relocations) {
            const NumberRule* const rule = rule_of(relocation.type);
            const bool is_number = isa_.elf.bytes_of(relocation.type) == 0 && !isa_.elf.operation(relocation.type);
            if (rule && is_number && rule->relative)
                high_parts_->try_emplace({relocation.section, relocation.offset}, &relocation);
        }
    }
    const auto found = high_parts_->find({section, offset});
    return found == high_parts_->end() ? nullptr : found->second;
}

bool Relocator::value_at_label(const Relocation& relocation, std::int64_t& value) {
    const Symbol& symbol = object_.symbols[relocation.symbol];
    const bool is_section = symbol.type == SymbolType::section;
    const std::uint64_t offset = symbol.value + (is_section ? static_cast<std::uint64_t>(relocation.addend) : 0);
    const Relocation* const high =
        symbol.section < object_.sections.size() ? high_part(symbol.section, offset) : nullptr;
    if (!high)
        return fail(relocation,
                    fmt::format("at '{}' is no instruction with the other part of this number", symbol.name));
    if (high->symbol >= object_.symbols.size()) {
        value = high->addend;
    } else if (!linked_value(*high, rule_of(high->type), value)) {
        return false;
    }
    value -=
        static_cast<std::int64_t>((object_.sections[high->section].address + high->offset) / object_.address_bytes);
    return true;
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

bool Relocator::apply_operation(const Relocation& relocation, std::int64_t value,
                                const ElfMachine::Operation& operation) {
    using Kind = ElfMachine::Operation::Kind;
    const unsigned size = (operation.bits + 7u) / 8;
    if (operation.kind == Kind::absolute || operation.kind == Kind::relative)
        return apply_data(relocation, value, size, operation.kind == Kind::relative);
    auto bits = static_cast<std::uint64_t>(value);
    if (operation.kind == Kind::set_leb || operation.kind == Kind::subtract_leb)
        return apply_leb(relocation, bits, operation.kind == Kind::subtract_leb);
    Section& section = object_.sections[relocation.section];
    if (relocation.offset > section.bytes.size() || size > section.bytes.size() - relocation.offset)
        return fail(relocation, "this relocation lies outside its section");
    std::uint8_t* const bytes = section.bytes.data() + relocation.offset;
    const auto place = [&](unsigned i) { return 8 * (object_.big_endian ? size - 1 - i : i); };
    std::uint64_t before = 0;
    for (unsigned i = 0; i < size; ++i) before |= std::uint64_t{bytes[i]} << place(i);
    if (operation.kind == Kind::add) bits = before + bits;
    if (operation.kind == Kind::subtract) bits = before - bits;
    const std::uint64_t mask = low_bits(operation.bits);
    bits = (before & ~mask) | (bits & mask);
    for (unsigned i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(bits >> place(i));
    return true;
}

// A number in groups of seven bits keeps as many as it has.
bool Relocator::apply_leb(const Relocation& relocation, std::uint64_t value, bool subtracts) {
    std::vector<std::uint8_t>& bytes = object_.sections[relocation.section].bytes;
    std::uint64_t before = 0;
    std::size_t end = relocation.offset;
    for (unsigned shift = 0; end < bytes.size() && shift < 64; shift += 7) {
        before |= std::uint64_t{bytes[end] & 0x7Fu} << shift;
        if ((bytes[end++] & 0x80) == 0) break;
    }
    if (end == relocation.offset || (bytes[end - 1] & 0x80) != 0)
        return fail(relocation, "there is no number in groups of seven bits");
    if (subtracts) value = before - value;
    for (std::size_t i = relocation.offset; i < end; ++i, value >>= 7)
        bytes[i] = static_cast<std::uint8_t>((value & 0x7F) | (i + 1 < end ? 0x80 : 0));
    return subtracts && value != 0 ? fail(relocation, "the distance needs more groups of seven bits than it has")
                                   : true;
}

bool Relocator::apply_data(const Relocation& relocation, std::int64_t value, unsigned size, bool relative) {
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
    if (!find_relocated_number(codec_, encoded.image, static_cast<unsigned>(available * 8), relocation.type,
                               relocation.number, found)) {
        return fail(relocation,
                    rule_of(relocation.type)
                        ? fmt::format("relocation type {} does not belong to this instruction", relocation.type)
                        : fmt::format("the description knows no relocation of type {}", relocation.type));
    }
    encoded.form = found.form;
    encoded.bits = found.bits;
    const std::uint64_t address = (section.address + relocation.offset) / object_.address_bytes;
    std::string wrong = codec_.patch(encoded, found.number, value, address);
    if (!wrong.empty()) return fail(relocation, std::move(wrong));
    codec_.store(encoded.image, encoded.bits, bytes);
    const NumberRule& rule = isa_.operand_types[found.number.type].number;
    keep = rule.relocation != 0 && !rule.relative && rule.linked == NumberRule::Linked::address;
    if (keep) {
        relocation.symbol = no_index;
        relocation.addend = value;
    }
    return true;
}

}  // namespace

namespace {

// The numbers of a relocation type in all forms that these bits match, the decoded one first: an alias may name an operand
// type that the printed form of the instruction does not have. Stops behind a form where `enough` says so.
template <typename Enough>
std::vector<RelocatedNumber> relocated_numbers(const Codec& codec, const Image& image, unsigned available,
                                               std::uint32_t type, Enough&& enough) {
    const Isa& isa = codec.isa();
    NumberFinder finder(codec, image, type);
    std::vector<RelocatedNumber> numbers;
    unsigned bits = 0;
    const Index decoded = codec.decode(image, available, bits);
    if (decoded == no_index) bits = 0;
    if (decoded != no_index) finder.in_form(decoded, bits, numbers);
    for (Index i = 0; i < isa.forms.size() && !enough(numbers); ++i) {
        const Form& form = isa.forms[i];
        bool matches = i != decoded && form.bits <= available;
        for (std::size_t w = 0; matches && w < form.mask.words.size(); ++w) {
            matches = (image.words[w] & form.mask.words[w]) == form.value.words[w];
        }
        if (matches) finder.in_form(i, bits, numbers);
    }
    return numbers;
}

}  // namespace

bool find_relocated_number(const Codec& codec, const Image& image, unsigned available, std::uint32_t type,
                           unsigned which, RelocatedNumber& found) {
    std::vector<RelocatedNumber> numbers =
        relocated_numbers(codec, image, available, type, [&](const auto& some) { return some.size() > which; });
    if (which >= numbers.size()) return false;
    found = std::move(numbers[which]);
    return true;
}

std::vector<RelocatedNumber> relocated_in_forms(const Codec& codec, const Image& image, unsigned available,
                                                std::uint32_t type, unsigned which) {
    const Isa& isa = codec.isa();
    NumberFinder finder(codec, image, type);
    std::vector<RelocatedNumber> all;
    for (Index i = 0; i < isa.forms.size(); ++i) {
        const Form& form = isa.forms[i];
        bool matches = form.bits <= available;
        for (std::size_t w = 0; matches && w < form.mask.words.size(); ++w)
            matches = (image.words[w] & form.mask.words[w]) == form.value.words[w];
        if (!matches) continue;
        std::vector<RelocatedNumber> numbers;
        finder.in_form(i, form.bits, numbers);
        if (which < numbers.size()) all.push_back(std::move(numbers[which]));
    }
    return all;
}

std::optional<unsigned> relocated_number_of(const Codec& codec, const Image& image, unsigned available,
                                            std::uint32_t type, const Deferred& number) {
    const auto is_it = [&](const RelocatedNumber& one) { return same_place(one.number, number); };
    const std::vector<RelocatedNumber> numbers = relocated_numbers(
        codec, image, available, type, [&](const auto& some) { return std::ranges::any_of(some, is_it); });
    const auto found = std::ranges::find_if(numbers, is_it);
    if (found == numbers.end()) return std::nullopt;
    return static_cast<unsigned>(found - numbers.begin());
}

bool apply_relocations(Object& object, const Codec& codec, Diagnostics& diagnostics, const NamePlace& name_place,
                       const LinkerTables* tables) {
    return Relocator(object, codec, diagnostics, name_place, tables).run();
}

}  // namespace isaforge
