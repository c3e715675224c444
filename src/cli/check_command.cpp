// `isaforge check`: everything that is wrong with a description, or with designers' notes, in one go.
#include <fmt/format.h>

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/notes_input.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "support/in_order.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    std::string instructions;
    std::string notation;
    bool json = false;
};

std::string counted(std::size_t count, const char* thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// All that was asked for: each variant in each dialect, unless one was named.
std::vector<IsaChoice> choices_of(const IsaChoice& asked, const Isa& first) {
    std::vector<std::string> variants{first.variant}, dialects{first.dialect};
    if (asked.variant.empty() && asked.name != first.variant && !first.variants.empty()) variants = first.variants;
    if (asked.dialect.empty() && !first.dialects.empty()) dialects = first.dialects;
    std::vector<IsaChoice> out;
    for (const std::string& variant : variants) {
        for (const std::string& dialect : dialects) {
            IsaChoice& choice = out.emplace_back(asked);
            if (!first.variants.empty()) choice.variant = variant;
            choice.dialect = dialect;
        }
    }
    return out;
}

// Checks each variant in each dialect, several at once. What has been said already is not said again.
void check_all(Session& session, const IsaChoice& asked, const std::shared_ptr<const Isa>& first) {
    const std::vector<IsaChoice> choices = choices_of(asked, *first);
    const unsigned threads = thread_count(0);
    std::set<std::string> said;
    for (const Diagnostic& diagnostic : session.diagnostics.all()) said.insert(to_text(diagnostic, session.sources));
    Progress progress("check", "variants and dialects", choices.size());
    MeaningsChecked done;
    std::mutex mutex;  // of the session
    const auto load = [&](const IsaChoice& choice, Diagnostics& found) {
        const std::scoped_lock lock(mutex);
        std::swap(found, session.diagnostics);
        std::shared_ptr<const Isa> isa = session.load(choice);
        std::swap(found, session.diagnostics);
        return isa;
    };
    std::vector<Diagnostics> found(threads);
    const auto check_one = [&](unsigned worker, std::size_t i) {
        const IsaChoice& choice = choices[i];
        const bool is_first =
            (choice.variant.empty() || choice.variant == first->variant) && choice.dialect == first->dialect;
        found[worker] = Diagnostics();
        if (const auto isa = is_first ? first : load(choice, found[worker])) check_isa(*isa, found[worker], &done);
    };
    in_order(threads, choices.size(), check_one, [&](unsigned worker, std::size_t i) {
        const std::scoped_lock lock(mutex);
        for (const Diagnostic& diagnostic : found[worker].all()) {
            if (said.insert(to_text(diagnostic, session.sources)).second) session.diagnostics.take(diagnostic);
        }
        progress.at(i + 1);
    });
}

// The findings on standard error, or as JSON on standard output; the exit status.
int report_defects(Session& session, const Options& options, const std::string& without_defects) {
    const std::size_t defects = session.diagnostics.errors() + session.diagnostics.warnings();
    if (options.json) {
        say(fmt::format("{}\n", to_json(session.diagnostics, session.sources)));
    } else if (session.report(); defects != 0) {
        tell(fmt::format("{}: {}\n", options.isa.name, counted(defects, "defect")));
    } else {
        say(fmt::format("{}\n", without_defects));
    }
    return defects == 0 ? success : input_error;
}

int check_these_notes(Session& session, const Notes& notes, const Options& options) {
    const auto list = read_instructions(session, options.instructions);
    if (!list) return input_error;
    check_notes(notes, *list, session.diagnostics);
    std::size_t ranges = 0;
    for (const notes::RangeTable& table : notes.tables) ranges += table.ranges.size();
    return report_defects(session, options,
                          fmt::format("{}: no defects in {}, {}", options.isa.name, counted(notes.bars.size(), "bar"),
                                      counted(ranges, "range")));
}

int check_these_tables(Session& session, const NotedTables& notes, const Options& options) {
    check_noted_tables(notes, session.sources, session.diagnostics);
    if (!options.json) tell_notation(options.isa.name, notes);
    return report_defects(session, options, fmt::format("{}: no defects", options.isa.name));
}

int check(const Options& options) {
    Session session;
    const auto notes = notes_instead(session, options.isa.name, options.notation);
    if (notes && notes->bars) return check_these_notes(session, *notes->bars, options);
    if (!options.instructions.empty()) {
        complain(fmt::format("--instructions goes with bars of notes, and '{}' has none", options.isa.name));
        return usage_error;
    }
    if (notes) return check_these_tables(session, *notes->tables, options);
    if (!options.notation.empty()) {
        complain(fmt::format("'{}' holds no notes of the notation '{}'", options.isa.name, options.notation));
        return input_error;
    }
    const std::shared_ptr<const Isa> isa = session.load(options.isa);
    if (!isa) return report_defects(session, options, {});
    check_all(session, options.isa, isa);
    const bool all = options.isa.variant.empty() && isa->variants.size() > 1 && options.isa.name != isa->variant;
    return report_defects(
        session, options,
        fmt::format("{}: no defects in {}, {}, {}",
                    all ? fmt::format("{} ({})", isa->name, counted(isa->variants.size(), "variant")) : isa->variant,
                    counted(isa->formats.size(), "format"), counted(isa->instructions.size(), "instruction"),
                    counted(isa->forms.size(), "form")));
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_isa_positional(app, options->isa);
    app.add_option("--instructions", options->instructions,
                   "With notes: the list of instructions, columns separated by tabs")
        ->type_name("FILE");
    add_notation_option(app, options->notation);
    app.add_flag("--json", options->json, "Print the defects as a JSON array on standard output");
    return [options] { return check(*options); };
}

constexpr Command command{
    about_descriptions, "check", "Say what is wrong with a description or with notes",
    "ISA may also be a file with a designer's notes: bars of cells and ranges of opcodes, a\n"
    "spreadsheet with a column for each bit, tables of operand codes, lines as those of riscv-opcodes or\n"
    "`ADD 00000001 11 rrr mmm`, pictures of bytefield or WaveDrom.\n"
    "Exit status 1 if there is a defect: an error or a warning.\n\n"
    "Examples:\n"
    "  isaforge check wishbone-gpu\n"
    "  isaforge check machine.isa --json | jq '.[].message'\n"
    "  isaforge check notes.txt --instructions list.tsv\n",
    define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
