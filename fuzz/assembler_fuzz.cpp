// Any bytes as a program: it assembles or is reported, into an object or flat, and what comes out can be listed and
// written. Output and repetition are limited, as memory and time are here.
#include <cstddef>
#include <cstdint>

#include "isaforge/assembler.hpp"
#include "machines.hpp"

using namespace isaforge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const Codec& codec = *fuzz::choose(data[0]);
    SourceManager sources;
    Diagnostics diagnostics;
    const FileId file = sources.add("fuzz.s", std::string(reinterpret_cast<const char*>(data), size));
    AssembleOptions options;
    options.flat = data[size - 1] % 2 == 0;
    options.max_output = 1 << 20;
    Object object;
    Listing listing;
    const bool good = assemble(codec, file, sources, options, object, diagnostics, &listing);
    to_text(diagnostics, sources);
    listing_text(listing, object, sources, file);
    if (!good) return 0;
    std::string out, error;
    write_elf(object, out, error);
    place_sections(object);
    if (apply_relocations(object, codec, diagnostics)) write_memh(object, out, error);
    return 0;
}
