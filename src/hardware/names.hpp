// Names that the languages of hardware take: letters, digits and single underscores, no reserved words, none twice in either
// case.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace isaforge::hardware {

// The name with underscores for what no identifier may have; empty where nothing is left.
std::string plain_name(std::string_view name);

class Names {
public:
    // Names that something is put in front of may be reserved words.
    explicit Names(bool prefixed = false) : prefixed_(prefixed) {}

    // The first of these that is free: the name, the name with what is given besides, that with a number.
    std::string fresh(std::string_view name, std::string_view besides = {});
    void take(std::string_view name);

private:
    bool is_free(const std::string& name) const;
    std::set<std::string> taken_;  // in lower case
    bool prefixed_;
};

}  // namespace isaforge::hardware
