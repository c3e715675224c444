#include "support/input_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
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

template <typename Bytes>
bool read_all(const std::string& path, Readable what, Bytes& text, std::string& error, std::uint64_t most) {
    if (stand_ins) {
        const auto found = stand_ins->find(std::filesystem::path(path).lexically_normal().string());
        if (found != stand_ins->end() && found->second->size() <= most) {
            text.assign(found->second->begin(), found->second->end());
            return true;
        }
    }
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
    text.clear();
    const auto make_room = [&](std::size_t bytes) {
        Bytes larger;
        larger.reserve(bytes);
        prefer_large_pages(larger.data(), larger.capacity());
        larger.insert(larger.end(), text.begin(), text.end());
        text.swap(larger);
    };
    make_room(size);  // growing would copy it several times
    char buffer[1 << 16];
    while (true) {
        const ssize_t count = ::read(file.number(), buffer, sizeof buffer);
        if (count == 0) return true;
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(error);
        if (text.capacity() - text.size() < static_cast<std::size_t>(count))
            make_room(2 * (text.size() + sizeof buffer));
        text.insert(text.end(), buffer, buffer + count);
        if (text.size() > limit) return too_long(regular, limit, error);
    }
}

}  // namespace

StandIns::StandIns(Texts texts) : texts_(std::move(texts)) { stand_ins = &texts_; }
StandIns::~StandIns() { stand_ins = nullptr; }

bool read_input(const std::string& path, Readable what, std::string& text, std::string& error, std::uint64_t most) {
    return read_all(path, what, text, error, most);
}

bool read_input(const std::string& path, Readable what, std::vector<std::uint8_t>& bytes, std::string& error,
                std::uint64_t most) {
    return read_all(path, what, bytes, error, most);
}

}  // namespace isaforge
