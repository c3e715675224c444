// The formats that hold bytes and nothing else: raw binary, Intel HEX, Verilog $readmemh, C header, VHDL package.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "isaforge/object.hpp"

namespace isaforge {

namespace {

constexpr char hex_digits[] = "0123456789ABCDEF";

struct Image8 {
    std::uint64_t base = 0;
    std::vector<std::uint8_t> bytes;
};

bool in_image(const Section& section) { return section.allocated && !section.no_bits && !section.bytes.empty(); }

// All allocated bytes by load address, from the lowest to the highest; gaps are zero.
bool make_image(const Object& object, Image8& image, std::string& error) {
    std::uint64_t low = ~std::uint64_t{0}, high = 0;
    for (const Section& section : object.sections) {
        if (!in_image(section)) continue;
        low = std::min(low, section.load_address);
        if (section.bytes.size() > ~section.load_address) {
            error = fmt::format("section {} reaches past the end of memory", section.name);
            return false;
        }
        high = std::max(high, section.load_address + section.bytes.size());
    }
    if (low >= high) return true;
    if (high - low > max_flat_image) {
        error = fmt::format("the image would have {} bytes; the limit is {}", high - low, max_flat_image);
        return false;
    }
    image.base = low;
    image.bytes.resize(high - low);
    for (const Section& section : object.sections) {
        if (!in_image(section)) continue;
        std::copy(section.bytes.begin(), section.bytes.end(),
                  image.bytes.begin() + static_cast<std::ptrdiff_t>(section.load_address - low));
    }
    return true;
}

void append_byte(std::string& out, std::uint8_t byte) {
    out += hex_digits[byte >> 4];
    out += hex_digits[byte & 15];
}

// The digits of the unit that begins at `at`, the most significant first; bytes beyond the end are zero.
void append_unit(std::string& out, const std::vector<std::uint8_t>& bytes, std::size_t at, const Object& object) {
    for (std::uint32_t i = 0; i < object.unit_bytes; ++i) {
        const std::size_t position = at + (object.code_big_endian ? i : object.unit_bytes - 1 - i);
        append_byte(out, position < bytes.size() ? bytes[position] : 0);
    }
}

// Code by address, and the units in it to which a loader adds the base of the data.
struct Code {
    std::vector<std::uint8_t> bytes;
    std::vector<bool> relocated;  // by unit
};

bool make_code(const Object& object, Code& code, std::vector<std::uint8_t>& data, std::string& error) {
    Object part;
    Image8 code_image, data_image;
    for (const bool executable : {true, false}) {
        part.sections.clear();
        for (const Section& section : object.sections) {
            if (section.executable == executable) part.sections.push_back(section);
        }
        if (!make_image(part, executable ? code_image : data_image, error)) return false;
    }
    code.bytes = std::move(code_image.bytes);
    data = std::move(data_image.bytes);
    code.relocated.resize((code.bytes.size() + object.unit_bytes - 1) / object.unit_bytes);
    for (const Relocation& relocation : object.relocations) {
        if (relocation.section >= object.sections.size() || !object.sections[relocation.section].executable) continue;
        const std::uint64_t at = object.sections[relocation.section].load_address + relocation.offset - code_image.base;
        if (at / object.unit_bytes < code.relocated.size()) code.relocated[at / object.unit_bytes] = true;
    }
    return true;
}

const char* unit_type(std::uint32_t bytes) {
    switch (bytes) {
        case 1: return "uint8_t";
        case 2: return "uint16_t";
        case 4: return "uint32_t";
        case 8: return "uint64_t";
        default: return nullptr;
    }
}

}  // namespace

bool write_binary(const Object& object, std::string& out, std::string& error) {
    Image8 image;
    if (!make_image(object, image, error)) return false;
    out.append(reinterpret_cast<const char*>(image.bytes.data()), image.bytes.size());
    return true;
}

// --- Intel HEX

namespace {

void append_record(std::string& out, std::uint8_t type, std::uint16_t address, const std::uint8_t* bytes,
                   std::size_t count) {
    out += ':';
    unsigned sum = 0;
    const auto add = [&](std::uint8_t byte) {
        append_byte(out, byte);
        sum += byte;
    };
    add(static_cast<std::uint8_t>(count));
    add(static_cast<std::uint8_t>(address >> 8));
    add(static_cast<std::uint8_t>(address));
    add(type);
    for (std::size_t i = 0; i < count; ++i) add(bytes[i]);
    append_byte(out, static_cast<std::uint8_t>(0 - sum));
    out += '\n';
}

int hex_value(std::uint8_t c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

struct HexRecord {
    std::uint8_t type = 0;
    std::uint16_t address = 0;
    std::uint8_t count = 0;
    std::uint8_t checksum = 0;
    std::uint8_t bytes[255] = {};
};

// Reads the record behind the colon at `at`, which moves behind it; with `sum` what should be 0.
bool read_record(std::span<const std::uint8_t> text, std::size_t& at, HexRecord& record, unsigned& sum) {
    sum = 0;
    bool good = true;
    const auto next = [&]() -> std::uint8_t {
        if (at + 2 > text.size()) {
            good = false;
            return 0;
        }
        const int high = hex_value(text[at]), low = hex_value(text[at + 1]);
        at += 2;
        if (high < 0 || low < 0) good = false;
        const auto byte = static_cast<std::uint8_t>((high & 15) << 4 | (low & 15));
        sum += byte;
        return byte;
    };
    record.count = next();
    record.address = static_cast<std::uint16_t>(next() << 8);
    record.address = static_cast<std::uint16_t>(record.address | next());
    record.type = next();
    for (unsigned i = 0; i < record.count && good; ++i) record.bytes[i] = next();
    record.checksum = next();
    sum &= 0xFF;
    return good;
}

using Pieces = std::map<std::uint64_t, std::vector<std::uint8_t>>;

bool add_piece(Pieces& pieces, std::uint64_t address, const HexRecord& record) {
    const auto after = pieces.upper_bound(address);
    if (after != pieces.end() && address + record.count > after->first) return false;
    if (after != pieces.begin()) {
        const auto before = std::prev(after);
        const std::uint64_t end = before->first + before->second.size();
        if (address < end) return false;
        if (address == end) {
            before->second.insert(before->second.end(), record.bytes, record.bytes + record.count);
            return true;
        }
    }
    pieces[address].assign(record.bytes, record.bytes + record.count);
    return true;
}

}  // namespace

bool write_intel_hex(const Object& object, std::string& out, std::string& error) {
    constexpr std::size_t per_record = 16;
    std::uint32_t upper = 0;
    for (const Section& section : object.sections) {
        if (!in_image(section)) continue;
        if (section.load_address + section.bytes.size() > (std::uint64_t{1} << 32)) {
            error = fmt::format("section {} lies beyond the 32-bit addresses of Intel HEX", section.name);
            return false;
        }
        for (std::size_t i = 0; i < section.bytes.size();) {
            const auto address = static_cast<std::uint32_t>(section.load_address + i);
            if (address >> 16 != upper) {
                upper = address >> 16;
                const std::uint8_t high[2] = {static_cast<std::uint8_t>(upper >> 8), static_cast<std::uint8_t>(upper)};
                append_record(out, 4, 0, high, 2);
            }
            const std::size_t to_boundary = 0x10000 - (address & 0xFFFF);
            const std::size_t count = std::min({per_record, section.bytes.size() - i, to_boundary});
            append_record(out, 0, static_cast<std::uint16_t>(address), section.bytes.data() + i, count);
            i += count;
        }
    }
    append_record(out, 1, 0, nullptr, 0);
    return true;
}

// A colon, the digits of a record's head, and nothing but text in that line: what is wrong in it is for the reader to say.
bool is_intel_hex(std::span<const std::uint8_t> bytes) {
    constexpr std::size_t head = 1 + 8;
    if (bytes.size() < head || bytes[0] != ':') return false;
    const auto line_end =
        std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t c) { return c == '\n' || c == '\r'; });
    return std::all_of(bytes.begin() + 1, bytes.begin() + head, [](std::uint8_t c) { return hex_value(c) >= 0; }) &&
           std::all_of(bytes.begin(), line_end, [](std::uint8_t c) { return c >= ' ' && c < 0x7f; });
}

namespace {

// What is wrong with a record, nothing where it is good.
std::string trouble_of(const HexRecord& record, bool complete, unsigned sum) {
    if (!complete) return "is no Intel HEX record";
    if (sum != 0) {
        const unsigned last = record.checksum;
        return fmt::format("has the checksum {:02X}, and its bytes have {:02X}", last, (last - sum) & 0xFF);
    }
    constexpr unsigned last_type = 5;
    if (record.type > last_type) return fmt::format("has a record of type {}, which does not exist", record.type);
    const unsigned counts[] = {record.count, 0, 2, 4, 2, 4};
    if (record.count != counts[record.type])
        return fmt::format("has a record of type {} with {} bytes instead of {}", record.type, record.count,
                           counts[record.type]);
    return {};
}

}  // namespace

std::optional<Object> read_intel_hex(std::span<const std::uint8_t> bytes, std::string& error) {
    Pieces pieces;
    std::uint64_t base = 0;
    unsigned line = 1;
    bool ended = false;
    for (std::size_t at = 0; at < bytes.size() && !ended;) {
        const std::uint8_t c = bytes[at++];
        if (c == '\n') ++line;
        if (c == '\n' || c == '\r' || c == ' ' || c == '\t') continue;
        HexRecord record;
        unsigned sum = 0;
        const bool complete = c == ':' && read_record(bytes, at, record, sum);
        if (const std::string trouble = trouble_of(record, complete, sum); !trouble.empty()) {
            error = fmt::format("line {} {}", line, trouble);
            return std::nullopt;
        }
        if (record.type == 2 || record.type == 4) {
            base = static_cast<std::uint64_t>(record.bytes[0] << 8 | record.bytes[1]) << (record.type == 4 ? 16 : 4);
        } else if (record.type == 0 && record.count && !add_piece(pieces, base + record.address, record)) {
            error = fmt::format("line {} writes bytes that an earlier record wrote", line);
            return std::nullopt;
        }
        ended = record.type == 1;
    }
    if (!ended) {
        error = "the end record is missing";
        return std::nullopt;
    }
    Object object;
    object.relocatable = false;
    for (auto& [address, content] : pieces) {
        // Pieces that meet were written out of order.
        if (!object.sections.empty()) {
            Section& last = object.sections.back();
            if (last.address + last.bytes.size() == address) {
                last.bytes.insert(last.bytes.end(), content.begin(), content.end());
                continue;
            }
        }
        Section section;
        section.name = object.sections.empty() ? ".text" : fmt::format(".text.{:x}", address);
        section.executable = true;
        section.address = section.load_address = address;
        section.bytes = std::move(content);
        object.sections.push_back(std::move(section));
    }
    return object;
}

// --- Verilog

bool write_memh(const Object& object, std::string& out, std::string& error) {
    Image8 image;
    if (!make_image(object, image, error)) return false;
    const std::uint64_t offset = image.base % object.unit_bytes;
    image.bytes.insert(image.bytes.begin(), offset, 0);
    out += fmt::format("@{:08X}\n", image.base / object.unit_bytes);
    for (std::size_t i = 0; i < image.bytes.size(); i += object.unit_bytes) {
        append_unit(out, image.bytes, i, object);
        out += '\n';
    }
    return true;
}

// --- C

bool write_c_header(const Object& object, std::string& out, std::string& error) {
    const char* type = unit_type(object.unit_bytes);
    if (!type) {
        error = fmt::format("C has no integer of {} bytes", object.unit_bytes);
        return false;
    }
    Code code;
    std::vector<std::uint8_t> data;
    if (!make_code(object, code, data, error)) return false;
    const std::size_t count = code.relocated.size();
    out += fmt::format("// A program for {}. Where program_relocate holds 1, a loader adds the address of the data.\n",
                       object.variant);
    out += "#pragma once\n\n#include <stdint.h>\n\n";
    out += fmt::format("#define PROGRAM_WORDS {}\n#define PROGRAM_DATA_BYTES {}\n\n", count, data.size());
    // C knows no empty arrays.
    out += fmt::format("static const {} program_code[{}] = {{\n", type, std::max<std::size_t>(count, 1));
    for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
        out += "    0x";
        append_unit(out, code.bytes, i * object.unit_bytes, object);
        out += ",\n";
    }
    out += fmt::format("}};\n\nstatic const uint8_t program_relocate[{}] = {{\n", std::max<std::size_t>(count, 1));
    for (std::size_t i = 0; i < std::max<std::size_t>(count, 1); ++i) {
        out += i < count && code.relocated[i] ? "    1,\n" : "    0,\n";
    }
    out += "};\n";
    if (data.empty()) return true;
    out += fmt::format("\nstatic const uint8_t program_data[{}] = {{", data.size());
    for (std::size_t i = 0; i < data.size(); ++i) out += fmt::format("{}{},", i % 16 ? " " : "\n    ", data[i]);
    out += "\n};\n";
    return true;
}

// --- VHDL

bool write_vhdl(const Object& object, std::string& out, std::string& error) {
    Code code;
    std::vector<std::uint8_t> data;
    if (!make_code(object, code, data, error)) return false;
    const std::size_t count = std::max<std::size_t>(code.relocated.size(), 1);
    const auto elements = [&](std::size_t number, auto&& value) {
        for (std::size_t i = 0; i < number; ++i) {
            out += fmt::format("        {} => ", i);
            value(i);
            out += i + 1 < number ? ",\n" : "\n    );\n";
        }
    };
    out += fmt::format("-- A program for {}. Where program_relocate is '1', a loader adds the address of the data.\n",
                       object.variant);
    out += "library ieee;\nuse ieee.std_logic_1164.all;\n\npackage program is\n";
    out += fmt::format("    subtype program_word is std_logic_vector({} downto 0);\n", object.unit_bytes * 8 - 1);
    out += "    type program_words is array (natural range <>) of program_word;\n";
    out += fmt::format("    constant program_code : program_words(0 to {}) := (\n", count - 1);
    elements(count, [&](std::size_t i) {
        out += "x\"";
        append_unit(out, code.bytes, i * object.unit_bytes, object);
        out += '"';
    });
    out += fmt::format("    constant program_relocate : std_logic_vector(0 to {}) := (\n", count - 1);
    elements(count, [&](std::size_t i) { out += i < code.relocated.size() && code.relocated[i] ? "'1'" : "'0'"; });
    if (!data.empty()) {
        out += "    type program_bytes is array (natural range <>) of std_logic_vector(7 downto 0);\n";
        out += fmt::format("    constant program_data : program_bytes(0 to {}) := (\n", data.size() - 1);
        elements(data.size(), [&](std::size_t i) {
            out += "x\"";
            append_byte(out, data[i]);
            out += '"';
        });
    }
    out += "end package;\n";
    return true;
}

}  // namespace isaforge
