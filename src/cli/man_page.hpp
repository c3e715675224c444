// Manual pages for man(1), made from what commands say of themselves.
#pragma once

#include <string>
#include <vector>

#include "cli/command_line.hpp"

namespace isaforge::cli {

// The page of a command, as roff with man(7)'s macros.
std::string man_page(const CommandText& command);
// The page of the whole program, which names all commands.
std::string man_page(const CommandText& program, const std::vector<const Command*>& commands);

}  // namespace isaforge::cli
