// The libraries that are made with this one, and loaded where they are needed.
#pragma once

#include <string>
#include <string_view>

namespace isaforge {

// Where a file of that name is: beside the program or the library that this function is part of, as builds have it, or in the
// folder of libraries next to that of programs. Empty where it is not.
std::string find_own_library(std::string_view name);

}  // namespace isaforge
