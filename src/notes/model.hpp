// What notes say, put together: a format is all bars of one name, wherever they are drawn, with the lengths that its block
// states and the counts that are given for it. The checker and the importer both start from here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/notes.hpp"

namespace isaforge::notes {

struct Format {
    std::string key;                    // see key_of
    std::string name;                   // as its main bar spells it
    std::vector<const Bar*> bars;
    const Bar* main = nullptr;          // the one in a block, or the first
    Index block = no_index;             // where its modes are told: the main bar's block, or one that has its name
    const Lengths* lengths = nullptr;
    std::vector<Count> tallies;

    const BarField& opcode() const { return main->fields.front(); }
    bool is_long() const { return key.find('.') != std::string::npos; }
    std::string family() const { return key.substr(0, key.find('.')); }
};

struct Model {
    explicit Model(const Notes& notes);
    Model(const Model&) = delete;  // what is found points into it
    Model& operator=(const Model&) = delete;

    const Format* find(std::string_view name) const;
    // The formats that are drawn in a block, or elsewhere under its name.
    const std::vector<const Format*>& in_block(Index block) const { return in_block_[block]; }
    // Those that a label is about: the ones it names, or all of the block.
    std::vector<const Format*> described_by(const ModeLabel& label, Index block) const;
    // How many instructions can share one opcode of this format, as a power of two: its extra opcode bits.
    unsigned extra_opcode_bits(const Format& format) const;

    const Notes& notes;
    std::vector<Format> formats;
    unsigned register_bits = 0;         // the width that most registers have; 0 where there are none

private:
    void find_blocks();
    void find_extra_opcode_bits();
    void find_register_bits();

    std::map<std::string, std::size_t, std::less<>> by_key_;
    std::vector<std::vector<const Format*>> in_block_;
    std::map<const Format*, unsigned> extra_opcode_bits_;
};

// Names that differ in `l` and `1` behind the point are one format, `B.l` and `B.1`.
std::string key_of(std::string_view name);

// How many alternatives a bar draws, and how many bits each has.
std::size_t alternatives(const Bar& bar);
unsigned width_of(const BarField& field, std::size_t alternative);
unsigned bits_of(const Bar& bar, std::size_t alternative);
// Whether a cell is a register, by the convention of notes: its name begins with R.
bool is_register(const BarField& field);
const BarField* field_of(const Bar& bar, std::string_view name);

// Values are numbers, as in `12, 28`; empty where one is not.
std::vector<unsigned> numeric_values(const Legend& legend);
// A legend that names the widths of this field: `('l' is immediate length: 12, 28)` for IMM(12/28).
bool is_about_width_of(const Legend& legend, const BarField& field);
// Any of the legend's words, in lower case, begins with the field's name: "extra immediate" and IMM.
bool mentions_field(std::string_view words, const BarField& field);

// The width of the opcode space of a table, by its patterns: what most of them have.
unsigned space_bits(const RangeTable& table);
// Bounds with equally many fixed bits, in order, as wide as the space.
bool is_sound(const Range& range, unsigned space);
inline std::uint64_t held(const Range& range) { return range.high - range.low + 1; }
inline std::uint64_t cost(const Range& range, unsigned space) { return std::uint64_t{1} << (space - range.low_fixed); }
bool names_formats(const RangeTable& table);
// The formats of a range: those it names, or those whose opcodes are as wide.
std::vector<const Format*> formats_of(const Model& model, const RangeTable& table, const Range& range);

}  // namespace isaforge::notes
