// From bits to a form and its operands' codes.
#include <algorithm>
#include <cstring>

#include "codec/decode.hpp"
#include "codec/load.hpp"
#include "codec/tables.hpp"

namespace isaforge {

using codec::DecodeLeaf;
using codec::FormTable;
using codec::OperandTable;

// What the operand `code` brings along, wherever that lies.
codec::OneTail codec::one_tail(const Isa& isa, const Codec::Tables& tables, Index index, std::uint64_t code) {
    const codec::OperandTable& table = tables.operands[index];
    if (table.longest_tail == 0) return {};
    const bool listed = code < table.tails.size();
    if (listed && table.tails[code] != codec::OneTail::unknown) return codec::OneTail::unpacked(table.tails[code]);
    const OperandType& type = isa.operand_types[index];
    const Index row = codec::row_of(isa, tables, index, code);
    if (row == no_index) return {};
    for (const Field& field : type.rows[row].fields) {
        if (field.in_tail) return {field.place.width, field.shared};
        const codec::OneTail inner = one_tail(isa, tables, field.type, field.place.extract(code));
        if (inner.bits != 0) return inner;
    }
    return {};
}

namespace {

// What follows an instruction because of its operands, in one place.
struct Tail {
    unsigned bits = 0;
    bool shared = false;
    bool second = false;  // another one, which should be the same
};

// Whether the word behind the instruction is what `field` of a row calls for, besides what others did.
bool add_tail(const Isa& isa, const Codec::Tables& tables, const Field& field, const Image& image, unsigned at,
              unsigned available, Tail& tail) {
    const unsigned bits = field.place.width;
    if (tail.bits != 0 && (tail.bits != bits || !tail.shared || !field.shared)) tail.second = true;
    if (tail.second || at + bits > available) return false;
    tail = {bits, field.shared};
    return codec::code_is_valid(isa, tables, field.type, field.place.extract(image, at));
}

// Adds what the operand `code` brings along, its own or of an operand inside it. False where the words behind the instruction,
// from bit `at` of the image on, are not that.
bool tail_of(const Isa& isa, const Codec::Tables& tables, Index index, std::uint64_t code, const Image& image,
             unsigned at, unsigned available, Tail& tail) {
    const OperandTable& table = tables.operands[index];
    if (table.longest_tail == 0) return true;
    const OperandType& type = isa.operand_types[index];
    const Index row_index = codec::row_of(isa, tables, index, code);
    if (row_index == no_index) return true;
    const OperandRow& row = type.rows[row_index];
    return std::all_of(row.fields.begin(), row.fields.end(), [&](const Field& field) {
        return field.in_tail ? add_tail(isa, tables, field, image, at, available, tail)
                             : tail_of(isa, tables, field.type, field.place.extract(code), image, at, available, tail);
    });
}

bool matches(const Isa& isa, const Codec::Tables& tables, Index index, const Image& image) {
    const FormTable& table = tables.forms[index];
    const Form& form = isa.forms[index];
    if ((image.words[0] & table.mask0) != table.value0) return false;
    if (table.wide) {
        for (std::size_t i = 1; i < image.words.size(); ++i) {
            if ((image.words[i] & form.mask.words[i]) != form.value.words[i]) return false;
        }
    }
    for (const codec::Check& check : table.checks) {
        if (check.codes) {
            if (check.code(image.words[0]) == codec::OneTail::no_code) return false;
            continue;
        }
        const Field& field = form.fields[check.field];
        if (!codec::code_is_valid(isa, tables, field.type, field.place.extract(image))) return false;
    }
    return true;
}

// The same for each operand's, one behind the other. `second`: two that should be the same are not.
bool match_tails(const Isa& isa, const Codec::Tables& tables, Index index, const Image& image, unsigned available,
                 unsigned& bits, bool& second) {
    const Form& form = isa.forms[index];
    codec::TailPlaces places(form.bits);
    for (const Index i : tables.forms[index].tail_order) {
        const Field& field = form.fields[i];
        const std::uint64_t code = field.place.extract(image);
        const codec::OneTail one = codec::one_tail(isa, tables, field.type, code);
        if (one.bits == 0) continue;
        Tail tail;
        const unsigned at = places.add(one);
        if (places.end() > max_instruction_bits) return false;
        if (!tail_of(isa, tables, field.type, code, image, at, available, tail) && !tail.second) return false;
        second |= tail.second;
    }
    second |= places.differ();
    bits = places.end();
    return true;
}

// Whether the word is of a form that must be looked at more closely; `second`: it is but for a second tail.
bool matches_closely(const Isa& isa, const Codec::Tables& tables, Index index, const Image& image, unsigned available,
                     unsigned& bits, bool& second) {
    const Form& form = isa.forms[index];
    if (!matches(isa, tables, index, image)) return false;
    bits = form.bits;
    const FormTable& table = tables.forms[index];
    const auto brings_none = [&](const codec::Check& check) {
        return check.codes ? check.code(image.words[0]) <= codec::OneTail::nothing
                           : tables.operands[form.fields[check.field].type].longest_tail == 0;
    };
    if (std::ranges::all_of(table.checks, brings_none)) return true;
    if (table.several_tails) return match_tails(isa, tables, index, image, available, bits, second);
    Tail tail;
    const bool good = std::all_of(form.fields.begin(), form.fields.end(), [&](const Field& field) {
        return tail_of(isa, tables, field.type, field.place.extract(image), image, form.bits, available, tail);
    });
    bits += tail.bits;
    second = tail.second;
    return good || second;
}

}  // namespace

Index codec::find_form(const Isa& isa, const Codec::Tables& tables, const Image& image, unsigned available,
                       const DecodeLeaf& first, unsigned& bits, std::string* why) {
    unsigned refused = 0;
    const DecodeLeaf* at = &first;
    for (bool last = false; !last; ++at) {
        const DecodeLeaf& leaf = *at;
        last = leaf.last;
        if (!leaf.may_be(image, available)) continue;
        const Seen seen = leaf.look(image.words[0]);
        if (seen == Seen::other) continue;
        bool second = false;
        bits = leaf.bits;
        if (seen == Seen::open && !matches_closely(isa, tables, leaf.form, image, available, bits, second)) continue;
        const FormLimit* const broken = leaf.limited && !second ? tables.forms[leaf.form].broken_limit(image) : nullptr;
        const bool is_one = !second && !broken;
        if (is_one == (why != nullptr)) {
            if (!is_one) refused = bits;
            continue;
        }
        if (why) *why = second ? codec::other_tail_text : isa.limits[broken->limit].reason;
        return leaf.form;
    }
    const unsigned told = refused != 0 ? 0 : isa.length_of(image);
    bits = told <= available ? refused + told : 0;
    return no_index;
}

unsigned codec::tail_at(const Isa& isa, const Codec::Tables& tables, Index index, Index field, const Image& image) {
    const Form& form = isa.forms[index];
    const FormTable& table = tables.forms[index];
    if (!table.several_tails) return form.bits;
    tables.need_codes(index);
    TailPlaces places(form.bits);
    for (const Index i : table.tail_order) {
        const OneTail tail = one_tail(isa, tables, form.fields[i].type, form.fields[i].place.extract(image));
        const unsigned at = tail.bits != 0 ? places.add(tail) : places.end();
        if (i == field) return at;
    }
    return places.end();
}

Index Codec::decode(const Image& image, unsigned available, unsigned& bits) const {
    return codec::Decoder(*isa_, *tables_).decode(image, available, bits);
}

Index Codec::refused(const Image& image, unsigned available, unsigned& bits, std::string& why) const {
    const DecodeLeaf& first = codec::Decoder(*isa_, *tables_).leaf(image);
    return codec::find_form(*isa_, *tables_, image, available, first, bits, &why);
}

void Codec::fields(Index form, const Image& image, std::vector<std::uint64_t>& codes) const {
    codes.clear();
    const Form& described = isa_->forms[form];
    for (const Field& field : described.fields)
        codes.push_back(field.ignored ? described.fixed_value(field) : field.place.extract(image));
}

Index Codec::row_of(Index type, std::uint64_t code) const {
    tables_->need_operand(type);
    return codec::row_of(*isa_, *tables_, type, code);
}

std::uint64_t Codec::as_written(Index type, std::uint64_t code) const {
    if (isa_->operand_types[type].kind != OperandKind::table) return code;
    const Index found = row_of(type, code);
    if (found == no_index) return code;
    const OperandRow& row = isa_->operand_types[type].rows[found];
    std::uint64_t written = row.written;
    for (const Field& field : row.fields) {
        if (!field.in_tail) written = field.place.insert(written, as_written(field.type, field.place.extract(code)));
    }
    return written;
}

Image Codec::as_written(Index index, const Image& image) const {
    const Form& form = isa_->forms[index];
    Image written = image;  // with what follows the instruction
    for (unsigned at = 0; at < form.bits; at += isa_->unit_bits)
        written.set(at, isa_->unit_bits, form.written.get(at, isa_->unit_bits));
    for (Index i = 0; i < form.fields.size(); ++i) {
        const Field& field = form.fields[i];
        if (field.fixed) continue;
        field.place.insert(written, as_written(field.type, field.place.extract(image)));
        write_tail(field.type, field.place.extract(image), written, codec::tail_at(*this, index, i, image));
    }
    return written;
}

// The same of what an operand has behind the instruction, from there on; gives where that ends.
unsigned Codec::write_tail(Index type, std::uint64_t code, Image& image, unsigned at) const {
    if (isa_->operand_types[type].kind != OperandKind::table) return at;
    const Index found = row_of(type, code);
    if (found == no_index) return at;
    unsigned end = at;
    for (const Field& field : isa_->operand_types[type].rows[found].fields) {
        if (!field.in_tail) {
            end = write_tail(field.type, field.place.extract(code), image, end);
            continue;
        }
        field.place.insert(image, as_written(field.type, field.place.extract(image, at)), at);
        end = std::max(end, at + field.place.width);
    }
    return end;
}

namespace {

// Up to eight bytes as a number, without a detour over memory that would stall the load behind it.
std::uint64_t first_word(const std::uint8_t* bytes, std::size_t size, unsigned unit, bool big_endian) {
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < size; ++i) {
        const std::size_t in_unit = i % unit;
        word |= std::uint64_t{bytes[i]} << (i - in_unit + (big_endian ? unit - 1 - in_unit : in_unit)) * 8;
    }
    return word;
}

}  // namespace

Image codec::load_any(const Isa& isa, const std::uint8_t* bytes, std::size_t size) {
    Image image;
    size = std::min<std::size_t>(size, max_instruction_bits / 8);
    const unsigned unit = isa.unit_bytes();
    if (is_in_order(isa) && size == sizeof(std::uint32_t)) {
        std::uint32_t word = 0;
        std::memcpy(&word, bytes, sizeof word);
        image.words[0] = word;
    } else if (size < sizeof image.words[0] && size % unit == 0) {
        image.words[0] = first_word(bytes, size, unit, isa.big_endian);
    } else if (is_in_order(isa)) {
        std::memcpy(image.words.data(), bytes, size);
    } else {
        for (std::size_t i = 0; i < size; ++i) {
            const std::size_t in_unit = i % unit;
            const std::size_t position = (i - in_unit + (isa.big_endian ? unit - 1 - in_unit : in_unit)) * 8;
            image.set(static_cast<unsigned>(position), 8, bytes[i]);
        }
    }
    return image;
}

Image Codec::load(const std::uint8_t* bytes, std::size_t size) const { return codec::load_any(*isa_, bytes, size); }

void Codec::store(const Image& image, unsigned bits, std::uint8_t* bytes) const {
    const unsigned unit = isa_->unit_bytes();
    if (codec::is_in_order(*isa_)) {
        std::memcpy(bytes, image.words.data(), bits / 8);
        return;
    }
    for (unsigned i = 0; i < bits / 8; ++i) {
        const unsigned in_unit = i % unit;
        const unsigned position = (i - in_unit + (isa_->big_endian ? unit - 1 - in_unit : in_unit)) * 8;
        bytes[i] = static_cast<std::uint8_t>(image.get(position, 8));
    }
}

}  // namespace isaforge
