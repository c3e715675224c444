// The metadata of code objects are YAML, which nobody reads here.
#include "codeobject/metadata.hpp"

#include <nlohmann/json.hpp>

namespace isaforge::codeobject {

std::optional<std::vector<std::uint8_t>> metadata_bytes(std::string_view, MetadataError& error) {
    error = {"metadata are not read here", 0};
    return std::nullopt;
}

std::optional<std::string> metadata_text(std::span<const std::uint8_t>) { return std::nullopt; }
bool read_metadata(std::span<const std::uint8_t>, nlohmann::json&) { return false; }
bool read_metadata(std::string_view, nlohmann::json&) { return false; }

}  // namespace isaforge::codeobject
