#include "hsa/sharing.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace isaforge::hsa {

namespace {

constexpr std::uint64_t large_page = std::uint64_t{2} << 20;
constexpr std::uint64_t file_bytes = std::uint64_t{1} << 60;   // nothing has its memory before it is touched

// A process that is split off does not have these pages, as with a driver: what it writes there would be seen here.
bool map_file(int file, std::uint64_t offset, std::uint64_t bytes, std::uint8_t* pages) {
    constexpr int kind = MAP_SHARED | MAP_FIXED | MAP_NORESERVE;
    return ::mmap(pages, bytes, PROT_READ | PROT_WRITE, kind, file, static_cast<off_t>(offset)) == pages &&
           ::madvise(pages, bytes, MADV_DONTFORK) == 0;
}

std::uint64_t inode_of(int file) {
    struct stat about {};
    return ::fstat(file, &about) == 0 ? about.st_ino : 0;
}

}  // namespace

SharedFile::SharedFile() : file_(::memfd_create("isaforge", MFD_CLOEXEC)), inode_(inode_of(file_)) {
    if (file_ >= 0 && ::ftruncate(file_, static_cast<off_t>(file_bytes)) != 0) {
        ::close(file_);
        file_ = -1;
    }
}

std::optional<std::uint64_t> SharedFile::map(std::uint8_t* pages, std::uint64_t bytes) {
    // Large pages need places that are as far from their multiples in the file as in memory.
    const std::uint64_t used = whole_pages(bytes), within = reinterpret_cast<std::uint64_t>(pages) % large_page;
    const bool is_large = used >= 2 * large_page;
    std::uint64_t offset = next_.fetch_add(is_large ? used + 2 * large_page : used);
    if (is_large) offset = (offset + large_page - 1) / large_page * large_page + within;
    if (file_ < 0 || !map_file(file_, offset, used, pages)) return std::nullopt;
    if (is_large) ::madvise(pages, used, MADV_HUGEPAGE);  // where the system has some
    return offset;
}

void SharedFile::release(std::uint64_t offset, std::uint64_t bytes) {
    ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
                static_cast<off_t>(whole_pages(bytes)));
}

SharedPlace SharedFile::place(std::uint64_t offset, std::uint64_t bytes) const {
    return {static_cast<std::uint32_t>(::getpid()), static_cast<std::uint32_t>(file_), inode_, offset, bytes};
}

bool SharedFile::map(const SharedPlace& place, std::uint8_t* pages) {
    const int file = ::open(fmt::format("/proc/{}/fd/{}", place.process, place.file).c_str(), O_RDWR | O_CLOEXEC);
    if (file < 0) return false;
    const std::uint64_t first = place.offset / page_bytes * page_bytes;
    const bool good =
        inode_of(file) == place.inode && map_file(file, first, whole_pages(place.offset - first + place.bytes), pages);
    ::close(file);
    return good;
}

}  // namespace isaforge::hsa
