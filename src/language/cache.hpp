// Models of descriptions that were read, kept in a folder for the next time. An entry is found by what the description and the
// options are, and counts only where it was made by this very program from texts that are now the same, byte for byte: it holds
// them. What is damaged is not looked into, and what others could have changed is not opened.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge::language {

inline constexpr std::size_t most_entries_kept = 100;                        // the oldest goes then
inline constexpr std::uint64_t largest_entry = std::uint64_t{256} << 20;     // in bytes
inline constexpr std::size_t fewest_forms_kept = 200;                        // others are read as fast from their text

// A description and what it was asked for.
struct CacheRequest {
    std::string name, text;  // of the file; what it includes is found from this name
    bool is_builtin = false;
    std::string options;     // of LoadOptions, those that the model depends on
};

// A file that a description includes: its path as it is opened, and what stands in it.
struct IncludedText {
    std::string path, text;
};

// What there is in the folder for this description: packed.hpp makes the model of `packed`.
struct CacheEntry {
    std::string bytes;
    std::string_view packed;
    std::vector<IncludedText> included;
};

class Cache {
public:
    explicit Cache(std::string folder) : folder_(std::move(folder)) {}

    // Null where there is nothing that can be used.
    std::shared_ptr<const CacheEntry> find(const CacheRequest& request) const;
    // Nothing is said where that fails. At any time, whoever looks finds nothing or a whole entry.
    void keep(const CacheRequest& request, const std::vector<IncludedText>& included, std::string_view packed) const;

private:
    std::string path_of(const CacheRequest& request) const;
    void drop_oldest() const;

    std::string folder_;
};

}  // namespace isaforge::language
