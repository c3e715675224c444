#include "lsp/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "isaforge/limits.hpp"
#include "manual/manual.hpp"
#include "manual/site.hpp"
#include "support/input_file.hpp"

namespace isaforge::lsp {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t most_settings_bytes = 1 << 20;
constexpr std::uint32_t most_lines_looked_at = 16;
constexpr unsigned most_folders_looked_at = 64;

std::string text_in(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool is_path(const std::string& name) {
    return name.find('/') != std::string::npos || name.find(".isa") != std::string::npos;
}

std::string absolute(const std::string& name, const std::string& folder) {
    return (fs::path(folder) / name).lexically_normal().string();
}

std::string value_text(const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

// `isaforge: NAME`, and behind it words such as `variant=NAME`.
bool take_comment(Choice& choice, const Text& text, const std::string& folder) {
    constexpr std::string_view mark = "isaforge:";
    for (std::uint32_t i = 0; i < std::min(text.lines(), most_lines_looked_at); ++i) {
        const Span line = text.line(i);
        const std::string_view all = text.view(line);
        const std::size_t at = all.find(mark);
        if (at == std::string_view::npos) continue;
        Json settings = Json::object();
        std::size_t p = at + mark.size();
        std::size_t end = p;
        while (true) {
            p = all.find_first_not_of(" \t", p);
            if (p == std::string_view::npos) break;
            const std::size_t stop = std::min(all.find_first_of(" \t", p), all.size());
            const std::string word(all.substr(p, stop - p));
            const std::size_t sign = word.find('=');
            if (word == "*/") break;
            end = stop;
            if (sign == std::string::npos)
                settings["isa"] = word;
            else if (word.substr(0, sign) == "include")
                settings["include"].push_back(word.substr(sign + 1));
            else
                settings[word.substr(0, sign)] = word.substr(sign + 1);
            p = stop;
        }
        if (text_in(settings, "isa").empty()) continue;
        take_settings(choice, settings, folder);
        choice.where = {line.begin + static_cast<std::uint32_t>(at), line.begin + static_cast<std::uint32_t>(end)};
        choice.in_program = true;
        return true;
    }
    return false;
}

// The isaforge.json of the folder or of one above it. What is wrong with one is the choice's problem.
bool take_file(Choice& choice, fs::path folder) {
    for (unsigned i = 0; i < most_folders_looked_at; ++i) {
        const fs::path path = folder / "isaforge.json";
        std::error_code code;
        if (fs::is_regular_file(path, code)) {
            std::string text, error;
            if (!read_input(path.string(), Readable::only_regular, text, error, most_settings_bytes)) {
                choice.problem = fmt::format("cannot read '{}': {}", path.string(), error);
                return true;
            }
            const Json settings = Json::parse(text, nullptr, false, true);
            if (!settings.is_object())
                choice.problem = fmt::format("'{}' is no JSON object", path.string());
            else
                take_settings(choice, settings, folder.string());
            return true;
        }
        if (!folder.has_relative_path() || folder == folder.parent_path()) return false;
        folder = folder.parent_path();
    }
    return false;
}

}  // namespace

void take_settings(Choice& choice, const Json& settings, const std::string& folder) {
    if (!settings.is_object()) return;
    std::string name = text_in(settings, "isa");
    if (!name.empty()) {
        choice.name = is_path(name) ? absolute(name, folder) : name;
        choice.variant.clear();
        choice.dialect.clear();
    }
    if (const std::string variant = text_in(settings, "variant"); !variant.empty()) choice.variant = variant;
    if (const std::string dialect = text_in(settings, "dialect"); !dialect.empty()) choice.dialect = dialect;
    if (const auto include = settings.find("include"); include != settings.end() && include->is_array()) {
        for (const Json& one : *include)
            if (one.is_string()) choice.include_paths.push_back(absolute(one.get<std::string>(), folder));
    }
    if (const auto define = settings.find("define"); define != settings.end() && define->is_object()) {
        for (const auto& [key, value] : define->items()) choice.defines.emplace_back(key, value_text(value));
    }
    if (const auto given = settings.find("parameters"); given != settings.end() && given->is_object()) {
        for (const auto& [key, value] : given->items()) choice.parameters.push_back(key + "=" + value_text(value));
    }
}

Choice choose(const Text& text, const std::string& path, const Choice& preset) {
    Choice choice = preset;
    const fs::path folder = fs::path(path).parent_path();
    if (!path.empty()) take_file(choice, folder);
    if (take_comment(choice, text, folder.string())) choice.problem.clear();
    if (choice.problem.empty() && choice.name.empty()) {
        std::string names;
        for (const auto& [name, title] : builtin_isas()) names += (names.empty() ? "" : ", ") + name;
        choice.problem = fmt::format(
            "no instruction set is known for this program: say it in a comment of its first lines, as `isaforge: "
            "NAME`, in an "
            "isaforge.json beside it, as {{\"isa\": \"NAME\"}}, or in the editor's settings; NAME is the path of an "
            ".isa file or "
            "one of {}",
            names);
    }
    return choice;
}

StandIns::Texts texts_of(const Overlays& overlays) {
    StandIns::Texts out;
    for (const auto& [path, text] : overlays) out[fs::path(path).lexically_normal().string()] = text.second;
    return out;
}

Machine::Machine() = default;
Machine::~Machine() = default;

const manual::Edition& Machine::edition() const {
    if (!edition_) {
        const auto configuration = std::make_shared<manual::Configuration>();
        configuration->isa = isa;
        configuration_ = configuration;
        edition_ = std::make_unique<manual::Edition>(*configuration, 0);
    }
    return *edition_;
}

std::shared_ptr<const Machine> Machines::get(const Choice& choice, const Overlays& overlays) {
    const bool is_file = is_path(choice.name);
    std::string key =
        fmt::format("{}\n{}\n{}\n{}", choice.name, choice.variant, choice.dialect, fmt::join(choice.parameters, "\n"));
    if (is_file) {
        // Any of the files that it includes may have changed: those that editors hold have versions.
        std::error_code code;
        key += fmt::format("\n{}", fs::last_write_time(choice.name, code).time_since_epoch().count());
        for (const auto& [path, text] : overlays)
            if (path.ends_with(".isa")) key += fmt::format("\n{} {}", path, text.first);
    }
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(known_.begin(), known_.end(), [&](const auto& one) { return one->key == key; });
    if (found != known_.end()) {
        std::rotate(known_.begin(), found, found + 1);
        return known_.front();
    }
    const auto made = std::make_shared<Machine>();
    made->key = key;
    if (is_file) made->path = choice.name;
    const StandIns stand_ins(texts_of(overlays));
    LoadOptions options;
    options.variant = choice.variant;
    options.dialect = choice.dialect;
    for (const std::string& parameter : choice.parameters) {
        const std::size_t sign = parameter.find('=');
        char* end = nullptr;
        const std::string value = parameter.substr(sign + 1);
        options.parameters[parameter.substr(0, sign)] = std::strtoull(value.c_str(), &end, 0);
    }
    made->isa = load_isa(choice.name, made->sources, made->diagnostics, options);
    if (made->isa) {
        made->codec = std::make_unique<Codec>(made->isa);
        (void)made->codec->tables();  // requests do not wait for them
    }
    known_.insert(known_.begin(), made);
    if (known_.size() > most) known_.pop_back();
    return made;
}

}  // namespace isaforge::lsp
