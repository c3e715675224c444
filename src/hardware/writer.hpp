// Printers of decoders: the same decoder in the languages of hardware, with testbenches that compare it with given answers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hardware/decoder.hpp"

namespace isaforge::hardware {

// A package with the types, named as the decoder with `_pkg`, and a module with a port `word` and one `decoded`, named with
// `_decoder`.
std::string systemverilog(const Decoder& decoder);
// A module named with `_formats` with an output for each format, in their order: what the decoder tells them apart by.
std::string systemverilog_formats(const Decoder& decoder);
// The decoder as VHDL-2008; the package has `to_bits` besides, which gives the bundle as bits, as SystemVerilog has it.
std::string vhdl(const Decoder& decoder);

// A testbench named with `_testbench`: it reads words with what is expected from a file, says what differs, and how many words
// it has seen; where something differs it fails. `words`: the file's name.
std::string systemverilog_testbench(const Decoder& decoder, std::string_view words);
std::string vhdl_testbench(const Decoder& decoder, std::string_view words);

// What printers have in common.

// Text with `prefix` in front of each line, at most `width` characters each, broken between words; what is no printable
// character of ASCII becomes a question mark.
std::string comment(std::string_view prefix, std::string_view words, std::size_t width = 118);
// Items with a comma and a blank between them, over several lines if need be; later lines begin with `indent`.
std::string list(const std::vector<std::string>& items, const std::string& separator, std::size_t column,
                 const std::string& indent, std::size_t width = 118);
// A pattern with underscores between what stands in different slices.
std::string grouped(const std::string& pattern, const Slices& of);
// What a member's declaration says behind it; at most `width` characters.
std::string member_text(const Decoder& decoder, const Member& member, std::size_t width);
// What a limit allows, of which operands.
std::string limit_text(const Decoder& decoder, const LimitKept& kept);

}  // namespace isaforge::hardware
