#include "support/input_file.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/output_file.hpp"

using namespace isaforge;

namespace {

// A file that is gone at the end of the test.
class TestFile {
public:
    explicit TestFile(const std::string& text)
        : path_(std::filesystem::temp_directory_path() / ("input_file_test." + std::to_string(::getpid()))) {
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~TestFile() { std::filesystem::remove(path_); }
    std::string path() const { return path_.string(); }

private:
    const std::filesystem::path path_;
};

std::string some_text(std::size_t size) {
    std::string out;
    for (std::size_t i = 0; i < size; ++i) out += static_cast<char>('a' + i % 23);
    return out;
}

SourceText read_text(const std::string& path) {
    SourceText text;
    std::string error;
    EXPECT_TRUE(read_input(path, Readable::anything, text, error)) << error;
    return text;
}

}  // namespace

// Of any size, mapped or not, with a zero behind it.
TEST(InputFile, IsReadWhole) {
    for (const bool mapped : {false, true}) {
        if (mapped) map_large_inputs();
        for (const std::size_t size :
             {0, 1, 4095, 4096, 65535, 65536, 65537, 262144, 262145, 1048576, 1052671, 1052673}) {
            const std::string expected = some_text(size);
            const TestFile file(expected);
            const SourceText text = read_text(file.path());
            EXPECT_EQ(text.view(), expected);
            EXPECT_EQ(text.view().data()[size], 0);
            std::string copy, error;
            std::vector<std::uint8_t> bytes;
            EXPECT_TRUE(read_input(file.path(), Readable::only_regular, copy, error));
            EXPECT_EQ(copy, expected);
            EXPECT_TRUE(read_input(file.path(), Readable::only_regular, bytes, error));
            EXPECT_EQ(std::string(bytes.begin(), bytes.end()), expected);
        }
    }
}

TEST(InputFile, HasItsLimit) {
    const TestFile file(some_text(300000));
    SourceText text;
    std::string error;
    map_large_inputs();
    EXPECT_FALSE(read_input(file.path(), Readable::anything, text, error, 299999));
    EXPECT_NE(error.find("which is the limit"), std::string::npos) << error;
    EXPECT_TRUE(read_input(file.path(), Readable::anything, text, error, 300000));
}

// What grows behind the end is no part of the text.
TEST(InputFile, MayGrow) {
    const std::string expected = some_text(300001);
    const TestFile file(expected);
    map_large_inputs();
    const SourceText text = read_text(file.path());
    std::ofstream(file.path(), std::ios::binary | std::ios::app) << some_text(10000);
    EXPECT_EQ(text.view().data()[expected.size()], 0);
    EXPECT_EQ(text.view(), expected);
}

// No place has the text any more: the process says so, and leaves nothing behind.
TEST(InputFileDeathTest, EndsWhereItBecomesShorter) {
    const TestFile file(some_text(1 << 20));
    const std::string output = file.path() + ".out";
    const auto read_on = [&] {
        OutputFile::end_on_lost_input(3);
        map_large_inputs();
        const SourceText text = read_text(file.path());
        OutputFile unfinished;
        if (!unfinished.open(output)) std::exit(4);
        std::filesystem::resize_file(file.path(), 0);
        std::size_t sum = 0;
        for (const char c : text.view()) sum += static_cast<unsigned char>(c);
        std::exit(sum == 0 ? 5 : 6);
    };
    EXPECT_EXIT(read_on(), testing::ExitedWithCode(3), "a file that was being read has become shorter");
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(output).parent_path()))
        EXPECT_FALSE(entry.path().string().starts_with(output)) << entry.path();
}
