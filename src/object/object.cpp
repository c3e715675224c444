// Objects as such: making one, finding things in it, choosing a writer.
#include "isaforge/object.hpp"

#include <algorithm>

namespace isaforge {

Index Object::find_section(std::string_view name) const {
    for (Index i = 0; i < sections.size(); ++i) {
        if (sections[i].name == name) return i;
    }
    return no_index;
}

Index Object::find_symbol(std::string_view name) const {
    for (Index i = 0; i < symbols.size(); ++i) {
        if (symbols[i].name == name) return i;
    }
    return no_index;
}

Object make_object(const Isa& isa) {
    Object object;
    object.isa = isa.name;
    object.variant = isa.variant;
    object.big_endian = isa.memories.empty() ? isa.big_endian : isa.memories[0].big_endian;
    object.code_big_endian = isa.big_endian;
    object.unit_bytes = std::max(1u, isa.unit_bytes());
    object.address_bytes = std::max(1u, isa.address_bits / 8);
    return object;
}

Object read_binary(std::span<const std::uint8_t> bytes, const Isa& isa) {
    Object object = make_object(isa);
    Section text;
    text.name = ".text";
    text.executable = true;
    text.alignment = object.unit_bytes;
    text.bytes.assign(bytes.begin(), bytes.end());
    object.sections.push_back(std::move(text));
    object.relocatable = false;
    return object;
}

std::optional<ObjectFormat> object_format(std::string_view name) {
    if (name == "elf") return ObjectFormat::elf;
    if (name == "bin") return ObjectFormat::binary;
    if (name == "ihex") return ObjectFormat::intel_hex;
    if (name == "memh") return ObjectFormat::memh;
    if (name == "c") return ObjectFormat::c_header;
    if (name == "vhdl") return ObjectFormat::vhdl;
    return std::nullopt;
}

bool write_object(const Object& object, ObjectFormat format, std::string& out, std::string& error) {
    switch (format) {
        case ObjectFormat::elf: return write_elf(object, out, error);
        case ObjectFormat::binary: return write_binary(object, out, error);
        case ObjectFormat::intel_hex: return write_intel_hex(object, out, error);
        case ObjectFormat::memh: return write_memh(object, out, error);
        case ObjectFormat::c_header: return write_c_header(object, out, error);
        case ObjectFormat::vhdl: return write_vhdl(object, out, error);
    }
    return false;
}

}  // namespace isaforge
