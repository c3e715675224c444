// Programs of others that a command has work done by, and a place for their files.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace isaforge::cli {

// A folder that nobody else sees, gone with this.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    bool is_there() const { return !path_.empty(); }
    const std::filesystem::path& path() const { return path_; }
    std::string file(const char* name) const { return (path_ / name).string(); }

private:
    std::filesystem::path path_;
    std::error_code problem_;
};

// Runs a program, found as the shell finds it, with nothing to read and all that it says in a file. Its exit status; 127 where
// it cannot be started, 126 where it did not end by itself.
int run_program(std::vector<std::string> words, const std::string& said);

// The whole of a file; empty where it cannot be read.
std::string file_text(const std::filesystem::path& path);

}  // namespace isaforge::cli
