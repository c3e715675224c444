// Containers made here byte by byte, as the drivers made them, and what is read from them; and every damage to them.
#include <gtest/gtest.h>

#include <cstring>

#include "codeobject/container_files.hpp"
#include "isaforge/container.hpp"
#include "object/limits.hpp"

namespace isaforge {
namespace {

using namespace container_files;

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
