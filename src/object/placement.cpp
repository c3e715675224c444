#include "object/placement.hpp"

#include <algorithm>

namespace isaforge {

namespace {

int rank(const Section& section) {
    if (section.executable) return 0;
    if (!section.writable) return 1;
    return section.no_bits ? 3 : 2;
}

}  // namespace

void place_sections(std::vector<Placed>& sections, bool separate_code, std::uint64_t base) {
    std::stable_sort(sections.begin(), sections.end(),
                     [](const Placed& a, const Placed& b) { return rank(*a.section) < rank(*b.section); });
    std::uint64_t code = base, data = base, load = base;
    for (const Placed& placed : sections) {
        Section& section = *placed.section;
        if (!section.allocated) {
            section.address = section.load_address = 0;
            continue;
        }
        std::uint64_t& next = section.executable ? code : data;
        if (placed.address) load = next = *placed.address;
        load = aligned(load, section.alignment);
        section.load_address = load;
        load += placed.extent;
        next = aligned(next, section.alignment);
        section.address = separate_code ? next : section.load_address;
        next += placed.extent;
    }
}

void place_sections(Object& object, std::uint64_t base) {
    std::vector<Placed> placed;
    for (Section& section : object.sections) placed.push_back({&section, section.extent(), {}});
    place_sections(placed, object.address_bytes != 1, base);
    object.relocatable = false;
}

}  // namespace isaforge
