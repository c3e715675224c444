// A description of an instruction set as it was read last: its model, what is wrong with it, and the names in its files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isaforge/space.hpp"
#include "lsp/program.hpp"

namespace isaforge::lsp {

// Something that a description names.
struct DescribedName {
    enum class Kind : std::uint8_t {
        format,
        field,
        operand,
        number,
        enumeration,
        registers,
        memory,
        function,
        constant,
        type,
        limit,
        set,
        mode,
        part,
        pool,
        instruction,
        variant,
    };
    Kind kind = Kind::format;
    std::string name;
    FileId file = 0;
    Span span;                 // of the name where it is declared
    Span whole;                // of the declaration
    Index owner = no_index;    // of a field: its format
};

// A table of instructions.
struct DescribedTable {
    FileId file = 0;
    Span head, whole;                     // `instructions A, B [OP] …`, and with its rows
    std::vector<std::string> formats, columns;
    bool bits = false, hexadecimal = false;  // how numbers are written
};

// The words of a description's files, also of one that cannot be read.
struct DescribedNames {
    struct Use {
        FileId file = 0;
        Span span;
        Index name = no_index;
        bool declares = false;
    };
    std::vector<DescribedName> names;
    std::vector<Use> uses;  // by place
    std::vector<DescribedTable> tables;
    std::vector<std::pair<FileId, Span>> blocks;  // in braces, over lines

    const Use* at(FileId file, std::uint32_t offset) const;
};
DescribedNames names_of(const SourceManager& sources, const std::vector<FileId>& files);

struct Description {
    explicit Description(std::shared_ptr<const Machine> text) : read(std::move(text)), sources(read->sources) {}

    std::shared_ptr<const Machine> read;     // of this text; without a model where it has errors
    const SourceManager& sources;            // of the same
    std::shared_ptr<const Machine> machine;  // of the last text that had none; null: there was none
    FileId main = 0;
    Findings findings;
    DescribedNames names;
    Space space;                             // of `machine`
    bool has_space = false;

    bool is_current() const { return machine == read; }
};

// Reads. `before`: the same description as it was.
std::shared_ptr<const Description> read_description(const Text& text, const std::string& path, const Overlays& overlays,
                                                    Text::Columns columns, const Description* before);

std::string_view kind_text(DescribedName::Kind kind);

// Whether a word of the language stands there, at a line's begin or elsewhere.
bool is_keyword(std::string_view word, bool begins_line);

// Words that a declaration may begin with.
const std::vector<std::string_view>& declaration_words();

// Numbers that no row of the table's formats has, as rows write them, with what is said of each; of tables with one column.
std::vector<std::pair<std::string, std::string>> free_opcodes(const Description& description,
                                                              const DescribedTable& table);

}  // namespace isaforge::lsp
