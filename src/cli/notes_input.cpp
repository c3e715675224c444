#include "cli/notes_input.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

namespace isaforge::cli {

std::optional<Notes> notes_instead(Session& session, const std::string& path) {
    std::error_code error;
    if (path != "-" && !std::filesystem::is_regular_file(path, error)) return std::nullopt;
    const auto isas = builtin_isas();
    if (std::ranges::any_of(isas, [&](const auto& isa) { return isa.first == path; })) return std::nullopt;
    std::string why;
    const std::optional<FileId> file = session.sources.load_text(path, why);
    if (path == "-") session.standard_input = file;
    if (!file || is_description(session.sources.text(*file))) return std::nullopt;
    Diagnostics found;
    Notes notes = read_notes(*file, session.sources, found);
    if (notes.empty()) return std::nullopt;
    session.diagnostics.append(std::move(found));
    return notes;
}

std::optional<std::vector<ListedInstruction>> read_instructions(Session& session, const std::string& path) {
    if (path.empty()) return std::vector<ListedInstruction>{};
    const std::optional<FileId> file = read_source(session, path);
    if (!file) return std::nullopt;
    return read_instruction_list(*file, session.sources, session.diagnostics);
}

}  // namespace isaforge::cli
