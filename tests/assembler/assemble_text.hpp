// Assembles a text for the WISHBONE GPU; what the tests of assembler, object files and disassembler begin with.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>

#include "isaforge/assembler.hpp"

namespace isaforge::testing {

inline const Codec& gpu() {
    static SourceManager sources;
    static Diagnostics diagnostics;
    static const Codec codec([] {
        auto isa = load_isa("wishbone-gpu", sources, diagnostics);
        if (!isa) {
            std::fputs(to_text(diagnostics, sources).c_str(), stderr);
            std::abort();
        }
        return isa;
    }());
    return codec;
}

// A sample description below tests/isas, in one of its variants where it has several.
inline const Codec& sample(const std::string& name, const std::string& variant = {}) {
    static SourceManager sources;
    static std::map<std::string, std::unique_ptr<const Codec>> codecs;
    std::unique_ptr<const Codec>& codec = codecs[name + " " + variant];
    if (!codec) {
        Diagnostics diagnostics;
        LoadOptions options;
        options.variant = variant;
        const auto isa = load_isa(ISAFORGE_SOURCE_DIR "/tests/isas/" + name + ".isa", sources, diagnostics, options);
        if (!isa) {
            std::fputs(to_text(diagnostics, sources).c_str(), stderr);
            std::abort();
        }
        codec = std::make_unique<Codec>(isa);
    }
    return *codec;
}

struct Assembled {
    SourceManager sources;
    Diagnostics diagnostics;
    Object object;
    Listing listing;
    FileId file = 0;
    bool good = false;

    std::string messages() const { return to_text(diagnostics, sources); }
    std::string hex(std::string_view section) const {
        std::string text;
        const Index index = object.find_section(section);
        if (index == no_index) return "no section";
        for (const std::uint8_t byte : object.sections[index].bytes) {
            char digits[3];
            std::snprintf(digits, sizeof digits, "%02x", byte);
            text += digits;
        }
        return text;
    }
};

inline std::unique_ptr<Assembled> assemble_text(std::string text, AssembleOptions options = {},
                                                const Codec& codec = gpu()) {
    auto result = std::make_unique<Assembled>();
    result->file = result->sources.add("t.s", std::move(text));
    result->good =
        assemble(codec, result->file, result->sources, options, result->object, result->diagnostics, &result->listing);
    return result;
}

// What a command prints, and whether it ended well.
inline bool run_command(const std::string& command, std::string& output) {
    std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
    if (!pipe) return false;
    char buffer[4096];
    output.clear();
    for (std::size_t count; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, count);
    return pclose(pipe) == 0;
}

}  // namespace isaforge::testing
