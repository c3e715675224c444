// Objects as such: making one, finding things in it, telling whether it fits a description, choosing a writer.
#include "isaforge/object.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "object/flavour.hpp"

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

namespace {

std::string for_other(std::string_view made_for, std::string_view described) {
    return fmt::format("it is for {}, and not for {}", made_for, described);
}

std::string_view flavoured_isa(const Object& object) {
    for (const ObjectFlavour* flavour : object_flavours()) {
        const std::string_view isa = flavour->isa_of(object);
        if (!isa.empty()) return isa;
    }
    return {};
}

std::string machine_text(std::uint16_t machine) {
    const std::string_view name = machine_name(machine);
    return name.empty() ? fmt::format("ELF machine {}", machine) : fmt::format("{} (ELF machine {})", name, machine);
}

// Of a description that says what its files are: that one is for another machine, or of the other class. A file that says
// nothing, as those of descriptions that do not, is for any.
std::string other_machine(const Object& object, const Isa& isa) {
    if (isa.elf.machine == 0 || object.machine == 0) return {};
    if (object.machine != isa.elf.machine)
        return for_other(machine_text(object.machine), machine_text(isa.elf.machine));
    if (object.wide != isa.elf.wide)
        return fmt::format("it is a {}-bit ELF file, and those of {} have {} bits", object.wide ? 64 : 32, isa.variant,
                           isa.elf.wide ? 64 : 32);
    return {};
}

}  // namespace

std::string mismatch(const Object& object, const Isa& isa) {
    if (std::string other = other_machine(object, isa); !other.empty()) return other;
    if (object.isa.empty()) {
        const std::string_view meant = flavoured_isa(object);
        return meant.empty() || isa.is_refined_by(meant) || meant == isa.name ? std::string()
                                                                              : for_other(meant, isa.variant);
    }
    if (object.isa != isa.name) return for_other(object.isa, isa.name);
    if (!object.variant.empty() && !isa.is_refined_by(object.variant)) return for_other(object.variant, isa.variant);
    const Object own = make_object(isa);
    if (object.unit_bytes != own.unit_bytes || object.address_bytes != own.address_bytes) {
        return fmt::format(
            "it is for {0} with units of {1} bytes and addresses of {2}, and {0} has units of {3} and "
            "addresses of {4}",
            isa.variant, object.unit_bytes, object.address_bytes, own.unit_bytes, own.address_bytes);
    }
    return {};
}

std::string foreign_machine(const Object& object, const Isa& isa) {
    if (object.machine == 0 || !object.isa.empty() || !flavoured_isa(object).empty()) return {};
    if (object.machine == isa.elf.machine) return {};
    return fmt::format("the file is for {}; nothing says that {} is that machine", machine_text(object.machine),
                       isa.variant);
}

Object make_object(const Isa& isa) {
    Object object;
    object.isa = isa.name;
    object.variant = isa.variant;
    object.big_endian = isa.memories.empty() ? isa.big_endian : isa.memories[0].big_endian;
    object.code_big_endian = isa.big_endian;
    object.unit_bytes = std::max(1u, isa.unit_bytes());
    object.address_bytes = std::max(1u, isa.address_bits / 8);
    object.machine = isa.elf.machine;
    object.machine_flags = isa.elf.flags;
    object.wide = isa.elf.wide;
    object.address_relocation = isa.elf.of_data(object.wide ? 8 : 4, false);
    return object;
}

void complete_object(Object& object, const Isa& isa) {
    if (!object.isa.empty()) return;
    const Object own = make_object(isa);
    object.unit_bytes = own.unit_bytes;
    object.address_bytes = own.address_bytes;
    object.code_big_endian = own.code_big_endian;
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

bool write_elf(const Object& object, std::string& out, std::string& error) {
    return write_elf(
        object, [&](std::string_view bytes) { out += bytes; }, error);
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
