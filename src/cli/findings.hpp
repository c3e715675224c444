// What a checked run found, for people.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "isaforge/findings.hpp"

namespace isaforge::cli {

// Writes each finding and a summary on standard error; `whose` says to which hart it happened. Whether there was none.
bool report_findings(const std::vector<Finding>& findings, const std::function<std::string(const Finding&)>& whose);

}  // namespace isaforge::cli
