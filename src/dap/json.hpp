// Taking JSON of any shape apart: what is missing, or of another type, is empty.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "protocol/framing.hpp"

namespace isaforge::dap {

using protocol::Json;

inline const Json& member(const Json& object, const char* name) {
    static const Json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(name);
    return found == object.end() ? nothing : *found;
}

inline std::string text_of(const Json& value) { return value.is_string() ? value.get<std::string>() : std::string(); }
inline std::string text(const Json& object, const char* name) { return text_of(member(object, name)); }

inline std::optional<std::int64_t> number(const Json& object, const char* name) {
    const Json& value = member(object, name);
    return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
}
// A count or a number of something: nothing where it is negative.
inline std::optional<std::uint64_t> count(const Json& object, const char* name) {
    const std::optional<std::int64_t> value = number(object, name);
    return value && *value >= 0 ? std::optional(static_cast<std::uint64_t>(*value)) : std::nullopt;
}

inline bool flag(const Json& object, const char* name, bool otherwise = false) {
    const Json& value = member(object, name);
    return value.is_boolean() ? value.get<bool>() : otherwise;
}

}  // namespace isaforge::dap
