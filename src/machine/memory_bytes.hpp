// Numbers as they lie in memory, in either byte order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>

namespace isaforge::machine {

// Turns a number's bytes around where memory is big-endian.
template <class T, bool big>
T in_order(T value) {
    if constexpr (big && sizeof(T) == 2) value = __builtin_bswap16(value);
    if constexpr (big && sizeof(T) == 4) value = __builtin_bswap32(value);
    if constexpr (big && sizeof(T) == 8) value = __builtin_bswap64(value);
    return value;
}

// Memory that other harts may access at the same time: one access of the host, in no order with others. Programs may race
// as they like, so a checker of threads has to see atomic accesses; those have to be aligned.
#if defined(__SANITIZE_THREAD__)

template <class T>
T load_shared(const std::uint8_t* bytes) {
    if (std::bit_cast<std::uintptr_t>(bytes) % sizeof(T) == 0)
        return __atomic_load_n(reinterpret_cast<const T*>(bytes), __ATOMIC_RELAXED);
    T value = 0;
    for (unsigned i = 0; i < sizeof(T); ++i)
        value = static_cast<T>(value | T{__atomic_load_n(bytes + i, __ATOMIC_RELAXED)} << 8 * i);
    return value;
}

template <class T>
void store_shared(std::uint8_t* bytes, T value) {
    if (std::bit_cast<std::uintptr_t>(bytes) % sizeof(T) == 0)
        return __atomic_store_n(reinterpret_cast<T*>(bytes), value, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < sizeof(T); ++i)
        __atomic_store_n(bytes + i, static_cast<std::uint8_t>(value >> 8 * i), __ATOMIC_RELAXED);
}

#else

template <class T>
struct [[gnu::packed, gnu::may_alias]] Unaligned {
    T value;
};

template <class T>
T load_shared(const std::uint8_t* bytes) {
    return reinterpret_cast<const volatile Unaligned<T>*>(bytes)->value;
}

template <class T>
void store_shared(std::uint8_t* bytes, T value) {
    reinterpret_cast<volatile Unaligned<T>*>(bytes)->value = value;
}

#endif

// The same for up to eight bytes, the first one lowest; 1, 2, 4 and 8 are one access.
inline std::uint64_t load_shared(const std::uint8_t* bytes, unsigned count) {
    switch (count) {
        case 1: return load_shared<std::uint8_t>(bytes);
        case 2: return load_shared<std::uint16_t>(bytes);
        case 4: return load_shared<std::uint32_t>(bytes);
        case 8: return load_shared<std::uint64_t>(bytes);
        default: break;
    }
    std::uint64_t value = 0;
    for (unsigned i = 0; i < count; ++i) value |= std::uint64_t{load_shared<std::uint8_t>(bytes + i)} << 8 * i;
    return value;
}

inline void store_shared(std::uint8_t* bytes, unsigned count, std::uint64_t value) {
    switch (count) {
        case 1: return store_shared(bytes, static_cast<std::uint8_t>(value));
        case 2: return store_shared(bytes, static_cast<std::uint16_t>(value));
        case 4: return store_shared(bytes, static_cast<std::uint32_t>(value));
        case 8: return store_shared(bytes, value);
        default: break;
    }
    for (unsigned i = 0; i < count; ++i) store_shared(bytes + i, static_cast<std::uint8_t>(value >> 8 * i));
}

}  // namespace isaforge::machine
