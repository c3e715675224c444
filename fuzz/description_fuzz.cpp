// Any bytes as a description: loading, checking, and building the codec either work or are reported.
#include <cstddef>
#include <cstdint>

#include "isaforge/codec.hpp"

using namespace isaforge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa =
        load_isa_text("fuzz.isa", std::string(reinterpret_cast<const char*>(data), size), sources, diagnostics);
    if (isa) check_isa(*isa, diagnostics);
    to_text(diagnostics, sources);
    if (isa && diagnostics.ok()) Codec codec(isa);
    return 0;
}
