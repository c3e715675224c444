// Any bytes as notes: reading and checking them, with a part of them as a list of instructions, reports what is wrong and
// nothing else; a draft made from them loads.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "isaforge/notes.hpp"

using namespace isaforge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    SourceManager sources;
    Diagnostics diagnostics;
    const std::string text(reinterpret_cast<const char*>(data), size);
    const std::size_t split = std::min(text.find('\x01'), text.size());
    const Notes notes = read_notes(sources.add("notes.txt", text.substr(0, split)), sources, diagnostics);
    const auto list = read_instruction_list(sources.add("list.tsv", text.substr(split)), sources, diagnostics);
    check_notes(notes, list, diagnostics);
    to_text(diagnostics, sources);
    const std::string draft = import_notes(notes, {}, sources, "fuzz");
    Diagnostics found;
    if (!load_isa_text("draft.isa", draft, sources, found)) std::abort();
    return 0;
}
