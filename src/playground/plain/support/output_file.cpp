// Nothing is written.
#include "support/output_file.hpp"

#include "isaforge/object.hpp"

namespace isaforge {

bool write_file_atomically(const std::string&, std::string_view, std::string& error) {
    error = "files are not written here";
    return false;
}

}  // namespace isaforge
