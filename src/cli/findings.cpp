#include "cli/findings.hpp"

#include <fmt/format.h>

#include "cli/terminal.hpp"

namespace isaforge::cli {

namespace {

std::string finding_text(const Finding& finding, const std::string& whose) {
    std::string text = finding.source_line.empty() ? "" : finding.source_line + ": ";
    text += fmt::format("{}: {}\n    by the instruction at {:#x} `{}`", finding.check, finding.message, finding.address,
                        finding.text);
    text += whose;
    if (finding.lanes != 0) text += fmt::format(", lanes {}", lanes_text(finding.lanes));
    if (finding.count > 1) text += fmt::format("; {} times", finding.count);
    return text + "\n";
}

}  // namespace

bool report_findings(const std::vector<Finding>& findings, const std::function<std::string(const Finding&)>& whose) {
    for (const Finding& finding : findings) tell(finding_text(finding, whose(finding)));
    tell(findings.empty() ? std::string("check: nothing found\n")
                          : fmt::format("check: {} place{} where something is wrong\n", findings.size(),
                                        findings.size() == 1 ? "" : "s"));
    return findings.empty();
}

}  // namespace isaforge::cli
