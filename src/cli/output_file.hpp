// A file that is written piece by piece and appears under its name only when it is complete; for output that is too long
// to be collected in memory first.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

#include "support/replacement.hpp"

namespace isaforge::cli {

class OutputFile {
public:
    OutputFile() = default;
    ~OutputFile();  // drops what was not committed
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // `-` is standard output; devices and pipes are written directly. False after a complaint.
    bool open(const std::string& path);
    bool is_open() const { return stream_ != nullptr; }
    void write(std::string_view text) { std::fwrite(text.data(), 1, text.size(), stream_); }
    // Gives the file its name. False after a complaint, where something could not be written.
    bool commit();

private:
    std::string path_;
    bool replaces_ = false;  // a device or a pipe is written directly
    Replacement replacement_;
    std::FILE* stream_ = nullptr;
};

}  // namespace isaforge::cli
