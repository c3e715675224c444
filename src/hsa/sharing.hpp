// The file without a name in which all allocations of this process lie, so that other processes can have them, too: whoever knows
// where in it something lies maps the same bytes, by way of /proc, as long as this process is there.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace isaforge::hsa {

constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t whole_pages(std::uint64_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

// What another process needs to find a part of the file. Clients hand it on as 32 bytes that mean nothing to them.
struct SharedPlace {
    std::uint32_t process = 0, file = 0;   // its number there
    std::uint64_t inode = 0;               // a process with the same number may have come later
    std::uint64_t offset = 0, bytes = 0;
};
static_assert(sizeof(SharedPlace) == 32);

class SharedFile {
public:
    SharedFile();

    // Puts a fresh part of the file, which is zero, where pages of the caller's are. The number of bytes may end within a page.
    // Its offset; nothing where there is no room.
    std::optional<std::uint64_t> map(std::uint8_t* pages, std::uint64_t bytes);
    // Gives the memory of a part back, which is mapped nowhere any more.
    void release(std::uint64_t offset, std::uint64_t bytes);
    SharedPlace place(std::uint64_t offset, std::uint64_t bytes) const;

    // Puts the pages of a place, of whatever process, where such of the caller's are. False: there is no such place any more.
    static bool map(const SharedPlace& place, std::uint8_t* pages);

private:
    int file_ = -1;
    std::uint64_t inode_ = 0;
    std::atomic<std::uint64_t> next_ = 0;
};

}  // namespace isaforge::hsa
