// Where the program stands, and the sources that it comes from.
#include <fmt/format.h>

#include <algorithm>

#include "dap/adapter.hpp"

namespace isaforge::dap {

namespace {

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

// A path that the client can open, or else a number by which it asks for the text.
Json Adapter::source_body(std::string_view name) {
    Json body = {{"name", last_part(name)}};
    if (const std::string path = debuggee_->source_path(std::string(name)); !path.empty()) {
        body["path"] = path;
        return body;
    }
    const std::vector<std::string>& files = debuggee_->map().files();
    const auto found = std::ranges::find(files, name);
    if (found != files.end()) body["sourceReference"] = found - files.begin() + 1;
    return body;
}

// Which of the object's files the client means.
std::optional<std::string> Adapter::file_of(const Json& source) const {
    const std::vector<std::string>& files = debuggee_->map().files();
    const std::string path = text(source, "path");
    if (const auto number = count(source, "sourceReference"); number && *number != 0) {
        if (*number <= files.size()) return files[*number - 1];
        return std::nullopt;
    }
    if (path.empty()) return std::nullopt;
    for (const std::string& file : files)
        if (file == path || debuggee_->source_path(file) == path) return file;
    for (const std::string& file : files)
        if (path.ends_with("/" + file) || file.ends_with("/" + path)) return file;
    for (const std::string& file : files)
        if (last_part(file) == last_part(path)) return file;
    return std::nullopt;
}

Json Adapter::stack_trace(const Json& arguments) {
    int lane = -1;
    const std::uint64_t thread = count(arguments, "threadId").value_or(0);
    if (!choose(thread, lane)) return fail(fmt::format("there is no thread {}", thread));
    const std::uint64_t pc = machine().pc();
    const std::string place = debuggee_->map().place(pc);
    Json frame = {{"id", thread},
                  {"name", place.empty() ? fmt::format("{:#x}", pc) : place},
                  {"line", 0},
                  {"column", 0},
                  {"instructionPointerReference", fmt::format("{:#x}", pc)}};
    if (const auto line = debuggee_->map().line_of(pc)) {
        frame["source"] = source_body(line->file);
        frame["line"] = static_cast<std::int64_t>(line->line) - 1 + first_line_;
        frame["column"] = first_line_;
    }
    Json frames = Json::array();
    if (count(arguments, "startFrame").value_or(0) == 0) frames.push_back(std::move(frame));
    return {{"stackFrames", frames}, {"totalFrames", 1}};
}

Json Adapter::source(const Json& arguments) {
    Json asked = member(arguments, "source");
    if (!asked.is_object()) asked = {{"sourceReference", count(arguments, "sourceReference").value_or(0)}};
    const std::optional<std::string> file = file_of(asked);
    const std::optional<std::string> content = file ? debuggee_->source(*file) : std::nullopt;
    return content ? Json{{"content", *content}} : fail("this source is not there");
}

Json Adapter::loaded_sources(const Json&) {
    Json all = Json::array();
    for (const std::string& file : debuggee_->map().files()) all.push_back(source_body(file));
    return {{"sources", all}};
}

}  // namespace isaforge::dap
