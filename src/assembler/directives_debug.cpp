// Where compiled code comes from: `.file` and `.loc`, which a compiler writes for a debugger. What they say takes the place
// of the assembly source's own lines.
#include <fmt/format.h>

#include <algorithm>

#include "assembler/engine.hpp"
#include "assembler/limits.hpp"

namespace isaforge::assembler {

namespace {

constexpr std::uint64_t most_lines = ~std::uint32_t{0};

}  // namespace

// `.file number "folder" "name"`, either of which may be all; checksums and the text itself are left. Without a number it
// names the source only.
void Engine::source_file(const char*& p, int) {
    p = skip_space(p);
    if (!is(*p, class_digit)) return skip_statement(p);
    std::uint64_t number = 0;
    std::string folder, name;
    if (!small_count(p, number, "a file's number", limits::file_number) || !string(p, folder)) return skip_statement(p);
    p = skip_space(p);
    if (*p == '"') {
        if (!string(p, name)) return skip_statement(p);
        if (!folder.empty() && !name.starts_with('/')) name = folder + "/" + name;
    } else {
        name = std::move(folder);
    }
    if (told_files_.size() <= number) told_files_.resize(number + 1);
    told_files_[number] = std::move(name);
    skip_statement(p);
}

// `.loc file line column …`: the next instruction comes from there. Columns are not kept.
void Engine::source_line(const char*& p, int) {
    p = skip_space(p);
    const char* const begin = p;
    std::uint64_t file = 0, line = 0;
    if (!small_count(p, file, "a file's number", limits::file_number) || !small_count(p, line, "a line", most_lines))
        return skip_statement(p);
    if (file >= told_files_.size() || told_files_[file].empty()) {
        error(begin, p, fmt::format("there is no .file {}", file));
    } else {
        if (told_waits_) take_told_line();  // two of the same place
        told_next_ = {expressions_.here, static_cast<std::uint32_t>(file), static_cast<std::uint32_t>(line)};
        told_waits_ = true;
    }
    skip_statement(p);
}

// The bytes of an instruction follow.
void Engine::take_told_line() {
    if (!current_->section.executable || told_lines_.size() >= limits::told_lines) return;
    told_waits_ = false;
    told_next_.position = expressions_.here;
    told_lines_.push_back(told_next_);
}

// Files keep their numbers, which what the compiler wrote about its program refers to; 0 comes last.
void Engine::make_told_lines() {
    object_.files.assign(told_files_.begin() + 1, told_files_.end());
    object_.files.push_back(told_files_[0]);
    const auto index_of = [&](std::uint32_t file) {
        return static_cast<Index>(file == 0 ? object_.files.size() - 1 : file - 1);
    };
    std::vector<LineEntry> lines;
    for (const ToldLine& told : told_lines_)
        lines.push_back({told.position.section, index_of(told.file), offset_of(told.position), told.line});
    std::ranges::stable_sort(lines, {}, [](const LineEntry& line) { return std::pair(line.section, line.offset); });
    object_.lines = LineTable(lines);
}

}  // namespace isaforge::assembler
