// `isaforge check`: everything that is wrong with a description, in one go.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "cli/command.hpp"
#include "cli/session.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    bool json = false;
};

std::string counted(std::size_t count, const char* thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// A description with variants is checked in all of them, unless one was asked for. What the first has said already is not
// said again.
void check_other_variants(Session& session, const IsaChoice& asked, const Isa& first) {
    if (!asked.variant.empty() || asked.name == first.variant) return;
    std::set<std::string> said;
    for (const Diagnostic& diagnostic : session.diagnostics.all()) said.insert(to_text(diagnostic, session.sources));
    for (const std::string& variant : first.variants) {
        if (variant == first.variant) continue;
        IsaChoice choice = asked;
        choice.variant = variant;
        Diagnostics found;
        std::swap(found, session.diagnostics);
        if (const auto isa = session.load(choice)) check_isa(*isa, session.diagnostics);
        std::swap(found, session.diagnostics);
        for (const Diagnostic& diagnostic : found.all()) {
            if (said.insert(to_text(diagnostic, session.sources)).second) session.diagnostics.take(diagnostic);
        }
    }
}

int check(const Options& options) {
    Session session;
    const std::shared_ptr<const Isa> isa = session.load(options.isa);
    if (isa) {
        check_isa(*isa, session.diagnostics);
        check_other_variants(session, options.isa, *isa);
    }
    const std::size_t defects = session.diagnostics.errors() + session.diagnostics.warnings();
    if (options.json) {
        fmt::print("{}\n", to_json(session.diagnostics, session.sources));
        return defects == 0 ? success : input_error;
    }
    session.report();
    if (defects != 0) {
        fmt::print(stderr, "{}: {}\n", options.isa.name, counted(defects, "defect"));
        return input_error;
    }
    const bool all = options.isa.variant.empty() && isa->variants.size() > 1 && options.isa.name != isa->variant;
    fmt::print("{}: no defects in {}, {}, {}\n",
               all ? fmt::format("{} ({})", isa->name, counted(isa->variants.size(), "variant")) : isa->variant,
               counted(isa->formats.size(), "format"), counted(isa->instructions.size(), "instruction"),
               counted(isa->forms.size(), "form"));
    return success;
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    add_isa_positional(app, options->isa);
    app.add_flag("--json", options->json, "Print the defects as a JSON array on standard output");
    return [options] { return check(*options); };
}

constexpr Command command{about_descriptions, "check", "Say what is wrong with a description",
                          "Exit status 1 if there is a defect: an error or a warning.\n\n"
                          "Examples:\n"
                          "  isaforge check wishbone-gpu\n"
                          "  isaforge check machine.isa --json | jq '.[].message'\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
