// Random programs for the WISHBONE GPU that run to `stop_core` without an error, on which an emulator is compared with
// the reference machine. Single random statements would not do: their jumps leave the code, their addresses leave the
// memory, and their results collide within a few words. Kept apart from the machine, which knows nothing of this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace wishbone_reference {

// Words of data memory that a random program touches: addresses 0 .. random_program_memory - 1.
constexpr size_t random_program_memory = 4096;

// Source text, one label or statement a line. All registers are loaded first, then about `length` random statements
// follow: arithmetic under all conditions, memory accesses in all modes, forward jumps and subroutine calls.
// No cycle has two results due, whatever the conditions turn out to be, and nothing is in flight at `stop_core`.
std::string random_program(std::mt19937_64& random, size_t length);

// The words of a source text of that simple form: `name:` or one statement a line, numbers as literals. Nothing if a
// statement is not valid.
std::optional<std::vector<uint32_t>> assemble(std::string_view source);

}  // namespace wishbone_reference
