// Writing result files so that a failure leaves what was there before.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "isaforge/object.hpp"

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

// The mode that a file made in the usual way would have.
mode_t usual_mode() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

}  // namespace

bool write_file_atomically(const std::string& path, std::string_view text, std::string& error) {
    if (path == "-") {
        std::fflush(stdout);
        return write_directly(path, text, error);
    }
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    if (exists && !S_ISREG(info.st_mode)) return write_directly(path, text, error);
    std::error_code code;
    const std::string target = exists ? std::filesystem::canonical(path, code).string() : path;
    std::string temporary = target + ".XXXXXX";
    const int descriptor = ::mkstemp(temporary.data());
    if (descriptor < 0) {
        error = std::strerror(errno);
        return false;
    }
    bool good = write_all(descriptor, text) && ::fchmod(descriptor, exists ? info.st_mode & 07777 : usual_mode()) == 0;
    int reason = errno;
    if (::close(descriptor) != 0 && good) good = false, reason = errno;
    if (good && ::rename(temporary.c_str(), target.c_str()) != 0) good = false, reason = errno;
    if (good) return true;
    ::unlink(temporary.c_str());
    error = std::strerror(reason);
    return false;
}

}  // namespace isaforge
