// Style and script of the manual's pages, compiled in: the build makes the table from the files beside this one.
#pragma once

#include <string_view>

namespace isaforge::manual {

struct EmbeddedAsset {
    std::string_view path;
    std::string_view text;
};

extern const EmbeddedAsset embedded_assets[];  // ends with an entry whose path is empty

}  // namespace isaforge::manual
