// From code addresses to what the programmer wrote, and back: symbols and source lines of an object whose sections have
// their addresses. Code addresses count what the machine's pc counts; an object counts bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/object.hpp"

namespace isaforge::debugger {

struct SourceLine {
    std::string_view file;
    std::uint32_t line = 0;
    bool operator==(const SourceLine&) const = default;
};

struct NamedAddress {
    std::string_view name;
    std::uint64_t value = 0;  // of a label in the code: its code address; else the value in bytes
    std::uint64_t size = 0;   // bytes, 0: unknown
    bool code = false;
};

class ProgramMap {
public:
    ProgramMap() = default;
    // `object` is referred to, and has to live as long as this.
    explicit ProgramMap(const Object& object);

    // The sources, as the object names them.
    const std::vector<std::string>& files() const;

    // The line whose bytes include this code address.
    std::optional<SourceLine> line_of(std::uint64_t address) const;
    // "draw.s:12", or nothing where the line is not known.
    std::string line_text(std::uint64_t address) const;
    // The lowest code address that comes from this line, or from the next one behind it that has code. The file may be
    // named by the end of its path.
    std::optional<std::uint64_t> address_of(std::string_view file, std::uint32_t line) const;

    // All symbols with a name, by name. Of several with one name the first counts.
    const std::map<std::string_view, NamedAddress>& symbols() const { return symbols_; }
    const NamedAddress* find(std::string_view name) const;
    // The code's label at this address or the last before it, in the same section.
    const NamedAddress* label_before(std::uint64_t address) const;
    // "loop", "loop+3", or nothing where no label comes before.
    std::string place(std::uint64_t address) const;

    // The stretches of code, as code addresses: first, and the one behind the last.
    const std::vector<std::pair<std::uint64_t, std::uint64_t>>& code() const { return code_; }

private:
    struct Line {
        std::uint64_t begin = 0, end = 0;  // bytes
        Index file = 0;
        std::uint32_t line = 0;
    };

    const Object* object_ = nullptr;
    std::uint64_t address_bytes_ = 1;
    std::vector<Line> lines_;  // by begin
    std::map<std::string_view, NamedAddress> symbols_;
    std::map<std::uint64_t, std::string_view> labels_;  // by code address
    std::vector<std::pair<std::uint64_t, std::uint64_t>> code_;
};

// Names the targets of jumps in printed instructions.
class Labels : public Codec::LabelNamer {
public:
    explicit Labels(const ProgramMap& map) : map_(map) {}
    std::string_view label(std::uint64_t address) override {
        const NamedAddress* found = map_.label_before(address);
        return found != nullptr && found->value == address ? found->name : std::string_view{};
    }

private:
    const ProgramMap& map_;
};

}  // namespace isaforge::debugger
