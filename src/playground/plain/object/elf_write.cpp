// Nobody takes ELF files from here.
#include "isaforge/object.hpp"

namespace isaforge {

bool write_elf(const Object&, const PutBytes&, std::string& error) {
    error = "ELF files are not written here";
    return false;
}

}  // namespace isaforge
