// Designers' notes on the command line: told from descriptions by what they hold, and the list of instructions that may
// come with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/session.hpp"
#include "isaforge/notes.hpp"

namespace isaforge::cli {

// The notes in a file, with the reader's warnings in the session's diagnostics. Nothing where there is no such file, or
// where it is a description or holds no notation at all.
std::optional<Notes> notes_instead(Session& session, const std::string& path);

// The list of instructions in a file; empty where `path` is empty. Nothing after a complaint.
std::optional<std::vector<ListedInstruction>> read_instructions(Session& session, const std::string& path);

}  // namespace isaforge::cli
