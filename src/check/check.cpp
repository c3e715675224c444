// What `isaforge check` finds in a model that resolved.
#include <fmt/format.h>

#include "check/findings.hpp"
#include "isa/words.hpp"
#include "semantics/check.hpp"

namespace isaforge {

namespace check {

std::string binary(std::uint64_t code, unsigned width) {
    std::string out;
    for (unsigned i = width; i-- > 0;) out += code >> i & 1 ? '1' : '0';
    return out;
}

std::string word_text(const Isa& isa, const Image& image, unsigned bits) {
    return "0x" + words_in_hex(isa, image, bits, " 0x");
}

}  // namespace check

void check_isa(const Isa& isa, Diagnostics& diagnostics, MeaningsChecked* done) {
    if (isa.find_unused)
        for (const Diagnostic& unused : isa.find_unused()) diagnostics.warning(unused.place, unused.message);
    const std::size_t before = diagnostics.errors();
    const Codec codec(std::shared_ptr<const Isa>(std::shared_ptr<void>(), &isa));  // borrows the model
    check::find_overlaps(codec, diagnostics);
    check::find_opcode_gaps(isa, diagnostics);
    check::find_pool_defects(isa, diagnostics);
    check::find_wrong_lengths(codec, diagnostics);
    // Overlapping bits would be reported once more as texts that do not come back.
    if (diagnostics.errors() == before) check::find_ambiguous_texts(codec, diagnostics);
    semantics::check_semantics(isa, diagnostics, done);
}

}  // namespace isaforge
