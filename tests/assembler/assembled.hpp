// A source in memory and what the assembler makes of it, for tests and fuzzers.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "isaforge/assembler.hpp"

namespace isaforge::testing {

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

inline std::unique_ptr<Assembled> assembled(const Codec& codec, std::string name, std::string text,
                                            AssembleOptions options = {}) {
    auto result = std::make_unique<Assembled>();
    result->file = result->sources.add(std::move(name), std::move(text));
    result->good =
        assemble(codec, result->file, result->sources, options, result->object, result->diagnostics, &result->listing);
    return result;
}

}  // namespace isaforge::testing
