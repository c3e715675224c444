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

std::uint64_t call_host(Machine::State& hart, std::uint64_t number);

}  // namespace isaforge::machine
