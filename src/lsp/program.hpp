// An assembly program as it was assembled last, and what its document's features ask of that.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "isaforge/assembler.hpp"
#include "lsp/machine.hpp"
#include "lsp/scan.hpp"

namespace isaforge::lsp {

// A message for one file.
struct Finding {
    Span span;
    Severity severity = Severity::error;
    std::string message, suggestion;
    struct Related {
        std::string path;
        Position start, end;
        std::string message;
    };
    std::vector<Related> related;
    Range range;
};

// By path. The document's own is there, also without any.
using Findings = std::map<std::string, std::vector<Finding>>;

// What is said of all diagnostics, each at a place in a file: one in the text of a macro is told where that was called.
Findings findings_of(const Diagnostics& diagnostics, const SourceManager& sources, const std::string& main,
                     Text::Columns columns);

struct Program {
    std::shared_ptr<const Machine> machine;  // null, or without a model: nothing was assembled
    Choice choice;
    SourceManager sources;
    FileId main = 0;
    Findings findings;
    Object object;
    Listing listing;   // of the document itself, by place
    ProgramNames names;
    std::unordered_map<std::string_view, Index> by_name;
    std::vector<std::vector<std::uint32_t>> mentions_of;  // by name: ProgramNames::mentions

    // The mention at a place of a file; null where there is none.
    const Mention* mention_at(FileId file, std::uint32_t offset) const;
    // The name that stands for the word, however it is mentioned; no_index where none does.
    Index find(std::string_view word) const;
    // The file that a path names; 0 where there is none.
    FileId file_of(const std::string& path) const;
};

std::shared_ptr<const Program> assemble_program(const Text& text, const std::string& path, const Choice& preset,
                                                const Overlays& overlays, Machines& machines, Text::Columns columns);

}  // namespace isaforge::lsp
