// Nobody brings ELF files here.
#include "isaforge/object.hpp"

namespace isaforge {

bool is_elf(std::span<const std::uint8_t>) { return false; }

std::optional<Object> read_elf(std::span<const std::uint8_t>, std::string& error, bool) {
    error = "ELF files are not read here";
    return std::nullopt;
}

std::optional<Object> read_elf(std::vector<std::uint8_t>&& bytes, std::string& error, bool with_lines) {
    return read_elf(std::span<const std::uint8_t>(bytes), error, with_lines);
}

}  // namespace isaforge
