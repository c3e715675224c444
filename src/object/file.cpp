// Writing result files so that a failure leaves what was there before.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "isaforge/object.hpp"
#include "support/replacement.hpp"

namespace isaforge {

namespace {

bool write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t count = ::write(descriptor, text.data(), text.size());
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        text.remove_prefix(static_cast<std::size_t>(count));
    }
    return true;
}

bool write_directly(const std::string& path, std::string_view text, std::string& error) {
    const bool standard = path == "-";
    const int descriptor = standard ? STDOUT_FILENO : ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0 || !write_all(descriptor, text)) {
        error = std::strerror(errno);
        if (descriptor >= 0 && !standard) ::close(descriptor);
        return false;
    }
    if (!standard && ::close(descriptor) != 0) {
        error = std::strerror(errno);
        return false;
    }
    return true;
}

}  // namespace

bool write_file_atomically(const std::string& path, std::string_view text, std::string& error) {
    if (path == "-") {
        std::fflush(stdout);
        return write_directly(path, text, error);
    }
    if (!Replacement::is_possible(path)) return write_directly(path, text, error);
    Replacement replacement;
    const int descriptor = replacement.open(path);
    if (descriptor < 0) {
        error = std::strerror(errno);
        return false;
    }
    bool good = write_all(descriptor, text);
    int reason = errno;
    if (::close(descriptor) != 0 && good) good = false, reason = errno;
    if (good && !replacement.put_in_place()) good = false, reason = errno;
    if (!good) error = std::strerror(reason);
    return good;
}

}  // namespace isaforge
