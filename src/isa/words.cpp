#include "isa/words.hpp"

#include <fmt/format.h>

namespace isaforge {

std::string words_in_hex(const Isa& isa, const Image& image, unsigned bits, std::string_view between) {
    std::string out;
    for (unsigned at = 0; at < bits; at += isa.unit_bits) {
        const std::string unit = fmt::format("{:0{}x}", image.get(at, isa.unit_bits), isa.unit_bits / 4);
        if (isa.last_unit_first)
            out.insert(0, unit);
        else
            out.append(at == 0 ? "" : between).append(unit);
    }
    return out;
}

}  // namespace isaforge
