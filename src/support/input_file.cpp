#include "support/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <utility>

#include "isaforge/limits.hpp"
#include "support/descriptor.hpp"
#include "support/large_pages.hpp"

namespace isaforge {

namespace {

bool fail(std::string& error) {
    error = std::strerror(errno);
    return false;
}

bool too_long(bool regular, std::uint64_t limit, std::string& error) {
    error = regular ? fmt::format("the file has more than {} MiB, which is the limit", limit >> 20)
                    : fmt::format("more than {} MiB come from it, which is the limit for what is not a regular file",
                                  limit >> 20);
    return false;
}

// Where a regular file is wanted, opening must not wait for anything.
int open_for(const std::string& path, Readable what) {
    if (path == "-" && what == Readable::anything) return STDIN_FILENO;
    return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | (what == Readable::only_regular ? O_NONBLOCK : 0));
}

thread_local const StandIns::Texts* stand_ins = nullptr;

// Memory that nobody clears before it is filled, with room for a zero behind it.
class Buffer {
public:
    std::size_t size() const { return size_; }
    char* data() { return bytes_.get(); }
    void resize(std::size_t size) {
        if (size > room_) {
            auto larger = std::make_unique_for_overwrite<char[]>(size + 1);
            prefer_large_pages(larger.get(), size + 1);
            std::copy_n(bytes_.get(), size_, larger.get());
            bytes_ = std::move(larger);
            room_ = size;
        }
        size_ = size;
    }
    SourceText text() && {
        bytes_[size_] = 0;
        return {std::move(bytes_), size_};
    }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0, room_ = 0;
};

bool maps_large_inputs = false;

// Whole pages of a regular file as they are, what is left behind them, and a zero, which stays whatever becomes of the file. Null
// where that cannot be.
std::shared_ptr<const char[]> map_text(int file, std::size_t size) {
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t mapped = size / page * page, rest = size - mapped, all = mapped + page;
    void* const memory = ::mmap(nullptr, all, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;  // NOLINT(performance-no-int-to-ptr): a macro's
    char* const bytes = static_cast<char*>(memory);
    std::shared_ptr<const char[]> text(bytes, [all](const char* p) { ::munmap(const_cast<char*>(p), all); });
    const int how = MAP_PRIVATE | MAP_FIXED | MAP_POPULATE;
    if (::mmap(bytes, mapped, PROT_READ, how, file, 0) != memory) return nullptr;
    const bool whole =
        rest == 0 || ::pread(file, bytes + mapped, rest, static_cast<off_t>(mapped)) == static_cast<ssize_t>(rest);
    return whole ? text : nullptr;
}

bool map_input(const std::string& path, Readable what, SourceText& text, std::uint64_t most) {
    constexpr std::uint64_t least = 1 << 18;
    struct stat status {};
    // What is opened only to be looked at must not be a pipe, whose writer would be told that nobody reads.
    if (!maps_large_inputs || path == "-" || ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    const Descriptor file(open_for(path, what));
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    const auto size = static_cast<std::uint64_t>(status.st_size);
    if (size < least || size > std::min(most, most_file_bytes)) return false;
    std::shared_ptr<const char[]> mapped = map_text(file.number(), static_cast<std::size_t>(size));
    if (!mapped) return false;
    text = {std::move(mapped), static_cast<std::size_t>(size)};
    return true;
}

template <typename Bytes>
bool read_all(const std::string& path, Readable what, Bytes& out, std::string& error, std::uint64_t most) {
    const Descriptor file(open_for(path, what));
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return fail(error);
    const bool regular = S_ISREG(status.st_mode);
    if (!regular && what == Readable::only_regular) {
        error = "it is not a regular file";
        return false;
    }
    const std::uint64_t limit = std::min(most, regular ? most_file_bytes : most_stream_bytes);
    const auto size = static_cast<std::uint64_t>(regular ? status.st_size : 0);
    if (size > limit) return too_long(regular, limit, error);
    constexpr std::size_t usual = 1 << 16;  // of what does not say how long it is
    out.resize(size != 0 ? static_cast<std::size_t>(size) + 1 : usual);  // reading less shows the end
    std::size_t done = 0;
    while (true) {
        if (done == out.size()) out.resize(2 * done);
        const ssize_t count = ::read(file.number(), out.data() + done, out.size() - done);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(error);
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
        if (done > limit) return too_long(regular, limit, error);
    }
    out.resize(done);
    return true;
}

const std::string* stand_in(const std::string& path, std::uint64_t most) {
    if (!stand_ins) return nullptr;
    const auto found = stand_ins->find(std::filesystem::path(path).lexically_normal().string());
    return found != stand_ins->end() && found->second->size() <= most ? found->second.get() : nullptr;
}

template <typename Bytes>
bool read(const std::string& path, Readable what, Bytes& out, std::string& error, std::uint64_t most) {
    const std::string* const text = stand_in(path, most);
    if (!text) return read_all(path, what, out, error, most);
    out.assign(text->begin(), text->end());
    return true;
}

}  // namespace

StandIns::StandIns(Texts texts) : texts_(std::move(texts)) { stand_ins = &texts_; }
StandIns::~StandIns() { stand_ins = nullptr; }

void map_large_inputs() { maps_large_inputs = true; }

bool read_input(const std::string& path, Readable what, SourceText& text, std::string& error, std::uint64_t most) {
    if (const std::string* const other = stand_in(path, most)) {
        text = *other;
        return true;
    }
    if (map_input(path, what, text, most)) return true;
    Buffer buffer;
    if (!read_all(path, what, buffer, error, most)) return false;
    text = std::move(buffer).text();
    return true;
}

bool read_input(const std::string& path, Readable what, std::string& text, std::string& error, std::uint64_t most) {
    return read(path, what, text, error, most);
}

bool read_input(const std::string& path, Readable what, std::vector<std::uint8_t>& bytes, std::string& error,
                std::uint64_t most) {
    return read(path, what, bytes, error, most);
}

}  // namespace isaforge
