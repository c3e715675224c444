// Containers made here byte by byte, as the drivers made them, and what is read from them; and every damage to them.
#include <gtest/gtest.h>

#include <cstring>

#include "codeobject/container_files.hpp"
#include "isaforge/container.hpp"

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

// Cut off anywhere, and with any byte changed in several ways: whatever comes out, nothing outside of the bytes is read.
TEST(Containers, AnyDamage) {
    for (const Bytes& whole : {gallium(), gallium(true), catalyst(), amdcl2(false), amdcl2(true)}) {
        std::string error;
        for (std::size_t size = 0; size < whole.size(); ++size) {
            const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
            read_container(cut, error);
        }
        for (std::size_t at = 0; at < whole.size(); ++at) {
            for (const std::uint8_t value : {0x00, 0x01, 0x7F, 0xFF}) {
                Bytes changed = whole;
                changed[at] = value;
                const std::optional<Container> container = read_container(changed, error);
                EXPECT_TRUE(!container || error.empty());
            }
        }
    }
}

}  // namespace
}  // namespace isaforge
