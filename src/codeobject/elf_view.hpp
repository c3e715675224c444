// ELF files inside of containers, as they lie in memory: unaligned, often damaged, of either class. Only what containers
// need is read, every offset is checked, and what overlaps is read a few times only: see object/limits.hpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge::codeobject {

using Bytes = std::span<const std::uint8_t>;

// A little-endian number of `size` bytes; 0 where it does not lie inside.
std::uint64_t number_at(Bytes bytes, std::uint64_t at, unsigned size);
inline std::uint32_t word_at(Bytes bytes, std::uint64_t at) {
    return static_cast<std::uint32_t>(number_at(bytes, at, 4));
}

// A part of the bytes; nothing where it does not lie inside.
std::optional<Bytes> part_of(Bytes bytes, std::uint64_t at, std::uint64_t size);

struct ElfSection {
    std::string_view name;
    std::uint32_t type = 0;
    std::uint64_t alignment = 1, size = 0;
    Bytes bytes;  // empty where the section has none in the file
};

struct ElfSymbol {
    std::string_view name;
    std::uint32_t section = 0, binding = 0;
    std::uint64_t value = 0, size = 0;
};

struct ElfSegment {
    std::uint32_t type = 0;
    std::uint64_t offset = 0;
    Bytes bytes;
};

struct ElfView {
    bool wide = false;  // ELF64
    std::uint32_t machine = 0, flags = 0;
    std::vector<ElfSection> sections;
    std::vector<ElfSymbol> symbols;
    std::map<std::string_view, std::size_t> symbols_by_name;  // the first of each name
    std::vector<ElfSegment> segments;

    const ElfSection* section(std::string_view name) const;
    const ElfSymbol* symbol(std::string_view name) const;
    // The bytes that a symbol names: from its value to its size, or to the section's end where it has no size.
    std::optional<Bytes> bytes_of(const ElfSymbol& symbol) const;
};

bool looks_like_elf(Bytes bytes);

// Nothing and the reason in `error` where the bytes are no ELF file that can be read.
std::optional<ElfView> view_elf(Bytes bytes, std::string& error);

}  // namespace isaforge::codeobject
