// Numbers into the text of a description, with everything else left as its writer set it.
#include <fmt/format.h>

#include <algorithm>

#include "isaforge/allocate.hpp"

namespace isaforge {

namespace {

std::string number_text(const AutoChoice& choice) {
    if (choice.bits) return fmt::format("{:0{}b}", choice.value, choice.width);
    if (choice.width <= 3) return fmt::format("{}", choice.value);
    return fmt::format("0x{:0{}x}", choice.value, (choice.width + 3) / 4);
}

std::size_t blanks_at(std::string_view text, std::size_t at) {
    std::size_t count = 0;
    while (at + count < text.size() && text[at + count] == ' ') ++count;
    return count;
}

}  // namespace

std::string with_numbers(std::string_view text, FileId file, const std::vector<AutoChoice>& choices) {
    std::vector<AutoChoice> here;
    for (const AutoChoice& choice : choices) {
        if (choice.where.file == file) here.push_back(choice);
    }
    std::sort(here.begin(), here.end(),
              [](const AutoChoice& a, const AutoChoice& b) { return a.where.offset < b.where.offset; });
    std::string out;
    std::size_t at = 0;
    long shift = 0;  // columns by which the rest of the line has moved to the right
    for (const AutoChoice& choice : here) {
        if (choice.where.offset < at) continue;  // said twice
        const std::string_view between = text.substr(at, choice.where.offset - at);
        if (between.find('\n') != std::string_view::npos) shift = 0;
        out += between;
        const std::string number = number_text(choice);
        out += number;
        at = choice.where.offset + choice.where.length;
        shift += static_cast<long>(number.size()) - static_cast<long>(choice.where.length);
        const std::size_t blanks = blanks_at(text, at);
        if (blanks == 0) continue;
        if (shift > 0) {
            const std::size_t eaten = std::min<std::size_t>(static_cast<std::size_t>(shift), blanks - 1);
            at += eaten;
            shift -= static_cast<long>(eaten);
        } else {
            out.append(static_cast<std::size_t>(-shift), ' ');
            shift = 0;
        }
    }
    return out + std::string(text.substr(at));
}

}  // namespace isaforge
