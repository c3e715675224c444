#include "debugger/program_map.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace isaforge::debugger {

ProgramMap::ProgramMap(const Object& object)
    : object_(&object), address_bytes_(std::max<std::uint64_t>(1, object.address_bytes)) {
    for (const Section& section : object.sections) {
        if (!section.allocated || !section.executable || section.extent() == 0) continue;
        code_.emplace_back(section.address / address_bytes_, (section.address + section.extent()) / address_bytes_);
    }
    std::sort(code_.begin(), code_.end());

    for (auto line = object.lines.begin(); line != object.lines.end();) {
        const LineEntry entry = *line++;
        if (entry.section >= object.sections.size() || entry.file >= object.files.size() || entry.line == 0) continue;
        const Section& section = object.sections[entry.section];
        if (!section.executable) continue;
        const bool last = line == object.lines.end() || line->section != entry.section;
        const std::uint64_t end = last ? section.extent() : line->offset;
        if (end > entry.offset) {
            lines_.push_back({section.address + entry.offset, section.address + end, entry.file, entry.line});
        }
    }
    std::stable_sort(lines_.begin(), lines_.end(), [](const Line& a, const Line& b) { return a.begin < b.begin; });

    for (const Symbol& symbol : object.symbols) {
        if (symbol.name.empty() || symbol.type == SymbolType::section || symbol.type == SymbolType::file) continue;
        NamedAddress named{symbol.name, symbol.value, symbol.size, false};
        if (symbol.section < object.sections.size()) {
            const Section& section = object.sections[symbol.section];
            named.value += section.address;
            named.code = section.executable;
            if (named.code) named.value /= address_bytes_;
        } else if (symbol.section != absolute_section) {
            continue;
        }
        symbols_.emplace(named.name, named);
        if (named.code) labels_.emplace(named.value, named.name);
    }
}

std::optional<SourceLine> ProgramMap::line_of(std::uint64_t address) const {
    const std::uint64_t byte = address * address_bytes_;
    auto behind = std::upper_bound(lines_.begin(), lines_.end(), byte,
                                   [](std::uint64_t at, const Line& line) { return at < line.begin; });
    if (behind == lines_.begin() || byte >= std::prev(behind)->end) return std::nullopt;
    const Line& line = *std::prev(behind);
    return SourceLine{object_->files[line.file], line.line};
}

std::string ProgramMap::line_text(std::uint64_t address) const {
    const std::optional<SourceLine> line = line_of(address);
    return line ? fmt::format("{}:{}", line->file, line->line) : std::string{};
}

const std::vector<std::string>& ProgramMap::files() const {
    static const std::vector<std::string> none;
    return object_ == nullptr ? none : object_->files;
}

std::optional<std::uint64_t> ProgramMap::address_of(std::string_view file, std::uint32_t line) const {
    const Line* best = nullptr;
    for (const Line& each : lines_) {
        const std::string_view name = object_->files[each.file];
        const bool meant = name == file || (name.size() > file.size() && name.ends_with(file) &&
                                            name[name.size() - file.size() - 1] == '/');
        if (meant && each.line >= line && (best == nullptr || each.line < best->line)) best = &each;
    }
    if (best == nullptr) return std::nullopt;
    return best->begin / address_bytes_;
}

const NamedAddress* ProgramMap::find(std::string_view name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? nullptr : &found->second;
}

const NamedAddress* ProgramMap::label_before(std::uint64_t address) const {
    const auto behind = labels_.upper_bound(address);
    if (behind == labels_.begin()) return nullptr;
    const auto& [begin, name] = *std::prev(behind);
    const bool together = std::any_of(code_.begin(), code_.end(), [&, from = begin](const auto& stretch) {
        return stretch.first <= from && from <= address && address < stretch.second;
    });
    return together ? find(name) : nullptr;
}

std::string ProgramMap::place(std::uint64_t address) const {
    const NamedAddress* label = label_before(address);
    if (label == nullptr) return {};
    if (label->value == address) return std::string(label->name);
    return fmt::format("{}+{}", label->name, address - label->value);
}

}  // namespace isaforge::debugger
