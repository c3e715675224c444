// What is different between two instruction sets, two revisions of one most often: machine, registers, operands, formats,
// instructions. The comparison is of models: comments, order and layout of the descriptions do not matter.
#pragma once

#include <string>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge {

struct ChangedPart {
    std::string what;           // "opcode", "text", …
    std::string before, after;  // one of them may be empty
};

struct Change {
    enum class Subject : std::uint8_t { machine, registers, memory, operand, pool, reserved, format, instruction };
    // Renamed: it has another name and the same title or the same encoding. Moved: another opcode.
    enum class Verb : std::uint8_t { added, removed, changed };
    Subject subject = Subject::machine;
    Verb verb = Verb::changed;
    std::string name;           // of the second one, where there are both
    std::string format;         // instructions: the format of the shortest form
    bool renamed = false, moved = false;
    std::vector<ChangedPart> differences;  // of something added or removed: what it is, on one side
};

// In the order of the subjects above; instructions by format. Empty where nothing differs.
std::vector<Change> compare(const Isa& before, const Isa& after);

}  // namespace isaforge
