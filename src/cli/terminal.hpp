// What the command knows of the terminal it talks to, and how it complains there.
#pragma once

#include <string>
#include <string_view>

namespace isaforge::cli {

// When there is colour: "auto", "always" or "never". Without a word it is auto: on a terminal, where NO_COLOR is not set.
void choose_colour(std::string_view when);

// Whether there is, on standard error and on standard output. All that is coloured asks here.
bool colour_on_stderr();
bool colour_on_stdout();

// A text in bold where `colour` is, or in red.
std::string in_bold(std::string_view text, bool colour);
std::string in_red(std::string_view text, bool colour);

// Standard error is a terminal on which a line can be written over.
bool stderr_can_erase();

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
