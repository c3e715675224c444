// The quick way to memory, small enough to stand in every load and store. A table leads from an address to a stretch of
// its space that a hart may access at once; Bus fills it and does what it does not know.
#pragma once

#include <cstdint>

namespace isaforge::machine {

// Addresses choose an entry by their page, but its stretch may be shorter, and longer too.
struct alignas(32) PageEntry {
    std::uint64_t first = 0;  // the address where the stretch begins
    std::uint64_t room = 0;   // its bytes less 8
    std::uint8_t* bytes = nullptr;
    std::uint64_t unit_shift = 0;  // addresses count units of 1 << unit_shift bytes
};
inline constexpr unsigned page_shift = 14;
inline constexpr std::uint64_t page_count = 256;
inline constexpr std::uint64_t page_of(std::uint64_t address) { return (address >> page_shift) % page_count; }

// Whether so many bytes may be accessed where an entry leads: then `bytes` is where that is.
inline bool find_place(const PageEntry& page, std::uint64_t address, std::uint64_t size, unsigned shift, bool aligned,
                       std::uint8_t*& bytes) {
    const std::uint64_t offset = address - page.first;
    if (offset > (page.room + (8 - size)) >> shift) return false;
    if (aligned && (address << shift) % size != 0) return false;
    bytes = page.bytes + (offset << shift);
    return true;
}

// Whether an access of T may go by the table: then `bytes` is where it goes. `aligned`: only at a multiple of its size;
// `scaled`: units may be larger than bytes.
template <class T, bool aligned, bool scaled>
inline bool at_once(const PageEntry* pages, std::uint64_t address, std::uint8_t*& bytes) {
    const PageEntry& page = pages[page_of(address)];
    const unsigned shift = scaled ? static_cast<unsigned>(page.unit_shift) : 0;
    return find_place(page, address, sizeof(T), shift, aligned, bytes);
}

}  // namespace isaforge::machine
