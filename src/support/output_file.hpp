// Files that are written. One appears under its name only when it is complete, so that a command that fails, or is ended by
// a signal, leaves what was there before. Everything that is written under a name goes this way.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>

namespace isaforge {

class OutputFile {
public:
    OutputFile() = default;
    ~OutputFile();  // drops what was not committed
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // `-`, and a file that standard output leads to, is standard output. Devices and pipes are written directly, symbolic
    // links are followed. False with the reason in error().
    bool open(const std::string& path);
    bool is_open() const { return stream_ != nullptr; }
    bool is_standard_output() const { return stream_ == stdout; }
    // False where this or something before it could not be written.
    bool write(std::string_view text);
    // Gives the file its name. False with the reason in error(), and what was there before still is.
    bool commit();

    const std::string& error() const { return error_; }

    // From now on a signal that ends the process removes first what would be left of files that are not complete.
    static void clean_up_on_signals();
    // From now on the process ends with that status, a message and nothing left of such files where a file that is mapped, see
    // map_large_inputs, loses what has not been read.
    static void end_on_lost_input(int status);

private:
    struct Temporary;
    enum class Way {
        direct,   // what comes is written at once: standard output, devices, pipes
        replace,  // a file beside the target takes its name at the end
        overwrite  // where that cannot be or would lose something: the complete text is copied into the target at the end
    };

    bool open_file(const std::string& path);
    bool open_device();
    bool open_beside(bool exists);
    bool open_spool();
    bool copy_over();
    bool fail();  // takes the reason from errno

    std::string target_, error_;
    Way way_ = Way::direct;
    Temporary* temporary_ = nullptr;
    std::FILE* stream_ = nullptr;
};

// Whether both paths lead to one regular file, pipe or standard output, which two outputs would spoil for each other, be it
// there already or not; devices take any number of them.
bool is_same_output(const std::string& path, const std::string& other);

// Whether writing `output` would change what was read from `input`, where `-` is standard input.
bool is_same_file(const std::string& output, const std::string& input);

}  // namespace isaforge
