// Code objects that are no longer what they were: cut off, with wrong bytes, made of random notes and descriptors. Whatever
// is left of them is printed, and what is printed as directives makes the same bytes again.
#include <gtest/gtest.h>

#include <random>

#include "codeobject/descriptor.hpp"
#include "codeobject/kernel_code.hpp"
#include "codeobject/metadata.hpp"
#include "codeobject/notes.hpp"
#include "codeobject/target.hpp"
#include "isaforge/assembler.hpp"
#include "isaforge/disassembler.hpp"

namespace isaforge {

namespace {

using Bytes = std::vector<std::uint8_t>;

class Damaged : public testing::Test {
protected:
    static const Codec& codec() {
        static const std::shared_ptr<const Codec> made = [] {
            SourceManager sources;
            Diagnostics diagnostics;
            const auto isa = load_isa("gcn1.2", sources, diagnostics);
            EXPECT_TRUE(isa) << to_text(diagnostics, sources);
            return std::make_shared<const Codec>(isa);
        }();
        return *made;
    }

    // What the text makes as an ELF file; messages are a failure.
    static std::string elf_of(const std::string& text) {
        SourceManager sources;
        Diagnostics diagnostics;
        Object object;
        const FileId file = sources.add("test.s", text);
        EXPECT_TRUE(assemble(codec(), file, sources, {}, object, diagnostics)) << to_text(diagnostics, sources) << text;
        std::string out, error;
        EXPECT_TRUE(write_elf(object, out, error)) << error;
        return out;
    }

    static std::optional<Object> read(const std::string& bytes) {
        std::string error;
        std::optional<Object> object =
            read_elf({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, error);
        if (object) object->unit_bytes = 4;
        return object;
    }

    static constexpr const char* program = R"(
.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl foo
.p2align 8
.type foo,@function
foo:
    v_mov_b32 v1, other@rel32@lo+4
    v_add_f32 v0, v1, v2
.Lend:
.size foo, .Lend-foo
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel foo
    .amdhsa_next_free_vgpr 3
    .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.quad foo
.amdgpu_metadata
---
amdhsa.version: [1, 1]
amdhsa.kernels:
  - .name: foo
    .symbol: foo.kd
...
.end_amdgpu_metadata
)";
};

const codeobject::Target gfx803{codeobject::find_processor("gfx803")};

TEST_F(Damaged, cut_off_anywhere) {
    const std::string whole = elf_of(program);
    for (std::size_t size = 0; size < whole.size(); size += 13) {
        const std::optional<Object> object = read(whole.substr(0, size));
        if (object) disassemble(codec(), *object);
    }
}

TEST_F(Damaged, wrong_bytes) {
    const std::string whole = elf_of(program);
    std::mt19937 random(7);
    unsigned readable = 0;
    for (int round = 0; round < 300; ++round) {
        std::string bytes = whole;
        for (unsigned i = 0; i <= random() % 8; ++i)
            bytes[random() % bytes.size()] = static_cast<char>(random() % 4 ? random() : -1);
        const std::optional<Object> object = read(bytes);
        if (!object) continue;
        ++readable;
        for (const auto style : {DisassemblyStyle::source, DisassemblyStyle::listing, DisassemblyStyle::json}) {
            disassemble(codec(), *object, {.style = style});
        }
    }
    EXPECT_GT(readable, 50u);
}

TEST_F(Damaged, a_whole_one_says_it_with_directives) {
    const std::optional<Object> object = read(elf_of(program));
    ASSERT_TRUE(object);
    const std::string text = disassemble(codec(), *object);
    for (const char* mark : {".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"", ".amdhsa_kernel foo", ".amdgpu_metadata",
                             "other@rel32@lo + 4", ".8byte foo"}) {
        EXPECT_NE(text.find(mark), std::string::npos) << mark << '\n' << text;
    }
    EXPECT_EQ(disassemble(codec(), *read(elf_of(text))), text);
}

// What directives cannot say remains data: nothing is lost.
TEST_F(Damaged, descriptors_that_no_directives_make_stay_data) {
    const std::string whole = elf_of(program);
    const std::optional<Object> object = read(whole);
    ASSERT_TRUE(object);
    const Index rodata = object->find_section(".rodata");
    ASSERT_NE(rodata, no_index);
    std::mt19937 random(11);
    unsigned said = 0;
    for (int round = 0; round < 150; ++round) {
        Object changed = *object;
        Bytes& bytes = changed.sections[rodata].bytes;
        for (unsigned i = 0; i <= random() % 3; ++i) {
            const std::size_t at = random() % 64;
            bytes[at] ^= static_cast<std::uint8_t>(1u << random() % 8);
        }
        std::fill_n(bytes.begin() + 16, 8, std::uint8_t{0});  // a linker's
        const std::string text = disassemble(codec(), changed);
        said += text.find(".amdhsa_kernel foo") != std::string::npos;
        const std::optional<Object> again = read(elf_of(text));
        ASSERT_TRUE(again);
        EXPECT_EQ(again->sections[again->find_section(".rodata")].bytes, bytes) << text;
    }
    EXPECT_GT(said, 10u);
    EXPECT_LT(said, 140u);
}

TEST_F(Damaged, random_descriptors) {
    std::mt19937_64 random(3);
    for (int round = 0; round < 20000; ++round) {
        codeobject::Descriptor bytes{};
        for (auto& byte : bytes) byte = random() % 3 ? 0 : static_cast<std::uint8_t>(random());
        codeobject::descriptor_text(bytes, gfx803);
    }
}

// Each text makes the bytes it was made of: metadata_text promises it, and this asks for it with other means.
TEST_F(Damaged, random_metadata) {
    std::mt19937 random(5);
    const std::optional<Object> object = read(elf_of(program));
    const std::vector<codeobject::Note> notes =
        codeobject::read_notes(object->sections[object->find_section(".note")].bytes).value();
    ASSERT_EQ(notes.size(), 1u);
    unsigned said = 0;
    for (int round = 0; round < 20000; ++round) {
        Bytes bytes = notes[0].content;
        for (unsigned i = 0; i <= random() % 3; ++i)
            bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
        if (random() % 4 == 0) bytes.resize(random() % bytes.size());
        const std::optional<std::string> text = codeobject::metadata_text(bytes);
        if (!text) continue;
        ++said;
        codeobject::MetadataError error;
        EXPECT_EQ(codeobject::metadata_bytes(*text, error), bytes);
    }
    EXPECT_GT(said, 100u);
}

TEST_F(Damaged, deep_metadata) {
    EXPECT_FALSE(codeobject::metadata_text(Bytes(1 << 20, 0x91)));   // lists of one list each
    EXPECT_FALSE(codeobject::metadata_text(Bytes(1 << 20, 0x81)));   // maps with maps as keys
    EXPECT_FALSE(codeobject::metadata_text(Bytes{0xDD, 0xFF, 0xFF, 0xFF, 0xFF}));  // a list that would fill memory
    codeobject::MetadataError error;
    EXPECT_FALSE(codeobject::metadata_bytes(std::string(1 << 20, '['), error));
    EXPECT_FALSE(codeobject::metadata_bytes("a: &x [1]\nb: *x\n", error));
    EXPECT_FALSE(codeobject::metadata_bytes("", error));
}

TEST_F(Damaged, random_notes) {
    std::mt19937 random(9);
    for (int round = 0; round < 20000; ++round) {
        Bytes bytes(random() % 64);
        for (auto& byte : bytes) byte = random() % 2 ? 0 : static_cast<std::uint8_t>(random() % 16);
        const auto notes = codeobject::read_notes(bytes);
        if (!notes) continue;
        Bytes again;
        for (const codeobject::Note& note : *notes) {
            const Bytes one = codeobject::note_bytes(note);
            again.insert(again.end(), one.begin(), one.end());
            codeobject::note_text(note);
        }
        EXPECT_EQ(again, bytes);
    }
}

TEST_F(Damaged, targets_read_back) {
    for (const codeobject::Processor& processor : codeobject::processors()) {
        for (const auto system : {codeobject::System::none, codeobject::System::hsa, codeobject::System::mesa}) {
            for (const unsigned version : {3u, 4u, 5u}) {
                for (const auto xnack : {codeobject::Feature::any, codeobject::Feature::off, codeobject::Feature::on}) {
                    codeobject::Target target{&processor, system};
                    if (processor.has_xnack) target.xnack = xnack;
                    std::string error;
                    const std::string text = codeobject::target_text(target, version);
                    const auto again = codeobject::parse_target(text, error);
                    ASSERT_TRUE(again) << text << ": " << error;
                    const bool hsa = system == codeobject::System::hsa;
                    // Version 3 is one of amdhsa, and says nothing of what is off; other systems say nothing of what is on.
                    if ((version == 3 && !(hsa && xnack != codeobject::Feature::off)) ||
                        (!hsa && xnack == codeobject::Feature::on)) {
                        continue;
                    }
                    EXPECT_EQ(codeobject::target_text(*again, version), text);
                    Object object;
                    codeobject::set_header(target, version, object);
                    const auto found = codeobject::target_of(object);
                    ASSERT_TRUE(found);
                    EXPECT_EQ(codeobject::target_text(*found, version), text);
                }
            }
        }
    }
}

// In files of version 2 that say no processor in e_flags, as those of the first drivers and of CLRX, a note does.
TEST_F(Damaged, NotesNameTheProcessor) {
    for (const codeobject::Processor& processor : codeobject::processors()) {
        Object object;
        codeobject::set_header({&processor, codeobject::System::hsa}, 2, object);
        object.machine_flags = 2;
        EXPECT_FALSE(codeobject::target_of(object)) << processor.name;
        Section notes;
        notes.name = codeobject::note_section;
        notes.note = true;
        for (const codeobject::Note& note :
             {codeobject::version_note(2, 1),
              codeobject::isa_version_note({processor.major, processor.minor, processor.stepping})}) {
            const std::vector<std::uint8_t> bytes = codeobject::note_bytes(note);
            notes.bytes.insert(notes.bytes.end(), bytes.begin(), bytes.end());
        }
        object.sections.push_back(notes);
        const auto found = codeobject::target_of(object);
        ASSERT_TRUE(found) << processor.name;
        EXPECT_EQ(found->processor->variant, processor.variant) << processor.name;
        EXPECT_EQ(found->processor->stepping, processor.stepping) << processor.name;
        object.abi_version = 1;
        EXPECT_FALSE(codeobject::target_of(object)) << processor.name;
        object.abi_version = 0;
        object.sections[0].bytes.resize(21);
        EXPECT_FALSE(codeobject::target_of(object)) << processor.name;
    }
}

// Messages stand where the mistake is.
TEST_F(Damaged, mistakes_have_places) {
    const std::pair<const char*, const char*> cases[] = {
        {".amdhsa_kernel k\n.amdhsa_next_free_vgpr 257\n.amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n",
         "t.s:2:24: error"},
        {".amdhsa_kernel k\n.amdhsa_next_free_vgpr 1\n.end_amdhsa_kernel\n", "t.s:1:1: error"},
        {".amdhsa_kernel k\n.amdhsa_next_free_vpgr 1\n.end_amdhsa_kernel\n", "did you mean '.amdhsa_next_free_vgpr'?"},
        {".amdhsa_ieee_mode 1\n", "belongs behind .amdhsa_kernel"},
        {".amdgcn_target \"amdgcn-amd-amdhsa--gfx900\"\n", "t.s:1:16: error: gfx900 is of gcn1.4"},
        {".amdgpu_metadata\na: [1\n.end_amdgpu_metadata\n", "t.s:3"},
        {".amdgpu_metadata\n", ".end_amdgpu_metadata is missing"},
        {"v_mov_b32 v0, x@lo\n", "t.s:1:16: error"},
    };
    for (const auto& [text, message] : cases) {
        SourceManager sources;
        Diagnostics diagnostics;
        Object object;
        EXPECT_FALSE(assemble(codec(), sources.add("t.s", text), sources, {}, object, diagnostics)) << text;
        EXPECT_NE(to_text(diagnostics, sources).find(message), std::string::npos) << to_text(diagnostics, sources);
    }
}

}  // namespace

}  // namespace isaforge
