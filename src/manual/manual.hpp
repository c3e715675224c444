// The manual of an instruction set: a site of HTML pages, made of nothing but the description. It needs no network and no
// server; all links are relative.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"
#include "isaforge/source.hpp"

namespace isaforge::manual {

// One variant with one choice of parameters.
struct Configuration {
    std::shared_ptr<const Isa> isa;
    std::vector<std::pair<std::string, std::uint64_t>> parameters;  // those that differ between configurations
};
inline constexpr std::size_t most_configurations = 32;

// Takes a file of the manual, one at a time, on any thread: its path below the manual's folder, with `/`, and what is in it. False where more is in vain.
using Sink = std::function<bool(const std::string& path, std::string_view text)>;

// Writes the manual of configurations of one description, the first being what readers see first. `findings` is what was found
// wrong with the description, which has a page of its own. False where the sink gave up.
bool write_manual(const std::vector<Configuration>& configurations, const SourceManager& sources,
                  const Diagnostics& findings, const Sink& sink);

// The manual of one configuration as a single page with all that it needs: for paper, and for those who make a PDF of it.
std::string manual_as_page(const Configuration& configuration, const SourceManager& sources,
                           const Diagnostics& findings);

}  // namespace isaforge::manual
