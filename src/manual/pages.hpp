// The pages of a manual, each made by a function in a file of its name.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "manual/site.hpp"
#include "manual/tools.hpp"

namespace isaforge::manual {

using AllTools = std::vector<std::unique_ptr<Tools>>;  // by edition

Page overview_page(const Site& site);
Page registers_page(const Site& site);
Page machine_page(const Site& site);
Page operands_page(const Site& site);
Page formats_page(const Site& site, const AllTools& tools);
Page functions_page(const Site& site);
Page instruction_page(const Site& site, const Topic& topic, const AllTools& tools);
std::vector<Page> index_pages(const Site& site, const AllTools& tools);
// Of an edition that has another code space than those before.
Page map_page(const Site& site, const Edition& edition);
// A page of the description's own prose.
Page guide_page(const Site& site, const Guide& guide);
Page findings_page(const Site& site, const Diagnostics& findings);

// All of these as one page, in their order, with links inside of it.
std::string one_page(const Site& site, const std::vector<Page>& pages);

// What search looks in, as a script: see manual.js.
std::string search_script(const Site& site);
// What the pages' script knows of the site, in front of it.
std::string site_script(const Site& site);

// What an instruction does, as words of an index: "jumps", "reads memory mem".
std::vector<std::string> effect_headings(const Effects& effects, const Instruction& instruction);

}  // namespace isaforge::manual
