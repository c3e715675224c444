#include "isaforge/source.hpp"

#include <algorithm>
#include <utility>

#include "support/input_file.hpp"

namespace isaforge {

namespace {

void drop_byte_order_mark(SourceText& text) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    if (text.view().starts_with(mark)) text.drop_front(mark.size());
}

}  // namespace

FileId SourceManager::add(std::string name, std::string text) {
    SourceText kept(std::move(text));
    drop_byte_order_mark(kept);
    return keep(std::move(name), std::move(kept));
}

FileId SourceManager::keep(std::string name, SourceText text) {
    files_.push_back({std::move(name), std::move(text), {}, {}, {}});
    return next_++;
}

FileId SourceManager::expect(std::size_t count, std::function<void(SourceManager&)> read,
                             std::vector<std::string> paths) {
    const FileId first = next_;
    expected_.push_back({first, count, std::move(read), std::move(paths), {}});
    next_ += static_cast<FileId>(count);
    return first;
}

void SourceManager::fill(Expected& expected) {
    SourceManager own;
    std::exchange(expected.read, nullptr)(own);
    expected.files = std::move(own.files_);
    expected.files.resize(expected.count);
    for (File& file : expected.files) {
        if (!file.derivation) continue;
        file.derivation->from += expected.first - 1;
        if (file.derivation->place.known()) file.derivation->place.file += expected.first - 1;
    }
}

const SourceManager::File& SourceManager::file(FileId id) const {
    std::size_t before = 0;  // files that are not in the list of those that are there
    for (Expected& expected : expected_) {
        if (id < expected.first) break;
        if (id < expected.first + expected.count) {
            if (expected.read) fill(expected);
            return expected.files[id - expected.first];
        }
        before += expected.count;
    }
    return files_[id - 1 - before];
}

std::optional<FileId> SourceManager::load(const std::string& path, std::string& error, Readable what,
                                          std::uint64_t most) {
    SourceText text;
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
    for (const Expected& expected : expected_) out.insert(out.end(), expected.paths.begin(), expected.paths.end());
    return out;
}

std::optional<FileId> SourceManager::load_text(const std::string& path, std::string& error, Readable what,
                                               std::uint64_t most) {
    const std::optional<FileId> id = load(path, error, what, most);
    if (!id) return id;
    SourceText& text = files_.back().text;
    if (text.view().starts_with("\xff\xfe") || text.view().starts_with("\xfe\xff")) {
        error = "it is UTF-16 text: save it as UTF-8";
        files_.pop_back();
        --next_;
        return std::nullopt;
    }
    drop_byte_order_mark(text);
    return id;
}

FileId SourceManager::derive(std::string text, Derivation derivation) {
    const FileId id = keep({}, std::move(text));
    files_.back().derivation = std::move(derivation);
    return id;
}

const Derivation* SourceManager::derivation(FileId id) const {
    return id != 0 && file(id).derivation ? &*file(id).derivation : nullptr;
}

Place SourceManager::origin(Place place) const {
    while (const Derivation* const derivation = this->derivation(place.file)) {
        const auto& pieces = derivation->pieces;
        place.file = derivation->from;
        if (pieces.empty()) return {place.file, 0, 0};
        const auto piece_at = [&](std::uint32_t offset) {
            const auto behind =
                std::upper_bound(std::next(pieces.begin()), pieces.end(), offset,
                                 [](std::uint32_t at, const Derivation::Piece& piece) { return at < piece.begin; });
            return *std::prev(behind);
        };
        const std::uint32_t end = place.offset + place.length;
        const Derivation::Piece first = piece_at(place.offset), last = piece_at(end == 0 ? 0 : end - 1);
        const std::uint32_t from = first.replaced ? 0 : std::min(place.offset - first.begin, first.length);
        const std::uint32_t to = last.replaced ? last.length : std::min(end - last.begin, last.length);
        place.length = place.length == 0 ? 0 : last.offset + to - (first.offset + from);
        place.offset = first.offset + from;
    }
    return place;
}

std::string_view SourceManager::name(FileId id) const {
    while (const Derivation* const derivation = this->derivation(id)) id = derivation->from;
    return id == 0 ? std::string_view{} : file(id).name;
}
std::string_view SourceManager::text(FileId id) const { return id == 0 ? std::string_view{} : file(id).text.view(); }

std::string_view SourceManager::text(Place place) const {
    const std::string_view whole = text(place.file);
    if (place.offset >= whole.size()) return {};
    return whole.substr(place.offset, place.length);
}

const std::vector<std::uint32_t>& SourceManager::line_starts(const File& file) const {
    if (file.line_starts.empty()) {
        file.line_starts.push_back(0);
        const std::string_view text = file.text.view();
        for (std::size_t i = 0; i < text.size(); ++i) {
            if (text[i] == '\n') file.line_starts.push_back(static_cast<std::uint32_t>(i + 1));
        }
    }
    return file.line_starts;
}

LineColumn SourceManager::line_column(Place place) const {
    if (!place.known()) return {};
    place = origin(place);
    const auto& starts = line_starts(file(place.file));
    const auto next = std::upper_bound(starts.begin(), starts.end(), place.offset);
    const auto line = static_cast<std::uint32_t>(next - starts.begin());
    return {line, place.offset - starts[line - 1] + 1};
}

std::string_view SourceManager::line_text(Place place) const { return line_as_read(origin(place)); }

std::string_view SourceManager::line_as_read(Place place) const {
    if (!place.known()) return {};
    const auto& starts = line_starts(file(place.file));
    const auto behind = std::upper_bound(starts.begin(), starts.end(), place.offset);
    const std::uint32_t begin = behind[-1];
    std::string_view line = text(place.file).substr(begin);
    if (behind != starts.end()) line = line.substr(0, *behind - begin - 1);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

}  // namespace isaforge
