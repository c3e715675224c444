// Any bytes as an object file, ELF or flat: whatever the readers accept is disassembled in every style, relocated, looked at
// as a debugger does, and written again; what was written is read.
#include "debugger/program_map.hpp"
#include "elf.hpp"
#include "isaforge/disassembler.hpp"
#include "machines.hpp"

using namespace isaforge;

namespace {

std::optional<Object> read(std::span<const std::uint8_t> bytes, const Isa& isa) {
    std::string error;
    if (is_elf(bytes)) return read_elf(bytes, error);
    if (is_intel_hex(bytes)) return read_intel_hex(bytes, error);
    return read_binary(bytes, isa);
}

// As the command asks: a description for another unit is not used on the object.
bool fits(const Object& object, const Isa& isa) {
    return object.unit_bytes == isa.unit_bytes() && object.address_bytes == std::max(1u, isa.address_bits / 8);
}

void map_program(const Object& object) {
    const debugger::ProgramMap map(object);
    for (const auto& [first, behind] : map.code()) {
        map.line_text(first);
        map.place(behind);
    }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate_behind(data, size, most, seed, [](std::string& bytes, fuzz::Random& random, std::uint8_t) {
        fuzz::change_elf(bytes, random);
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const Codec& codec = *fuzz::tools(data[0]).codec;
    std::optional<Object> object = read({data + 1, size - 1}, codec.isa());
    if (!object || !fits(*object, codec.isa())) return 0;
    for (const auto style : {DisassemblyStyle::source, DisassemblyStyle::listing, DisassemblyStyle::json}) {
        DisassembleOptions options;
        options.style = style;
        options.threads = 1;
        disassemble(codec, *object, options, [](std::string_view) {});
    }
    Diagnostics diagnostics;
    std::string out, error;
    place_sections(*object);
    map_program(*object);
    apply_relocations(*object, codec, diagnostics);
    if (write_elf(*object, out, error)) {
        const auto* const bytes = reinterpret_cast<const std::uint8_t*>(out.data());
        fuzz::require(read_elf(std::span(bytes, out.size()), error).has_value());
    }
    return 0;
}
