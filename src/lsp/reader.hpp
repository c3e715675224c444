// Expressions of a program that is not being assembled: of the statement that is being written.
#pragma once

#include <memory>
#include <optional>

#include "assembler/no_sections.hpp"
#include "lsp/program.hpp"

namespace isaforge::lsp {

class ProgramReader {
public:
    // Knows the symbols of the program, where there is one: labels are where they were.
    ProgramReader(const Codec& codec, const Program* program);

    ExpressionReader& reader() { return expressions_; }

    struct Result {
        bool floating = false, negative = false;
        std::uint64_t integer = 0;
        double number = 0;
    };
    // Nothing where the text is no expression or has symbols that are not known.
    std::optional<Result> evaluate(std::string_view text);

private:
    assembler::SymbolTable symbols_;
    assembler::NoSections sections_;
    assembler::Expressions expressions_{symbols_, sections_};
};

}  // namespace isaforge::lsp
