// The sections "Line Number Information" (6.2) of the DWARF standards 2 to 5. Files are named by their folder and name, the
// folder of the compilation left out: that is where one is when one reads them.
#include "object/dwarf_read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "object/dwarf_codes.hpp"
#include "object/limits.hpp"

namespace isaforge {

namespace {

using namespace dwarf;

constexpr std::uint64_t first_version = 2, last_version = 5;

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
            shift = std::min(shift, 64u);
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
            shift = std::min(shift + 7, 70u);
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
        at += static_cast<std::size_t>(count);
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
    std::uint64_t version = 0;
    unsigned offset_size = 4;
    unsigned smallest = 1, operations = 1;
    int base = 0;
    unsigned range = 1, first_special = 1;
    std::uint8_t operands[256] = {};
    std::vector<std::string> folders;
    std::size_t first_file = 0, files = 0;  // of DebugLines::files
    std::uint64_t first_number = 1;         // of the first file in the program
};

struct LineState {
    std::uint64_t address = 0, operation = 0, file = 1, line = 1;
    Index section = no_index;
};

// One line table after the other.
class LineReader {
public:
    explicit LineReader(const DebugLineInput& input)
        : input_(input), names_(input.line.size() + input.line_strings.size() + input.strings.size()) {}

    DebugLines read();

private:
    void unit(Decoder& in, unsigned offset_size);
    bool header(Decoder& in, LineHeader& header);
    bool old_files(Decoder& in, LineHeader& header);
    bool new_files(Decoder& in, LineHeader& header);
    bool entries(Decoder& in, LineHeader& header, bool folders);
    bool value(Decoder& in, std::uint64_t form, const LineHeader& header, std::string_view& text,
               std::uint64_t& number);
    std::string_view text_at(std::span<const std::uint8_t> table, std::uint64_t at) const;
    bool add_file(LineHeader& header, std::string_view name, std::uint64_t folder);
    void program(Decoder& in, LineHeader& header);
    void standard(Decoder& in, const LineHeader& header, std::uint8_t opcode, LineState& state);
    void extended(Decoder& in, LineHeader& header, LineState& state);
    void advance(const LineHeader& header, std::uint64_t operations, LineState& state) const;
    void row(const LineState& state, const LineHeader& header, bool end);
    bool wrong(std::string what) {
        if (out_.problem.empty()) out_.problem = std::move(what);
        return false;
    }

    const DebugLineInput& input_;
    limits::Budget names_;
    DebugLines out_;
};

DebugLines LineReader::read() {
    Decoder units(input_.line, input_.big_endian);
    while (units.good && units.at < input_.line.size()) {
        constexpr std::uint64_t wide_mark = 0xFFFFFFFF, first_reserved = 0xFFFFFFF0;
        unsigned offset_size = 4;
        std::uint64_t length = units.number(4);
        if (length == wide_mark) {
            offset_size = 8;
            length = units.number(8);
        } else if (length >= first_reserved) {
            wrong("the length of a line table is reserved");
            break;
        }
        const std::size_t begin = units.at;
        if (!units.good || length > input_.line.size() - begin) {
            wrong("a line table reaches past the end of .debug_line");
            break;
        }
        // Offsets count from the section's begin, so the unit keeps what stands before it.
        Decoder in(input_.line.first(begin + static_cast<std::size_t>(length)), input_.big_endian);
        in.at = begin;
        unit(in, offset_size);
        units.at = begin + static_cast<std::size_t>(length);
    }
    return std::move(out_);
}

void LineReader::unit(Decoder& in, unsigned offset_size) {
    LineHeader described;
    described.offset_size = offset_size;
    if (header(in, described)) program(in, described);
}

bool LineReader::header(Decoder& in, LineHeader& header) {
    header.version = in.number(2);
    if (!in.good) return wrong("a line table ends inside its header");
    if (header.version < first_version || header.version > last_version) {
        return wrong(fmt::format("a line table is of DWARF {}, and {} to {} can be read", header.version, first_version,
                                 last_version));
    }
    if (header.version >= 5) {
        in.u8();  // size of an address
        if (in.u8() != 0) return wrong("a line table has segments");
    }
    const std::uint64_t length = in.number(header.offset_size);
    if (!in.good || length > in.size() - in.at) return wrong("a line table ends inside its header");
    const std::size_t begin = in.at + static_cast<std::size_t>(length);
    header.smallest = in.u8();
    if (header.version >= 4) header.operations = std::max<unsigned>(1, in.u8());
    in.u8();  // whether rows are statements at first
    const std::uint8_t base = in.u8();
    header.base = base < 0x80 ? base : base - 0x100;  // signed
    header.range = in.u8();
    header.first_special = in.u8();
    for (unsigned i = 1; i < header.first_special; ++i) header.operands[i] = in.u8();
    if (!in.good || header.range == 0 || header.first_special == 0)
        return wrong("the header of a line table is damaged");
    header.first_file = out_.files.size();
    if (!(header.version >= 5 ? new_files(in, header) : old_files(in, header))) return false;
    if (!in.good || in.at > begin) return wrong("the list of files of a line table is damaged");
    in.at = begin;
    return true;
}

// The folder of the compilation has number 0 and is not in the list.
bool LineReader::old_files(Decoder& in, LineHeader& header) {
    header.folders.emplace_back();
    while (in.good) {
        const std::string_view name = in.string();
        if (name.empty()) break;
        header.folders.emplace_back(name);
    }
    while (in.good) {
        const std::string_view name = in.string();
        if (name.empty()) break;
        const std::uint64_t folder = in.unsigned_leb();
        in.unsigned_leb();  // time
        in.unsigned_leb();  // size
        if (!add_file(header, name, folder)) return false;
    }
    return true;
}

bool LineReader::new_files(Decoder& in, LineHeader& header) {
    header.first_number = 0;
    if (!entries(in, header, true)) return false;
    if (!header.folders.empty()) header.folders[0].clear();  // that of the compilation
    return entries(in, header, false);
}

// A list whose entries have the parts that stand before it.
bool LineReader::entries(Decoder& in, LineHeader& header, bool folders) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> format(in.u8());  // what it is, and its form
    for (auto& [content, form] : format) {
        content = in.unsigned_leb();
        form = in.unsigned_leb();
    }
    const std::uint64_t count = in.unsigned_leb();
    if (format.empty() && count != 0) return wrong("a line table has files without names");
    for (std::uint64_t i = 0; i < count; ++i) {
        std::string_view name;
        std::uint64_t folder = 0;
        const std::size_t begin = in.at;
        for (const auto& [content, form] : format) {
            std::string_view text;
            std::uint64_t number = 0;
            if (!value(in, form, header, text, number)) return false;
            if (content == lnct_path) name = text;
            if (content == lnct_directory_index) folder = number;
        }
        if (!in.good || in.at == begin) return wrong("the list of files of a line table is damaged");
        if (folders) {
            header.folders.emplace_back(name);
        } else if (!add_file(header, name, folder)) {
            return false;
        }
    }
    return true;
}

bool LineReader::value(Decoder& in, std::uint64_t form, const LineHeader& header, std::string_view& text,
                       std::uint64_t& number) {
    switch (form) {
        case form_string: text = in.string(); return true;
        case form_strp:
        case form_line_strp: {
            const std::size_t at = in.at;
            const std::uint64_t stored = in.number(header.offset_size);
            const auto table = form == form_strp ? input_.strings : input_.line_strings;
            if (table.empty()) return wrong("the names of the files are in a section that is missing or compressed");
            text = text_at(table, input_.relocated(at, stored).value);
            return names_.take(text.size()) || wrong("the names of the files overlap each other");
        }
        case form_udata: number = in.unsigned_leb(); return true;
        case form_data1: number = in.number(1); return true;
        case form_data2: number = in.number(2); return true;
        case form_data4: number = in.number(4); return true;
        case form_data8: number = in.number(8); return true;
        case form_sec_offset: in.skip(header.offset_size); return true;
        case form_data16: in.skip(16); return true;
        case form_block: in.skip(in.unsigned_leb()); return true;
        case form_block1: in.skip(in.number(1)); return true;
        case form_block2: in.skip(in.number(2)); return true;
        case form_block4: in.skip(in.number(4)); return true;
        default: return wrong(fmt::format("a line table names files in a form {:#x} that is not known", form));
    }
}

std::string_view LineReader::text_at(std::span<const std::uint8_t> table, std::uint64_t at) const {
    if (at >= table.size()) return {};
    const auto* const begin = reinterpret_cast<const char*>(table.data()) + at;
    constexpr std::size_t longest_path = 1 << 16;
    return {begin, strnlen(begin, std::min<std::size_t>(table.size() - at, longest_path))};
}

bool LineReader::add_file(LineHeader& header, std::string_view name, std::uint64_t folder) {
    std::string path;
    if (folder < header.folders.size() && !name.starts_with('/')) path = header.folders[folder];
    if (!path.empty() && !path.ends_with('/')) path += '/';
    path += name;
    if (!names_.take(path.size())) return wrong("the names of the files overlap each other");
    out_.files.push_back(std::move(path));
    ++header.files;
    return true;
}

void LineReader::row(const LineState& state, const LineHeader& header, bool end) {
    DebugLine made;
    made.address = state.address;
    made.section = state.section;
    made.line = static_cast<std::uint32_t>(state.line);
    made.end = end;
    const std::uint64_t file = state.file - header.first_number;
    if (file < header.files) {
        made.file = static_cast<std::uint32_t>(header.first_file + file);
    } else if (!end) {
        return void(wrong("a row of a line table is of a file that is not listed"));
    }
    out_.rows.push_back(made);
}

void LineReader::advance(const LineHeader& header, std::uint64_t operations, LineState& state) const {
    const std::uint64_t all = state.operation + operations;
    state.address += header.smallest * (all / header.operations);
    state.operation = all % header.operations;
}

void LineReader::extended(Decoder& in, LineHeader& header, LineState& state) {
    const std::uint64_t length = in.unsigned_leb();
    const std::size_t begin = in.at;
    if (length == 0 || length > in.size() - begin) return in.skip(length);
    switch (in.u8()) {
        case lne_end_sequence:
            row(state, header, true);
            state = {};
            break;
        case lne_set_address: {
            const std::size_t at = in.at;
            const std::uint64_t stored = in.number(static_cast<unsigned>(std::min<std::uint64_t>(length - 1, 8)));
            const DebugField field = input_.relocated(at, stored);
            state.address = field.value;
            state.section = field.section;
            state.operation = 0;
            break;
        }
        case lne_define_file: {
            const std::string_view name = in.string();
            add_file(header, name, in.unsigned_leb());
            break;
        }
        default: break;
    }
    in.at = begin + static_cast<std::size_t>(length);
}

void LineReader::standard(Decoder& in, const LineHeader& header, std::uint8_t opcode, LineState& state) {
    switch (opcode) {
        case lns_copy: return row(state, header, false);
        case lns_advance_pc: return advance(header, in.unsigned_leb(), state);
        case lns_advance_line: state.line += static_cast<std::uint64_t>(in.signed_leb()); return;
        case lns_set_file: state.file = in.unsigned_leb(); return;
        case lns_set_column: in.unsigned_leb(); return;
        case lns_const_add_pc: return advance(header, (255 - header.first_special) / header.range, state);
        case lns_fixed_advance_pc: {
            const std::size_t at = in.at;
            const std::uint64_t stored = in.number(2);
            state.address += input_.relocated(at, stored).value;
            state.operation = 0;
            return;
        }
        default:
            for (unsigned i = 0; i < header.operands[opcode]; ++i) in.unsigned_leb();
    }
}

void LineReader::program(Decoder& in, LineHeader& header) {
    LineState state;
    while (in.good && in.at < in.size()) {
        const std::uint8_t opcode = in.u8();
        if (opcode >= header.first_special) {
            const unsigned adjusted = opcode - header.first_special;
            advance(header, adjusted / header.range, state);
            state.line += static_cast<std::uint64_t>(static_cast<std::int64_t>(header.base) + adjusted % header.range);
            row(state, header, false);
        } else if (opcode == 0) {
            extended(in, header, state);
        } else {
            standard(in, header, opcode, state);
        }
    }
    if (!in.good) wrong("the program of a line table ends in the middle");
}

}  // namespace

DebugLines read_debug_lines(const DebugLineInput& input) { return LineReader(input).read(); }

}  // namespace isaforge
