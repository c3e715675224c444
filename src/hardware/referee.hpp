// What decoders are held against. Both halves are made of what the codec decodes with, and of nothing that decoders are made of
// but the order and the widths of the bundle's parts, and the effects of forms.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "hardware/decoder.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::hardware {

// A module named with `_reference`: the codec's own tree of decisions and its tables of codes, written down as they are, and
// each bit of an operand from where the codec takes it. Beside the bundle it gives which of its bits mean something. Another
// one, named with `_proof`, has the output `differs`, which is 0 for every word if the decoder is right.
std::string reference(const Decoder& decoder, const Codec& codec);

// Lines for a testbench: words, what is expected of each, and which bits of that mean something, as hexadecimal digits side by
// side. Every form comes once and more where there is an instruction of it; a quarter of the rest are instructions, a quarter
// has the bits of one, a quarter all but one of these, the others are any words. Equal seeds give equal lines. `take` is
// given a line at a time; false ends it.
void expect_words(const Decoder& decoder, const Codec& codec, std::uint64_t count, std::uint64_t seed,
                  const std::function<bool(std::string_view)>& take);

}  // namespace isaforge::hardware
