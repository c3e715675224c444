#include "lsp/program.hpp"

#include <algorithm>
#include <deque>

namespace isaforge::lsp {

namespace {

constexpr std::size_t most_findings = 500, most_related = 16;
constexpr std::uint64_t most_output = std::uint64_t{1} << 26;  // bytes, of a program that is being written

bool is_file(std::string_view name) { return !name.empty() && name[0] != '<'; }

class Collector {
public:
    Collector(const SourceManager& sources, const std::string& main, Text::Columns columns)
        : sources_(sources), main_(main), columns_(columns) {}

    void add(const Diagnostic& diagnostic, Findings& out) {
        if (++count_ > most_findings) return;
        Finding finding;
        finding.severity = diagnostic.severity;
        finding.message = diagnostic.message;
        Place place = sources_.origin(diagnostic.place);
        bool moved = false;
        // The text of an expansion is in no file: the call is.
        for (const Diagnostic& note : diagnostic.notes) {
            if (is_file(sources_.name(place.file))) break;
            place = sources_.origin(note.place);
            moved = true;
        }
        if (!moved) finding.suggestion = diagnostic.suggestion;
        const std::string path = is_file(sources_.name(place.file)) ? std::string(sources_.name(place.file)) : main_;
        if (moved && diagnostic.place.known())
            finding.message += " (in `" + trimmed(sources_.line_text(diagnostic.place)) + "`)";
        if (is_file(sources_.name(place.file))) {
            finding.span = {place.offset, place.offset + place.length};
            finding.range = range_of(place);
        }
        for (const Diagnostic& note : diagnostic.notes) {
            const Place at = sources_.origin(note.place);
            if (!is_file(sources_.name(at.file))) {
                if (!note.place.known()) finding.message += "; " + note.message;
                continue;
            }
            if (finding.related.size() >= most_related) break;
            const Range range = range_of(at);
            finding.related.push_back({std::string(sources_.name(at.file)), range.start, range.end, note.message});
        }
        out[path].push_back(std::move(finding));
    }

private:
    static std::string trimmed(std::string_view text) {
        const std::size_t first = text.find_first_not_of(" \t");
        return first == std::string_view::npos ? std::string() : std::string(text.substr(first));
    }

    Range range_of(Place place) {
        const auto [found, is_new] = texts_.try_emplace(place.file);
        if (is_new) found->second = Text(std::string(sources_.text(place.file)), columns_);
        return found->second.range_of({place.offset, place.offset + place.length});
    }

    const SourceManager& sources_;
    const std::string& main_;
    Text::Columns columns_;
    std::map<FileId, Text> texts_;
    std::size_t count_ = 0;
};

}  // namespace

Findings findings_of(const Diagnostics& diagnostics, const SourceManager& sources, const std::string& main,
                     Text::Columns columns) {
    Findings out;
    out[main];
    Collector collector(sources, main, columns);
    for (const Diagnostic& diagnostic : diagnostics.all()) collector.add(diagnostic, out);
    return out;
}

const Mention* Program::mention_at(FileId file, std::uint32_t offset) const {
    const auto behind = std::upper_bound(
        names.mentions.begin(), names.mentions.end(), std::make_pair(file, offset),
        [](const auto& at, const Mention& one) { return at < std::make_pair(one.place.file, one.place.offset); });
    if (behind == names.mentions.begin()) return nullptr;
    const Mention& before = *std::prev(behind);
    const bool has = before.place.file == file && offset <= before.place.offset + before.place.length;
    return has ? &before : nullptr;
}

Index Program::find(std::string_view word) const {
    const auto found = by_name.find(word);
    return found == by_name.end() ? no_index : found->second;
}

FileId Program::file_of(const std::string& path) const {
    for (FileId file = 1; file <= sources.size(); ++file)
        if (sources.name(file) == path) return file;
    return 0;
}

std::shared_ptr<const Program> assemble_program(const Text& text, const std::string& path, const Choice& preset,
                                                const Overlays& overlays, Machines& machines, Text::Columns columns) {
    auto program = std::make_shared<Program>();
    program->choice = choose(text, path, preset);
    const auto say = [&](std::string message, Span span) {
        Finding finding;
        finding.message = std::move(message);
        finding.span = span;
        finding.range = text.range_of(span);
        program->findings[path].push_back(std::move(finding));
    };
    Choice& choice = program->choice;
    const Span first_line = choice.in_program ? choice.where : text.line(0);
    if (!choice.problem.empty()) {
        say(choice.problem, first_line);
        return program;
    }
    program->machine = machines.get(choice, overlays);
    const Machine& machine = *program->machine;
    if (!machine.isa) {
        std::string message = "the description '" + choice.name + "' cannot be read";
        if (!machine.diagnostics.all().empty()) {
            const Diagnostic& first = machine.diagnostics.all().front();
            const LineColumn at = machine.sources.line_column(first.place);
            message = first.place.known() ? std::string(machine.sources.name(first.place.file)) + ":" +
                                                std::to_string(at.line) + ": " + first.message
                                          : first.message;
        }
        say(message, first_line);
        return program;
    }
    const StandIns stand_ins(texts_of(overlays));
    program->main = program->sources.add(path.empty() ? "<program>" : path, text.str());
    AssembleOptions options;
    options.defines = choice.defines;
    options.include_paths = choice.include_paths;
    options.line_table = false;
    options.threads = 1;
    options.max_output = most_output;
    Diagnostics diagnostics(most_findings);
    assemble(*machine.codec, program->main, program->sources, options, program->object, diagnostics, &program->listing,
             &program->names);
    program->findings = findings_of(diagnostics, program->sources, path, columns);
    std::erase_if(program->listing.entries,
                  [&](const ListingEntry& entry) { return entry.statement.file != program->main; });
    std::stable_sort(
        program->listing.entries.begin(), program->listing.entries.end(),
        [](const ListingEntry& a, const ListingEntry& b) { return a.statement.offset < b.statement.offset; });
    for (Index i = 0; i < program->names.names.size(); ++i) {
        const ProgramName& name = program->names.names[i];
        if (name.name.empty()) continue;
        const auto [found, is_new] = program->by_name.try_emplace(name.name, i);
        if (!is_new && name.kind != ProgramName::Kind::undefined) found->second = i;
    }
    program->mentions_of.resize(program->names.names.size());
    for (std::uint32_t i = 0; i < program->names.mentions.size(); ++i)
        program->mentions_of[program->names.mentions[i].name].push_back(i);
    return program;
}

}  // namespace isaforge::lsp
