// What the machine looks like as text: a trace's lines, registers, memory.
#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "isa/words.hpp"
#include "isaforge/machine.hpp"

namespace isaforge {

namespace {

std::string words_of(const TraceRecord& record, const Isa& isa) {
    return words_in_hex(isa, record.image, std::max(record.bits, isa.unit_bits), "");
}

// Lanes that lie together and go up or down by one step, which is 0 where they are equal.
struct Stretch {
    std::size_t first = 0, count = 1;
    std::uint64_t step = 0;
};

std::vector<Stretch> stretches(std::span<const std::uint64_t> lanes) {
    std::vector<Stretch> found;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const std::uint64_t step = i == 0 ? 0 : lanes[i] - lanes[i - 1];
        // Two lanes have a step whatever they are; of different ones a stretch begins with three.
        const bool begins = !found.empty() && found.back().count == 1 &&
                            (step == 0 || (i + 1 < lanes.size() && lanes[i + 1] - lanes[i] == step));
        if (begins) found.back().step = step;
        if (begins || (!found.empty() && found.back().count > 1 && found.back().step == step))
            ++found.back().count;
        else
            found.push_back({i});
    }
    return found;
}

std::string stretch_text(const Stretch& stretch, std::span<const std::uint64_t> lanes, unsigned digits) {
    std::string text = fmt::format("{}", stretch.first);
    if (stretch.count == lanes.size())
        text = "all";
    else if (stretch.count > 1)
        text += fmt::format("..{}", stretch.first + stretch.count - 1);
    text += fmt::format(": {:0{}x}", lanes[stretch.first], digits);
    const auto step = std::int64_t(stretch.step);
    if (step != 0) text += fmt::format(" {}{:x}", step < 0 ? '-' : '+', step < 0 ? 0 - stretch.step : stretch.step);
    return text;
}

}  // namespace

std::vector<std::uint64_t> register_lanes(const Machine& machine, Index file, std::uint64_t number) {
    std::vector<std::uint64_t> lanes(machine.isa().register_files[file].lanes);
    for (unsigned lane = 0; lane < lanes.size(); ++lane) lanes[lane] = machine.get(file, number, lane);
    return lanes;
}

std::string lanes_text(std::span<const std::uint64_t> lanes, unsigned bits) {
    const unsigned digits = (bits + 3) / 4;
    std::string each;
    for (const std::uint64_t lane : lanes) each += fmt::format("{}{:0{}x}", each.empty() ? "" : ":", lane, digits);
    constexpr std::size_t many = 16;
    if (lanes.size() < many) return each;
    std::string text;
    for (const Stretch& stretch : stretches(lanes))
        text += (text.empty() ? "{" : "; ") + stretch_text(stretch, lanes, digits);
    text += "}";
    return text.size() < each.size() ? text : each;
}

std::string to_text(const TraceRecord::Change& change) {
    const std::span<const std::uint64_t> one(&change.value, 1);
    const std::string text = change.name + "=" + lanes_text(change.lanes.empty() ? one : change.lanes, change.bits);
    return change.late ? text + " (late)" : text;
}

std::string to_text(const TraceRecord& record, const Codec& codec, Codec::LabelNamer* labels) {
    std::string instruction = "illegal";
    if (record.form != no_index) {
        char buffer[Codec::max_text];
        instruction.assign(buffer, codec.print(buffer, record.form, record.image, record.bits, record.address, labels));
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
        std::size_t line_begin = text.size();
        for (std::uint64_t number = 0; number < file.count; ++number) {
            const std::string entry = fmt::format("{:>8} {}", machine.register_name(index, number),
                                                  lanes_text(register_lanes(machine, index, number), file.bits));
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

// Up to `most` bytes, as many as are there.
std::vector<std::uint8_t> bytes_at(const Machine& machine, Index memory, std::uint64_t address, std::uint64_t most) {
    std::vector<std::uint8_t> bytes(std::min(most, machine.room(memory, address)));
    if (!machine.peek(memory, address, bytes)) bytes.clear();
    return bytes;
}

}  // namespace

std::string memory_dump(const Machine& machine, Index memory, std::uint64_t address, std::uint64_t length) {
    constexpr std::uint64_t per_line = 16;
    const unsigned unit = machine.isa().memories[memory].unit_bytes();
    std::string text;
    for (std::uint64_t done = 0; done < length; done += per_line) {
        const std::vector<std::uint8_t> bytes =
            bytes_at(machine, memory, address + done / unit, std::min(per_line, length - done));
        if (bytes.empty()) break;
        text += fmt::format("{:08x} ", address + done / unit);
        std::string characters;
        for (std::size_t i = 0; i < per_line; ++i) {
            if (i >= bytes.size()) {
                text += "   ";
                continue;
            }
            text += fmt::format(" {:02x}", bytes[i]);
            characters += bytes[i] >= 0x20 && bytes[i] < 0x7f ? static_cast<char>(bytes[i]) : '.';
        }
        text += "  |" + characters + "|\n";
        if (bytes.size() < per_line) break;
    }
    return text;
}

}  // namespace isaforge
