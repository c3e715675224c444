// Containers made byte by byte, as the drivers made them: for the tests of their reader and as what its fuzzer begins with.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace isaforge::container_files {

using Bytes = std::vector<std::uint8_t>;

inline void number(Bytes& out, std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) out.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}
inline void word(Bytes& out, std::uint64_t value) { number(out, value, 4); }
inline void text(Bytes& out, std::string_view value) { out.insert(out.end(), value.begin(), value.end()); }
inline void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }

struct ElfSymbol {
    std::string name;
    unsigned section;
    std::uint64_t value, size;
};

// An ELF file: the sections from number 1 on, then .symtab, .strtab and .shstrtab; perhaps one segment of notes.
struct ElfFile {
    bool wide = false;
    unsigned machine = 0, flags = 0;
    std::vector<std::pair<std::string, Bytes>> sections;
    std::vector<ElfSymbol> symbols;
    Bytes notes;

    Bytes bytes() const {
        const unsigned a = wide ? 8 : 4, header = wide ? 64 : 52, segment = wide ? 56 : 32;
        Bytes strings{0}, names{0}, table(wide ? 24 : 16);
        for (const ElfSymbol& symbol : symbols) {
            word(table, strings.size());
            text(strings, symbol.name + '\0');
            if (wide) {
                number(table, 0x10, 2), number(table, symbol.section, 2);
                number(table, symbol.value, 8), number(table, symbol.size, 8);
            } else {
                word(table, symbol.value), word(table, symbol.size);
                number(table, 0x10, 2), number(table, symbol.section, 2);
            }
        }
        auto all = sections;
        all.emplace_back(".symtab", table);
        all.emplace_back(".strtab", strings);
        all.emplace_back(".shstrtab", Bytes{});
        std::vector<std::size_t> name_at;
        for (const auto& [name, content] : all) {
            name_at.push_back(names.size());
            text(names, name + '\0');
        }
        all.back().second = names;
        Bytes body, heads(wide ? 64 : 40);
        const std::size_t start = header + (notes.empty() ? 0 : segment);
        append(body, notes);
        for (std::size_t i = 0; i < all.size(); ++i) {
            const bool is_symbols = all[i].first == ".symtab";
            word(heads, name_at[i]), word(heads, is_symbols ? 2 : 1);
            number(heads, 0, a), number(heads, 0, a);
            number(heads, start + body.size(), a), number(heads, all[i].second.size(), a);
            word(heads, is_symbols ? i + 2 : 0), word(heads, 0);
            number(heads, 1, a), number(heads, 0, a);
            append(body, all[i].second);
        }
        Bytes out{0x7F, 'E', 'L', 'F', static_cast<std::uint8_t>(wide ? 2 : 1), 1, 1};
        out.resize(16);
        number(out, 2, 2), number(out, machine, 2), word(out, 1);
        number(out, 0, a), number(out, notes.empty() ? 0 : header, a), number(out, start + body.size(), a);
        word(out, flags);
        number(out, header, 2), number(out, segment, 2), number(out, notes.empty() ? 0 : 1, 2);
        number(out, wide ? 64 : 40, 2), number(out, all.size() + 1, 2), number(out, all.size(), 2);
        if (!notes.empty()) {
            word(out, 4);
            if (wide) word(out, 4);
            number(out, header + segment, a);
            number(out, 0, a), number(out, 0, a), number(out, notes.size(), a), number(out, notes.size(), a);
            if (!wide) word(out, 4);
            number(out, 4, a);
        }
        append(out, body);
        append(out, heads);
        return out;
    }
};

inline const Bytes s_endpgm{0x00, 0x00, 0x81, 0xBF};

// amd_kernel_code_t with a few of its fields.
inline Bytes kernel_header(unsigned major) {
    Bytes out;
    word(out, 1), word(out, 1);
    number(out, 1, 2), number(out, major, 2), number(out, 0, 2), number(out, 3, 2);
    number(out, 256, 8), out.resize(48);
    word(out, 0x00AC0041);  // 8 vector registers, 16 scalar ones, modes
    word(out, 0x00008190);  // 8 user registers, groups in x and y, 512 bytes of local memory
    number(out, 0x9, 2), number(out, 0x8, 2), word(out, 64), word(out, 512), word(out, 0);
    number(out, 40, 8);
    out.resize(256);
    return out;
}

inline Bytes gallium(bool with_header = false) {
    ElfFile program;
    program.wide = true;
    Bytes code = with_header ? kernel_header(8) : Bytes{};
    append(code, s_endpgm);
    program.sections.emplace_back(".text", code);
    Bytes registers;
    word(registers, 0xB848), word(registers, 0x000C0041);
    word(registers, 0xB84C), word(registers, 0x00001788);
    word(registers, 0xB860), word(registers, 0);
    program.sections.emplace_back(".AMDGPU.config", registers);
    program.symbols.push_back({"one", 1, 0, 0});
    const Bytes elf = program.bytes();
    Bytes out;
    word(out, 1), word(out, 3);
    text(out, "one");
    word(out, 0), word(out, 0), word(out, 1);
    for (const unsigned value : {2u, 8u, 8u, 8u, 0u, 0u}) word(out, value);
    word(out, 1), word(out, 0), word(out, 0);
    word(out, elf.size()), word(out, elf.size() + 4), word(out, elf.size());
    append(out, elf);
    return out;
}

inline Bytes catalyst() {
    ElfFile inner;
    inner.machine = 125;
    inner.sections.emplace_back(".text", Bytes(4, 0));  // another encoding
    inner.sections.emplace_back(".text", s_endpgm);
    Bytes pairs;
    for (const auto& [address, value] :
         std::initializer_list<std::pair<std::uint32_t, std::uint32_t>>{{0x80001000, 1},
                                                                        {0x80001001, 0x17},
                                                                        {0x80001002, 0},
                                                                        {0x80001003, 2},
                                                                        {0x80001004, 2},
                                                                        {0x80001041, 11},
                                                                        {0x80001042, 24},
                                                                        {0x80001043, 0xC0},
                                                                        {0x2E13, 0x00400998}}) {
        word(pairs, address), word(pairs, value);
    }
    word(inner.notes, 8), word(inner.notes, pairs.size()), word(inner.notes, 1);
    text(inner.notes, std::string("ATI CAL") + '\0');
    append(inner.notes, pairs);
    ElfFile file;
    file.machine = 0x3FE;
    const Bytes kernel = inner.bytes();
    const std::string metadata =
        ";ARGSTART:__OpenCL_add_kernel\n;pointer:out:float:1:1:0:uav:12:4:RW:0:0\n"
        ";value:n:u32:2:1:16\n;uavid:11\nARGEND\n";
    file.sections.emplace_back(".rodata", Bytes(metadata.begin(), metadata.end()));
    file.sections.emplace_back(".text", kernel);
    file.symbols.push_back({"__OpenCL_add_metadata", 1, 0, metadata.size()});
    file.symbols.push_back({"__OpenCL_add_kernel", 2, 0, kernel.size()});
    return file.bytes();
}

inline Bytes amdcl2(bool old) {
    Bytes kernel = kernel_header(7);
    append(kernel, s_endpgm);
    ElfFile file;
    file.wide = true;
    file.machine = 0xAF5B;
    file.flags = 6;
    if (old) {
        Bytes stub;
        word(stub, 16);
        stub.resize(16);
        append(stub, kernel);
        file.sections.emplace_back(".text", stub);
        file.symbols.push_back({"__ISA_&__OpenCL_add_kernel_binary", 1, 0, stub.size()});
    } else {
        ElfFile inner;
        inner.wide = true;
        inner.machine = 0xE0;
        inner.sections.emplace_back(".hsatext", kernel);
        inner.symbols.push_back({"&__OpenCL_add_kernel", 1, 0, kernel.size()});
        file.sections.emplace_back(".text", inner.bytes());
    }
    return file.bytes();
}

}  // namespace isaforge::container_files
