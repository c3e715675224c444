// Reading files whole. Everything that is read under a name is read here, so that nothing is read without a limit.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isaforge/source.hpp"

namespace isaforge {

// False, with the reason in `error`, where it cannot be read, or has more than `most` bytes or than limits.hpp allows.
bool read_input(const std::string& path, Readable what, SourceText& text, std::string& error,
                std::uint64_t most = most_file_bytes);
bool read_input(const std::string& path, Readable what, std::string& text, std::string& error,
                std::uint64_t most = most_file_bytes);
bool read_input(const std::string& path, Readable what, std::vector<std::uint8_t>& bytes, std::string& error,
                std::uint64_t most = most_file_bytes);

// From now on large texts that are read into a SourceText stay where the system keeps the file. Whoever asks for this handles
// the signal that a file which becomes shorter sends: see OutputFile::end_on_lost_input.
void map_large_inputs();

// While one is there, its thread reads these texts where it asks for the files at their paths: what an editor has not written
// yet. Paths have no `..`. One at a time.
class StandIns {
public:
    using Texts = std::map<std::string, std::shared_ptr<const std::string>>;

    explicit StandIns(Texts texts);
    ~StandIns();
    StandIns(const StandIns&) = delete;
    StandIns& operator=(const StandIns&) = delete;

private:
    Texts texts_;
};

}  // namespace isaforge
