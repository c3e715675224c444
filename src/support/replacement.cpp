#include "support/replacement.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace isaforge {

namespace {

// The mode that a file made in the usual way would have.
mode_t usual_mode() {
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

}  // namespace

Replacement::~Replacement() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

bool Replacement::is_possible(const std::string& path) {
    struct stat info {};
    return ::stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

int Replacement::open(const std::string& path) {
    struct stat info {};
    const bool exists = ::stat(path.c_str(), &info) == 0;
    std::error_code code;
    target_ = exists ? std::filesystem::canonical(path, code).string() : path;
    std::string name = target_ + ".XXXXXX";
    const int descriptor = ::mkstemp(name.data());
    if (descriptor < 0) return -1;
    temporary_ = name;
    if (::fchmod(descriptor, exists ? info.st_mode & 07777 : usual_mode()) == 0) return descriptor;
    const int reason = errno;
    ::close(descriptor);
    errno = reason;
    return -1;
}

bool Replacement::put_in_place() {
    if (std::rename(temporary_.c_str(), target_.c_str()) != 0) return false;
    temporary_.clear();
    return true;
}

}  // namespace isaforge
