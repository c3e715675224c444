// Assembles a text for the WISHBONE GPU; what the tests of assembler, object files and disassembler begin with.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "assembler/assembled.hpp"

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

inline std::unique_ptr<Assembled> assemble_text(std::string text, AssembleOptions options = {},
                                                const Codec& codec = gpu()) {
    return assembled(codec, "t.s", std::move(text), std::move(options));
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
