#include "cli/findings.hpp"

#include <fmt/format.h>

#include "cli/terminal.hpp"

namespace isaforge::cli {

bool report_findings(const std::vector<Finding>& findings, const std::function<std::string(const Finding&)>& whose) {
    for (const Finding& finding : findings) tell(to_text(finding, whose(finding)) + "\n");
    tell(findings.empty() ? std::string("check: nothing found\n")
                          : fmt::format("check: {} place{} where something is wrong\n", findings.size(),
                                        findings.size() == 1 ? "" : "s"));
    return findings.empty();
}

}  // namespace isaforge::cli
