// What an instruction set claims of its code space, as cubes: its forms, what it reserves, and, for some questions, what its
// pools forbid. Accounting and maps start from this list.
#pragma once

#include <vector>

#include "encoding/diagram.hpp"

namespace isaforge::encoding {

struct Claim {
    enum class Kind : std::uint8_t { form, reserved, forbidden };
    Kind kind = Kind::form;
    Index form = no_index;  // kind form
    Cube cube;
};

// The forms that are no aliases, then the reserved patterns and the reserved rows of tables.
std::vector<Claim> claims_of(const Isa& isa);

// The same with padding given to who has it: zeros of a bar behind its first field that nobody else makes use of. So an
// instruction is one block, not one of many words with gaps between them.
std::vector<Claim> padded_claims(const Isa& isa, std::vector<Claim> claims);

// The blocks that `format` may not have: what lies outside of its pools, or inside of all pools where it has none.
std::vector<Cube> forbidden_to(const Isa& isa, Index format);

std::vector<Cube> cubes_of(const std::vector<Claim>& claims);

enum class Content : std::uint8_t { free, reserved, used };

// Who has the words of a leaf. Where forms meet, one of them has invalid operands there: the one that fixes the most bits is
// the special case, and has them.
struct Holder {
    Content content = Content::free;
    Index form = no_index;
};
Holder holder_of(const std::vector<Claim>& claims, const Diagram::Owners& owners);

}  // namespace isaforge::encoding
