// The questions about targets. That for the instruction set is answered everywhere, the others by a flavour.
#include <fmt/format.h>

#include <algorithm>

#include "isaforge/diagnostics.hpp"
#include "object/flavour.hpp"

namespace isaforge {

namespace {

constexpr TargetQuestion instruction_set{"arch", true};
constexpr TargetQuestion questions[] = {instruction_set, {"gpu", true}, {"fmt", true}, {"32"}, {"64"}};

// Whether this is the instruction set of that name, one of those that are built in or this one.
TargetAnswer is_instruction_set(std::string_view name, const Isa& isa) {
    if (name == isa.name || name == isa.variant) return {true, {}, {}};
    const auto built_in = builtin_isas();
    std::vector<std::string_view> names = {isa.name};
    for (const auto& [one, title] : built_in) names.push_back(one);
    if (std::ranges::find(names, name) != names.end()) return {false, {}, {}};
    return {{}, fmt::format("there is no instruction set '{}'", name), std::string(nearest(name, names))};
}

}  // namespace

std::span<const TargetQuestion> target_questions() { return questions; }

TargetAnswer answer_question(const TargetQuestion& question, std::string_view name, const Isa& isa,
                             const AssemblyFlavour* flavour) {
    if (flavour) {
        if (const std::optional<bool> holds = flavour->condition(question.word, name)) return {holds, {}, {}};
    }
    if (question.word == instruction_set.word) return is_instruction_set(name, isa);
    return {{}, "there is no such target", {}};
}

}  // namespace isaforge
