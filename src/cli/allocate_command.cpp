// `isaforge allocate`: opcodes for the rows that say `auto`, written into the description as numbers.
#include <fmt/format.h>

#include <deque>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/progress.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "isaforge/allocate.hpp"

namespace isaforge::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr FileId main_file = 1;  // the first that a session reads

struct Options {
    IsaChoice isa;
    std::string output;
    std::string keep;  // a path; "-o" for the file that -o names
    std::string order = "cheapest";
    bool in_place = false;
    bool report = false;
    bool json = false;
};

AllocationOrder order_of(const Options& options) {
    return options.order == "pools"  ? AllocationOrder::pools
           : options.order == "rows" ? AllocationOrder::rows
                                     : AllocationOrder::cheapest;
}

std::string pool_name(const Isa& isa, const Pool& pool) {
    std::string formats;
    for (const Index format : pool.formats) formats += (formats.empty() ? "" : ", ") + isa.formats[format].name;
    const auto bits = [&](std::uint64_t value) { return fmt::format("{:0{}b}", value, pool.width); };
    return pool.name.empty() ? fmt::format("{} .. {} ({})", bits(pool.low), bits(pool.high), formats)
                             : fmt::format("{} ({})", pool.name, formats);
}

std::string figures_line(const char* name, const std::optional<AllocationFigures>& figures, std::size_t pairs) {
    if (!figures) return fmt::format("{:<28}does not fit\n", name);
    return fmt::format("{:<28}{:>4} bits {:>4} terms  {:>4} bits {:>4} terms  {:>5} of {:<5} {:>6}\n", name,
                       figures->length_bits, figures->length_terms, figures->format_bits, figures->format_terms,
                       figures->apart, pairs, figures->cost);
}

void print_report(const Isa& isa, const AllocationReport& report) {
    std::string out = fmt::format("{:<28}{:<20}  {:<20}  {:<14} {:>6}\n", "opcodes", "   length decoder",
                                  "   format decoder", "pairs apart", "cost");
    out += figures_line("as chosen", report.ours, report.pairs);
    if (report.rows != 0) {
        out += figures_line("formats in order of pools", report.in_order, report.pairs);
        out += figures_line("first fit, row by row", report.first_fit, report.pairs);
    }
    for (const auto& use : report.pools) {
        const Pool& pool = isa.pools[use.pool];
        out +=
            fmt::format("pool {}\n    {} opcodes of {} bits: {} had a number, {} given now, {} reserved, {} free\n",
                        pool_name(isa, pool), pool.opcodes(), pool.width, use.fixed, use.given, use.reserved, use.free);
    }
    tell(out);
}

Json to_json(const std::optional<AllocationFigures>& figures) {
    if (!figures) return nullptr;
    return {{"length_bits", figures->length_bits}, {"length_terms", figures->length_terms},
            {"format_bits", figures->format_bits}, {"format_terms", figures->format_terms},
            {"pairs_apart", figures->apart},       {"cost", figures->cost}};
}

void print_json(const Session& session, const Isa& isa, const std::vector<AutoChoice>& choices,
                const AllocationReport& report) {
    Json out;
    out["isa"] = isa.variant;
    out["fits"] = true;
    out["numbers"] = Json::array();
    for (const AutoChoice& choice : choices) {
        const LineColumn at = session.sources.line_column(choice.where);
        out["numbers"].push_back({{"file", session.sources.name(choice.where.file)},
                                  {"line", at.line},
                                  {"column", at.column},
                                  {"value", choice.value},
                                  {"width", choice.width}});
    }
    out["related_pairs"] = report.pairs;
    out["chosen"] = to_json(report.ours);
    out["in_order_of_pools"] = to_json(report.in_order);
    out["first_fit"] = to_json(report.first_fit);
    out["pools"] = Json::array();
    for (const auto& use : report.pools) {
        const Pool& pool = isa.pools[use.pool];
        Json formats = Json::array();
        for (const Index format : pool.formats) formats.push_back(isa.formats[format].name);
        out["pools"].push_back({{"name", pool.name},
                                {"width", pool.width},
                                {"low", pool.low},
                                {"high", pool.high},
                                {"formats", formats},
                                {"fixed", use.fixed},
                                {"given", use.given},
                                {"reserved", use.reserved},
                                {"free", use.free}});
    }
    say(fmt::format("{}\n", out.dump(2)));
}

// Gives up with the diagnostics, as text or as JSON.
int failed(const Session& session, const Options& options) {
    if (!options.json) return session.report();
    say(fmt::format("{{\"fits\": false, \"diagnostics\": {}}}\n", to_json(session.diagnostics, session.sources)));
    return input_error;
}

// All files in place: none is changed where one of them cannot be written.
int write_in_place(const Session& session, const std::set<FileId>& files, const std::vector<AutoChoice>& choices) {
    std::deque<Output> outputs;
    for (const FileId file : files) {
        if (!outputs.emplace_back().open(std::string(session.sources.name(file)))) return input_error;
        outputs.back().write(with_numbers(session.sources.text(file), file, choices));
    }
    for (Output& output : outputs) {
        if (!output.commit()) return input_error;
    }
    return success;
}

// Writes the files that have changed: all of them in place, or the one that can go to -o or to standard output. That may be
// a file that was read, by --keep for one.
int write_files(const Session& session, const Options& options, const std::vector<AutoChoice>& choices) {
    std::set<FileId> files;
    for (const AutoChoice& choice : choices) files.insert(choice.where.file);
    if (options.in_place) return write_in_place(session, files, choices);
    if (options.json && options.output.empty()) return success;
    for (const FileId file : files) {
        if (file == main_file) continue;
        complain(fmt::format("'{}', which is included, has rows with `auto`: allocate with --in-place writes all files",
                             session.sources.name(file)));
        return input_error;
    }
    const std::string text = with_numbers(session.sources.text(main_file), main_file, choices);
    return write_text(options.output.empty() ? "-" : options.output, text) ? success : input_error;
}

// The draft with the numbers of an earlier output; null after an error.
std::shared_ptr<const Isa> kept(Session& session, const Options& options, const std::shared_ptr<const Isa>& draft,
                                std::vector<AutoChoice>& choices) {
    IsaChoice earlier = options.isa;
    earlier.name = options.keep == "-o" ? options.output : options.keep;
    std::error_code code;
    if (options.keep == "-o" && !std::filesystem::exists(earlier.name, code)) return draft;  // the first time
    const auto previous = session.load(earlier, true);
    return previous ? keep_numbers(*draft, *previous, choices, session.diagnostics) : nullptr;
}

int run(const Options& options) {
    if (options.in_place && !options.output.empty()) {
        complain("either -o or --in-place");
        return usage_error;
    }
    if (options.keep == "-o" && (options.output.empty() || options.output == "-")) {
        complain("--keep keeps the numbers of the file that -o names, or of --keep=FILE: give one of them");
        return usage_error;
    }
    Session session;
    std::shared_ptr<const Isa> draft = session.load(options.isa, true);
    if (!draft) return failed(session, options);
    if (options.in_place && session.sources.name(main_file) != options.isa.name) {
        complain(fmt::format("'{}' is built in and cannot be written in place: write it elsewhere with -o",
                             options.isa.name));
        return usage_error;
    }
    std::vector<AutoChoice> choices;
    if (!options.keep.empty()) draft = kept(session, options, draft, choices);
    AllocationReport report;
    const auto fits = [&] {
        const Progress progress("allocate");
        return allocate(*draft, choices, session.diagnostics, &report, order_of(options));
    };
    if (!draft || !fits()) return failed(session, options);
    session.report();
    const int status = write_files(session, options, choices);
    if (status != success) return status;
    if (options.json) print_json(session, *draft, choices, report);
    if (options.report) print_report(*draft, report);
    return success;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    add_isa_positional(app, options->isa);
    app.add_option("-o,--output", options->output, "Where the description with numbers goes; standard output otherwise")
        ->type_name("FILE");
    app.add_flag("--in-place", options->in_place,
                 "Write the numbers into the description and the files that it includes");
    app.add_flag("--keep{-o}", options->keep,
                 "Rows keep the numbers that an earlier output has: the file of -o if it exists, or --keep=FILE");
    app.add_option(
           "--order", options->order,
           "Which opcodes: the cheapest; those of formats in the order of the pools, from the bottom; or of rows\n"
           "one by one, each where there is room first. The others are for comparing")
        ->one_of({"cheapest", "pools", "rows"})
        ->capture_default_str();
    app.add_flag("--report", options->report,
                 "Print on standard error what the opcodes cost in hardware, and what the pools hold");
    app.add_flag("--json", options->json, "Print numbers and report as JSON on standard output");
    return [options] { return run(*options); };
}

constexpr Command command{about_descriptions, "allocate", "Give opcodes to the rows that say `auto`",
                          "What has a number keeps it. Exit status 1 where no assignment exists, with the proof.\n\n"
                          "Examples:\n"
                          "  isaforge allocate machine.isa -o allocated.isa --report\n"
                          "  isaforge allocate machine.isa -o allocated.isa --keep     after rows were added\n"
                          "  isaforge allocate machine.isa --in-place\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
