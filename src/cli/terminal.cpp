#include "cli/terminal.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli/progress.hpp"
#include "support/printable.hpp"

namespace isaforge::cli {

namespace {
// A variable that is set to nothing counts as unset.
std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

enum class Colour { automatic, always, never };
Colour choice = Colour::automatic;

bool colour_on(int file) {
    if (choice != Colour::automatic) return choice == Colour::always;
    return environment("NO_COLOR").empty() && isatty(file) != 0;
}

std::string painted(std::string_view text, const char* start, bool colour) {
    return colour ? start + std::string(text) + "\x1b[0m" : std::string(text);
}
}  // namespace

void choose_colour(std::string_view when) {
    choice = when == "always" ? Colour::always : when == "never" ? Colour::never : Colour::automatic;
}

bool colour_on_stderr() { return colour_on(STDERR_FILENO); }

bool colour_on_stdout() { return colour_on(STDOUT_FILENO); }

std::string in_bold(std::string_view text, bool colour) { return painted(text, "\x1b[1m", colour); }

std::string in_red(std::string_view text, bool colour) { return painted(text, "\x1b[1;31m", colour); }

bool stderr_can_erase() { return isatty(STDERR_FILENO) != 0 && environment("TERM") != "dumb"; }

bool locale_is_utf8() {
    for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        const std::string_view value = environment(name);
        if (value.empty()) continue;
        for (const std::string_view spelling : {"UTF-8", "utf8", "UTF8", "utf-8"}) {
            if (value.find(spelling) != std::string_view::npos) return true;
        }
        return false;
    }
    return false;
}

void say(std::string_view text) {
    const std::string shown = printable(text);
    std::fwrite(shown.data(), 1, shown.size(), stdout);
}

void tell(std::string_view text) {
    Progress::hide();
    const std::string shown = printable(text);
    std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void complain(std::string_view message) {
    Progress::hide();
    std::fprintf(stderr, "isaforge: %s %s\n", in_red("error:", colour_on_stderr()).c_str(), printable(message).c_str());
}

void warn(std::string_view message) {
    Progress::hide();
    const std::string word = painted("warning:", "\x1b[1;35m", colour_on_stderr());
    std::fprintf(stderr, "isaforge: %s %s\n", word.c_str(), printable(message).c_str());
}

}  // namespace isaforge::cli
