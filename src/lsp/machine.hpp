// Instruction sets as documents ask for them: which one a program is written for, and what was made of it.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/source.hpp"
#include "lsp/text.hpp"
#include "support/input_file.hpp"

namespace isaforge::manual {
struct Edition;
}

namespace isaforge::lsp {

// What a program is assembled with. Paths are absolute or, in `name`, of built-in descriptions.
struct Choice {
    std::string name, variant, dialect;
    std::vector<std::string> include_paths;
    std::vector<std::pair<std::string, std::string>> defines;
    std::vector<std::string> parameters;  // NAME=VALUE
    Span where;            // in the program: the comment that says it
    bool in_program = false;
    std::string problem;  // why there is none
};

// Settings of an editor, or of an isaforge.json: {"isa": …, "variant": …, "dialect": …, "include": […], "define": {…},
// "parameters": {…}}. What is there takes the place of what the choice has; relative paths count from `folder`.
void take_settings(Choice& choice, const Json& settings, const std::string& folder);

// Where a program says it in one of its first lines, `isaforge: NAME`, it is that; else what the next isaforge.json above the
// file says, else `preset`.
Choice choose(const Text& text, const std::string& path, const Choice& preset);

// A description that was read and all that is asked of it.
struct Machine {
    std::string key, path;  // path: of a description that is a file; else empty
    SourceManager sources;
    Diagnostics diagnostics;
    std::shared_ptr<const Isa> isa;  // null where it has errors
    std::unique_ptr<Codec> codec;

    // For texts about it; made when it is first asked for. One thread at a time.
    const manual::Edition& edition() const;
    ~Machine();
    Machine();

private:
    mutable std::unique_ptr<manual::Edition> edition_;
    mutable std::shared_ptr<void> configuration_;
};

// Texts of documents that editors hold, by their paths: they stand in for the files.
using Overlays = std::map<std::string, std::pair<int, std::shared_ptr<const std::string>>>;  // with a version

StandIns::Texts texts_of(const Overlays& overlays);

// Those that were asked for last. Any thread may ask.
class Machines {
public:
    // Never null; what is wrong is in its diagnostics.
    std::shared_ptr<const Machine> get(const Choice& choice, const Overlays& overlays);

private:
    static constexpr std::size_t most = 8;
    std::mutex mutex_;
    std::vector<std::shared_ptr<const Machine>> known_;  // the last one first
};

}  // namespace isaforge::lsp
