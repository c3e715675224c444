// Symbols by name. One per name for the whole assembly; the anonymous ones behind numeric labels have no name. A separate
// file because looking up a name is, after encoding, the most frequent thing the assembler does.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "assembler/characters.hpp"
#include "isaforge/codec.hpp"
#include "isaforge/object.hpp"
#include "isaforge/source.hpp"

namespace isaforge::assembler {

// A place in the output before layout: byte `offset` of the section's buffer, seen from one of its fragments.
struct Position {
    Index section = no_index;
    Index fragment = 0;
    std::uint64_t offset = 0;
};

enum class SymbolKind : std::uint8_t { undefined, label, integer, floating, expression, common };

struct SymbolEntry {
    std::string_view name;
    std::uint32_t hash = 0;
    SymbolKind kind = SymbolKind::undefined;
    Binding binding = Binding::local;
    SymbolType type = SymbolType::none;
    bool redefinable = false;    // by .set: may be given another value
    bool declared = false;       // named by .global, .weak, .extern, .type …
    bool negative = false;       // integer: `value` is a negative number
    bool used = false;           // by a relocation
    bool live = false;           // the object's flavour keeps it up to date
    Visibility visibility = Visibility::usual;
    Position position;           // label
    std::uint64_t value = 0;     // integer; bits of the double; index of the expression's node; size of a common symbol
    Index size_node = no_index;  // .size
    std::uint64_t alignment = 1;  // common
    Place where;                  // the definition, or the first use or declaration of one not defined
    // The value found by the current evaluation pass, so that shared subexpressions are computed once.
    std::uint32_t pass = 0;
    bool evaluating = false;
    Index object_index = no_index;
};

class SymbolTable {
public:
    SymbolTable() : slots_(1024) {}

    SymbolEntry& operator[](Index index) { return entries_[index]; }
    const SymbolEntry& operator[](Index index) const { return entries_[index]; }
    Index size() const { return static_cast<Index>(entries_.size()); }

    // no_index where the name is not known.
    Index find(std::string_view name) const;

    // Finds or adds. `stable`: the name's characters outlive the table; otherwise they are copied.
    Index intern(std::string_view name, bool stable);

    Index add_anonymous();

    // Whether a name of a register is a symbol, too. Registers are the description's; without one there are none.
    bool shadows_registers() const { return shadows_registers_; }
    const Codec* registers = nullptr;

    // About how many there will be.
    void reserve(std::size_t count) { entries_.reserve(count); }

private:
    struct Slot {
        std::uint32_t hash = 0;
        Index index = no_index;
    };
    void grow();

    std::vector<Slot> slots_;  // a power of two, at most half full
    std::vector<SymbolEntry> entries_;
    std::deque<std::string> copies_;
    std::size_t named_ = 0;
    bool shadows_registers_ = false;
};

}  // namespace isaforge::assembler
