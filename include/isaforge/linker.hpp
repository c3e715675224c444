// Programs of several files: objects put together to one, with every symbol resolved and every address final.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/object.hpp"
#include "isaforge/source.hpp"

namespace isaforge {

struct LinkInput {
    std::string name;   // for messages and the map: "main.o", "libm.a(sin.o)"
    Object object;      // relocatable
    bool lazy = false;  // taken only where it defines what another one lacks: a member of an archive
};

// Where sections go, as a script says it. Addresses and sizes count bytes.
struct LinkScript {
    struct Region {
        std::string name;
        std::uint64_t address = 0, size = 0;
        Place place;
    };
    // Sections of the output whose names fit one of the patterns ("*" is any text), in this order, one behind the other.
    struct Placement {
        std::vector<std::string> patterns;
        Index region = no_index;
        Index stored = no_index;                // where the bytes lie before the start; no_index: where they are used
        std::optional<std::uint64_t> address;   // of the first one
        Place place;
    };
    // A symbol: a sum of numbers, symbols defined before, and ends of sections and regions.
    struct Term {
        enum class Kind : std::uint8_t { number, symbol, start, end, size, stored } kind = Kind::number;
        bool minus = false;
        std::uint64_t number = 0;
        std::string name;                       // of a symbol, or of what start(), end(), size() and stored() are about
        Place place;
    };
    struct Definition {
        std::string name;
        std::vector<Term> terms;
        Place place;
    };

    std::vector<Region> regions;
    std::vector<Placement> placements;
    std::vector<Definition> definitions;
    std::string entry;
};

// Reads a script; complains in `diagnostics` and returns false where it is none. See docs/linking.md for the language.
bool read_link_script(FileId file, const SourceManager& sources, LinkScript& script, Diagnostics& diagnostics);

struct LinkOptions {
    std::string entry;                       // the symbol at which the program begins; empty: the script's, or _start
    std::optional<std::uint64_t> base;       // where the first section goes; by default 0, or where a process begins
    bool as_process = false;                 // the program is one of Linux: in pages, with its headers in memory
    bool keep_lengths = false;               // no instruction becomes shorter
    // Sections with an address, in bytes. Those behind it follow it.
    std::vector<std::pair<std::string, std::uint64_t>> section_addresses;
    std::vector<std::pair<std::string, std::uint64_t>> definitions;
    std::vector<std::string> wanted;         // symbols that are looked for in archives although nobody names them
    bool relocatable = false;                // the output is an object again: nothing is placed, symbols may be missing
    bool drop_unused = false;                // sections that nothing reaches from the entry
    const LinkScript* script = nullptr;
};

// A stretch of a section of the output, and where it comes from.
struct LinkedPart {
    Index input = no_index;                  // in the order in which they were given …
    Index from = no_index;                   // … and its section; no_index: a common symbol
    Index section = no_index;                // of the output
    std::uint64_t offset = 0, size = 0;
    std::string name;                        // of the section in its object
};

struct LinkedProgram {
    Object object;
    std::vector<std::string> inputs;         // by LinkInput
    std::vector<bool> taken;                 // likewise: false for members of archives that nobody wanted
    std::vector<LinkedPart> parts;           // by section, then by offset
    std::vector<LinkedPart> dropped;         // sections that nothing reaches
    std::vector<Index> defined_in;           // by Object::symbols: the input; no_index: the linker's own
};

// Puts objects for one instruction set together. Complains in `diagnostics`, with the line of the source where that is
// known, and returns false where symbols are missing, defined twice, or out of reach, or sections do not fit.
bool link(std::vector<LinkInput> inputs, const Codec& codec, const LinkOptions& options, LinkedProgram& program,
          Diagnostics& diagnostics);

// What lies where, for people: sections, their parts and symbols, by address.
std::string map_text(const LinkedProgram& program);

// Archives (`ar`): their members, in order. Nothing and the reason in `error` where the bytes are none.
struct ArchiveMember {
    std::string name;
    std::vector<std::uint8_t> bytes;
};
bool is_archive(std::span<const std::uint8_t> bytes);
std::optional<std::vector<ArchiveMember>> read_archive(std::span<const std::uint8_t> bytes, std::string& error);

}  // namespace isaforge
