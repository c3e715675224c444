// Object files: what is written reads back, what other tools say of it, and what happens with bytes that are no object.
#include <filesystem>
#include <fstream>
#include <random>

#include "assembler/assemble_text.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;

const char* const program =
    "start: nop;\n"
    "fadd r1, r2, r3;\n"
    "ploadaddr_l table;\n"
    "loadaddr_h table, r3;\n"
    "jump elsewhere;\n"
    "stop_core;\n"
    ".global start\n.type start, @function\n.size start, 6\n"
    ".data\n.balign 4\ntable: .long 1, table\n.bss\nroom: .zero 64\n.weak maybe\n.comm shared, 16, 8\n";

std::span<const std::uint8_t> bytes_of(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string elf_of(const Object& object) {
    std::string text, error;
    EXPECT_TRUE(write_elf(object, text, error)) << error;
    return text;
}

TEST(Elf, ReadsBack) {
    const auto made = assemble_text(program);
    ASSERT_EQ(made->messages(), "");
    std::string error;
    const std::optional<Object> back = read_elf(bytes_of(elf_of(made->object)), error);
    ASSERT_TRUE(back) << error;
    EXPECT_EQ(back->isa, "wishbone-gpu");
    EXPECT_EQ(back->unit_bytes, 4u);
    EXPECT_EQ(back->address_bytes, 4u);
    ASSERT_EQ(back->sections.size(), made->object.sections.size());
    for (std::size_t i = 0; i < back->sections.size(); ++i) {
        EXPECT_EQ(back->sections[i].name, made->object.sections[i].name);
        EXPECT_EQ(back->sections[i].bytes, made->object.sections[i].bytes);
        EXPECT_EQ(back->sections[i].extent(), made->object.sections[i].extent());
        EXPECT_EQ(back->sections[i].executable, made->object.sections[i].executable);
    }
    EXPECT_EQ(back->relocations.size(), made->object.relocations.size());
    const Symbol& start = back->symbols[back->find_symbol("start")];
    EXPECT_EQ(start.binding, Binding::global);
    EXPECT_EQ(start.type, SymbolType::function);
    EXPECT_EQ(start.size, 24u);  // six words
    EXPECT_EQ(back->symbols[back->find_symbol("elsewhere")].section, undefined_section);
    EXPECT_EQ(back->symbols[back->find_symbol("shared")].section, common_section);
    const auto lines_of = [](const Object& object) { return std::vector(object.lines.begin(), object.lines.end()); };
    EXPECT_EQ(lines_of(*back), lines_of(made->object));
    EXPECT_EQ(back->files, std::vector<std::string>{"t.s"});
}

TEST(Elf, OtherToolsReadIt) {
    const std::string path = ::testing::TempDir() + "isaforge_tools.o";
    std::string error, output;
    ASSERT_TRUE(write_file_atomically(path, elf_of(assemble_text(program)->object), error)) << error;
    ASSERT_TRUE(testing::run_command("llvm-readelf-19 -S -s -r " + path, output)) << output;
    EXPECT_EQ(output.find("warning"), std::string::npos) << output;
    EXPECT_NE(output.find("elsewhere"), std::string::npos) << output;
    EXPECT_NE(output.find(".rela.text"), std::string::npos) << output;
    ASSERT_TRUE(testing::run_command("llvm-dwarfdump-19 --debug-line " + path, output)) << output;
    EXPECT_NE(output.find("t.s"), std::string::npos) << output;
    EXPECT_NE(output.find("0x0000000000000014      6"), std::string::npos) << output;
    ASSERT_TRUE(testing::run_command("llvm-dwarfdump-19 --verify " + path, output)) << output;
    ASSERT_TRUE(testing::run_command("llvm-dwarfdump-19 --debug-info " + path, output)) << output;
    EXPECT_NE(output.find("DW_TAG_compile_unit"), std::string::npos) << output;
}

TEST(Elf, AnyBytesAreHarmless) {
    const std::string good = elf_of(assemble_text(program)->object);
    std::mt19937 random(3);
    std::string error;
    for (int round = 0; round < 20000; ++round) {
        std::string bad = good;
        if (round % 4 == 0) bad.resize(random() % bad.size());
        const unsigned changes = 1 + random() % 8;
        for (unsigned i = 0; i < changes && !bad.empty(); ++i) {
            // Headers and tables matter more than contents.
            const std::size_t at =
                random() % 2 ? random() % std::min<std::size_t>(bad.size(), 52) : random() % bad.size();
            bad[at] = static_cast<char>(random() % 3 == 0 ? 0xFF : random());
        }
        if (bad.size() >= 4)
            bad.replace(0, 4,
                        "\x7f"
                        "ELF");
        read_elf(bytes_of(bad), error);
    }
}

TEST(Flat, Formats) {
    AssembleOptions options;
    options.flat = true;
    const auto made = assemble_text("fadd r1, r2, r3;\nploadaddr_l 1020;\n.data\n.byte 1, 2\n", options);
    ASSERT_EQ(made->messages(), "");
    std::string out, error;
    ASSERT_TRUE(write_binary(made->object, out, error));
    EXPECT_EQ(out, std::string("\x43\x00\x21\x20\x00\xff\x00\x08\x01\x02", 10));
    out.clear();
    ASSERT_TRUE(write_intel_hex(made->object, out, error));
    EXPECT_EQ(out, ":080000004300212000FF00086D\n:020008000102F3\n:00000001FF\n");
    out.clear();
    ASSERT_TRUE(write_memh(made->object, out, error));
    EXPECT_EQ(out, "@00000000\n20210043\n0800FF00\n00000201\n");
    out.clear();
    ASSERT_TRUE(write_c_header(made->object, out, error));
    EXPECT_NE(out.find("program_code[2] = {\n    0x20210043,\n    0x0800FF00,\n};"), std::string::npos) << out;
    EXPECT_NE(out.find("program_relocate[2] = {\n    0,\n    1,\n};"), std::string::npos) << out;
    EXPECT_NE(out.find("program_data[2] = {\n    1, 2,\n};"), std::string::npos) << out;
    out.clear();
    ASSERT_TRUE(write_vhdl(made->object, out, error));
    EXPECT_NE(out.find("        0 => x\"20210043\",\n        1 => x\"0800FF00\"\n    );"), std::string::npos) << out;
}

TEST(IntelHex, ReadsBackAcrossSegments) {
    Object object;
    for (const std::uint64_t address : {std::uint64_t{0xFFF8}, std::uint64_t{0x123456}}) {
        Section section;
        section.executable = true;
        section.load_address = section.address = address;
        for (int i = 0; i < 40; ++i) section.bytes.push_back(static_cast<std::uint8_t>(i * 7));
        object.sections.push_back(section);
    }
    std::string text, error;
    ASSERT_TRUE(write_intel_hex(object, text, error)) << error;
    const std::optional<Object> back = read_intel_hex(bytes_of(text), error);
    ASSERT_TRUE(back) << error;
    ASSERT_EQ(back->sections.size(), 2u);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(back->sections[i].address, object.sections[i].address);
        EXPECT_EQ(back->sections[i].bytes, object.sections[i].bytes);
    }
}

TEST(IntelHex, Mistakes) {
    const std::pair<const char*, const char*> cases[] = {
        {":00000001FF\n", ""},
        {":0100000001FE\n", "the end record is missing"},
        {":0100000001FD\n", "line 1 has the checksum FD, and its bytes have FE"},
        {":01000000\n", "line 1 is no Intel HEX record"},
        {":01000000ZZ\n", "line 1 is no Intel HEX record"},
        {":00000009F7\n", "line 1 has a record of type 9, which does not exist"},
        {":0100000400FB\n", "line 1 has a record of type 4 with 1 bytes instead of 2"},
        {"\nhello\n", "line 2 is no Intel HEX record"},
        {":0100000001FE\n:0100000001FE\n:00000001FF\n", "line 2 writes bytes that an earlier record wrote"},
    };
    for (const auto& [text, message] : cases) {
        std::string error;
        read_intel_hex(bytes_of(text), error);
        EXPECT_EQ(error, message) << text;
    }
    EXPECT_TRUE(is_intel_hex(bytes_of(":0100000001FD\n")));  // what is wrong with it is an error, not another format
    EXPECT_FALSE(is_intel_hex(bytes_of(":01000000\x80")));
    EXPECT_FALSE(is_intel_hex(bytes_of(":code")));
}

TEST(File, IsReplacedWholeOrNotAtAll) {
    namespace fs = std::filesystem;
    const std::string folder = ::testing::TempDir() + "isaforge_file";
    fs::create_directories(folder);
    std::string error;
    ASSERT_TRUE(write_file_atomically(folder + "/a", "one", error)) << error;
    ASSERT_TRUE(write_file_atomically(folder + "/a", "two", error)) << error;
    std::string content;
    std::ifstream(folder + "/a") >> content;
    EXPECT_EQ(content, "two");
    EXPECT_FALSE(write_file_atomically(folder + "/none/a", "x", error));
    EXPECT_FALSE(error.empty());
    EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
    EXPECT_TRUE(write_file_atomically("/dev/null", "x", error)) << error;
}

}  // namespace
}  // namespace isaforge
