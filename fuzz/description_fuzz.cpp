// Any text as a description: loading, checking, and building the codec either work or are reported. What is without an error
// can be told apart: of an instruction that is printed, the text is read.
#include "description.hpp"
#include "isaforge/codec.hpp"

using namespace isaforge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Loaded loaded;
    fuzz::load_text(loaded, fuzz::text_of(data, size));
    fuzz::require(loaded.isa || !loaded.diagnostics.ok());
    if (loaded.isa) check_isa(*loaded.isa, loaded.diagnostics);
    to_text(loaded.diagnostics, loaded.sources);
    to_json(loaded.diagnostics, loaded.sources);
    if (!loaded.isa || !loaded.diagnostics.ok()) return 0;
    const Codec codec(loaded.isa);
    codec.tables();
    return 0;
}
