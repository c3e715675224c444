// Designers' notes on the command line: told from descriptions by what they hold, and the list of instructions that may
// come with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "isaforge/notations.hpp"
#include "isaforge/notes.hpp"

namespace isaforge::cli {

// Notes of whichever notation.
struct NotesInput {
    std::optional<Notes> bars;
    std::optional<NotedTables> tables;
};

// A text of notes; of a spreadsheet's file (.xlsx) its first sheet that holds something, columns separated by tabs.
std::optional<FileId> load_notes(Session& session, const std::string& path, std::string& error);

// The notes in a file, with the warnings of the reader of bars in the session's diagnostics. Nothing where there is no such
// file, or where it is a description or holds no notation at all. `notation`: the one that was asked for; empty: that which
// the text has.
std::optional<NotesInput> notes_instead(Session& session, const std::string& path, const std::string& notation);

// The same of a text that has been read; neither part where it holds nothing of the notation.
NotesInput read_notes_in(Session& session, FileId file, const std::string& notation);

// What the text was taken for, on standard error.
void tell_notation(const std::string& path, const NotedTables& notes);

void add_notation_option(Arguments& app, std::string& notation);

// The list of instructions in a file; empty where `path` is empty. Nothing after a complaint.
std::optional<std::vector<ListedInstruction>> read_instructions(Session& session, const std::string& path);

}  // namespace isaforge::cli
