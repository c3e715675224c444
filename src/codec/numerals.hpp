// Integers as the description's users write them: `$1f`, `1fh`, `%101`. What every machine has, `0x1f`, `0b101` and so on, is
// read elsewhere.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "isaforge/isa.hpp"

namespace isaforge::codec {

// A number with one of the marks at `p`: where it ends, or null where there is none. What stands at `end` is not
// looked at. `too_large` where it does not fit into 64 bits.
const char* read_numeral(std::span<const NumberMark> marks, const char* p, const char* end, std::uint64_t& value,
                         bool& too_large);

// Room for what is written here.
inline constexpr std::size_t longest_numeral = 96;

// The number in radix 10 or 16, as it is printed; the end of it. There has to be room.
char* put_numeral(std::span<const NumberMark> marks, char* out, std::uint64_t value, unsigned radix);

}  // namespace isaforge::codec
