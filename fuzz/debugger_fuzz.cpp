// Any lines as commands of the debugger, at a small program: each is carried out or is said to be wrong, with an end to what
// it says. The last word of each may be completed.
#include "debugged.hpp"

using namespace isaforge;

namespace {

constexpr std::size_t most_answer = 1 << 20;
constexpr unsigned most_lines = 32;

const fuzz::Pieces& pieces() {
    static const fuzz::Pieces all({fuzz::read_file(ISAFORGE_SOURCE_DIR "/docs/debugging.md")});
    return all;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
    return fuzz::mutate_behind(data, size, most, seed, [](std::string& text, fuzz::Random& random, std::uint8_t) {
        fuzz::change_text(text, random, pieces(), fuzz::command_line);
    });
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    fuzz::Debugged debugged(data[0]);
    unsigned lines = 0;
    for (std::string& line : fuzz::lines_of(fuzz::text_of(data + 1, size - 1))) {
        if (++lines > most_lines || debugged.commands->finished()) break;
        if (line.ends_with('\n')) line.pop_back();
        debugged.commands->completions(line);
        fuzz::require(debugged.commands->execute(line).size() <= most_answer);
    }
    debugged.commands->where();
    return 0;
}
