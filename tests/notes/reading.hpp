// What the tests of notes share: a text goes in, the findings come out as lines.
#pragma once

#include <string>
#include <string_view>

#include "isaforge/notes.hpp"

namespace isaforge {

// Everything the reader and the checker say about a text.
inline std::string all_findings(const std::string& text, const std::string& list = {}) {
    SourceManager sources;
    Diagnostics diagnostics;
    const Notes notes = read_notes(sources.add("notes.txt", text), sources, diagnostics);
    std::vector<ListedInstruction> rows;
    if (!list.empty()) rows = read_instruction_list(sources.add("list.tsv", list), sources, diagnostics);
    check_notes(notes, rows, diagnostics);
    std::string out;
    const auto add = [&](const Diagnostic& finding, const char* severity) {
        const LineColumn at = sources.line_column(finding.place);
        out += std::to_string(at.line) + ":" + std::to_string(at.column) + ": " + severity + finding.message + "\n";
    };
    for (const Diagnostic& finding : diagnostics.all()) {
        add(finding, finding.severity == Severity::warning ? "warning: " : "");
        for (const Diagnostic& note : finding.notes) add(note, "  ");
    }
    return out;
}

inline std::size_t count_findings(const std::string& text) {
    SourceManager sources;
    Diagnostics diagnostics;
    const Notes notes = read_notes(sources.add("notes.txt", text), sources, diagnostics);
    check_notes(notes, diagnostics);
    return diagnostics.errors() + diagnostics.warnings();
}

// A toy whose notes have no defect.
inline constexpr std::string_view toy_notes = R"(Formats of a toy with 16 registers. OP is the opcode.
legend {
    'x' -> don't care
}
________________________________________

[A] format {

    [A]   |OP(04)|MOD(03)|RA(04)|RB(05)|     length: 2B

    type: R,R

    arithmetic instructions:

        MOD(03): "ttm"

        {
            reg[RA] = f(reg[RA] | reg[RB]);
        }

        ('tt' is data size: 8, 16, 32, 64)
        ('m' is mask: 0 off, 1 on)
}
________________________________________

[B] |OP(06)|MOD(02)|RA(04)|IMM(04/20)| { OK

    - lengths: 2B, 4B

    immediate r,i:

        MOD(02):

            l0 -> add
            l1 -> sub

        ('l' is immediate length: 04, 20)
        address = (RA + IMM)
}
________________________________________

[C] |OP(08)|IMM(08)| {

    - length: 2B

    jumps ...
}
________________________________________

0000xxxxxxxxxxxx ... 1101xxxxxxxxxxxx  max: 14; current:  9; free:  5; cost_per_unit: 4096;
111000xxxxxxxxxx ... 111011xxxxxxxxxx  max:  4; current:  3; free:  1; cost_per_unit: 1024;
11110000xxxxxxxx ... 11110111xxxxxxxx  max:  8; current:  6; free:  2; cost_per_unit:  256;

max opcode pool: 26
currently used: 18
2048 combinations left

[A]: 9
[B]: 3
[C]: 6
)";

}  // namespace isaforge
