#include "isaforge/findings.hpp"

#include <fmt/format.h>

namespace isaforge {

std::string to_text(const Finding& finding, std::string_view whose) {
    std::string text = finding.source_line.empty() ? "" : finding.source_line + ": ";
    text += fmt::format("{}: {}\n    by the instruction at {:#x} `{}`", finding.check, finding.message, finding.address,
                        finding.text);
    text += whose;
    if (finding.lanes != 0) text += fmt::format(", lanes {}", lanes_text(finding.lanes));
    if (finding.count > 1) text += fmt::format("; {} times", finding.count);
    return text;
}

}  // namespace isaforge
