#include "render/wavedrom.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace isaforge::render {

namespace {

using Json = nlohmann::ordered_json;

// Colours as the pictures of manuals have them.
enum Colour { unused = 1, other = 2, number = 3, registers = 4, fixed = 8 };

constexpr unsigned widest_number = 32;  // JavaScript's numbers are exact up to 53 bits
constexpr unsigned bits_in_lane = 32;

// What one bit of the bar is.
struct Bit {
    const Field* field = nullptr;
    unsigned of_value = 0;  // which bit of the field's value
    bool fixed = false, set = false;

    bool goes_on(const Bit& before) const {
        return field == before.field && fixed == before.fixed && (!field || of_value == before.of_value + 1);
    }
};

// From the end of the bar on.
std::vector<Bit> bits_of(const Isa& isa, const Form& form) {
    std::vector<unsigned> place(form.bits);
    for (unsigned i = 0; i < form.bits; ++i) place[isa.bar_position(i, form.bits)] = form.bits - 1 - i;
    std::vector<Bit> out(form.bits);
    for (unsigned i = 0; i < form.bits; ++i) {
        Bit& bit = out[place[i]];
        bit.fixed = form.mask.get(i, 1) != 0;
        bit.set = form.value.get(i, 1) != 0;
    }
    for (const Field& field : form.fields.list()) {
        if (field.in_tail || field.ignored) continue;
        for (const BitPiece& piece : field.place.pieces) {
            for (unsigned i = 0; i < piece.width; ++i) {
                Bit& bit = out[place[piece.position + i]];
                bit.field = &field;
                bit.of_value = piece.shift + i;
            }
        }
    }
    return out;
}

Json field_json(const Isa& isa, const std::vector<Bit>& bits, std::size_t begin, std::size_t end) {
    const Bit& first = bits[begin];
    const std::size_t count = end - begin;
    std::string name;
    if (first.field) {
        name = first.field->name;
        if (count != first.field->place.width)
            name += fmt::format("[{}:{}]", first.of_value + count - 1, first.of_value);
    }
    Json out{{"bits", count}};
    if (first.fixed) {
        std::string digits;
        std::uint64_t value = 0;
        for (std::size_t i = end; i-- > begin;) {
            digits += bits[i].set ? '1' : '0';
            value = value << 1 | (bits[i].set ? 1 : 0);
        }
        if (!name.empty()) out["name"] = name;
        const char* const key = name.empty() ? "name" : "attr";
        if (count <= widest_number)
            out[key] = value;
        else
            out[key] = digits;
        out["type"] = static_cast<int>(fixed);
    } else if (first.field) {
        const Index type = first.field->type;
        const OperandKind kind = type == no_index ? OperandKind::number : isa.operand_types[type].kind;
        out["name"] = name;
        out["type"] = static_cast<int>(kind == OperandKind::registers ? registers
                                       : kind == OperandKind::number  ? number
                                                                      : other);
    } else {
        out["type"] = static_cast<int>(unused);
    }
    return out;
}

}  // namespace

std::string wavedrom_picture(const Isa& isa, const Form& form) {
    const std::vector<Bit> bits = bits_of(isa, form);
    std::string fields;
    for (std::size_t begin = 0; begin < bits.size();) {
        std::size_t end = begin + 1;
        while (end < bits.size() && bits[end].goes_on(bits[end - 1])) ++end;
        fields += fmt::format("{}\n  {}", fields.empty() ? "" : ",", field_json(isa, bits, begin, end).dump());
        begin = end;
    }
    Json config{{"bits", form.bits}};
    if (form.bits > bits_in_lane) config["lanes"] = (form.bits + bits_in_lane - 1) / bits_in_lane;
    config["label"] = {{"left", isa.instruction_of(form).names.front()}};
    return fmt::format("{{\"reg\": [{}\n], \"config\": {}}}", fields, config.dump());
}

std::string wavedrom_pictures(const Isa& isa, const std::vector<const Form*>& forms) {
    std::string out;
    for (const Form* form : forms) out += (out.empty() ? "" : ",\n") + wavedrom_picture(isa, *form);
    return "[" + out + "]";
}

}  // namespace isaforge::render
