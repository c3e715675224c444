#include "linker/places.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "object/placement.hpp"

namespace isaforge {

namespace {

// "*" is any text.
bool fits(std::string_view pattern, std::string_view name) {
    std::size_t p = 0, n = 0, star = std::string_view::npos, after = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            after = n;
        } else if (p < pattern.size() && pattern[p] == name[n]) {
            ++p, ++n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++after;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

class ScriptPlacer {
public:
    ScriptPlacer(Object& object, const LinkScript& script, Diagnostics& diagnostics)
        : object_(object), script_(script), diagnostics_(diagnostics) {
        for (const LinkScript::Region& region : script.regions) next_.push_back(region.address);
        placed_.resize(object.sections.size());
    }

    bool run() {
        for (const LinkScript::Placement& placement : script_.placements) {
            if (placement.address) next_[placement.region] = *placement.address;
            for (const std::string& pattern : placement.patterns) {
                for (Index i = 0; i < object_.sections.size(); ++i) {
                    const Section& section = object_.sections[i];
                    if (!placed_[i] && section.allocated && fits(pattern, section.name) && !place(i, placement))
                        return false;
                }
            }
        }
        for (Index i = 0; i < object_.sections.size(); ++i) {
            const Section& section = object_.sections[i];
            if (placed_[i] || !section.allocated || section.extent() == 0) continue;
            const auto& last = script_.placements.back();
            diagnostics_.error(last.place, fmt::format("the script has no place for section {}", section.name));
            return false;
        }
        return true;
    }

private:
    bool place(Index index, const LinkScript::Placement& placement) {
        Section& section = object_.sections[index];
        placed_[index] = true;
        if (!take(placement.region, section, section.address, placement.place)) return false;
        section.load_address = section.address;
        const bool stored = placement.stored != no_index && !section.no_bits;
        return !stored || take(placement.stored, section, section.load_address, placement.place);
    }

    bool take(Index index, const Section& section, std::uint64_t& address, Place place) {
        const LinkScript::Region& region = script_.regions[index];
        address = aligned(next_[index], section.alignment);
        const std::uint64_t end = region.address + region.size;
        const bool inside = address >= region.address && address <= end && section.extent() <= end - address;
        if (!inside) {
            const std::string over = address >= region.address && address + section.extent() >= address
                                         ? fmt::format(": it ends {} bytes too far", address + section.extent() - end)
                                         : "";
            Diagnostic& error =
                diagnostics_.error(place, fmt::format("section {} of {} bytes does not fit into region {}{}",
                                                      section.name, section.extent(), region.name, over));
            error.note(region.place, fmt::format("the region has {} bytes", region.size));
            return false;
        }
        next_[index] = address + section.extent();
        return true;
    }

    Object& object_;
    const LinkScript& script_;
    Diagnostics& diagnostics_;
    std::vector<std::uint64_t> next_;  // by region
    std::vector<bool> placed_;         // by section
};

bool place_by_default(Object& object, const LinkOptions& options, Diagnostics& diagnostics) {
    std::vector<Placed> placed;
    for (Section& section : object.sections) placed.push_back({&section, section.extent(), {}});
    for (const auto& [name, address] : options.section_addresses) {
        const Index found = object.find_section(name);
        if (found == no_index) {
            std::vector<std::string_view> names;
            for (const Section& section : object.sections) names.push_back(section.name);
            Diagnostic& error = diagnostics.error({}, fmt::format("there is no section {} to be placed", name));
            const std::string_view near = nearest(name, names);
            if (!near.empty()) error.note({}, fmt::format("there is {}", near));
            return false;
        }
        if (address % object.sections[found].alignment != 0) {
            diagnostics.error({}, fmt::format("section {} is aligned to {} bytes, and {:#x} is not", name,
                                              object.sections[found].alignment, address));
            return false;
        }
        placed[found].address = address;
    }
    constexpr std::uint64_t page = 4096, usual_base = 0x10000;
    const std::uint64_t base = options.base.value_or(options.as_process ? usual_base : 0);
    if (!options.as_process) {
        place_sections(placed, object.address_bytes != 1, base);
        return true;
    }
    object.page_bytes = page;
    object.headers_address = base;
    place_sections(placed, false, base + elf_headers_bytes(object), page);
    return true;
}

// No two sections in one place, none behind the last address.
bool check_places(const Object& object, Diagnostics& diagnostics) {
    const bool apart = object.address_bytes != 1;
    std::vector<const Section*> sections;
    for (const Section& section : object.sections) {
        const bool has_room = section.allocated && section.extent() != 0;
        if (has_room && !(section.of_thread && section.no_bits)) sections.push_back(&section);
    }
    const auto memory = [&](const Section* section) { return apart && section->executable; };
    std::ranges::stable_sort(sections, {},
                             [&](const Section* section) { return std::pair(memory(section), section->address); });
    const std::uint64_t last = object.wide ? ~std::uint64_t{0} : ~std::uint32_t{0};
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const Section& section = *sections[i];
        if (section.address > last || section.extent() - 1 > last - section.address) {
            diagnostics.error({},
                              fmt::format("section {} lies at {:#x} and reaches beyond the last address of the file's "
                                          "class, {:#x}",
                                          section.name, section.address, last));
            return false;
        }
        if (i == 0 || memory(sections[i - 1]) != memory(&section)) continue;
        const Section& before = *sections[i - 1];
        if (section.address - before.address >= before.extent()) continue;
        diagnostics.error(
            {}, fmt::format("sections {} and {} overlap at {:#x}", before.name, section.name, section.address));
        return false;
    }
    return true;
}

}  // namespace

bool place_linked_sections(LinkedProgram& program, const LinkOptions& options, Diagnostics& diagnostics) {
    Object& object = program.object;
    object.relocatable = false;
    const bool scripted = options.script && !options.script->placements.empty();
    if (scripted ? !ScriptPlacer(object, *options.script, diagnostics).run()
                 : !place_by_default(object, options, diagnostics))
        return false;
    return check_places(object, diagnostics);
}

bool evaluate(const LinkScript& script, const LinkScript::Definition& definition, const Object& object,
              const std::function<const Symbol*(std::string_view)>& find, LinkedValue& out, Diagnostics& diagnostics) {
    using TermKind = LinkScript::Term::Kind;
    const auto fail = [&](Place place, std::string message) {
        diagnostics.error(place, std::move(message));
        return false;
    };
    const auto value_of = [&](const LinkScript::Term& term, LinkedValue& value) {
        value = {absolute_section, term.number};
        if (term.kind == TermKind::number) return true;
        if (term.kind == TermKind::symbol) {
            const Symbol* const symbol = find(term.name);
            if (!symbol || symbol->section == undefined_section)
                return fail(term.place, fmt::format("'{}' is not defined", term.name));
            value = {symbol->section, symbol->value};
            return true;
        }
        const auto region = std::ranges::find(script.regions, term.name, &LinkScript::Region::name);
        if (region != script.regions.end() && term.kind != TermKind::stored) {
            value.value = term.kind == TermKind::start  ? region->address
                          : term.kind == TermKind::size ? region->size
                                                        : region->address + region->size;
            return true;
        }
        const Index index = object.find_section(term.name);
        if (index == no_index)
            return fail(term.place, fmt::format("there is no section or region '{}' in this program", term.name));
        const Section& section = object.sections[index];
        switch (term.kind) {
            case TermKind::start: value = {index, 0}; break;
            case TermKind::end: value = {index, section.extent()}; break;
            case TermKind::size: value.value = section.extent(); break;
            default: value.value = section.load_address;
        }
        return true;
    };
    out = {};
    for (const LinkScript::Term& term : definition.terms) {
        LinkedValue value;
        if (!value_of(term, value)) return false;
        out.value = term.minus ? out.value - value.value : out.value + value.value;
        if (value.section == absolute_section) continue;
        if (!term.minus && out.section == absolute_section) {
            out.section = value.section;
        } else if (term.minus && out.section == value.section) {
            out.section = absolute_section;  // a distance
        } else {
            return fail(term.place,
                        "of addresses there may be one in a sum, or two of one section with a minus between");
        }
    }
    return true;
}

}  // namespace isaforge
