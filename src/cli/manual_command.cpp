// `isaforge manual`: the manual of an instruction set, as pages.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/pdf.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "manual/manual.hpp"

namespace isaforge::cli {

namespace {

struct Options {
    IsaChoice isa;
    std::string output;
    bool alone = false;
};

using manual::Configuration;

// The values that each parameter with a list may have; those that were given on the command line stay.
using Values = std::vector<std::pair<std::string, std::vector<std::uint64_t>>>;
Values open_parameters(const Isa& isa, const IsaChoice& choice) {
    Values out;
    for (const Parameter& parameter : isa.parameters) {
        const bool given = std::ranges::any_of(
            choice.parameters, [&](const std::string& one) { return one.starts_with(parameter.name + "="); });
        if (parameter.allowed.size() > 1 && !given) out.emplace_back(parameter.name, parameter.allowed);
    }
    return out;
}

std::size_t product(const Values& values) {
    std::size_t out = 1;
    for (const auto& [name, list] : values) out *= list.size();
    return out;
}

// What cannot be loaded for its opcodes, as where they do not fit, is shown as far as it is there; what was wrong stays.
std::shared_ptr<const Isa> load_draft(Session& session, const IsaChoice& choice) {
    const Diagnostics wrong = session.diagnostics;
    session.diagnostics = Diagnostics{};
    std::shared_ptr<const Isa> out = session.load(choice, true);
    session.diagnostics = wrong;
    return out;
}

// All variants with all values, those of the first description first.
bool add_configurations(Session& session, const Options& options, bool alone, std::vector<Configuration>& out) {
    std::shared_ptr<const Isa> main = session.load(options.isa);
    const bool draft = !main;
    if (draft) main = load_draft(session, options.isa);
    if (!main) return false;
    const bool is_file = !session.sources.paths().empty();  // what is built in has no defects
    if (!draft && is_file) check_isa(*main, session.diagnostics);
    if (alone || draft) {
        out.push_back({main, {}});
        return true;
    }
    std::vector<std::string> variants{main->variant};
    for (const std::string& variant : main->variants) {
        if (variant != main->variant) variants.push_back(variant);
    }
    Values values = open_parameters(*main, options.isa);
    while (!values.empty() && variants.size() * product(values) > manual::most_configurations) values.pop_back();
    if (variants.size() > manual::most_configurations) variants.resize(manual::most_configurations);
    for (const std::string& variant : variants) {
        for (std::size_t number = 0; number < product(values); ++number) {
            IsaChoice choice = options.isa;
            if (!main->variants.empty()) choice.variant = variant;
            if (!is_file) choice.name = main->name;  // which may have been asked for by a variant's name
            Configuration configuration;
            std::size_t rest = number;
            bool usual = variant == main->variant;
            for (const auto& [name, list] : values) {
                const std::uint64_t value = list[rest % list.size()];
                rest /= list.size();
                configuration.parameters.emplace_back(name, value);
                choice.parameters.push_back(fmt::format("{}={}", name, value));
                usual = usual && value == main->constants.at(name);
            }
            configuration.isa = session.load(choice);
            if (!configuration.isa) return false;
            out.insert(usual ? out.begin() : out.end(), std::move(configuration));
        }
    }
    return true;
}

bool write_into(const std::string& folder, const std::vector<Configuration>& configurations, const Session& session) {
    std::error_code error;
    for (const char* const inside : {"", "instructions"}) {
        std::filesystem::create_directories(std::filesystem::path(folder) / inside, error);
        if (error) {
            complain(fmt::format("cannot make the folder '{}': {}", folder, error.message()));
            return false;
        }
    }
    Progress progress("manual", "pages");
    std::uint64_t pages = 0;
    return manual::write_manual(configurations, session.sources, session.diagnostics,
                                [&](const std::string& path, std::string_view text) {
                                    progress.at(++pages);
                                    return write_text((std::filesystem::path(folder) / path).string(), text);
                                });
}

int make_manual(const Options& options) {
    Session session;
    std::vector<Configuration> configurations;
    const bool pdf = options.output.ends_with(".pdf");
    const bool one_page = pdf || options.output == "-" || options.output.ends_with(".html");
    if (!add_configurations(session, options, one_page || options.alone, configurations)) {
        session.report();
        return input_error;
    }
    const int status = session.report();
    if (one_page) {
        if (!outputs_are_apart({options.output}, session.sources)) return usage_error;
        const std::string page = manual::manual_as_page(configurations[0], session.sources, session.diagnostics);
        return (pdf ? write_pdf(options.output, page) : write_text(options.output, page)) ? status : input_error;
    }
    return write_into(options.output, configurations, session) ? status : input_error;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_isa_positional(app, options->isa);
    app.add_option("-o,--output", options->output,
                   "The folder for the pages, made where there is none; a name that ends in .html, or -, is one page "
                   "with all of it, of the chosen variant and parameters alone, and one that ends in .pdf that page, "
                   "printed by Chromium or WeasyPrint")
        ->required()
        ->type_name("DIR|FILE.html|FILE.pdf");
    app.add_flag("--alone", options->alone, "Only the chosen variant and parameters, not all of them side by side");
    return [options] { return make_manual(*options); };
}

constexpr Command command{
    about_descriptions, "manual", "Write the manual of an instruction set",
    "The manual is a folder of HTML pages that need neither a network nor a server: open DIR/index.html.\n"
    "Variants of the description, and values of its parameters, stand side by side.\n\n"
    "Examples:\n"
    "  isaforge manual machine.isa -o manual\n"
    "  isaforge manual gcn1.4 -o manual --alone\n"
    "  isaforge manual machine.isa -o manual.pdf\n",
    define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
