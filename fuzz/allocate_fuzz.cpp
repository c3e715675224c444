// Any draft of a description: each `auto` gets a number, or there is an error. With the numbers written into it, the
// description loads, nothing is left to choose, and check finds no opcodes wrong that it did not find without them.
#include "description.hpp"
#include "isaforge/allocate.hpp"

using namespace isaforge;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text = fuzz::text_of(data, size);
    LoadOptions options;
    options.draft = true;
    fuzz::Loaded draft;
    fuzz::load_text(draft, text, options);
    if (!draft.isa) return 0;
    std::vector<AutoChoice> choices, again;
    AllocationReport report;
    const bool fits = allocate(*draft.isa, choices, draft.diagnostics, &report);
    to_text(draft.diagnostics, draft.sources);
    if (!fits) {
        fuzz::require(!draft.diagnostics.ok());
        return 0;
    }
    Diagnostics same;
    fuzz::require(allocate(*draft.isa, again, same) && again.size() == choices.size());
    for (std::size_t i = 0; i < choices.size(); ++i) fuzz::require(again[i].value == choices[i].value);
    constexpr FileId main_file = 1;
    fuzz::Loaded whole;
    fuzz::load_text(whole, with_numbers(text, main_file, choices));
    fuzz::require(whole.isa && whole.isa->auto_rows.empty());
    Diagnostics before, after;
    check_isa(*draft.isa, before);
    check_isa(*whole.isa, after);
    fuzz::require(!before.ok() || after.ok());
    return 0;
}
