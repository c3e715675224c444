// What a file may ask of its readers, in one place. Everything else that they do is in proportion to the file's bytes.
#pragma once

#include <cstddef>
#include <cstdint>

namespace isaforge::limits {

// Parts of a file may overlap: sections, names, kernels of containers. Together they are at most so many times the file's
// bytes, and always this many more.
inline constexpr std::uint64_t most_overlap = 4, small_overlap = 4096;

// Of an instruction set, a variant, and the parameters that a note names, together.
inline constexpr std::size_t longest_note_names = 4096;

// Of a section, in bytes.
inline constexpr std::uint64_t largest_alignment = std::uint64_t{1} << 32;

// What a file that is written may have between its parts because they are aligned, in bytes.
inline constexpr std::uint64_t most_filling = std::uint64_t{1} << 26;

// How far from address 0 code may lie that has a memory of its own, in bytes.
inline constexpr std::uint64_t most_code = std::uint64_t{1} << 26;

// Section numbers above this one have other meanings in ELF.
inline constexpr std::size_t most_sections = 0xFEFF;

// What is said where that is too much.
inline constexpr const char* overlap_text =
    "its parts overlap each other: together they have more than 4 times the bytes of the file";
static_assert(most_overlap == 4);

// Counts what was read of a file, each part as often as it was read.
class Budget {
public:
    explicit Budget(std::uint64_t file_bytes) : left_(most_overlap * file_bytes + small_overlap) {}

    // False where it is too much.
    bool take(std::uint64_t bytes) {
        if (bytes > left_) return false;
        left_ -= bytes;
        return true;
    }

private:
    std::uint64_t left_;
};

}  // namespace isaforge::limits
