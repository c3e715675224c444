// From assembly text to an object. Syntax and instructions come from the description; directives, expressions and macros
// are those of GNU as.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/object.hpp"
#include "isaforge/source.hpp"

namespace isaforge {

struct AssembleOptions {
    std::vector<std::pair<std::string, std::string>> defines;  // -D: a name and its expression; empty means 1
    std::vector<std::string> include_paths;                    // searched after the including file's own folder
    // The output cannot hold relocations: sections are placed, references between them resolved, and an undefined symbol
    // is an error. Otherwise undefined symbols become global ones for a linker, as GNU as does.
    bool flat = false;
    // Instructions whose length depends on a symbol of another file are the long ones, and a linker may make them shorter.
    bool linker_relaxes = false;
    bool line_table = true;
    unsigned threads = 0;    // for large sources; 0: as many as the machine has. The object does not depend on it.
    std::string target;  // the processor that the object is for, where the description's `objects` know several
    std::uint64_t max_output = std::uint64_t{1} << 30;  // bytes in all sections together
};

// One statement that emitted bytes. What a macro emits belongs to the statement that calls it.
struct ListingEntry {
    Place statement;
    Index section = no_index;
    std::uint64_t offset = 0;  // in the section, bytes
    std::uint64_t size = 0;
};

struct Listing {
    std::vector<ListingEntry> entries;  // in the order of the source
};

// What a program names.
struct ProgramName {
    enum class Kind : std::uint8_t {
        undefined,
        label,
        number,      // a symbol that stands for a number
        expression,  // … for one that is known only when everything has its place
        common,
        macro,
        definition,  // a name that text stands for, as registers
    };
    Kind kind = Kind::undefined;
    std::string name;             // empty: a label that is a number
    Place where;                  // of its definition; of the first mention of what has none
    Index section = no_index;     // of a label
    std::uint64_t value = 0;      // of a label in its section: address units in code, bytes elsewhere; of a number
    bool negative = false;        // a number: `value` is the two's complement
    bool floating = false;        // … or the bits of a double
    std::string text;             // what stands for a definition; the parameters of a macro
};

// Where a name stands in a file. What macros make of it is mentioned in texts that are no files.
struct Mention {
    Place place;
    Index name = no_index;  // ProgramNames::names
    bool defines = false;
};

struct ProgramNames {
    std::vector<ProgramName> names;
    std::vector<Mention> mentions;  // by place, each once
};

// Assembles one file. All its errors go to `diagnostics`; false if there is one. `object` and `listing` hold what could
// be assembled in either case, `names` what is named. `sources` receives included files and macro expansions, and must outlive `object`'s use
// in diagnostics.
bool assemble(const Codec& codec, FileId main, SourceManager& sources, const AssembleOptions& options, Object& object,
              Diagnostics& diagnostics, Listing* listing = nullptr, ProgramNames* names = nullptr);

// The names of all directives, ".byte" and so on, without those that a description's object format adds.
std::vector<std::string_view> assembler_directives();

// For people: address, bytes, line number and source text of every line of `main`.
std::string listing_text(const Listing& listing, const Object& object, const SourceManager& sources, FileId main);

// One JSON object a line: {"line":12,"address":64,"bytes":"01050a02"}; with "section" where that is not .text, with
// "file" where that is not `main`.
std::string listing_json(const Listing& listing, const Object& object, const SourceManager& sources, FileId main);

}  // namespace isaforge
