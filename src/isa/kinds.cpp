// What kinds say.
#include <fmt/format.h>

#include <algorithm>

#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"

namespace isaforge {

KindFact Isa::kind_fact(std::uint64_t code, std::string_view fact) const {
    const Kind* const kind = kind_of(code);
    if (!kind) return {{}, fmt::format("{} is no kind, and says no '{}'", code, fact), {}};
    if (const auto said = kind->facts.find(std::string(fact)); said != kind->facts.end()) return {said->second, {}, {}};
    if (std::ranges::find(kind_facts, fact) != kind_facts.end()) return {0, {}, {}};
    return {{}, fmt::format("no kind says '{}'", fact), nearest(fact, {kind_facts.begin(), kind_facts.end()})};
}

}  // namespace isaforge
