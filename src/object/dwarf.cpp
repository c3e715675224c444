#include "object/dwarf.hpp"

#include <algorithm>

#include "object/dwarf_codes.hpp"
#include "support/leb128.hpp"

namespace isaforge {

namespace {

using namespace dwarf;

constexpr std::uint16_t version = 4, language_assembler = 0x8001;
constexpr int line_base = -5, line_range = 14, opcode_base = 13;
constexpr std::uint8_t operand_counts[opcode_base - 1] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1};

unsigned address_size(const Object& object) { return object.wide ? 8 : 4; }

class Encoder {
public:
    Encoder(std::vector<std::uint8_t>& out, bool big_endian) : out_(out), big_(big_endian) {}

    void number(std::uint64_t value, unsigned bytes) {
        for (unsigned i = 0; i < bytes; ++i) u8(static_cast<std::uint8_t>(value >> 8 * (big_ ? bytes - 1 - i : i)));
    }
    void u8(std::uint8_t value) { out_.push_back(value); }
    void unsigned_leb(std::uint64_t value) {
        std::uint8_t bytes[longest_leb];
        out_.insert(out_.end(), bytes, bytes + put_unsigned_leb(value, bytes));
    }
    void signed_leb(std::int64_t value) {
        std::uint8_t bytes[longest_leb];
        out_.insert(out_.end(), bytes, bytes + put_signed_leb(value, bytes));
    }
    void string(std::string_view text) {
        for (const char c : text) {
            if (c) u8(static_cast<std::uint8_t>(c));
        }
        u8(0);
    }
    // A length that is known only at the end.
    std::size_t reserve_length() {
        number(0, 4);
        return out_.size();
    }
    void set_length(std::size_t begin) {
        const std::uint64_t length = out_.size() - begin;
        for (unsigned i = 0; i < 4; ++i) {
            out_[begin - 4 + i] = static_cast<std::uint8_t>(length >> 8 * (big_ ? 3 - i : i));
        }
    }
    std::size_t size() const { return out_.size(); }

private:
    std::vector<std::uint8_t>& out_;
    bool big_;
};

void encode_header(Encoder& out, const Object& object) {
    out.number(version, 2);
    const std::size_t begin = out.reserve_length();
    out.u8(1);  // smallest instruction: addresses count bytes
    out.u8(1);  // operations of an instruction
    out.u8(1);  // rows are statements
    out.u8(static_cast<std::uint8_t>(line_base));
    out.u8(line_range);
    out.u8(opcode_base);
    for (const std::uint8_t count : operand_counts) out.u8(count);
    out.u8(0);  // no folders
    for (const std::string& file : object.files) {
        out.string(file.empty() ? "?" : file);
        for (int i = 0; i < 3; ++i) out.unsigned_leb(0);  // folder, time, size
    }
    out.u8(0);
    out.set_length(begin);
}

void advance(Encoder& out, std::uint64_t address, std::int64_t line) {
    const bool near = line >= line_base && line < line_base + line_range;
    if (!near) {
        out.u8(lns_advance_line);
        out.signed_leb(line);
        line = 0;
    }
    const std::uint64_t opcode = static_cast<std::uint64_t>(line - line_base) + line_range * address + opcode_base;
    if (address < 256 && opcode <= 255) return out.u8(static_cast<std::uint8_t>(opcode));
    out.u8(lns_advance_pc);
    out.unsigned_leb(address);
    out.u8(static_cast<std::uint8_t>(line - line_base + opcode_base));
}

// Of a step to the next row there is one opcode.
constexpr std::uint8_t opcode_of(LineTable::Step step) {
    return static_cast<std::uint8_t>(static_cast<std::uint64_t>(LineTable::lines_of(step) - line_base) +
                                     line_range * LineTable::bytes_of(step) + opcode_base);
}
static_assert(LineTable::most_step_lines < line_base + line_range &&
              LineTable::most_step_lines - line_base + line_range * LineTable::most_step_bytes + opcode_base <= 255);

// One sequence: the rows of one section, from `row` on, which is then at the next.
void encode_sequence(Encoder& out, const Object& object, LineTable::Iterator& row,
                     std::vector<DebugAddress>& addresses) {
    const Index number = row->section;
    const Section& section = object.sections[number];
    out.u8(0);
    out.unsigned_leb(1 + address_size(object));
    out.u8(lne_set_address);
    addresses.push_back({out.size(), number});
    out.number(section.address, address_size(object));
    std::uint64_t address = 0;
    std::int64_t line = 1;
    Index file = 0;
    for (; row != object.lines.end() && row->section == number; ++row) {
        if (row->file != file) {
            out.u8(lns_set_file);
            out.unsigned_leb(row->file + 1);
            file = row->file;
        }
        advance(out, row->offset - address, row->line - line);
        row.visit_steps([&](LineTable::Step step) { out.u8(opcode_of(step)); });
        address = row->offset;
        line = row->line;
    }
    out.u8(lns_advance_pc);
    out.unsigned_leb(std::max(section.extent(), address) - address);
    out.u8(0);
    out.u8(1);
    out.u8(lne_end_sequence);
}

void encode_unit(DebugSections& debug, const Object& object) {
    Encoder abbrev(debug.abbrev, object.big_endian);
    abbrev.unsigned_leb(1);
    abbrev.unsigned_leb(tag_compile_unit);
    abbrev.u8(0);  // no children
    const std::pair<std::uint8_t, std::uint8_t> attributes[] = {{at_producer, form_string},
                                                                {at_language, form_data2},
                                                                {at_name, form_string},
                                                                {at_stmt_list, form_sec_offset},
                                                                {at_low_pc, form_addr},
                                                                {at_high_pc, form_data4},
                                                                {0, 0}};
    for (const auto& [attribute, form] : attributes) {
        abbrev.unsigned_leb(attribute);
        abbrev.unsigned_leb(form);
    }
    abbrev.unsigned_leb(0);

    Encoder info(debug.info, object.big_endian);
    const std::size_t begin = info.reserve_length();
    info.number(version, 2);
    info.number(0, 4);  // in .debug_abbrev
    info.u8(static_cast<std::uint8_t>(address_size(object)));
    info.unsigned_leb(1);
    info.string("isaforge");
    info.number(language_assembler, 2);
    info.string(object.files[0]);
    info.number(0, 4);  // in .debug_line
    const Index first_section = object.lines.begin()->section;
    const Section& first = object.sections[first_section];
    debug.info_addresses.push_back({info.size(), first_section});
    info.number(first.address, address_size(object));
    info.number(first.extent(), 4);
    info.set_length(begin);
}

}  // namespace

DebugSections make_debug_sections(const Object& object) {
    DebugSections debug;
    if (object.lines.empty() || object.files.empty()) return debug;
    debug.line.reserve(object.lines.size() + (1 << 12));  // most rows are one byte
    Encoder out(debug.line, object.big_endian);
    const std::size_t begin = out.reserve_length();
    encode_header(out, object);
    for (auto row = object.lines.begin(); row != object.lines.end();)
        encode_sequence(out, object, row, debug.line_addresses);
    out.set_length(begin);
    encode_unit(debug, object);
    return debug;
}

}  // namespace isaforge
