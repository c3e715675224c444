#include "machine/hazards.hpp"

#include <algorithm>

#include "semantics/tree.hpp"

namespace isaforge::machine {

namespace {

struct Watching {
    const Isa& isa;
    const semantics::FormGraphs& forms;
    Index form;
    const Image& image;
    const Touches& touches;

    bool is_of(Index which) const { return (isa.forms[form].classes >> which & 1) != 0; }
    std::optional<std::uint64_t> number(const Meaning& meaning) const;
    void keep_fields(std::vector<Touch>& registers, const std::vector<std::string>& fields) const;
    std::optional<HazardTouches> side(const HazardSide& side, const HazardSide& first, Index hazard) const;
};

std::optional<std::uint64_t> Watching::number(const Meaning& meaning) const {
    return forms.meant_by(*meaning, form, image).number;
}

// Of the registers those that one of the fields names.
void Watching::keep_fields(std::vector<Touch>& registers, const std::vector<std::string>& fields) const {
    std::vector<std::pair<Index, std::uint64_t>> named;
    for (const std::string& field : fields) {
        if (field_of(isa.forms[form], field) == nullptr) continue;
        const semantics::Meant meant = forms.meant_by(semantics::name_expression(field), form, image);
        named.insert(named.end(), meant.registers.begin(), meant.registers.end());
    }
    std::erase_if(registers, [&](const Touch& touch) {
        return std::find(named.begin(), named.end(), std::pair(touch.file, std::uint64_t{touch.first})) == named.end();
    });
}

std::optional<HazardTouches> Watching::side(const HazardSide& side, const HazardSide& first, Index hazard) const {
    if (!is_of(side.of) || (side.condition && number(side.condition).value_or(0) == 0)) return std::nullopt;
    HazardTouches out{.hazard = hazard, .registers = {}};
    if (side.touches == HazardSide::Touches::none) return out;
    const bool reads = side.touches == HazardSide::Touches::reads;
    for (const Touch& touch : reads ? touches.reads : touches.writes)
        if (touch.count == 1 && std::find(first.files.begin(), first.files.end(), touch.file) != first.files.end())
            out.registers.push_back(touch);
    if (!side.fields.empty()) keep_fields(out.registers, side.fields);
    if (out.registers.empty()) return std::nullopt;
    return out;
}

}  // namespace

std::shared_ptr<const Watched> watched_of(const Isa& isa, const semantics::FormGraphs& forms, Index form,
                                          const Image& image, const Touches& touches) {
    const Watching watching{isa, forms, form, image, touches};
    Watched out;
    for (Index i = 0; i < isa.hazards.size(); ++i) {
        const Hazard& hazard = isa.hazards[i];
        const std::uint64_t bit = std::uint64_t{1} << i % 64;
        if (auto found = watching.side(hazard.first, hazard.first, i)) {
            out.first.push_back(std::move(*found));
            out.begins |= bit;
        }
        if (auto found = watching.side(hazard.second, hazard.first, i)) {
            out.second.push_back(std::move(*found));
            out.ends |= bit;
        }
    }
    for (const Duration& duration : isa.durations)
        if (watching.is_of(duration.of)) out.states = watching.number(duration.states).value_or(1);
    for (const Held& held : isa.held)
        if (auto found = watching.side(held.side, held.side, no_index))
            out.held.emplace_back(&held, std::move(found->registers));
    const bool is_plain = out.first.empty() && out.second.empty() && out.held.empty() && out.states == 1;
    return is_plain ? nullptr : std::make_shared<const Watched>(std::move(out));
}

}  // namespace isaforge::machine
