// What the server answers about one document, a file for each subject. Programs and descriptions have the same requests; each
// function knows both, or nothing of the other kind.
#pragma once

#include "lsp/server.hpp"

namespace isaforge::lsp {

inline constexpr std::size_t most_completions = 1000;

// completion.cpp
Json completion(Asked& asked);
Json signature_help(Asked& asked);
// hover.cpp
Json hover(Asked& asked);
// navigation.cpp
Json definition(Asked& asked);
Json references(Asked& asked);
Json highlights(Asked& asked);
Json prepare_rename(Asked& asked);
Json rename(Asked& asked);  // {"problem": …} where it cannot be done
Json symbols(Asked& asked);
// tokens.cpp
Json tokens_legend();
Json tokens(Asked& asked);
Json tokens_delta(Asked& asked);
Json tokens_in_range(Asked& asked);
// structure.cpp
Json folding(Asked& asked);
Json formatting(Asked& asked);
// hints.cpp
Json inlay_hints(Asked& asked);
Json code_lenses(Asked& asked);
Json document_links(Asked& asked);
// actions.cpp
Json code_actions(Asked& asked);

// meaning.cpp: texts in Markdown
std::string instruction_text(const Machine& machine, Index instruction, Index form);
std::string operand_text(const Machine& machine, Index type);
std::string prose_text(const Isa& isa, const SourceManager& sources, Place place);
std::string fenced(std::string_view text, std::string_view language);

// Reads expressions of a program outside of it: symbols are those that it had when it was assembled last.
class ProgramReader;

}  // namespace isaforge::lsp
