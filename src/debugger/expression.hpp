// The expressions of the debugger: numbers, registers by any of their names, symbols, memory, and the operators of C on
// 64-bit unsigned numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "debugger/program_map.hpp"
#include "isaforge/machine.hpp"

namespace isaforge::debugger {

// Something that has a place: it can be assigned and watched.
struct Target {
    enum class Kind { none, pc, register_, memory };
    Kind kind = Kind::none;
    Index object = no_index;   // register file, or memory
    std::uint64_t number = 0;  // register, or address in units of the memory
    unsigned lane = 0;
    bool one_lane = false;  // a lane was named
    unsigned bits = 64;
};

struct Value {
    std::uint64_t value = 0;
    unsigned bits = 64;  // that it has by itself: of a register, of a cell of memory
    Target target;       // where it comes from; Kind::none: it was computed
};

// What a symbol or a number means alone: registers come before symbols.
class Evaluator {
public:
    Evaluator(Machine& machine, const ProgramMap& map) : machine_(machine), map_(map) {}

    // Nothing, with the reason in `error`, where the text is no expression or reads memory that is not there.
    std::optional<Value> evaluate(std::string_view text, std::string& error) const;
    // Reads the longest expression at the begin of `text` and takes it off.
    std::optional<Value> take(std::string_view& text, std::string& error) const;

    // A value read from, and one written to, what has a place. Bits beyond the target's are cut off.
    bool read(const Target& target, std::uint64_t& value, std::string& error) const;
    bool write(const Target& target, std::uint64_t value, std::string& error) const;

private:
    Machine& machine_;
    const ProgramMap& map_;
};

// Bytes of a memory from an address in its units; false, and nothing done, where not all of them are there.
bool read_bytes(const Machine& machine, Index memory, std::uint64_t address, std::span<std::uint8_t> to);
bool write_bytes(Machine& machine, Index memory, std::uint64_t address, std::span<const std::uint8_t> from);

// Finds a register by any of its names, also with the `$` that gdb puts before names, and without the one that a name
// begins with; a symbol also with the `.` or `@` that a syntax puts before labels.
bool find_register(const Machine& machine, std::string_view name, Index& file, std::uint64_t& number);
const NamedAddress* find_symbol(const ProgramMap& map, std::string_view name);

// Registers, symbols and memories whose name is near to a word, for "did you mean".
std::string_view nearest_name(std::string_view word, const Machine& machine, const ProgramMap& map);

// A number as assemblers write it: 12, 0x1f, 0b101, 0o17. Nothing where the text is anything else.
std::optional<std::uint64_t> parse_number(std::string_view text);

}  // namespace isaforge::debugger
