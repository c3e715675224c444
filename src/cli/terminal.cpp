#include "cli/terminal.hpp"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/printable.hpp"

namespace isaforge::cli {

namespace {
// A variable that is set to nothing counts as unset.
std::string_view environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}
}  // namespace

bool colour_on_stderr() { return environment("NO_COLOR").empty() && isatty(STDERR_FILENO) != 0; }

bool colour_on_stdout() { return environment("NO_COLOR").empty() && isatty(STDOUT_FILENO) != 0; }

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
    const std::string shown = printable(text);
    std::fwrite(shown.data(), 1, shown.size(), stderr);
}

void complain(std::string_view message) {
    const char* const start = colour_on_stderr() ? "isaforge: \x1b[1;31merror:\x1b[0m " : "isaforge: error: ";
    std::fprintf(stderr, "%s%s\n", start, printable(message).c_str());
}

void warn(std::string_view message) {
    const char* const start = colour_on_stderr() ? "isaforge: \x1b[1;35mwarning:\x1b[0m " : "isaforge: warning: ";
    std::fprintf(stderr, "%s%s\n", start, printable(message).c_str());
}

}  // namespace isaforge::cli
