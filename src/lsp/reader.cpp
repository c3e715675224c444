#include "lsp/reader.hpp"

#include <cstring>

namespace isaforge::lsp {

ProgramReader::ProgramReader(const Codec& codec, const Program* program) {
    expressions_.registers = &codec;
    symbols_.registers = &codec;
    expressions_.stable_text = false;
    expressions_.constants = &codec.isa().constants;
    expressions_.syntax.use(codec.isa().surface);
    if (!program) return;
    for (const ProgramName& name : program->names.names) {
        const bool has_value = name.kind == ProgramName::Kind::number || name.kind == ProgramName::Kind::label;
        if (name.name.empty() || !has_value) continue;
        assembler::SymbolEntry& entry = symbols_[symbols_.intern(name.name, false)];
        entry.kind = name.floating ? assembler::SymbolKind::floating : assembler::SymbolKind::integer;
        entry.value = name.value;
        entry.negative = name.negative;
    }
}

std::optional<ProgramReader::Result> ProgramReader::evaluate(std::string_view text) {
    const std::string copy = std::string(text) + "\n";
    const char* p = copy.data();
    assembler::Value value;
    expressions_.error.clear();
    if (!expressions_.parse(p, value) || assembler::skip_blanks(p) != copy.data() + text.size()) return std::nullopt;
    if (value.is_symbolic()) return std::nullopt;
    Result out;
    out.floating = !value.is_integer();
    out.number = value.floating;
    out.integer = value.integer.bits;
    out.negative = value.integer.negative;
    return out;
}

}  // namespace isaforge::lsp
