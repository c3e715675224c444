// The descriptions that are compiled into the library. The build writes the table from the files below isas/.
#pragma once

#include <string_view>

namespace isaforge::language {

struct EmbeddedFile {
    std::string_view path;  // below isas/: "family/name.isa"
    std::string_view text;
};

extern const EmbeddedFile embedded_files[];  // ends with an entry whose path is empty

}  // namespace isaforge::language
