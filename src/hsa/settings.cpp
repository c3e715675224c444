#include "hsa/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include "hsa/messages.hpp"
#include "isaforge/findings.hpp"

namespace isaforge::hsa {

namespace {

// Null where it is not set, or empty.
const char* setting(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr || *value == '\0' ? nullptr : value;
}

void read_number(const char* name, unsigned low, unsigned high, unsigned& number) {
    const char* const value = setting(name);
    if (value == nullptr) return;
    const std::string_view text = value;
    unsigned read = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), read);
    if (error != std::errc() || end != text.data() + text.size() || read < low || read > high)
        say("{}={}: expected a number from {} to {}", name, text, low, high);
    else
        number = read;
}

std::vector<std::string> parts_of(std::string_view list) {
    std::vector<std::string> parts;
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        if (comma != 0) parts.emplace_back(list.substr(0, comma));
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return parts;
}

}  // namespace

Settings settings_of_environment() {
    constexpr unsigned most_units = 64, most_threads = 1024;
    Settings settings;
    if (const char* const list = setting("ISAFORGE_GPU_ISA"); list != nullptr)
        if (auto parts = parts_of(list); !parts.empty()) settings.processors = std::move(parts);
    read_number("ISAFORGE_GPU_UNITS", 1, most_units, settings.units);
    read_number("ISAFORGE_GPU_THREADS", 1, most_threads, settings.threads);
    if (const char* const name = setting("ISAFORGE_GPU_ENGINE"); name != nullptr) {
        if (const std::optional<Engine> engine = parse_engine(name))
            settings.engine = *engine;
        else
            say("ISAFORGE_GPU_ENGINE={}: expected auto, interpreter or jit", name);
    }
    if (const char* const list = setting("ISAFORGE_GPU_CHECK"); list != nullptr) {
        if (const std::optional<Checks> checks = parse_checks(list))
            settings.checks = *checks;
        else
            say("ISAFORGE_GPU_CHECK={}: expected all, or a list of checks", list);
    }
    if (const char* const list = setting("ISAFORGE_GPU_IGNORE"); list != nullptr) settings.ignored = parts_of(list);
    settings.trace = setting("ISAFORGE_GPU_TRACE") != nullptr;
    settings.profile = setting("ISAFORGE_GPU_PROFILE") != nullptr;
    return settings;
}

}  // namespace isaforge::hsa
