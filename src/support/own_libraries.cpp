#include "support/own_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>

namespace isaforge {

namespace {

// The file that this function is part of: the program, or a library that some program has loaded.
std::filesystem::path own_file() {
    Dl_info about{};
    link_map* map = nullptr;
    const bool found = ::dladdr1(reinterpret_cast<const void*>(&own_file), &about, reinterpret_cast<void**>(&map),
                                 RTLD_DL_LINKMAP) != 0;
    if (found && map != nullptr && map->l_name != nullptr && *map->l_name != '\0') return map->l_name;
    std::error_code error;
    return std::filesystem::read_symlink("/proc/self/exe", error);
}

}  // namespace

std::string find_own_library(std::string_view name) {
    const std::filesystem::path own = own_file();
    if (own.empty()) return {};
    std::error_code error;
    for (const char* const place : {".", "..", "../" ISAFORGE_LIBRARIES "/isaforge"}) {
        const std::filesystem::path path = own.parent_path() / place / name;
        if (std::filesystem::exists(path, error)) return path.lexically_normal().string();
    }
    return {};
}

}  // namespace isaforge
