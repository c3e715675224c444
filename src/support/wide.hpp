// 128-bit integers: room for any product, sum or shift of 64-bit numbers of either sign. Compilers have them, C++20 does not.
#pragma once

namespace isaforge {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

}  // namespace isaforge
