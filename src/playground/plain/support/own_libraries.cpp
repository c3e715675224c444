// Nothing can be loaded.
#include "support/own_libraries.hpp"

namespace isaforge {

std::string find_own_library(std::string_view) { return {}; }

}  // namespace isaforge
