#include "object/dwarf.hpp"
#include "support/leb128.hpp"

#include <algorithm>

namespace isaforge {

namespace {

// The values are those of the DWARF 4 standard, section 7.
enum : std::uint8_t {
    tag_compile_unit = 0x11,
    at_name = 0x03,
    at_stmt_list = 0x10,
    at_low_pc = 0x11,
    at_high_pc = 0x12,
    at_language = 0x13,
    at_producer = 0x25,
    form_addr = 0x01,
    form_data2 = 0x05,
    form_data4 = 0x06,
    form_string = 0x08,
    form_sec_offset = 0x17,
    lns_copy = 1,
    lns_advance_pc = 2,
    lns_advance_line = 3,
    lns_set_file = 4,
    lns_const_add_pc = 8,
    lns_fixed_advance_pc = 9,
    lne_end_sequence = 1,
    lne_set_address = 2,
};

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

// One sequence: the rows of one section.
void encode_sequence(Encoder& out, const Object& object, std::span<const LineEntry> rows,
                     std::vector<DebugAddress>& addresses) {
    const Section& section = object.sections[rows[0].section];
    out.u8(0);
    out.unsigned_leb(1 + address_size(object));
    out.u8(lne_set_address);
    addresses.push_back({out.size(), rows[0].section});
    out.number(section.address, address_size(object));
    std::uint64_t address = 0;
    std::int64_t line = 1;
    Index file = 0;
    for (const LineEntry& row : rows) {
        if (row.file != file) {
            out.u8(lns_set_file);
            out.unsigned_leb(row.file + 1);
            file = row.file;
        }
        advance(out, row.offset - address, row.line - line);
        address = row.offset;
        line = row.line;
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
    const Section& first = object.sections[object.lines[0].section];
    debug.info_addresses.push_back({info.size(), object.lines[0].section});
    info.number(first.address, address_size(object));
    info.number(first.extent(), 4);
    info.set_length(begin);
}

}  // namespace

DebugSections make_debug_sections(const Object& object) {
    DebugSections debug;
    if (object.lines.empty() || object.files.empty()) return debug;
    Encoder out(debug.line, object.big_endian);
    const std::size_t begin = out.reserve_length();
    encode_header(out, object);
    for (std::size_t i = 0; i < object.lines.size();) {
        std::size_t end = i;
        while (end < object.lines.size() && object.lines[end].section == object.lines[i].section) ++end;
        encode_sequence(out, object, {object.lines.data() + i, end - i}, debug.line_addresses);
        i = end;
    }
    out.set_length(begin);
    encode_unit(debug, object);
    return debug;
}

// --- reading

namespace {

// Reads forward; past the end everything is zero and `good` is false.
class Decoder {
public:
    Decoder(std::span<const std::uint8_t> bytes, bool big_endian) : bytes_(bytes), big_(big_endian) {}

    bool good = true;
    std::size_t at = 0;

    std::uint64_t number(unsigned count) {
        if (count > bytes_.size() - at) {
            fail();
            return 0;
        }
        std::uint64_t value = 0;
        for (unsigned i = 0; i < count; ++i) value |= std::uint64_t{bytes_[at + i]} << 8 * (big_ ? count - 1 - i : i);
        at += count;
        return value;
    }
    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    std::uint64_t unsigned_leb() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; good; shift += 7) {
            const std::uint8_t byte = u8();
            if (shift < 64) value |= std::uint64_t{byte & 0x7Fu} << shift;
            if (!(byte & 0x80)) break;
        }
        return value;
    }
    std::int64_t signed_leb() {
        std::uint64_t value = 0;
        unsigned shift = 0;
        std::uint8_t byte = 0;
        do {
            byte = u8();
            if (shift < 64) value |= std::uint64_t{byte & 0x7Fu} << shift;
            shift += 7;
        } while (good && (byte & 0x80));
        if (shift < 64 && (byte & 0x40)) value |= ~std::uint64_t{0} << shift;
        return static_cast<std::int64_t>(value);
    }
    std::string_view string() {
        const std::size_t begin = at;
        while (at < bytes_.size() && bytes_[at]) ++at;
        const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + begin, at - begin);
        u8();
        return text;
    }
    void skip(std::uint64_t count) {
        if (count > bytes_.size() - at) return fail();
        at += count;
    }
    std::size_t size() const { return bytes_.size(); }

private:
    void fail() {
        good = false;
        at = bytes_.size();
    }
    std::span<const std::uint8_t> bytes_;
    bool big_;
};

struct LineHeader {
    unsigned smallest = 1;
    int base = 0;
    unsigned range = 1, first_special = 1;
    std::uint8_t operands[256] = {};
    std::uint32_t first_file = 0, files = 0;
};

bool read_header(Decoder& in, LineHeader& header, std::vector<std::string>& files) {
    const std::uint64_t read_version = in.number(2);
    if (read_version < 2 || read_version > 4) return false;
    const std::uint64_t length = in.number(4);
    const std::size_t program = in.at + static_cast<std::size_t>(std::min<std::uint64_t>(length, in.size() - in.at));
    header.smallest = in.u8();
    if (read_version == 4) in.u8();
    in.u8();
    const std::uint8_t base = in.u8();
    header.base = base < 0x80 ? base : base - 0x100;  // signed
    header.range = in.u8();
    header.first_special = in.u8();
    for (unsigned i = 1; i < header.first_special; ++i) header.operands[i] = in.u8();
    if (header.range == 0 || header.first_special == 0) return false;
    while (in.good && !in.string().empty()) {
    }
    header.first_file = static_cast<std::uint32_t>(files.size());
    while (in.good) {
        const std::string_view name = in.string();
        if (name.empty()) break;
        for (int i = 0; i < 3; ++i) in.unsigned_leb();
        files.emplace_back(name);
        ++header.files;
    }
    in.at = program;
    return in.good;
}

struct LineState {
    std::size_t address_at = 0;
    std::uint64_t address = 0, file = 1, line = 1;
};

void add_row(const LineState& state, const LineHeader& header, bool end, std::vector<DebugLine>& lines) {
    DebugLine row;
    row.address_at = state.address_at;
    row.address = state.address;
    row.line = static_cast<std::uint32_t>(state.line);
    row.file = header.first_file + static_cast<std::uint32_t>(state.file - 1);
    row.end = end;
    if (end || (state.file >= 1 && state.file <= header.files)) lines.push_back(row);
}

void extended(Decoder& in, const LineHeader& header, LineState& state, std::vector<DebugLine>& lines) {
    const std::uint64_t length = in.unsigned_leb();
    const std::size_t begin = in.at;
    if (length == 0 || length > in.size() - begin) return in.skip(length);
    switch (in.u8()) {
        case lne_end_sequence:
            add_row(state, header, true, lines);
            state = {};
            break;
        case lne_set_address:
            state.address_at = in.at;
            state.address = in.number(static_cast<unsigned>(std::min<std::uint64_t>(length - 1, 8)));
            break;
        default: break;
    }
    in.at = begin + static_cast<std::size_t>(length);
}

void standard(Decoder& in, const LineHeader& header, std::uint8_t opcode, LineState& state,
              std::vector<DebugLine>& lines) {
    switch (opcode) {
        case lns_copy: return add_row(state, header, false, lines);
        case lns_advance_pc: state.address += in.unsigned_leb() * header.smallest; return;
        case lns_advance_line: state.line += static_cast<std::uint64_t>(in.signed_leb()); return;
        case lns_set_file: state.file = in.unsigned_leb(); return;
        case lns_const_add_pc: state.address += (255 - header.first_special) / header.range * header.smallest; return;
        case lns_fixed_advance_pc: state.address += in.number(2); return;
        default:
            for (unsigned i = 0; i < header.operands[opcode]; ++i) in.unsigned_leb();
    }
}

void read_program(Decoder& in, const LineHeader& header, std::vector<DebugLine>& lines) {
    LineState state;
    while (in.good && in.at < in.size()) {
        const std::uint8_t opcode = in.u8();
        if (opcode >= header.first_special) {
            const unsigned adjusted = opcode - header.first_special;
            state.address += adjusted / header.range * header.smallest;
            state.line += static_cast<std::uint64_t>(static_cast<std::int64_t>(header.base) + adjusted % header.range);
            add_row(state, header, false, lines);
        } else if (opcode == 0) {
            extended(in, header, state, lines);
        } else {
            standard(in, header, opcode, state, lines);
        }
    }
}

}  // namespace

void read_debug_lines(std::span<const std::uint8_t> bytes, bool big_endian, std::vector<DebugLine>& lines,
                      std::vector<std::string>& files) {
    Decoder units(bytes, big_endian);
    while (units.good && units.at + 4 < bytes.size()) {
        const std::uint64_t length = units.number(4);
        const std::size_t begin = units.at;
        if (length > bytes.size() - begin) return;
        // Offsets count from the section's begin, so the unit keeps what stands before it.
        Decoder in(bytes.first(begin + static_cast<std::size_t>(length)), big_endian);
        in.at = begin;
        LineHeader header;
        if (read_header(in, header, files)) read_program(in, header, lines);
        units.at = begin + static_cast<std::size_t>(length);
    }
}

}  // namespace isaforge
