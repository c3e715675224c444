// A map of the code space, to scale: the leading bits as a strip that is cut into rows, each instruction a block of it. The
// map itself is here, without a look; drawings of it are made for the terminal and as SVG.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "isaforge/isa.hpp"
#include "isaforge/space.hpp"

namespace isaforge::render {

// Neighbouring cells of the map with the same instructions.
struct MapBlock {
    enum class Kind : std::uint8_t { free, reserved, used };
    Kind kind = Kind::free;
    std::uint64_t low = 0, high = 0;         // cells
    std::vector<Index> instructions;         // kind used: one, or several that later bits tell apart; of
                                      // rows with one name the first
    Index format = no_index;                 // of all of them; no_index where they are of several
    bool partly = false;                     // some of its words are free or reserved

    // Its parts by length, in order: what makes up the cells low..high.
    struct Part {
        std::uint64_t low = 0, high = 0;
        std::vector<unsigned> lengths;       // in bits, rising; several where later bits choose
    };
    std::vector<Part> parts;
};

struct MapPool {
    Index pool = no_index;
    std::uint64_t low = 0, high = 0;         // cells
};

struct SpaceMap {
    std::vector<unsigned> bits;              // the leading bits that make a cell's number, most significant first
    bool scattered = false;                  // they are not simply the first ones
    std::vector<MapBlock> blocks;            // from cell 0 to the last without gaps
    std::vector<MapPool> pools;              // none of a scattered encoding
    std::vector<unsigned> lengths;           // all there are, rising
    Space space;

    std::uint64_t cells() const { return std::uint64_t{1} << bits.size(); }
};

// Nothing, with an error, where the space cannot be counted.
std::optional<SpaceMap> space_map(const Isa& isa, Diagnostics& diagnostics);

// The map's cells first .. last as a pattern: "1010_1100_xxxx_xxxx".
std::string cell_text(const SpaceMap& map, std::uint64_t low, std::uint64_t high);

// "VADD, VSUB and 7 more".
std::string names_text(const Isa& isa, const MapBlock& block, std::size_t most);

// A letter for each format that has instructions: the first of its name where that is free.
std::vector<char> format_letters(const Isa& isa, const SpaceMap& map);

// What a drawing of a map shows besides.
struct MapDress {
    std::function<std::string(const MapBlock& block)> link;    // where a block with instructions leads; none: nowhere
    std::function<std::string(const MapBlock& block)> colour;  // "#f6c667", instead of that of its format
    // Dashed frames around cells that had another content once.
    struct Trace {
        std::uint64_t low = 0, high = 0;
        std::string what;
    };
    std::vector<Trace> traces;
};

// An SVG of `width` pixels, to be read on paper and with tool tips on a screen.
std::string map_svg(const Isa& isa, const SpaceMap& map, unsigned width, const MapDress& dress = {});

// Rows of `columns` (a power of two) letters and a legend; with escape sequences for colours on request.
std::string map_text(const Isa& isa, const SpaceMap& map, unsigned columns, bool colour);

}  // namespace isaforge::render
