#include "cli/source_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "support/descriptor.hpp"

namespace isaforge::cli {

namespace {

namespace fs = std::filesystem;

// The file's own place, behind all links, where that is below `folder`.
std::optional<fs::path> inside(const fs::path& folder, const fs::path& name) {
    std::error_code code;
    const fs::path base = fs::canonical(folder, code);
    if (code) return std::nullopt;
    fs::path file = fs::canonical(base / name, code);
    if (code) return std::nullopt;
    const auto [end, rest] = std::mismatch(base.begin(), base.end(), file.begin(), file.end());
    if (end != base.end() || rest == file.end()) return std::nullopt;
    return file;
}

// The text of a regular file that is not too large.
std::optional<std::string> text_of(const fs::path& path) {
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK));
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) return std::nullopt;
    if (!S_ISREG(status.st_mode) || static_cast<std::uintmax_t>(status.st_size) > most_source_bytes)
        return std::nullopt;
    std::string text(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t count = ::read(file.number(), text.data() + done, text.size() - done);
        if (count < 0) return std::nullopt;
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    text.resize(done);
    return text;
}

}  // namespace

std::optional<std::string> read_source_file(const std::string& name, const std::vector<std::string>& folders) {
    if (name.empty() || name.find('\0') != std::string::npos) return std::nullopt;
    std::optional<fs::path> found = inside(".", name);
    for (const std::string& folder : folders) {
        if (!found) found = inside(folder, name);
        if (!found) found = inside(folder, fs::path(name).filename());
    }
    return found ? text_of(*found) : std::nullopt;
}

}  // namespace isaforge::cli
