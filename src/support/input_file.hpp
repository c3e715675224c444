// Reading files whole. Everything that is read under a name is read here, so that nothing is read without a limit.
#pragma once

#include <string>

#include "isaforge/source.hpp"

namespace isaforge {

// False, with the reason in `error`, where it cannot be read, or has more than `most` bytes or than limits.hpp allows.
bool read_input(const std::string& path, Readable what, std::string& text, std::string& error,
                std::uint64_t most = most_file_bytes);

}  // namespace isaforge
