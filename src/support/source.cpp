#include "isaforge/source.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "support/large_pages.hpp"

namespace isaforge {

namespace {

// Room for a whole file at once, where its size is known: growing would copy it several times.
void reserve_for(std::FILE* stream, std::string& text) {
    struct stat status {};
    if (::fstat(::fileno(stream), &status) != 0 || !S_ISREG(status.st_mode)) return;
    if (status.st_size <= 0 || status.st_size > UINT32_MAX) return;
    text.reserve(static_cast<std::size_t>(status.st_size));
    prefer_large_pages(text.data(), text.capacity());
}

std::string size_text(std::size_t bytes) {
    return bytes == SourceManager::longest_file ? "4 GiB" : std::to_string(bytes >> 20) + " MiB";
}

}  // namespace

FileId SourceManager::add(std::string name, std::string text) {
    files_.push_back({std::move(name), std::move(text), {}});
    return static_cast<FileId>(files_.size());
}

std::optional<FileId> SourceManager::load(const std::string& path, std::string& error, std::size_t most) {
    std::FILE* stream = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
    if (!stream) {
        error = std::strerror(errno);
        return std::nullopt;
    }
    std::string text;
    reserve_for(stream, text);
    char buffer[1 << 16];
    std::setvbuf(stream, nullptr, _IONBF, 0);
    std::size_t count = 0;
    while ((count = std::fread(buffer, 1, sizeof buffer, stream)) > 0) {
        text.append(buffer, count);
        if (text.size() > most) break;
    }
    const bool failed = std::ferror(stream) != 0;
    const int code = errno;
    if (stream != stdin) std::fclose(stream);
    if (failed) {
        error = std::strerror(code);
        return std::nullopt;
    }
    if (text.size() > most) {
        error = "it is larger than " + size_text(most);
        return std::nullopt;
    }
    return add(path == "-" ? "<standard input>" : path, std::move(text));
}

std::optional<FileId> SourceManager::load_text(const std::string& path, std::string& error, std::size_t most) {
    const std::optional<FileId> id = load(path, error, most);
    if (!id) return id;
    std::string& text = files_[*id - 1].text;
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
        error = "it is UTF-16 text: save it as UTF-8";
        files_.pop_back();
        return std::nullopt;
    }
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    return id;
}

std::string_view SourceManager::name(FileId id) const { return id == 0 ? std::string_view{} : file(id).name; }
std::string_view SourceManager::text(FileId id) const { return id == 0 ? std::string_view{} : file(id).text; }

std::string_view SourceManager::text(Place place) const {
    const std::string_view whole = text(place.file);
    if (place.offset >= whole.size()) return {};
    return whole.substr(place.offset, place.length);
}

const std::vector<std::uint32_t>& SourceManager::line_starts(const File& file) const {
    if (file.line_starts.empty()) {
        file.line_starts.push_back(0);
        for (std::size_t i = 0; i < file.text.size(); ++i) {
            if (file.text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
        }
    }
    return file.line_starts;
}

LineColumn SourceManager::line_column(Place place) const {
    if (!place.known()) return {};
    const auto& starts = line_starts(file(place.file));
    const auto next = std::upper_bound(starts.begin(), starts.end(), place.offset);
    const auto line = static_cast<std::uint32_t>(next - starts.begin());
    return {line, place.offset - starts[line - 1] + 1};
}

std::string_view SourceManager::line_text(Place place) const {
    if (!place.known()) return {};
    const auto& starts = line_starts(file(place.file));
    const std::uint32_t begin = starts[line_column(place).line - 1];
    const std::string_view rest = text(place.file).substr(begin);
    std::string_view line = rest.substr(0, rest.find('\n'));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

}  // namespace isaforge
