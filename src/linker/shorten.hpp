// Taking bytes out of objects before they are put together: padding that is more than an alignment needs, and what a shorter
// instruction leaves, where an object says that it may.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/object.hpp"

namespace isaforge {

// `count` bytes of a section, from `offset` on.
struct Cut {
    Index section = no_index;
    std::uint64_t offset = 0, count = 0;
};

// Takes bytes out: what lies behind moves up, with symbols, relocations and lines; what shrinks has a smaller size. The cuts
// are sorted by section and offset, and lie apart.
void cut(Object& object, const std::vector<Cut>& cuts);

// Leaves of the padding that relocations of the machine's `align` tell of as much as their alignment takes. Empty, or what is
// wrong and, in `section` and `offset`, where.
std::string settle_padding(Object& object, const Codec& codec, Index& section, std::uint64_t& offset);

// Finds shorter instructions, among all that `asm --relax` would take for the same text.
class Shortener {
public:
    explicit Shortener(const Codec& codec);
    ~Shortener();

    struct Shorter {
        Encoded encoded;         // its number is not in it
        std::uint32_t type = 0;  // the number's relocation
    };
    // The shortest for the instruction at `bytes` whose number, of relocation `type`, leads to `target`, also where the
    // distance changes by `slack`. Nothing where there is none.
    std::optional<Shorter> find(const std::uint8_t* bytes, std::size_t available, std::uint32_t type, unsigned number,
                                std::int64_t target, std::uint64_t address, std::int64_t slack, unsigned& bits);

private:
    std::optional<Shorter> of_form(const Encoded& written, std::int64_t target, std::uint64_t address,
                                   std::int64_t slack);
    std::optional<Shorter> of_text(const std::string& text, unsigned bits, std::int64_t target, std::uint64_t address,
                                   std::int64_t slack);

    const Codec& codec_;
    std::unique_ptr<Codec> relaxing_;
};

}  // namespace isaforge
