// Line tables of other tools' objects: what is read of them is what llvm-dwarfdump says of them, row by row. And tables made
// here byte by byte that are damaged, or of versions to come.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <tuple>

#include "assembler/assemble_text.hpp"
#include "object/dwarf_read.hpp"

namespace isaforge {
namespace {

namespace fs = std::filesystem;
using testing::run_command;

using Row = std::tuple<std::uint64_t, std::uint64_t, std::string>;  // address, line, file

class LineTables : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / "isaforge_dwarf_test";
        fs::remove_all(folder_);
        fs::create_directories(folder_ / "inc");
        std::ofstream(folder_ / "inc/twice.h") << "static inline int twice(int x) {\n  return 2 * x;\n}\n";
        std::ofstream(folder_ / "a.c") << "#include \"inc/twice.h\"\n"
                                          "int sum(int *p, int n) {\n  int s = 0;\n  for (int i = 0; i < n; ++i)\n"
                                          "    s += twice(p[i]);\n  return s;\n}\n"
                                          "int _start(void) {\n  int a[2] = {1, 2};\n  return sum(a, 2);\n}\n";
        std::ofstream(folder_ / "b.s") << ".text\nstart: nop\n nop\n\n nop\n";
    }
    void TearDown() override { fs::remove_all(folder_); }

    std::string command(const std::string& line) {
        std::string output;
        EXPECT_TRUE(run_command("cd '" + folder_.string() + "' && " + line, output)) << line << '\n' << output;
        return output;
    }

    std::optional<Object> read(const std::string& name) {
        std::ifstream file(folder_ / name, std::ios::binary);
        std::stringstream text;
        text << file.rdbuf();
        const std::string bytes = text.str();
        std::string error;
        auto object = read_elf({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, error);
        EXPECT_TRUE(object) << error;
        return object;
    }

    static std::vector<Row> rows_of(const Object& object) {
        std::vector<Row> rows;
        for (const LineEntry& entry : object.lines) {
            if (entry.line == 0) continue;
            rows.emplace_back(object.sections[entry.section].address + entry.offset, entry.line,
                              object.files[entry.file]);
        }
        std::ranges::sort(rows);
        return rows;
    }

    // The same from the referee's text.
    std::vector<Row> rows_of_referee(const std::string& tool, const std::string& name) {
        std::istringstream text(command(tool + " --debug-line " + name));
        std::vector<Row> rows;
        std::map<std::uint64_t, std::string> folders, files;
        std::uint64_t number = 0, version = 0;
        for (std::string line; std::getline(text, line);) {
            const auto quoted = [&] {
                const std::size_t begin = line.find('"') + 1;
                return line.substr(begin, line.rfind('"') - begin);
            };
            const auto after = [&](const char* mark) { return std::stoull(line.substr(line.find(mark) + 1)); };
            if (line.starts_with("debug_line[")) folders.clear(), files.clear();
            if (line.find(" version:") != std::string::npos) version = after(":");
            if (line.starts_with("include_directories[")) folders[after("[")] = quoted();
            if (line.starts_with("file_names[")) number = after("[");
            if (line.find(" name:") != std::string::npos) files[number] = quoted();
            if (line.find("dir_index:") != std::string::npos) {
                const std::uint64_t folder = after(":");
                if (folder != 0 && files[number][0] != '/') files[number] = folders[folder] + "/" + files[number];
            }
            std::istringstream fields(line);
            std::uint64_t at = 0, row = 0, column = 0, file = 0;
            if (!line.starts_with("0x") || !(fields >> std::hex >> at >> std::dec >> row >> column >> file)) continue;
            if (row != 0 && line.find("end_sequence") == std::string::npos) rows.emplace_back(at, row, files[file]);
        }
        EXPECT_NE(version, 0u);
        std::ranges::sort(rows);
        return rows;
    }

    void compare(const std::string& what, const std::string& referee, const std::string& name) {
        SCOPED_TRACE(what);
        const std::optional<Object> object = read(name);
        ASSERT_TRUE(object);
        EXPECT_EQ(object->lines_problem, "");
        const std::vector<Row> rows = rows_of(*object);
        EXPECT_GE(rows.size(), 3u);
        EXPECT_EQ(rows, rows_of_referee(referee, name));
    }

    fs::path folder_;
};

TEST_F(LineTables, OfClang) {
    for (const std::string release : {"14", "19"}) {
        for (const char* target : {"x86_64-linux-gnu", "i386-linux-gnu", "powerpc64-linux-gnu", "aarch64-linux-gnu"}) {
            const bool odd = (release == "19") ==
                             (target[0] == 'x' || target[0] == 'p');  // all versions, of each release and each target
            for (const char* dwarf : {odd ? "-gdwarf-3" : "-gdwarf-2", odd ? "-gdwarf-5" : "-gdwarf-4"}) {
                const std::string how = std::string("clang-") + release + " -target " + target + " " + dwarf +
                                        " -O1 -fno-inline-functions-called-once -c a.c -o a.o";
                command(how);
                compare(how, "llvm-dwarfdump-" + release, "a.o");
            }
        }
    }
}

TEST_F(LineTables, OfLinkedFiles) {
    for (const std::string release : {"14", "19"}) {
        for (const char* dwarf : {"-gdwarf-4", "-gdwarf-5"}) {
            const std::string how = "clang-" + release + " -target x86_64-linux-gnu -ffunction-sections " + dwarf +
                                    " -O1 -c a.c -o a.o && ld.lld-" + release + " a.o -o a.elf";
            command(how);
            compare(how, "llvm-dwarfdump-" + release, "a.elf");
        }
    }
}

TEST_F(LineTables, OfBinutils) {
    for (const char* dwarf : {"--gdwarf-2", "--gdwarf-3", "--gdwarf-4", "--gdwarf-5"}) {
        const std::string how = std::string("as ") + dwarf + " b.s -o b.o";
        command(how);
        compare(how, "llvm-dwarfdump-19", "b.o");
    }
}

// Functions in sections of their own: every row is of its own section.
TEST_F(LineTables, OfSeveralSections) {
    command("clang-19 -target x86_64-linux-gnu -ffunction-sections -gdwarf-5 -O1 -c a.c -o a.o");
    const std::optional<Object> object = read("a.o");
    ASSERT_TRUE(object);
    EXPECT_EQ(object->lines_problem, "");
    const Index sum = object->find_section(".text.sum"), start = object->find_section(".text._start");
    ASSERT_NE(sum, no_index);
    ASSERT_NE(start, no_index);
    const auto first_of = [&](Index section) {
        const auto found = std::ranges::find(object->lines.begin(), object->lines.end(), section, &LineEntry::section);
        return found == object->lines.end() ? 0 : found->line;
    };
    EXPECT_EQ(first_of(sum), 4u);
    EXPECT_EQ(first_of(start), 8u);
}

// What cannot be read is said.
TEST_F(LineTables, ThatCannotBeRead) {
    std::ofstream large(folder_ / "large.c");  // what is small is not compressed
    for (int i = 0; i < 300; ++i) large << "int f" << i << "(int x) {\n  if (x > 3)\n    x *= 7;\n  return x + 1;\n}\n";
    large.close();
    command("clang-19 -target x86_64-linux-gnu -gdwarf-5 -gz=zlib -O1 -c large.c -o a.o");
    const std::optional<Object> compressed = read("a.o");
    ASSERT_TRUE(compressed);
    EXPECT_EQ(compressed->lines_problem, ".debug_line is compressed");
}

// Where a linker may change distances, addresses are told by differences of symbols.
TEST_F(LineTables, OfWhatALinkerMayShorten) {
    command("clang-19 -target riscv64 -mrelax -gdwarf-5 -O1 -c a.c -o r.o");
    const std::optional<Object> relaxed = read("r.o");
    ASSERT_TRUE(relaxed);
    EXPECT_EQ(relaxed->lines_problem, "");
    command("clang-19 -target riscv64 -mno-relax -gdwarf-5 -O1 -c a.c -o n.o");
    const std::optional<Object> fixed = read("n.o");
    ASSERT_TRUE(fixed);
    const auto lines_of = [](const Object& object) {
        std::vector<std::uint32_t> lines;
        for (const LineEntry& entry : object.lines) lines.push_back(entry.line);
        return lines;
    };
    EXPECT_EQ(lines_of(*relaxed), lines_of(*fixed));
    const std::vector<LineEntry> lines(relaxed->lines.begin(), relaxed->lines.end());
    EXPECT_TRUE(std::ranges::is_sorted(lines, {}, &LineEntry::offset));
}

// --- tables made here

using Bytes = std::vector<std::uint8_t>;

DebugLines read_table(const Bytes& bytes, const std::string& strings = {}) {
    DebugLineInput input;
    input.line = bytes;
    input.line_strings = {reinterpret_cast<const std::uint8_t*>(strings.data()), strings.size()};
    input.relocated = [](std::size_t, std::uint64_t stored) { return DebugField{stored, no_index}; };
    return read_debug_lines(input);
}

Bytes unit(Bytes body) {
    Bytes bytes;
    for (unsigned i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(body.size() >> 8 * i));
    bytes.insert(bytes.end(), body.begin(), body.end());
    return bytes;
}

// Version 4, one file; the program is `program`.
Bytes version_4(const Bytes& program) {
    Bytes body{4, 0, 17, 0, 0, 0, 1, 1, 1, 0xFB, 14, 5, 0, 1, 1, 1, 0, 'f', 0, 0, 0, 0, 0};
    body.insert(body.end(), program.begin(), program.end());
    return unit(body);
}

TEST(DebugLines, ProgramOfVersion4) {
    // Address 0x10, line 7; a special opcode; the end.
    const DebugLines read = read_table(version_4({0, 5, 2, 0x10, 0, 0, 0, 3, 6, 1, 5 + 5 + 1 + 14 * 2, 0, 1, 1}));
    EXPECT_EQ(read.problem, "");
    ASSERT_EQ(read.files, std::vector<std::string>{"f"});
    ASSERT_EQ(read.rows.size(), 3u);
    EXPECT_EQ(read.rows[0].address, 0x10u);
    EXPECT_EQ(read.rows[0].line, 7u);
    EXPECT_EQ(read.rows[1].address, 0x12u);
    EXPECT_EQ(read.rows[1].line, 8u);
    EXPECT_TRUE(read.rows[2].end);
}

TEST(DebugLines, ProblemsAreSaid) {
    EXPECT_EQ(read_table(unit({6, 0, 0, 0})).problem, "a line table is of DWARF 6, and 2 to 5 can be read");
    EXPECT_EQ(read_table({0xFF, 0, 0, 0, 4}).problem, "a line table reaches past the end of .debug_line");
    EXPECT_EQ(read_table(version_4({2})).problem, "the program of a line table ends in the middle");
    EXPECT_EQ(read_table(version_4({4, 9, 1})).problem, "a row of a line table is of a file that is not listed");
    EXPECT_EQ(read_table(Bytes{}).problem, "");
    EXPECT_EQ(read_table(Bytes(4, 0)).problem, "a line table ends inside its header");
}

// A huge step and a huge line are just numbers.
TEST(DebugLines, HugeSteps) {
    Bytes program{2};
    program.insert(program.end(), 9, 0xFF);
    program.push_back(1);  // advance by 2^64 - 1
    program.push_back(3);
    program.insert(program.end(), 9, 0xFF);
    program.push_back(0);  // lines by 2^63 - 1
    program.push_back(1);
    const DebugLines read = read_table(version_4(program));
    EXPECT_EQ(read.problem, "");
    ASSERT_EQ(read.rows.size(), 1u);
    EXPECT_EQ(read.rows[0].address, ~std::uint64_t{0});
}

// Version 5: a list of files whose names all are one long text.
TEST(DebugLines, NamesThatOverlap) {
    Bytes body{5, 0, 8, 0, 0, 0, 0, 0, 1, 1, 1, 0xFB, 14, 1};
    body.insert(body.end(), {0, 0});                    // no folders
    body.insert(body.end(), {1, 1, 0x1F, 0x90, 0x4E});  // 10,000 files, a name in .debug_line_str each
    body.insert(body.end(), 40000, 0);
    const std::uint32_t header = static_cast<std::uint32_t>(body.size() - 8);
    for (unsigned i = 0; i < 4; ++i) body[4 + i] = static_cast<std::uint8_t>(header >> 8 * i);
    const DebugLines read = read_table(unit(body), std::string(60000, 'x') + '\0');
    EXPECT_EQ(read.problem, "the names of the files overlap each other");
    EXPECT_LT(read.files.size(), 20u);
}

}  // namespace
}  // namespace isaforge
