// What the machine looks like as text: a trace's lines, registers, memory.
#include <fmt/format.h>

#include <algorithm>

#include "isaforge/machine.hpp"

namespace isaforge {

namespace {

std::string words_of(const TraceRecord& record, const Isa& isa) {
    std::string text;
    unsigned bits = std::max(record.bits, isa.unit_bits);
    for (unsigned at = 0; at < bits; at += isa.unit_bits)
        text += fmt::format("{:0{}x}", record.image.get(at, std::min(64u, isa.unit_bits)), isa.unit_bits / 4);
    return text;
}

}  // namespace

std::string to_text(const TraceRecord::Change& change) {
    unsigned digits = (change.bits + 3) / 4;
    std::string text = change.name + "=";
    if (change.lanes.empty()) text += fmt::format("{:0{}x}", change.value, digits);
    for (std::size_t i = 0; i < change.lanes.size(); ++i)
        text += fmt::format("{}{:0{}x}", i == 0 ? "" : ":", change.lanes[i], digits);
    return change.late ? text + " (late)" : text;
}

std::string to_text(const TraceRecord& record, const Codec& codec) {
    std::string instruction = "illegal";
    if (record.form != no_index) {
        char buffer[Codec::max_text];
        instruction.assign(buffer, codec.print(buffer, record.form, record.image, record.bits, record.address));
    }
    unsigned widest = 0;
    for (const Form& form : codec.isa().forms) widest = std::max(widest, form.bits);
    std::string text = fmt::format("{:>8} {:>6x}: {:<{}} {:<36}", record.number, record.address,
                                   words_of(record, codec.isa()), widest / 4, instruction);
    if (!record.executed) text += " (not executed)";
    for (const TraceRecord::Change& change : record.changes) text += " " + to_text(change);
    while (text.ends_with(' ')) text.pop_back();
    return text;
}

std::string register_dump(const Machine& machine) {
    constexpr unsigned line_width = 100;
    std::string text = fmt::format("{:>8} {:x}\n", "pc", machine.pc());
    const Isa& isa = machine.isa();
    for (Index index = 0; index < isa.register_files.size(); ++index) {
        const RegisterFile& file = isa.register_files[index];
        unsigned digits = (file.bits + 3) / 4;
        std::size_t line_begin = text.size();
        for (std::uint64_t number = 0; number < file.count; ++number) {
            std::string entry = fmt::format("{:>8} ", machine.register_name(index, number));
            for (unsigned lane = 0; lane < file.lanes; ++lane)
                entry += fmt::format("{}{:0{}x}", lane == 0 ? "" : ":", machine.get(index, number, lane), digits);
            if (text.size() != line_begin && text.size() - line_begin + entry.size() > line_width) {
                text += '\n';
                line_begin = text.size();
            }
            text += entry;
        }
        text += '\n';
    }
    return text;
}

std::string memory_dump(Machine& machine, Index memory, std::uint64_t address, std::uint64_t length) {
    std::span<const std::uint8_t> bytes = machine.memory(memory);
    if (address >= bytes.size()) return {};
    std::uint64_t end = std::min<std::uint64_t>(bytes.size() - address, length) + address;
    std::string text;
    for (std::uint64_t line = address; line < end; line += 16) {
        text += fmt::format("{:08x} ", line);
        std::string characters;
        for (std::uint64_t at = line; at < line + 16; ++at) {
            if (at >= end) {
                text += "   ";
                continue;
            }
            text += fmt::format(" {:02x}", bytes[at]);
            characters += bytes[at] >= 0x20 && bytes[at] < 0x7f ? static_cast<char>(bytes[at]) : '.';
        }
        text += "  |" + characters + "|\n";
    }
    return text;
}

}  // namespace isaforge
