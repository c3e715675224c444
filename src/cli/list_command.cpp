// `isaforge list`: the descriptions that are built in.
#include <fmt/format.h>

#include <algorithm>

#include "cli/arguments.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::cli {

namespace {

int list() {
    const auto isas = builtin_isas();
    std::size_t widest = 0;
    for (const auto& [name, title] : isas) widest = std::max(widest, name.size());
    for (const auto& [name, title] : isas) say(fmt::format("{:{}}  {}\n", name, widest, title));
    return success;
}

Action define(Arguments&) { return list; }

constexpr Command command{about_descriptions, "list", "List the built-in instruction sets",
                          "Examples:\n"
                          "  isaforge list\n",
                          define};
const Registration registration{command};

}  // namespace

}  // namespace isaforge::cli
