#include "hardware/parts.hpp"

#include <fmt/format.h>

#include "hardware/writer.hpp"

namespace isaforge::hardware {

namespace {

// Some bits of the bundle.
std::string slice_module(const Decoder& decoder, const std::string& name, unsigned high, unsigned low) {
    return fmt::format(
        "module {0}_{1} (input [{2}:0] word, output [{3}:0] part);\n    wire [{4}:0] decoded;\n"
        "    {0}_decoder decoder (.word(word), .decoded(decoded));\n    assign part = decoded[{5}:{6}];\nendmodule\n",
        decoder.name, name, decoder.word_bits - 1, high - low, decoder.bundle_bits() - 1, high, low);
}

}  // namespace

Parts parts_of(const Decoder& decoder) {
    Parts out;
    unsigned at = decoder.bundle_bits() - 1;
    const auto part = [&](const std::string& name, unsigned width) {
        out.text += slice_module(decoder, name, at, at - width + 1);
        out.list.push_back({name, fmt::format("{}_{}", decoder.name, name)});
        at -= width;
    };
    --at;
    part("length", decoder.length_bits());
    at -= decoder.format_bits();
    out.text += systemverilog_formats(decoder);
    out.list.push_back({"format", fmt::format("{}_formats", decoder.name)});
    part("form", decoder.form_bits());
    at -= static_cast<unsigned>(decoder.effects.size());
    if (!decoder.members.empty()) part("operands", at + 1);
    out.list.push_back({"all", decoder.name + "_decoder"});
    return out;
}

}  // namespace isaforge::hardware
