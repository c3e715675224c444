#include "isaforge/source.hpp"

#include <algorithm>

#include "support/input_file.hpp"

namespace isaforge {

namespace {

void drop_byte_order_mark(std::string& text) {
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
}

}  // namespace

FileId SourceManager::add(std::string name, std::string text) {
    drop_byte_order_mark(text);
    return keep(std::move(name), std::move(text));
}

FileId SourceManager::keep(std::string name, std::string text) {
    files_.push_back({std::move(name), std::move(text), {}, {}});
    return static_cast<FileId>(files_.size());
}

std::optional<FileId> SourceManager::load(const std::string& path, std::string& error, Readable what,
                                          std::uint64_t most) {
    std::string text;
    if (!read_input(path, what, text, error, most)) return std::nullopt;
    const bool standard = path == "-" && what == Readable::anything;
    const FileId file = keep(standard ? "<standard input>" : path, std::move(text));
    files_.back().path = path;
    return file;
}

std::vector<std::string> SourceManager::paths() const {
    std::vector<std::string> out;
    for (const File& file : files_) {
        if (!file.path.empty()) out.push_back(file.path);
    }
    return out;
}

std::optional<FileId> SourceManager::load_text(const std::string& path, std::string& error, Readable what,
                                               std::uint64_t most) {
    const std::optional<FileId> id = load(path, error, what, most);
    if (!id) return id;
    std::string& text = files_[*id - 1].text;
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) {
        error = "it is UTF-16 text: save it as UTF-8";
        files_.pop_back();
        return std::nullopt;
    }
    drop_byte_order_mark(text);
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
    const std::uint32_t number = line_column(place).line;  // the table is there: a long line is not searched again
    const std::uint32_t begin = starts[number - 1];
    std::string_view line = text(place.file).substr(begin);
    if (number < starts.size()) line = line.substr(0, starts[number] - begin - 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

}  // namespace isaforge
