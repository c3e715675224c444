// The form as text, for tests and for looking:
//
//     b0(%0: i5):                          a block and its arguments
//       %1: i32 = get R #3                 object, number
//       %2: i32 = add %1, 5:i32            a constant has its type behind it
//       put R #4 %2 if %7 after 2          mask, delay
//       %3: m64 = equal %8, 0:i32x64
//       branch %9 b1(%2) b2()
//       %4: i32 = update mem f0 %2, %3, %3
//     f0(%0: i32, %1: i32, %2: i32):       a function, behind all blocks; its values are its own
//       %3: i32 = add %0, %1
//       give %3
//
// Register files, memories and modes go by the names of the instruction set, texts stand in quotes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/graph.hpp"
#include "isaforge/isa.hpp"

namespace isaforge::ir {

std::string to_text(const Graph& graph, const Isa& isa);
std::string to_text(const Graph& graph, const Instruction& instruction, const Isa& isa);

// The other way. Values keep their numbers' order, not the numbers. What is wrong is said with its line, the first being 1.
std::optional<Graph> parse(std::string_view text, const Isa& isa, std::string& error);

}  // namespace isaforge::ir
