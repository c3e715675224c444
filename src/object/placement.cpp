#include "object/placement.hpp"

#include <algorithm>

namespace isaforge {

namespace {

// What each thread gets a copy of lies together, what is zeroed in it last.
int rank(const Section& section) {
    if (section.executable) return 0;
    if (section.of_thread) return section.no_bits ? 3 : 2;
    if (!section.writable) return 1;
    return section.no_bits ? 5 : 4;
}

}  // namespace

void place_sections(std::vector<Placed>& sections, bool separate_code, std::uint64_t base, std::uint64_t page) {
    std::stable_sort(sections.begin(), sections.end(),
                     [](const Placed& a, const Placed& b) { return rank(*a.section) < rank(*b.section); });
    std::uint64_t code = base, data = base, load = base;
    std::uint64_t for_threads = 1;
    for (const Placed& placed : sections) {
        if (placed.section->of_thread) for_threads = std::max(for_threads, placed.section->alignment);
    }
    const Section* before = nullptr;
    for (const Placed& placed : sections) {
        Section& section = *placed.section;
        if (!section.allocated) {
            section.address = section.load_address = 0;
            continue;
        }
        std::uint64_t& next = section.executable ? code : data;
        if (placed.address) load = next = *placed.address;
        if (before && (before->executable != section.executable || before->writable != section.writable)) {
            load = aligned(load, page);
            next = aligned(next, page);
        }
        const bool begins_threads = section.of_thread && !(before && before->of_thread);
        if (placed.extent != 0) before = &section;
        if (begins_threads) {
            load = aligned(load, for_threads);
            next = aligned(next, for_threads);
        }
        load = aligned(load, section.alignment);
        section.load_address = load;
        next = aligned(next, section.alignment);
        section.address = separate_code ? next : section.load_address;
        if (section.of_thread && section.no_bits) continue;  // it takes room in the copies alone
        load += placed.extent;
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
