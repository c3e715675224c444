// The descriptions that are compiled into the library. The build writes the table from the files below isas/.
#pragma once

#include <string_view>

namespace isaforge::language {

struct EmbeddedFile {
    std::string_view path;  // below isas/: "family/name.isa"
    std::string_view text;
};

extern const EmbeddedFile embedded_files[];  // ends with an entry whose path is empty

// The models of all of them in all variants, in the dialect and with the parameters that they have where nobody asks for others,
// as isa/packed.hpp makes them. The program that the build makes them with has none.
std::string_view packed_descriptions();

}  // namespace isaforge::language
