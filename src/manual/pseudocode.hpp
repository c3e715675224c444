// Meanings as pages show them: as in a description, with links from names to where these are told.
#pragma once

#include "manual/html.hpp"
#include "manual/names.hpp"

namespace isaforge::manual {

Html expression_html(const semantics::Expression& expression, const Scope& scope);

// Lines, indented; without the <pre> around them.
Html block_html(const semantics::Block& block, const Scope& scope, unsigned indent = 0);

}  // namespace isaforge::manual
