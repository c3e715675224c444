// Containers made here byte by byte, as the drivers made them, and what is read from them; and every damage to them.
#include <gtest/gtest.h>

#include <cstring>

#include "isaforge/container.hpp"
#include "object/limits.hpp"

namespace isaforge {
namespace {

using Bytes = std::vector<std::uint8_t>;

void number(Bytes& out, std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) out.push_back(static_cast<std::uint8_t>(value >> 8 * i));
}
void word(Bytes& out, std::uint64_t value) { number(out, value, 4); }
void text(Bytes& out, std::string_view value) { out.insert(out.end(), value.begin(), value.end()); }
void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }

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

const Bytes s_endpgm{0x00, 0x00, 0x81, 0xBF};

// amd_kernel_code_t with a few of its fields.
Bytes kernel_header(unsigned major) {
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

Bytes gallium(bool with_header = false) {
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

Bytes catalyst() {
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

Bytes amdcl2(bool old) {
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

Container read(const Bytes& bytes) {
    std::string error;
    std::optional<Container> container = read_container(bytes, error);
    EXPECT_EQ(error, "");
    EXPECT_TRUE(container);
    return container ? std::move(*container) : Container{};
}

bool says(const std::string& text, std::string_view line) {
    return text.find(std::string(line) + "\n") != std::string::npos;
}

TEST(Containers, Gallium) {
    const Container file = read(gallium());
    EXPECT_EQ(file.format, "Gallium compute");
    EXPECT_EQ(file.variant, "");
    ASSERT_EQ(file.parts.size(), 1u);
    const std::string& head = file.parts[0].head;
    EXPECT_TRUE(says(head, ".kernel one")) << head;
    EXPECT_TRUE(says(head, "        .arg global, 8, 8, 8, zext, general")) << head;
    EXPECT_TRUE(says(head, "        .sgprsnum 16")) << head;
    EXPECT_TRUE(says(head, "        .vgprsnum 8")) << head;
    EXPECT_TRUE(says(head, "        .dims xyz")) << head;
    EXPECT_EQ(file.parts[0].object.sections[0].bytes, s_endpgm);
    EXPECT_EQ(file.parts[0].object.symbols[0].name, "one");
}

TEST(Containers, GalliumWithHeaders) {
    const Container file = read(gallium(true));
    EXPECT_EQ(file.variant, "gcn1.2");
    const std::string& head = file.parts[0].head;
    EXPECT_TRUE(says(head, "        .use_private_segment_buffer")) << head;
    EXPECT_TRUE(says(head, "        .use_kernarg_segment_ptr")) << head;
    EXPECT_TRUE(says(head, "        .kernarg_segment_size 40")) << head;
    EXPECT_TRUE(says(head, "        .dims xy, x")) << head;
    EXPECT_TRUE(says(head, "        .localsize 512")) << head;
}

TEST(Containers, OpenCl12) {
    const Container file = read(catalyst());
    EXPECT_EQ(file.format, "AMD OpenCL 1.2");
    EXPECT_EQ(file.variant, "gcn1.0");
    EXPECT_TRUE(says(file.head, ".gpu Pitcairn")) << file.head;
    ASSERT_EQ(file.parts.size(), 1u);
    const std::string& head = file.parts[0].head;
    EXPECT_TRUE(says(head, ".kernel add")) << head;
    EXPECT_TRUE(says(head, "        .userdata PTR_UAV_TABLE, 0, 2, 2")) << head;
    EXPECT_TRUE(says(head, "        .sgprsnum 24")) << head;
    EXPECT_TRUE(says(head, "        .vgprsnum 11")) << head;
    EXPECT_TRUE(says(head, "        .arg out, float*, global")) << head;
    EXPECT_TRUE(says(head, "        .arg n, uint2")) << head;
    EXPECT_TRUE(says(head, "        .uavid 11")) << head;
    EXPECT_EQ(file.parts[0].object.sections[0].bytes, s_endpgm);
}

TEST(Containers, OpenCl20) {
    for (const bool old : {false, true}) {
        const Container file = read(amdcl2(old));
        EXPECT_EQ(file.format, "AMD OpenCL 2.0");
        EXPECT_EQ(file.variant, "gcn1.1");
        EXPECT_TRUE(says(file.head, ".gpu Bonaire")) << file.head;
        ASSERT_EQ(file.parts.size(), 1u);
        EXPECT_TRUE(says(file.parts[0].head, ".kernel add")) << file.parts[0].head;
        EXPECT_TRUE(says(file.parts[0].head, "        .use_ptr64")) << file.parts[0].head;
        EXPECT_EQ(file.parts[0].object.sections[0].bytes, s_endpgm);
    }
}

TEST(Containers, OtherFilesAreNone) {
    std::string error;
    EXPECT_FALSE(read_container({}, error));
    EXPECT_FALSE(read_container(s_endpgm, error));
    ElfFile other;
    other.machine = 0xE0;
    EXPECT_FALSE(read_container(other.bytes(), error));
    EXPECT_EQ(error, "");
}

// What a container holds: all bytes and all text.
std::size_t contents(const Container& container) {
    std::size_t size = container.head.size();
    for (const ContainerPart& part : container.parts) {
        size += part.name.size() + part.head.size();
        for (const Section& section : part.object.sections) size += section.bytes.size();
    }
    return size;
}

// Cut off anywhere, and with any byte or number changed in several ways: whatever comes out, nothing outside of the bytes is
// read, and what is made of them stays in proportion.
TEST(Containers, AnyDamage) {
    for (const Bytes& whole : {gallium(), gallium(true), catalyst(), amdcl2(false), amdcl2(true)}) {
        std::string error;
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
            read_container(cut, error);
        }
        const auto try_number = [&](std::size_t at, unsigned size, std::uint64_t value) {
            Bytes changed = whole;
            for (unsigned i = 0; i < size && at + i < changed.size(); ++i)
                changed[at + i] = static_cast<std::uint8_t>(value >> 8 * i);
            const std::optional<Container> container = read_container(changed, error);
            EXPECT_TRUE(!container || error.empty());
            EXPECT_LE(container ? contents(*container) : 0, 64 * whole.size() + 4096);
        };
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (const std::uint8_t value : {0x00, 0x01, 0x7F, 0xFF}) try_number(at, 1, value);
            for (const unsigned size : {2u, 4u, 8u}) {
                const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * size);
                for (const std::uint64_t value : {std::uint64_t{0}, all, all >> 1, (all >> 1) + 1,
                                                  std::uint64_t{whole.size()}, std::uint64_t{whole.size()} - at})
                    try_number(at, size, value);
            }
        }
    }
}

// Thousands of kernels that are one and the same stretch of the file.
TEST(Containers, KernelsThatOverlap) {
    constexpr unsigned count = 5000;
    Bytes kernel = kernel_header(7);
    kernel.resize(100'000);
    ElfFile inner, file;
    inner.wide = file.wide = true;
    inner.machine = 0xE0;
    inner.sections.emplace_back(".hsatext", kernel);
    for (unsigned i = 0; i < count; ++i)
        inner.symbols.push_back({"&__OpenCL_a" + std::to_string(i) + "_kernel", 1, 0, kernel.size()});
    file.machine = 0xAF5B;
    file.sections.emplace_back(".text", inner.bytes());
    std::string error;
    EXPECT_FALSE(read_container(file.bytes(), error));
    EXPECT_EQ(error, limits::overlap_text);

    ElfFile old;
    old.wide = true;
    old.machine = 0xAF5B;
    Bytes stub;
    word(stub, 16);
    stub.resize(16);
    append(stub, kernel);
    old.sections.emplace_back(".text", stub);
    for (unsigned i = 0; i < count; ++i)
        old.symbols.push_back({"__ISA_&__OpenCL_a" + std::to_string(i) + "_kernel_binary", 1, 0, stub.size()});
    EXPECT_FALSE(read_container(old.bytes(), error));
    EXPECT_EQ(error, limits::overlap_text);

    ElfFile first;
    first.machine = 0x3FE;
    ElfFile one;
    one.machine = 125;
    one.sections.emplace_back(".text", kernel);
    const Bytes program = one.bytes();
    first.sections.emplace_back(".text", program);
    for (unsigned i = 0; i < count; ++i)
        first.symbols.push_back({"__OpenCL_a" + std::to_string(i) + "_kernel", 1, 0, program.size()});
    EXPECT_FALSE(read_container(first.bytes(), error));
    EXPECT_EQ(error, limits::overlap_text);
}

// As many kernels, each with its own code, are all read.
TEST(Containers, ManyKernels) {
    constexpr unsigned count = 2000;
    Bytes code;
    ElfFile inner, file;
    inner.wide = file.wide = true;
    inner.machine = 0xE0;
    for (unsigned i = 0; i < count; ++i) {
        inner.symbols.push_back({"&__OpenCL_a" + std::to_string(i) + "_kernel", 1, code.size(), 260});
        append(code, kernel_header(7));
        append(code, s_endpgm);
    }
    inner.sections.emplace_back(".hsatext", code);
    file.machine = 0xAF5B;
    file.sections.emplace_back(".text", inner.bytes());
    EXPECT_EQ(read(file.bytes()).parts.size(), count);
}

}  // namespace
}  // namespace isaforge
