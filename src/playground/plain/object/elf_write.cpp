// Nobody takes ELF files from here.
#include "isaforge/object.hpp"

namespace isaforge {

bool write_elf(const Object&, std::string&, std::string& error) {
    error = "ELF files are not written here";
    return false;
}

}  // namespace isaforge
