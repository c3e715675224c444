// The parts of the checker of notes, in the order they run. What one part has found, a later one may add a place to: two
// contradictions with one cause are one finding.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "isaforge/notes.hpp"
#include "notes/model.hpp"

namespace isaforge::notes {

struct Findings {
    // Errors and warnings so far, in no order.
    std::vector<Diagnostic> list;

    // Formats whose bar does not fill its lengths: the finding, and how many bits each alternative lacks.
    struct Unfilled {
        std::size_t finding;
        std::vector<int> lacking;
    };
    std::map<const Format*, Unfilled> unfilled;
    std::map<const Range*, std::size_t> wrong_capacity;  // ranges that do not hold what they state
    std::map<const Range*, std::size_t> homeless;        // ranges whose opcodes no format has
    std::map<const Range*, std::size_t> wrong_current;   // ranges whose current and free do not agree
    std::map<const Format*, std::size_t> wrong_tally;    // formats of which the list has more than the notes count

    std::size_t error(Place where, std::string message) { return add(Severity::error, where, std::move(message)); }
    std::size_t warning(Place where, std::string message) { return add(Severity::warning, where, std::move(message)); }
    Diagnostic& operator[](std::size_t finding) { return list[finding]; }

private:
    std::size_t add(Severity severity, Place where, std::string message) {
        list.push_back({severity, where, std::move(message), {}, {}});
        return list.size() - 1;
    }
};

void check_bars(const Model& model, Findings& findings);
void check_modes(const Model& model, Findings& findings);
void check_ranges(const Model& model, Findings& findings);
void check_counts(const Model& model, Findings& findings);
void check_list(const Model& model, const std::vector<ListedInstruction>& list, Findings& findings);

// "12 + 4 + 5": the widths of a bar's cells in one of its alternatives.
std::string sum_text(const Bar& bar, std::size_t alternative);
// "1 bit", "2 bits"
std::string counted(std::uint64_t count, const char* thing);
// "[A] 12, [B] 3"
std::string tally_text(const std::vector<std::pair<const Format*, std::uint64_t>>& tallies);

}  // namespace isaforge::notes
