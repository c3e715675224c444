// How much of each thing a description may have. What a description asks for beyond these is an error that names the limit,
// so that no text keeps us busy for ever or fills the memory. docs/language.md lists them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isaforge::language {

inline constexpr std::size_t largest_text = std::size_t{64} << 20;  // of a description or what it includes, in bytes
inline constexpr unsigned deepest_include = 16;       // files that include one another
inline constexpr std::size_t most_includes = 1000;    // of one description
inline constexpr std::size_t largest_page = std::size_t{1} << 20;   // of prose beside it, in bytes
inline constexpr std::size_t most_repeated = std::size_t{4} << 20;  // characters that `for` and `use` make of it
inline constexpr unsigned deepest_repetition = 16;    // of them in one another
// Of expressions, blocks and types, whether in brackets or in a row as in a + b + c: all that walks over them is recursive.
inline constexpr unsigned deepest_nesting = 200;
inline constexpr unsigned deepest_operand = 32;       // operands in operands
inline constexpr std::size_t most_operand_types = 20000;  // operands with their arguments
inline constexpr std::size_t most_forms = 100000;     // instructions, each counted with every encoding and length
inline constexpr std::size_t most_entries = 100000;   // of an enumeration
inline constexpr std::size_t most_variants = 1000;    // and dialects
inline constexpr std::size_t most_registers = 4096;   // files of them, and single ones
inline constexpr std::size_t most_rows = 4096;        // of an operand
inline constexpr std::size_t most_pools = 1000;
inline constexpr std::size_t most_columns = 256;      // of a table
inline constexpr std::size_t most_functions = 10000;  // and names for expressions
inline constexpr std::uint64_t most_own_cells = std::uint64_t{1} << 24;  // of a memory that says how many it has
inline constexpr std::uint64_t longest_range = 4096;  // in a column, or {0..4095} in a text

// Of the meaning of one instruction, with its functions, names and loops in place.
inline constexpr std::size_t most_expressions = 200000;  // and statements
inline constexpr std::size_t most_steps = 19000;         // operations that they become
inline constexpr std::uint64_t most_rounds = 4096;       // of a loop

// Of the check of meanings, which tries out what types depend on. What is left out is said.
inline constexpr std::size_t most_shapes = 256;          // kinds of rows of one operand
inline constexpr std::size_t most_combinations = 4096;   // of these, of one instruction's operands
inline constexpr std::size_t most_lowerings = 1 << 17;   // values of the operands of one statement
inline constexpr std::size_t most_check_effort = 40'000'000;  // expressions that are looked at, of all instructions

}  // namespace isaforge::language
