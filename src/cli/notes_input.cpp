#include "cli/notes_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli/arguments.hpp"
#include "cli/terminal.hpp"
#include "cli/workbook.hpp"

namespace isaforge::cli {

std::optional<FileId> load_notes(Session& session, const std::string& path, std::string& error) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored) || !is_workbook(path))
        return session.sources.load_text(path, error);
    std::optional<Sheet> sheet = first_sheet(path, error);
    if (!sheet) return std::nullopt;
    if (!sheet->others.empty())
        tell(fmt::format("{}: of its sheets '{}' is read, and not: {}\n", path, sheet->name, sheet->others));
    return session.sources.add(path, std::move(sheet->text));
}

std::optional<NotesInput> notes_instead(Session& session, const std::string& path, const std::string& notation) {
    std::error_code error;
    if (path != "-" && !std::filesystem::is_regular_file(path, error)) return std::nullopt;
    const auto isas = builtin_isas();
    if (std::ranges::any_of(isas, [&](const auto& isa) { return isa.first == path; })) return std::nullopt;
    std::string why;
    const std::optional<FileId> file = load_notes(session, path, why);
    if (path == "-") session.standard_input = file;
    if (!file || is_description(session.sources.text(*file))) return std::nullopt;
    NotesInput notes = read_notes_in(session, *file, notation);
    if (!notes.bars && !notes.tables) return std::nullopt;
    return notes;
}

NotesInput read_notes_in(Session& session, FileId file, const std::string& notation) {
    const std::optional<Notation> kind =
        notation.empty() ? notation_of(file, session.sources) : notation_named(notation);
    NotesInput out;
    if (kind == Notation::bars) {
        Diagnostics found;
        Notes notes = read_notes(file, session.sources, found);
        if (notes.empty()) return out;
        session.diagnostics.append(std::move(found));
        out.bars = std::move(notes);
    } else if (kind) {
        NotedTables notes = read_noted_tables(*kind, file, session.sources);
        if (!notes.empty()) out.tables = std::move(notes);
    }
    return out;
}

void tell_notation(const std::string& path, const NotedTables& notes) {
    tell(fmt::format("{}: read as {}\n", path, notes.what));
}

void add_notation_option(Arguments& app, std::string& notation) {
    app.add_option("--notation", notation, "What the notes are written in, where their text does not show it")
        ->type_name("NAME")
        ->one_of(notation_names());
}

std::optional<std::vector<ListedInstruction>> read_instructions(Session& session, const std::string& path) {
    if (path.empty()) return std::vector<ListedInstruction>{};
    const std::optional<FileId> file = read_source(session, path);
    if (!file) return std::nullopt;
    return read_instruction_list(*file, session.sources, session.diagnostics);
}

}  // namespace isaforge::cli
