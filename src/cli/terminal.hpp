// What the command knows of the terminal it talks to, and how it complains there.
#pragma once

#include <string_view>

namespace isaforge::cli {

// Standard error is a terminal and NO_COLOR is not set.
bool colour_on_stderr();

// Likewise standard output.
bool colour_on_stdout();

// The locale's characters are UTF-8, by the environment; the C library's locale machinery is not started for it.
bool locale_is_utf8();

// Text for people or programs on standard output, and on standard error. What comes from inputs cannot command the terminal:
// nothing but text is printed. Where that has to be exact, as what is assembled again, it is an Output.
void say(std::string_view text);
void tell(std::string_view text);

// "isaforge: error: …" on standard error.
void complain(std::string_view message);
// "isaforge: warning: …" likewise.
void warn(std::string_view message);

}  // namespace isaforge::cli
