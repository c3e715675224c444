#include "cli/outputs.hpp"

#include <fmt/format.h>

#include "cli/terminal.hpp"

namespace isaforge::cli {

bool Output::complain_unless(bool good) {
    if (!good) complain(fmt::format("cannot write '{}': {}", path_, file_.error()));
    return good;
}

bool Output::open(const std::string& path) {
    path_ = path;
    return complain_unless(file_.open(path));
}

bool Output::commit() {
    if (file_.is_standard_output()) return true;  // checked once, at the program's end
    return complain_unless(file_.commit());
}

bool write_text(const std::string& path, std::string_view text) {
    Output output;
    if (!output.open(path)) return false;
    output.write(text);
    return output.commit();
}

bool write_object(const std::string& path, const Object& object, ObjectFormat format) {
    std::string text, error;
    Output output;
    if (!output.open(path)) return false;
    const bool good = format == ObjectFormat::elf
                          ? write_elf(
                                object, [&](std::string_view bytes) { output.write(bytes); }, error)
                          : isaforge::write_object(object, format, text, error);
    if (!good) {
        complain(fmt::format("cannot write '{}': {}", path, error));
        return false;
    }
    output.write(text);
    return output.commit();
}

bool outputs_are_apart(const std::vector<std::string>& outputs, const SourceManager& read,
                       const std::vector<std::string>& inputs) {
    std::vector<std::string> all = read.paths();
    all.insert(all.end(), inputs.begin(), inputs.end());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i].empty()) continue;
        for (const std::string& input : all) {
            if (!is_same_file(outputs[i], input)) continue;
            complain(fmt::format("'{}' would be written over '{}', which was read", outputs[i], input));
            return false;
        }
        for (std::size_t j = 0; j < i; ++j) {
            if (outputs[j].empty() || !is_same_output(outputs[i], outputs[j])) continue;
            complain(fmt::format("two outputs go to one file: '{}' and '{}'", outputs[j], outputs[i]));
            return false;
        }
    }
    return true;
}

}  // namespace isaforge::cli
