// The metadata of a code object: MessagePack in a note, YAML in a source. LLVM decides what a YAML scalar without a tag
// is: a number where it reads as one, true or false, else a text; quotes make no difference, the tag `!str` does.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace isaforge::codeobject {

// What is wrong with a text, and in which of its lines, counted from 0.
struct MetadataError {
    std::string message;
    std::size_t line = 0;
};

// Nothing, with `error` set, where the text is not YAML or not metadata.
std::optional<std::vector<std::uint8_t>> metadata_bytes(std::string_view yaml, MetadataError& error);

// The YAML, from `---` to `...`, from which metadata_bytes makes exactly these bytes; nothing where there is none.
std::optional<std::string> metadata_text(std::span<const std::uint8_t> bytes);

// The tree that the bytes of a note hold, or the YAML of one of version 2. False where they hold none.
bool read_metadata(std::span<const std::uint8_t> bytes, nlohmann::json& root);
bool read_metadata(std::string_view yaml, nlohmann::json& root);

}  // namespace isaforge::codeobject
