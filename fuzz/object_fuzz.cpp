// Any bytes as an object file: whatever the readers accept is disassembled in every style, relocated and written again.
#include <cstddef>
#include <cstdint>

#include "isaforge/disassembler.hpp"
#include "machines.hpp"

using namespace isaforge;

namespace {

std::optional<Object> read(std::span<const std::uint8_t> bytes, const Codec& codec) {
    std::string error;
    if (is_elf(bytes)) return read_elf(bytes, error);
    if (is_intel_hex(bytes)) return read_intel_hex(bytes, error);
    return read_binary(bytes, codec.isa());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Codec& codec = *fuzz::choose(data[size - 1]);
    std::optional<Object> object = read({data, size}, codec);
    if (!object) return 0;
    for (const auto style : {DisassemblyStyle::source, DisassemblyStyle::listing, DisassemblyStyle::json}) {
        DisassembleOptions options;
        options.style = style;
        std::size_t written = 0;
        disassemble(codec, *object, options, [&](std::string_view text) { written += text.size(); });
    }
    Diagnostics diagnostics;
    place_sections(*object);
    apply_relocations(*object, codec, diagnostics);
    std::string out, error;
    write_elf(*object, out, error);
    return 0;
}
