// The limits on what a command line can ask for and on the files that it names; docs/files.md has them for users. Messages
// that tell of a limit take its value from here.
#pragma once

#include <cstdint>

namespace isaforge {

// A file that is read: a source, a description, notes, an object, what --load puts into memory.
inline constexpr std::uint64_t most_file_bytes = std::uint64_t{1} << 30;
// What comes from standard input, a pipe or a device, of which nobody knows where it ends.
inline constexpr std::uint64_t most_stream_bytes = std::uint64_t{1} << 28;

// A command of the debugger.
inline constexpr std::uint64_t longest_command = 65536;

// Each memory of a machine, and each piece of storage that is mapped. It is more than computers have: pages are taken when
// they are touched.
inline constexpr std::uint64_t most_memory_bytes = std::uint64_t{1} << 46;
inline constexpr unsigned most_harts = 64;
inline constexpr unsigned most_groups = 1u << 24;
inline constexpr unsigned most_resident_harts = 512;   // of dispatches, beside those
// Code that is not in a memory: its highest address.
inline constexpr std::uint64_t most_code_units = std::uint64_t{1} << 26;
inline constexpr std::uint32_t largest_picture_side = 32768;

inline constexpr unsigned most_threads = 256;

}  // namespace isaforge
