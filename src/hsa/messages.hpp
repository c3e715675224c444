// What is said to the user of the program, on standard error, whole lines at a time.
#pragma once

#include <fmt/format.h>

#include <string>

namespace isaforge::hsa {

void say_line(const std::string& line);

template <typename... Values>
void say(fmt::format_string<Values...> format, Values&&... values) {
    say_line("isaforge: " + fmt::format(format, std::forward<Values>(values)...) + "\n");
}

}  // namespace isaforge::hsa
