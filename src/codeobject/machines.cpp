// The machines of ELF files, as the System V ABI numbers them (https://www.sco.com/developers/gabi/latest/ch4.eheader.html),
// for messages: those whose files one is likely to have.
#include <algorithm>
#include <utility>

#include "object/flavour.hpp"

namespace isaforge {

namespace {

constexpr std::pair<std::uint16_t, std::string_view> names[] = {
    {2, "SPARC"},     {3, "Intel 80386"},  {4, "Motorola 68000"}, {8, "MIPS"},        {15, "PA-RISC"},
    {20, "PowerPC"},  {21, "PowerPC64"},   {22, "S/390"},         {40, "ARM"},        {42, "SuperH"},
    {43, "SPARC V9"}, {50, "IA-64"},       {62, "x86-64"},        {65, "PDP-11"},     {75, "VAX"},
    {83, "AVR"},      {92, "OpenRISC"},    {94, "Xtensa"},        {105, "MSP430"},    {164, "Hexagon"},
    {183, "AArch64"}, {189, "MicroBlaze"}, {195, "ARC"},          {220, "Z80"},       {224, "AMD GPU"},
    {243, "RISC-V"},  {247, "BPF"},        {252, "C-SKY"},        {258, "LoongArch"}, {6502, "MOS 6502"},
};

}  // namespace

std::string_view machine_name(std::uint16_t machine) {
    const auto* const found = std::ranges::find(names, machine, &std::pair<std::uint16_t, std::string_view>::first);
    return found == std::end(names) ? std::string_view() : found->second;
}

}  // namespace isaforge
