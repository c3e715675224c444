// Words that look like labels and are the begin of an instruction: `add.w: r1`, where other sources write `name:`. Found
// once for a codec, by looking through all texts, and only where somebody asks.
#include <algorithm>

#include "codec/tables.hpp"

namespace isaforge {

namespace {

// Whether the text has the label mark glued to its name.
bool looks_like_label(const Form& form, const std::string& suffix) {
    for (const TextTemplate& text : form.texts) {
        for (const TextElement& element : text) {
            if (element.kind == TextKind::literal && element.text.starts_with(suffix)) return true;
            if (element.kind == TextKind::space) break;
        }
    }
    return false;
}

std::string folded(std::string_view text, const std::array<char, 256>& fold) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [&](char c) { return fold[static_cast<unsigned char>(c)]; });
    return out;
}

}  // namespace

bool Codec::reads_as_label(std::string_view word) const {
    codec::LabelWords& known = tables_->label_words;
    std::call_once(known.found, [&] {
        const std::string& suffix = isa_->surface.label_suffix;
        const auto glued = [&](const Form& form) { return looks_like_label(form, suffix); };
        if (suffix.empty() || std::none_of(isa_->forms.begin(), isa_->forms.end(), glued)) return;
        for (const Instruction& instruction : isa_->instructions) {
            for (const std::string& name : instruction.names) known.words.insert(folded(name, tables_->fold));
        }
    });
    return !known.words.empty() && known.words.contains(folded(word, tables_->fold));
}

bool Codec::has_nameless() const { return tables_->nameless != nullptr; }

bool Codec::is_loaded(Index form) const { return tables_->index->forms[form].is_loaded; }

bool Codec::may_load() const {
    return std::ranges::any_of(tables_->index->forms, &MnemonicIndex::FormFacts::is_loaded);
}

}  // namespace isaforge
