// Lines typed at a terminal, with editing, history and completion where libedit is installed. The library is loaded when
// the first line is read: no other command pays for it at its start.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge::cli {

class LineEditor {
public:
    // `completions`: what the last word of a line may become.
    using Completions = std::function<std::vector<std::string>(std::string_view line)>;
    LineEditor(std::string prompt, Completions completions);

    // The next line without its end; nothing at the end of the input.
    std::optional<std::string> read();

private:
    std::string prompt_, last_;
    Completions completions_;
};

}  // namespace isaforge::cli
