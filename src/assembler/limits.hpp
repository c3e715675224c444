// Every limit of the assembler, so that no source takes more time or memory than its size and these allow. What is said at
// one names it. docs/assembler.md lists them.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isaforge::assembler::limits {

// Text that is read more than once, or in place of other text.
inline constexpr unsigned nesting = 200;                                // of macros, repetitions, included files
inline constexpr std::uint64_t repeated_text = std::uint64_t{1} << 29;  // bytes read again in place
inline constexpr std::uint64_t cost_of_a_round = 64;                    // even an empty body takes time
inline constexpr std::uint64_t expanded_text = std::uint64_t{1} << 28;  // bytes made by macros
inline constexpr std::uint64_t cost_of_an_expansion = 128;              // and each one takes memory
inline constexpr std::size_t defined_text = std::size_t{1} << 16;  // of one statement, when definitions are replaced
inline constexpr unsigned definition_depth = 32;                   // a name in the text of a name …
inline constexpr unsigned definition_steps = 20'000;               // replaced in one statement
inline constexpr std::uint64_t all_definition_steps = 50'000'000;  // replaced in all
inline constexpr std::size_t parameters = 256;                     // of a macro
inline constexpr std::ptrdiff_t broken_instruction = 1 << 12;      // bytes, where it goes over several lines
inline constexpr std::size_t conditions = 1000;                    // inside each other

inline constexpr std::size_t scopes = 200, scope_path = 4096;  // open inside each other; bytes of a path
inline constexpr std::size_t used_scopes = 100;                // by one scope

// Expressions.
inline constexpr unsigned expression_nesting = 200;         // parentheses, signs, right operands
inline constexpr std::uint16_t tree_depth = 1000;           // of one with symbols that have no value yet
inline constexpr std::size_t nodes = std::size_t{1} << 25;  // of all of these
inline constexpr std::uint64_t steps = 100'000;             // of one evaluation
inline constexpr std::uint64_t all_steps = 500'000'000;     // of all

// What comes out.
inline constexpr std::size_t sections = 4096;
inline constexpr std::size_t waiting = std::size_t{1} << 25;     // numbers that wait for a symbol
inline constexpr std::size_t mentions = std::size_t{1} << 22;    // of names, where somebody asks for them
inline constexpr std::size_t marks = std::size_t{1} << 25;       // lines of the line table, of the listing
inline constexpr std::size_t told_lines = std::size_t{1} << 26;  // .loc
inline constexpr std::uint64_t file_number = 1 << 16;            // of .file
inline constexpr std::uint64_t alignment_power = 28;
inline constexpr std::size_t encodings = 64;  // of one instruction
inline constexpr std::size_t relaxed_instructions = std::size_t{1} << 21;
inline constexpr unsigned layout_rounds = 100;                  // for gaps whose sizes depend on addresses
inline constexpr std::uint64_t relaxation_trials = 20'000'000;  // in all passes; then all become long
inline constexpr unsigned shortening_attempts = 200;

// Messages.
inline constexpr std::size_t errors = 1'000'000;  // then the assembly ends
inline constexpr unsigned expansion_notes = 6;    // of one message
inline constexpr unsigned symbol_suggestions = 20;
inline constexpr std::size_t suggestion_candidates = 10'000;

}  // namespace isaforge::assembler::limits
