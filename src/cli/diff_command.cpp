// `isaforge diff`: what is different between two descriptions.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/outputs.hpp"
#include "cli/session.hpp"
#include "cli/terminal.hpp"
#include "isa/diff.hpp"
#include "manual/diff_page.hpp"

namespace isaforge::cli {

namespace {

// As diff(1) has them.
constexpr int no_difference = 0, some_difference = 1, trouble = 2;

struct Options {
    IsaChoice before, after;
    std::string html;
    bool json = false;
};

constexpr std::array<const char*, 8> subjects{"machine", "registers", "memory", "operand",
                                              "pool",    "reserved",  "format", "instruction"};
constexpr std::array<const char*, 8> headings{"Machine", "Registers", "Memories", "Operands",
                                              "Pools",   "Reserved",  "Formats",  ""};

const char* verb_name(Change::Verb verb) {
    switch (verb) {
        case Change::Verb::added: return "added";
        case Change::Verb::removed: return "removed";
        case Change::Verb::changed: break;
    }
    return "changed";
}

constexpr std::size_t longest_line = 100;

// `whole`: the thing itself is new or gone. Short ones in one line, long ones below each other.
std::string difference_text(const ChangedPart& difference, bool whole) {
    const auto& [what, before, after] = difference;
    if (before.empty() && after.empty()) return what + " is another";
    if (before.empty()) return fmt::format("{}{} {}", whole ? "" : "new ", what, after);
    if (after.empty()) return fmt::format("{}{} {}", whole ? "" : "no more ", what, before);
    std::string line = fmt::format("{}: {} -> {}", what, before, after);
    if (line.size() + 8 <= longest_line) return line;
    return fmt::format("{}:\n          {}\n       -> {}", what, before, after);
}

void print_change(const Change& change) {
    const char mark = change.verb == Change::Verb::added ? '+' : change.verb == Change::Verb::removed ? '-' : '~';
    say(fmt::format("  {} {}", mark, change.name));
    if (change.verb != Change::Verb::changed) {
        std::string line;
        for (const ChangedPart& difference : change.differences) {
            const std::string text = difference_text(difference, true);
            if (line.size() + text.size() > longest_line) continue;
            line += (line.empty() ? "  " : "; ") + text;
        }
        say(fmt::format("{}\n", line));
        return;
    }
    if (change.differences.size() == 1) {
        say(fmt::format("  {}\n", difference_text(change.differences[0], false)));
        return;
    }
    say("\n");
    for (const ChangedPart& difference : change.differences)
        say(fmt::format("      {}\n", difference_text(difference, false)));
}

struct Counts {
    std::size_t added = 0, removed = 0, renamed = 0, moved = 0, changed = 0;
    std::size_t all() const { return added + removed + changed; }
};

Counts count(const std::vector<Change>& changes, Change::Subject subject) {
    Counts out;
    for (const Change& change : changes) {
        if (change.subject != subject) continue;
        out.added += change.verb == Change::Verb::added;
        out.removed += change.verb == Change::Verb::removed;
        out.changed += change.verb == Change::Verb::changed;
        out.renamed += change.renamed;
        out.moved += change.moved;
    }
    return out;
}

void print_summary(const std::vector<Change>& changes) {
    const Counts instructions = count(changes, Change::Subject::instruction);
    const Counts formats = count(changes, Change::Subject::format);
    const std::size_t others = changes.size() - instructions.all() - formats.all();
    say(fmt::format(
        "instructions: {} added, {} removed, {} changed ({} renamed, {} moved); formats: {} added, {} removed, {} "
        "changed; {} other difference{}\n",
        instructions.added, instructions.removed, instructions.changed, instructions.renamed, instructions.moved,
        formats.added, formats.removed, formats.changed, others, others == 1 ? "" : "s"));
}

void print_text(const std::vector<Change>& changes) {
    std::string group;
    for (const Change& change : changes) {
        const bool instruction = change.subject == Change::Subject::instruction;
        const std::string here = instruction ? "Instructions of format " + change.format
                                             : headings[static_cast<std::size_t>(change.subject)];
        if (here != group) say(fmt::format("{}{}\n", group.empty() ? "" : "\n", here));
        group = here;
        print_change(change);
    }
    say("\n");
    print_summary(changes);
}

nlohmann::ordered_json json_of(const std::vector<Change>& changes, const Isa& before, const Isa& after) {
    using Json = nlohmann::ordered_json;
    Json out{{"before", before.variant}, {"after", after.variant}, {"changes", Json::array()}};
    for (const Change& change : changes) {
        Json one{{"subject", subjects[static_cast<std::size_t>(change.subject)]},
                 {"change", verb_name(change.verb)},
                 {"name", change.name}};
        if (change.subject == Change::Subject::instruction) {
            one["format"] = change.format;
            one["renamed"] = change.renamed;
            one["moved"] = change.moved;
        }
        one["differences"] = Json::array();
        for (const ChangedPart& difference : change.differences) {
            one["differences"].push_back(
                {{"what", difference.what}, {"before", difference.before}, {"after", difference.after}});
        }
        out["changes"].push_back(std::move(one));
    }
    return out;
}

int diff(const Options& options) {
    Session session;
    const std::shared_ptr<const Isa> before = session.load(options.before);
    const std::shared_ptr<const Isa> after = session.load(options.after);
    session.report();
    if (!before || !after) return trouble;
    const std::vector<Change> changes = compare(*before, *after);
    if (!options.html.empty()) {
        if (!outputs_are_apart({options.html}, session.sources)) return trouble;
        if (!write_text(options.html, manual::diff_page(*before, *after, changes))) return trouble;
    } else if (options.json) {
        say(fmt::format(
            "{}\n", json_of(changes, *before, *after).dump(1, ' ', false, nlohmann::json::error_handler_t::replace)));
    } else if (!changes.empty()) {
        print_text(changes);
    }
    return changes.empty() ? no_difference : some_difference;
}

Action define(Arguments& app) {
    auto options = std::make_shared<Options>();
    app.add_option("ISA1", options->before.name, "A name of `isaforge list` or an .isa file")
        ->required()
        ->type_name("")
        ->completes(Completes::isa);
    app.add_option("ISA2", options->after.name, "Likewise: the later one")
        ->required()
        ->type_name("")
        ->completes(Completes::isa);
    app.add_option("--variant1", options->before.variant, "Which variant of ISA1, where it has several")
        ->completes(Completes::variant);
    app.add_option("--variant2", options->after.variant, "Which variant of ISA2")->completes(Completes::variant);
    const Argument json = app.add_flag("--json", options->json, "Print the differences as one JSON object");
    app.add_option("--html", options->html,
                   "Write them as a page instead, with a map of what moved; - is standard output")
        ->type_name("FILE")
        ->excludes(json);
    return [options] { return diff(*options); };
}

constexpr Command command{about_descriptions, "diff", "Say what is different between two descriptions",
                          "Exit status as of diff(1): 0 where nothing differs, 1 where something does, 2 in trouble.\n"
                          "A renamed instruction has the same title or the same encoding.\n\n"
                          "Examples:\n"
                          "  isaforge diff old.isa new.isa\n"
                          "  isaforge diff old.isa new.isa --json | jq '.changes[] | select(.moved).name'\n"
                          "  isaforge diff old.isa new.isa --html changes.html\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
