// Numbers as they lie in memory, in either byte order.
#pragma once

#include <cstdint>
#include <cstring>

namespace isaforge::machine {

template <class T, bool big>
T from_memory(const std::uint8_t* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    if constexpr (big && sizeof(T) == 2) value = __builtin_bswap16(value);
    if constexpr (big && sizeof(T) == 4) value = __builtin_bswap32(value);
    if constexpr (big && sizeof(T) == 8) value = __builtin_bswap64(value);
    return value;
}

template <class T, bool big>
void to_memory(std::uint8_t* bytes, T value) {
    value = from_memory<T, big>(reinterpret_cast<const std::uint8_t*>(&value));
    std::memcpy(bytes, &value, sizeof value);
}

}  // namespace isaforge::machine
