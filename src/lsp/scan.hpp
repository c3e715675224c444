// The words of an assembly program line by line, for what editors want to know before anything is assembled: what to colour,
// where the statement begins that is being written. What they mean only the assembler knows.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "isaforge/codec.hpp"
#include "lsp/text.hpp"

namespace isaforge::lsp {

struct Program;

struct Lexeme {
    enum class Kind : std::uint8_t {
        comment,
        string,
        number,
        label,
        directive,
        mnemonic,
        word,
        mark,
        end
    };  // end: the mark behind a statement
    Kind kind = Kind::mark;
    Span span;  // of the text
};

// What a line begins inside of.
struct LineState {
    std::uint8_t comment = 0;  // a block comment: the number of its kind, from 1 on
    bool statement = false;    // an instruction that did not end with its line
    friend bool operator==(const LineState&, const LineState&) = default;
};

class Scanner {
public:
    // Calls of the program's macros end with their lines, wherever instructions end.
    explicit Scanner(const Codec& codec, const Program* program = nullptr)
        : codec_(codec), surface_(codec.isa().surface), program_(program) {}

    // Adds what stands in the stretch, which is a line, and brings the state to its end.
    void line(std::string_view text, Span line, LineState& state, std::vector<Lexeme>& out) const;

    // The state in which a line begins. Statements that go over more lines than a few are not seen.
    LineState state_at(const Text& text, std::uint32_t line) const;

    std::uint32_t behind_label(const Text& text, const Lexeme& label) const;

private:
    bool label(std::string_view line, std::size_t at, std::size_t end, std::size_t& name) const;

    bool ends_with_line(std::string_view line, std::size_t begin, std::size_t end) const;

    const Codec& codec_;
    const Surface& surface_;
    const Program* program_;
};

// The statement that a place stands in.
struct StatementAt {
    std::uint32_t begin = 0;         // behind labels
    std::uint32_t end = 0;           // of what belongs to it
    std::optional<Lexeme> head;      // the mnemonic or directive
    std::vector<Lexeme> lexemes;     // from there on, without comments
    bool in_comment = false, in_string = false;
};
StatementAt statement_at(const Scanner& scanner, const Text& text, std::uint32_t offset);

// The letters of words.
bool is_word(char c);
// The word that a place is in or behind.
Span word_at(const Text& text, std::uint32_t offset);

}  // namespace isaforge::lsp
