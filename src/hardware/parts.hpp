// Parts of a decoder as modules of their own, whose size says what they cost.
#pragma once

#include <string>
#include <vector>

#include "hardware/decoder.hpp"

namespace isaforge::hardware {

struct Part {
    std::string name;    // "length"
    std::string module;  // in what is given to synthesis
};

// What is synthesised: modules beside those of the decoder, which has to be read first, and what they are of. The last part is
// the decoder itself.
struct Parts {
    std::string text;
    std::vector<Part> list;
};
Parts parts_of(const Decoder& decoder);

}  // namespace isaforge::hardware
