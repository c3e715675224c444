// What a command writes under a name, with its complaints: nothing is written in another way.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "isaforge/object.hpp"
#include "isaforge/source.hpp"
#include "support/output_file.hpp"

namespace isaforge::cli {

// A file that is written piece by piece. After a false something has been complained about.
class Output {
public:
    bool open(const std::string& path);
    bool is_open() const { return file_.is_open(); }
    // False, without a complaint yet, where writing more is in vain.
    bool write(std::string_view text) { return file_.write(text); }
    bool commit();

private:
    bool complain_unless(bool good);

    std::string path_;
    OutputFile file_;
};

// Writes a file whole or not at all; `-` is standard output. False after a complaint.
bool write_text(const std::string& path, std::string_view text);

// Writes an object so. False after a complaint.
bool write_object(const std::string& path, const Object& object, ObjectFormat format);

// Whether each output has a file of its own, and none of those that were read: those of `read`, and `inputs`. Empty names
// are no outputs. False after a complaint.
bool outputs_are_apart(const std::vector<std::string>& outputs, const SourceManager& read,
                       const std::vector<std::string>& inputs = {});

}  // namespace isaforge::cli
