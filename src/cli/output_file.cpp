#include "cli/output_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "cli/terminal.hpp"

namespace isaforge::cli {

namespace {

bool written_directly(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
}

bool complain_about(const std::string& path) {
    complain(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
    return false;
}

}  // namespace

OutputFile::~OutputFile() {
    if (stream_ && stream_ != stdout) std::fclose(stream_);
    if (!temporary_.empty()) unlink(temporary_.c_str());
}

bool OutputFile::open(const std::string& path) {
    path_ = path;
    if (path == "-") {
        stream_ = stdout;
        return true;
    }
    if (written_directly(path)) {
        stream_ = std::fopen(path.c_str(), "wb");
        return stream_ != nullptr || complain_about(path);
    }
    std::string name = path + ".XXXXXX";
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) return complain_about(path);
    temporary_ = name;
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(descriptor, 0666 & ~mask);
    stream_ = fdopen(descriptor, "wb");
    return stream_ != nullptr || complain_about(path);
}

bool OutputFile::commit() {
    std::FILE* const stream = stream_;
    stream_ = nullptr;
    if (stream == stdout) return true;  // checked once, at the program's end
    const bool failed = std::ferror(stream) != 0;
    if (std::fclose(stream) != 0 || failed) return complain_about(path_);
    if (temporary_.empty()) return true;
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) return complain_about(path_);
    temporary_.clear();
    return true;
}

}  // namespace isaforge::cli
