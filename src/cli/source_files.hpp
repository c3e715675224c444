// The sources of a program, as its object names them. An object may name anything: what is opened is a regular file below
// the working directory, or below a folder that was given for it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace isaforge::cli {

inline constexpr std::size_t most_source_bytes = std::size_t{1} << 26;

// The text of a source; nothing where there is no such file in the places allowed. A name that leads elsewhere is looked
// for by its last part in `folders`.
std::optional<std::string> read_source_file(const std::string& name, const std::vector<std::string>& folders);

}  // namespace isaforge::cli
