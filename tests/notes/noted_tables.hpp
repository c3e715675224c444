// What the tests of sheets, tables and pictures share: a text goes in, findings and a draft come out.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "isaforge/isa.hpp"
#include "isaforge/notations.hpp"

namespace isaforge {

struct Noted {
    std::optional<Notation> notation;
    std::string what;
    std::string findings;  // "line:column: message", notes indented
    std::size_t count = 0;
    std::string draft;
    std::shared_ptr<const Isa> isa;
    std::string errors;  // of the draft
};

inline Noted read_noted(const std::string& text, bool with_draft = true) {
    SourceManager sources;
    const FileId file = sources.add("notes.txt", text);
    Noted out;
    out.notation = notation_of(file, sources);
    if (!out.notation || *out.notation == Notation::bars) return out;
    const NotedTables notes = read_noted_tables(*out.notation, file, sources);
    out.what = notes.what;
    Diagnostics found;
    check_noted_tables(notes, sources, found);
    const auto add = [&](const Diagnostic& finding, const char* before) {
        const LineColumn at = sources.line_column(finding.place);
        out.findings +=
            std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + before + finding.message + "\n";
    };
    for (const Diagnostic& finding : found.all()) {
        add(finding, "");
        for (const Diagnostic& note : finding.notes) add(note, "  ");
    }
    out.count = found.errors() + found.warnings();
    if (!with_draft) return out;
    out.draft = import_noted_tables(notes, sources, "draft");
    SourceManager ours;
    Diagnostics diagnostics;
    out.isa = load_isa_text("draft.isa", out.draft, ours, diagnostics);
    if (out.isa) check_isa(*out.isa, diagnostics);
    if (diagnostics.errors() + diagnostics.warnings() > 0) out.errors = to_text(diagnostics, ours);
    return out;
}

// The findings of a text in which `to` stands instead of the first `from`.
inline std::string findings_with(std::string text, std::string_view from, std::string_view to) {
    text.replace(text.find(from), from.size(), to);
    return read_noted(text, false).findings;
}

inline std::string notes_file(const std::string& name) {
    std::ifstream in(std::string(ISAFORGE_SOURCE_DIR "/tests/notes/") + name, std::ios::binary);
    EXPECT_TRUE(in) << name;
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
}

inline bool draft_has(const Noted& notes, std::string_view line) { return notes.draft.find(line) != std::string::npos; }

// The instruction's first form; null where it has none.
inline const Form* form_named(const Isa& isa, std::string_view name) {
    for (const Instruction& instruction : isa.instructions) {
        for (const std::string& own : instruction.names) {
            if (own == name && !instruction.forms.empty()) return &isa.forms[instruction.forms.front()];
        }
    }
    return nullptr;
}

}  // namespace isaforge
