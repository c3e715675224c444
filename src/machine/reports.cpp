// What the machine looks like as text: a trace's lines, registers, memory.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

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

namespace {

constexpr std::uint64_t line_bytes = 16;
constexpr std::uint64_t most_dumped = std::uint64_t{64} << 20;

// A byte of a memory, nothing outside of it.
std::optional<std::uint8_t> byte_at(Machine& machine, Index memory, std::uint64_t address) {
    std::uint8_t byte = 0;
    if (memory == machine.code_memory())
        return machine.peek(memory, address, {&byte, 1}) ? std::optional(byte) : std::nullopt;
    const std::span<const std::uint8_t> bytes = machine.memory(memory);
    return address < bytes.size() ? std::optional(bytes[address]) : std::nullopt;
}

// Empty where all of it lies outside.
std::string dump_line(Machine& machine, Index memory, std::uint64_t line, std::uint64_t count) {
    std::string text = fmt::format("{:08x} ", line), characters;
    bool any = false;
    for (std::uint64_t i = 0; i < line_bytes; ++i) {
        const std::optional<std::uint8_t> byte = i < count ? byte_at(machine, memory, line + i) : std::nullopt;
        any = any || byte;
        text += byte ? fmt::format(" {:02x}", *byte) : "   ";
        if (byte)
            characters += *byte >= 0x20 && *byte < 0x7f ? static_cast<char>(*byte) : '.';
        else if (i < count)
            characters += ' ';
    }
    while (characters.ends_with(' ') && !byte_at(machine, memory, line + characters.size() - 1)) characters.pop_back();
    return any ? text + "  |" + characters + "|\n" : std::string{};
}

}  // namespace

std::string memory_dump(Machine& machine, Index memory, std::uint64_t address, std::uint64_t length) {
    std::string text;
    length = std::min({length, most_dumped, ~address});
    for (std::uint64_t done = 0; done < length; done += line_bytes)
        text += dump_line(machine, memory, address + done, std::min(line_bytes, length - done));
    return text;
}

}  // namespace isaforge
