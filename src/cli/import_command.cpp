// `isaforge import`: designers' notes as a description to go on with.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/notes_input.hpp"
#include "cli/outputs.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "support/printable.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    std::string notes;
    std::string instructions;
    std::string output;
    std::string name;
    std::string notation;
};

// The file's name without folder and extension, as the name of an instruction set.
std::string name_from(const std::string& path) {
    std::string name = path.substr(path.find_last_of('/') + 1);
    name = name.substr(0, name.find('.'));
    for (char& c : name) {
        if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '-';
    }
    const bool good = !name.empty() && std::isalpha(static_cast<unsigned char>(name.front()));
    return good ? name : "isa-" + name;
}

// The draft; nothing after a complaint.
std::optional<std::string> draft_of(Session& session, FileId file, const Options& options, const std::string& name) {
    const NotesInput notes = read_notes_in(session, file, options.notation);
    const bool has_bars = notes.bars && !notes.bars->bars.empty();
    if (!has_bars && !notes.tables) {
        complain(
            options.notation.empty()
                ? fmt::format("'{}' holds neither bars, as `[A] |OPCODE(07)|RA(05)|IMM(20)|`, nor another notation",
                              options.notes)
                : fmt::format("'{}' holds no notes of the notation '{}'", options.notes, options.notation));
        return std::nullopt;
    }
    const auto list = read_instructions(session, options.instructions);
    if (!list) return std::nullopt;
    if (notes.tables && !options.instructions.empty()) {
        complain(fmt::format("--instructions goes with bars of notes, and '{}' has none", options.notes));
        return std::nullopt;
    }
    if (session.report() != success) return std::nullopt;
    if (!notes.tables) return import_notes(*notes.bars, *list, session.sources, name);
    Diagnostics found;
    check_noted_tables(*notes.tables, session.sources, found);
    tell_notation(options.notes, *notes.tables);
    if (const std::size_t defects = found.errors() + found.warnings(); defects > 0) {
        tell(fmt::format("{}: {} {} stand in the draft as comments; `isaforge check` shows them\n", options.notes,
                         defects, defects == 1 ? "defect or open question" : "defects and open questions"));
    }
    return import_noted_tables(*notes.tables, session.sources, name);
}

int import(const Options& options) {
    Session session;
    std::string why;
    const std::optional<FileId> file = load_notes(session, options.notes, why);
    if (!file) return complain(fmt::format("cannot read '{}': {}", options.notes, why)), input_error;
    if (is_description(session.sources.text(*file))) {
        complain(fmt::format("'{}' is a description already", options.notes));
        return input_error;
    }
    const std::string name =
        options.name.empty() ? name_from(options.output == "-" ? options.notes : options.output) : options.name;
    const std::optional<std::string> draft = draft_of(session, *file, options, name);
    if (!draft) return input_error;
    if (!outputs_are_apart({options.output}, session.sources)) return usage_error;
    return write_text(options.output, printable(*draft)) ? success : input_error;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    app.add_option("NOTES", options->notes, "A file with a designer's notes")->required()->type_name("");
    app.add_option("--instructions", options->instructions, "The list of instructions, columns separated by tabs")
        ->type_name("FILE");
    app.add_option("-o,--output", options->output, "The description to write")->type_name("FILE")->required();
    add_notation_option(app, options->notation);
    app.add_option("--name", options->name, "Name of the instruction set; without it, after the output file")
        ->check([](const std::string& text) {
            const bool good = !text.empty() && std::isalpha(static_cast<unsigned char>(text.front())) &&
                              std::ranges::all_of(text, [](unsigned char c) {
                                  return std::isalnum(c) || c == '-' || c == '_' || c == '.';
                              });
            return good ? std::string{} : "'" + text + "' is no name for an instruction set";
        });
    return [options] { return import(*options); };
}

constexpr Command command{
    about_descriptions, "import", "Turn a designer's notes into a description",
    "Notes are bars of cells, a spreadsheet with a column for each bit, tables of operand codes, lines\n"
    "as those of riscv-opcodes or `ADD 00000001 11 rrr mmm`, or pictures of bytefield or WaveDrom;\n"
    "the text shows which.\n"
    "The result loads and says beside each line where it is from. Where the notes contradict\n"
    "themselves it follows the layouts and says so: `isaforge check NOTES` lists these places.\n\n"
    "Examples:\n"
    "  isaforge import notes.txt -o machine.isa\n"
    "  isaforge import sheet.tsv -o machine.isa\n"
    "  isaforge import notes.txt --instructions list.tsv -o machine.isa\n",
    define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
