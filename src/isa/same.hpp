// Whether two models, or parts of them, are the same in every member; trees are compared by what they hold.
#pragma once

#include <algorithm>
#include <memory>

#include "isa/members.hpp"

namespace isaforge {

template <typename T>
bool same(const T& a, const T& b);

namespace members {

template <typename T>
inline constexpr bool is_pointer = false;
template <typename T>
inline constexpr bool is_pointer<std::shared_ptr<T>> = true;
template <typename T>
inline constexpr bool is_optional = false;
template <typename T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <typename T>
inline constexpr bool is_shared_list = false;
template <typename T>
inline constexpr bool is_shared_list<SharedList<T>> = true;
template <typename T>
inline constexpr bool is_pair = false;
template <typename A, typename B>
inline constexpr bool is_pair<std::pair<A, B>> = true;
template <typename T>
inline constexpr bool is_array = false;
template <typename T, std::size_t n>
inline constexpr bool is_array<std::array<T, n>> = true;
template <typename T>
inline constexpr bool is_vector = false;
template <typename T>
inline constexpr bool is_vector<std::vector<T>> = true;
template <typename T>
inline constexpr bool is_rows = false;
template <typename T>
inline constexpr bool is_rows<Rows<T>> = true;
template <typename T>
concept IsMap = requires {
    typename T::mapped_type;
};

}  // namespace members

template <typename T>
bool same(const T& a, const T& b) {
    if constexpr (std::is_same_v<T, Place>) {
        return a.file == b.file && a.offset == b.offset && a.length == b.length;
    } else if constexpr (std::is_same_v<T, BitPieces>) {
        return std::ranges::equal(a, b, [](const BitPiece& one, const BitPiece& other) {
            return one.position == other.position && one.width == other.width && one.shift == other.shift;
        });
    } else if constexpr (HasMembers<T>) {
        bool equal = true;
        for_each_member<T>([&](auto member) { equal = equal && same(a.*member, b.*member); });
        return equal;
    } else if constexpr (members::is_pointer<T>) {
        return a == b || (a && b && same(*a, *b));
    } else if constexpr (members::is_optional<T>) {
        return a.has_value() == b.has_value() && (!a || same(*a, *b));
    } else if constexpr (members::is_pair<T>) {
        return same(a.first, b.first) && same(a.second, b.second);
    } else if constexpr (members::is_vector<T> || members::is_shared_list<T> || members::is_array<T> ||
                         members::is_rows<T> || members::IsMap<T>) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                          [](const auto& one, const auto& other) { return same(one, other); });
    } else {
        return a == b;
    }
}

}  // namespace isaforge
