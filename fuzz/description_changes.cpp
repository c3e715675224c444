// Changes of descriptions, for all fuzzers that take one.
#include "description.hpp"

using namespace isaforge;

namespace {

// A number at the begin of a row becomes `auto`, so that there is something to allocate.
bool leave_open(std::string& text, fuzz::Random& random) {
    std::vector<std::string> lines = fuzz::lines_of(text);
    if (lines.empty()) return false;
    std::string& line = lines[random.below(lines.size())];
    const std::size_t begin = line.find_first_not_of(' ');
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    if (begin == 0 || begin >= line.size() || !std::isdigit(static_cast<unsigned char>(line[begin]))) return false;
    line.replace(begin, end - begin, "auto");
    text.clear();
    for (const std::string& each : lines) text += each;
    return true;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate(data, size, most, seed, [](std::string& text, fuzz::Random& random) {
        if (random.one_in(8) && leave_open(text, random)) return;
        fuzz::change_text(text, random, fuzz::description_pieces(),
                          [](fuzz::Random& r) { return fuzz::description_grammar().make(r.one_in(2) ? 'd' : 'r', r); });
    });
}
