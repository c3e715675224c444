// What is wrong with notes: runs the parts of the checker and puts their findings in the order of the text.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "notes/findings.hpp"

namespace isaforge {

namespace notes {

std::string sum_text(const Bar& bar, std::size_t alternative) {
    std::string out;
    for (const BarField& field : bar.fields) {
        if (!out.empty()) out += " + ";
        out += std::to_string(width_of(field, alternative));
    }
    return out;
}

std::string counted(std::uint64_t count, const char* thing) {
    return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string tally_text(const std::vector<std::pair<const Format*, std::uint64_t>>& tallies) {
    std::string out;
    for (const auto& [format, count] : tallies) {
        if (!out.empty()) out += ", ";
        out += fmt::format("[{}] {}", format->name, count);
    }
    return out;
}

}  // namespace notes

void check_notes(const Notes& notes, const std::vector<ListedInstruction>& list, Diagnostics& diagnostics) {
    const notes::Model model(notes);
    notes::Findings findings;
    notes::check_bars(model, findings);
    notes::check_modes(model, findings);
    notes::check_ranges(model, findings);
    notes::check_counts(model, findings);
    if (!list.empty()) notes::check_list(model, list, findings);
    std::ranges::stable_sort(findings.list, {}, [](const Diagnostic& finding) {
        return std::tuple(finding.place.file, finding.place.offset);
    });
    for (const Diagnostic& finding : findings.list) diagnostics.take(finding);
}

void check_notes(const Notes& notes, Diagnostics& diagnostics) { check_notes(notes, {}, diagnostics); }

}  // namespace isaforge
