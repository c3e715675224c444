// From a format of the notes, in one of its groups, to a bar of the language and a text for its instructions: mode
// patterns become cells, legends become operands.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "notes/model.hpp"

namespace isaforge::notes {

// Letters, digits and `_` only, words joined by `_`, at most `words` of them; never a word of the language.
std::string slug(std::string_view text, std::size_t words = 3);
// What may stand in an operand's text, words joined by `-`; may be empty.
std::string text_slug(std::string_view text);

// Operands by what they hold, so that one legend that is repeated fifty times makes one operand.
class OperandBook {
public:
    explicit OperandBook(const Notes& notes);

    // The operand for `bits` bits of this legend's values; an empty name where it lists none that fit.
    std::string for_legend(const Legend& legend, std::size_t bits);
    // The one that says which length is meant: nothing for the first, a suffix for the others.
    std::string for_lengths(std::size_t bits);
    // One with the given rows; the name is made unique.
    std::string for_rows(std::string_view name, std::size_t bits, const std::vector<std::string>& rows);

    // The declarations of all that was asked for.
    std::string text() const;

private:
    std::string add(const std::string& content, const std::string& wanted);
    static std::vector<std::string> rows_of(const Legend& legend, std::size_t bits);

    std::map<std::string, std::map<std::string, unsigned>> votes_;  // how often content has which name
    std::map<std::string, std::string> names_;                      // content to name
    std::vector<std::string> order_;
    std::set<std::string> taken_;
};

struct Layout {
    std::string name;                   // of the format in the description
    std::string bar;
    std::vector<std::string> columns;   // the opcode, extra opcode bits
    std::string text;                   // of its instructions, without the quotes
    std::string title;                  // of the group
    std::vector<std::string> remarks;
    const Format* format = nullptr;
    const Group* group = nullptr;
    bool possible = true;               // the language can say it
};

// The formats that a format of the notes becomes, one for each group where groups differ.
std::vector<Layout> layouts_of(const Model& model, const Format& format, OperandBook& operands, unsigned unit_bits);

}  // namespace isaforge::notes
