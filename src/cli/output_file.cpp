#include "cli/output_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "cli/terminal.hpp"

namespace isaforge::cli {

namespace {

bool complain_about(const std::string& path) {
    complain(fmt::format("cannot write '{}': {}", path, std::strerror(errno)));
    return false;
}

}  // namespace

OutputFile::~OutputFile() {
    if (stream_ && stream_ != stdout) std::fclose(stream_);
}

bool OutputFile::open(const std::string& path) {
    path_ = path;
    if (path == "-") {
        stream_ = stdout;
        return true;
    }
    replaces_ = Replacement::is_possible(path);
    if (!replaces_) {
        stream_ = std::fopen(path.c_str(), "wb");
        return stream_ != nullptr || complain_about(path);
    }
    const int descriptor = replacement_.open(path);
    if (descriptor < 0) return complain_about(path);
    stream_ = fdopen(descriptor, "wb");
    return stream_ != nullptr || complain_about(path);
}

bool OutputFile::commit() {
    std::FILE* const stream = stream_;
    stream_ = nullptr;
    if (stream == stdout) return true;  // checked once, at the program's end
    const bool failed = std::ferror(stream) != 0;
    if (std::fclose(stream) != 0 || failed) return complain_about(path_);
    return !replaces_ || replacement_.put_in_place() || complain_about(path_);
}

}  // namespace isaforge::cli
