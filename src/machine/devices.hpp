// The devices that memory may hold. Their registers are little-endian and may be read and written in parts.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "machine/memory_map.hpp"

namespace isaforge::machine {

// Lines on which devices interrupt; from other harts the line is first_hart_line and the sender's number.
inline constexpr std::uint32_t timer_line = 1, console_line = 2, first_hart_line = 65;

// Registers at their offsets:
//
//   console   0 data     read: the next byte of input, all ones where none is there; written: a byte of output
//             8 status   read: bit 0: a byte of input is there, bit 1: output is taken, bit 2: no byte will come any more
//            16 control  bit 0: it interrupts while a byte of input is there
//   timer     0 time     read: nanoseconds of machine time
//             8 compare  it interrupts while time >= compare, in the beginning all ones; each hart has its own
//   doorbell  0 send     written: the number of a hart, which is interrupted on the line of the writer; read: how many
//                        harts there are
//             8 pending  read: bit h: hart h rings for the reader; written: bits that are 1 are cleared
//
// Null where there is no device of that name.
std::unique_ptr<Device> make_device(const std::string& kind, unsigned harts, std::shared_ptr<Streams> streams);

}  // namespace isaforge::machine
