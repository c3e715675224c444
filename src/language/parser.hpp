// From text to syntax tree. Every error of a file is reported in one go: after one, the parser goes on at the next row or
// the next declaration.
#pragma once

#include <string>

#include "language/lexer.hpp"
#include "language/syntax.hpp"

namespace isaforge::language {

// Finds the text of an included file; `from` is the including one. Returns 0 where it cannot be had, and `why`.
class Includer {
public:
    virtual ~Includer() = default;
    virtual FileId include(const std::string& path, FileId from, std::string& why) = 0;
};

// Parses `file` and what it includes into `description`. What could be read is there even after errors.
void parse(FileId file, SourceManager& sources, Includer& includer, Diagnostics& diagnostics, Description& description);

}  // namespace isaforge::language
