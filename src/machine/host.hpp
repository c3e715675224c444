// What a program can ask of the host by host(n, a, b, c):
//
//   0 exit(status)                  ends the run of all harts
//   1 read(file, address, length)   from file 0: how many bytes, 0 at the end
//   2 write(file, address, length)  to file 1 or 2: how many bytes
//   3 time()                        nanoseconds of machine time
//   4 memory()                      the first address behind the storage that begins at address 0
//
// What cannot be done gives -1.
#pragma once

#include <cstdint>

#include "isaforge/machine.hpp"

namespace isaforge::machine {

inline constexpr std::uint64_t call_refused = ~std::uint64_t{0};

std::uint64_t call_host(Machine::State& hart, std::uint64_t number);

// The run of all harts ends with this status.
void end_run(Machine::State& hart, int status);

// From standard input, or to standard output or error: how many bytes, call_refused where the program itself could not put
// them there or has none there.
std::uint64_t read_input(Machine::State& hart, std::uint64_t address, std::uint64_t length);
std::uint64_t write_output(Machine::State& hart, unsigned file, std::uint64_t address, std::uint64_t length);

}  // namespace isaforge::machine
