#include "machine/process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "machine/state.hpp"

namespace isaforge::machine {

namespace {

constexpr std::uint64_t page = Process::page;
constexpr std::uint64_t stack_bytes = std::uint64_t{8} << 20;
constexpr std::uint64_t most_heap = std::uint64_t{1} << 30;  // what wants more maps it
constexpr std::uint64_t lowest_fixed = 0x10000;              // below, a null pointer would lead somewhere
constexpr std::uint64_t most_strings = stack_bytes / 4;      // arguments and environment, as Linux allows
constexpr std::size_t most_regions = 4096;                   // a change of the map takes time in proportion

constexpr const char* program_name = "program";
constexpr const char* heap_name = "heap";
constexpr const char* mapping_name = "mapping";
constexpr const char* stack_name = "stack";

std::uint64_t down(std::uint64_t address) { return address & ~(page - 1); }
std::uint64_t up(std::uint64_t address) { return down(address + (page - 1)); }

Space& space_of(Machine::State& hart) { return hart.system->spaces[hart.system->main]; }
const MemoryMap& map_of(const Machine::State& hart) { return hart.system->spaces[hart.system->main].map; }

Permissions permissions_of(unsigned protection) {
    return {(protection & 1) != 0, (protection & 2) != 0, (protection & 4) != 0};
}

// Where the map has changed nothing that was found there before holds.
void changed(Machine::State& hart, bool had_code) {
    hart.bus.forget_pages();
    space_of(hart).map.drop_old();
    if (!had_code) return;
    hart.drop_all = true;
    hart.core.stop_at = hart.core.count + 1;
}

bool has_code(const MemoryMap& map, std::uint64_t address, std::uint64_t length) {
    return std::ranges::any_of(map.regions(), [&](const Region& region) {
        return region.block && region.last >= address && region.first <= address + (length - 1) &&
               (region.block->any_flags() & Block::code) != 0;
    });
}

// Of the auxiliary vector (uapi/linux/auxvec.h).
enum Auxiliary : std::uint64_t {
    at_null = 0,
    at_phdr = 3,
    at_phent = 4,
    at_phnum = 5,
    at_pagesz = 6,
    at_base = 7,
    at_flags = 8,
    at_entry = 9,
    at_uid = 11,
    at_euid = 12,
    at_gid = 13,
    at_egid = 14,
    at_hwcap = 16,
    at_clktck = 17,
    at_secure = 23,
    at_random = 25,
    at_execfn = 31,
};

}  // namespace

Process::Process(const ProcessOptions& options, std::uint64_t seed)
    : files(options.folders), random(seed), options_(options), seed_(seed) {
    if (options_.arguments.empty()) options_.arguments.emplace_back("program");
    name_ = options_.arguments[0];
}

// ---------------------------------------------------------------------------------------------------------------------
// The program

std::string Process::load(Machine::State& hart, const Executable& executable) {
    Space& space = space_of(hart);
    if (space.unit_shift != 0) return "its addresses count bytes, and those of the memory do not";
    if (executable.segments.empty()) return "it has nothing to load";
    std::vector<std::pair<std::uint64_t, std::uint64_t>> pages;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < executable.segments.size(); ++i) {
        const Segment& segment = executable.segments[i];
        const std::uint64_t end = segment.address + segment.size;
        if (end < segment.address || end > ~page)
            return fmt::format("the segment at {:#x} lies too high", segment.address);
        // Whole pages, but for those that it shares with another one.
        const std::uint64_t before = i == 0 ? 0 : pages.back().first + pages.back().second;
        const std::uint64_t behind =
            i + 1 == executable.segments.size() ? ~std::uint64_t{0} : executable.segments[i + 1].address;
        const std::uint64_t first = std::max(down(segment.address), before), last = std::min(up(end), behind);
        pages.emplace_back(first, last - first);
        sum += last - first;
        if (sum > options_.memory_bytes || sum > most_memory_bytes)
            return fmt::format("its segments have more than the {:#x} bytes that it may have", options_.memory_bytes);
    }
    for (std::size_t i = 0; i < pages.size();) {  // what lies side by side is one block
        std::size_t end = i + 1;
        while (end < pages.size() && pages[end].first == pages[end - 1].first + pages[end - 1].second) ++end;
        const std::uint64_t bytes = pages[end - 1].first + pages[end - 1].second - pages[i].first;
        std::string problem = space.map.add_storage(pages[i].first, bytes, {}, program_name);
        if (!problem.empty()) return problem;
        i = end;
    }
    for (std::size_t i = 0; i < pages.size(); ++i) {
        const Segment& segment = executable.segments[i];
        space.map.poke(segment.address, segment.bytes);
        space.note_written(segment.address, segment.size);
        space.map.protect(pages[i].first, pages[i].second, {segment.readable, segment.writable, segment.executable},
                          program_name);
    }
    own_ = std::move(pages);
    executable_ = {{}, executable.entry, executable.headers, executable.header_bytes, executable.header_count, {}};
    program_end_ = own_.back().first + own_.back().second;
    return {};
}

Process::Layout Process::layout(const Machine::State& hart) const {
    if (hart.isa.elf.wide) return {std::uint64_t{0x20} << 32, std::uint64_t{0x40} << 32};
    return {std::uint64_t{0x40000000}, std::uint64_t{0xC0000000}};
}

std::uint64_t Process::begin(Machine::State& hart) {
    Space& space = space_of(hart);
    has_begun_ = false;
    handlers.fill(0);
    if (hart.system->has_several() || space.unit_shift != 0) return 0;
    files.reset();
    random = SplitMix64(seed_);
    // What an earlier process had, and the storage that a machine has which is no process.
    const bool is_loaded = !own_.empty();
    std::vector<std::pair<std::uint64_t, std::uint64_t>> others;
    for (const Region& region : space.map.regions()) {
        const bool is_own = region.name == heap_name || region.name == mapping_name || region.name == stack_name;
        if (is_own || (is_loaded && region.name == space.name)) others.emplace_back(region.first, region.last);
    }
    bool had_code = false;
    for (const auto& [first, last] : others) had_code |= space.map.remove(first, last - first + 1);
    if (!is_loaded) program_end_ = space.map.storage_from(0);
    const Layout where = layout(hart);
    if (program_end_ > where.mappings - 2 * page) return 0;
    heap_ = heap_end_ = up(program_end_) + page;
    heap_limit_ = heap_ + std::min({most_heap, where.mappings - heap_, down(options_.memory_bytes)});
    const std::uint64_t stack = where.stack_end - stack_bytes;
    const bool has_all = (heap_limit_ == heap_ ||
                          space.map.add_storage(heap_, heap_limit_ - heap_, permissions_of(0), heap_name).empty()) &&
                         space.map.add_storage(stack, stack_bytes, {}, stack_name).empty();
    changed(hart, had_code);
    if (!has_all) return 0;
    has_begun_ = true;
    return make_stack(hart, where.stack_end);
}

// What stands there, from the stack pointer on: how many arguments, their addresses and 0, those of the environment and 0,
// pairs that tell of the process, and the texts.
std::uint64_t Process::make_stack(Machine::State& hart, std::uint64_t end) {
    Space& space = space_of(hart);
    const unsigned word = hart.isa.elf.wide ? 8 : 4;
    std::vector<std::uint8_t> texts;
    std::vector<std::uint64_t> arguments, environment;
    const auto add = [&](const std::string& text) {
        const std::uint64_t at = texts.size();
        texts.insert(texts.end(), text.begin(), text.end());
        texts.push_back(0);
        return at;
    };
    const std::uint64_t random_at = texts.size();
    for (unsigned i = 0; i < 16; ++i) texts.push_back(static_cast<std::uint8_t>(random.next() >> 32));
    for (const std::string& text : options_.arguments) arguments.push_back(add(text));
    for (const std::string& text : options_.environment) environment.push_back(add(text));
    const std::uint64_t name_at = arguments[0];
    if (texts.size() > most_strings) return 0;
    const std::uint64_t texts_at = (end - word - texts.size()) & ~std::uint64_t{15};

    const auto hwcap = hart.isa.constants.find("hwcap");
    const std::uint64_t user = 1000;
    const std::pair<std::uint64_t, std::uint64_t> auxiliary[] = {
        {at_phdr, executable_.headers},
        {at_phent, executable_.header_bytes},
        {at_phnum, executable_.headers == 0 ? 0 : executable_.header_count},
        {at_pagesz, page},
        {at_base, 0},
        {at_flags, 0},
        {at_entry, executable_.entry},
        {at_uid, user},
        {at_euid, user},
        {at_gid, user},
        {at_egid, user},
        {at_hwcap, hwcap == hart.isa.constants.end() ? 0 : hwcap->second},
        {at_clktck, 100},
        {at_secure, 0},
        {at_random, texts_at + random_at},
        {at_execfn, texts_at + name_at},
        {at_null, 0},
    };
    std::vector<std::uint64_t> words = {arguments.size()};
    for (const std::uint64_t at : arguments) words.push_back(texts_at + at);
    words.push_back(0);
    for (const std::uint64_t at : environment) words.push_back(texts_at + at);
    words.push_back(0);
    for (const auto& [key, value] : auxiliary) words.insert(words.end(), {key, value});
    if (words.size() * word > most_strings) return 0;
    const std::uint64_t stack = (texts_at - words.size() * word) & ~std::uint64_t{15};
    std::vector<std::uint8_t> bytes;
    for (const std::uint64_t value : words)
        for (unsigned i = 0; i < word; ++i)
            bytes.push_back(static_cast<std::uint8_t>(value >> 8 * (space.big_endian ? word - 1 - i : i)));
    space.map.poke(stack, bytes);
    space.map.poke(texts_at, texts);
    space.note_written(stack, end - stack);
    return stack;
}

// ---------------------------------------------------------------------------------------------------------------------
// Its memory

std::uint64_t Process::mapped_bytes(const Machine::State& hart) const {
    std::uint64_t sum = 0;
    for (const Region& region : map_of(hart).regions())
        if (region.permissions != 0 || region.name != heap_name) sum += region.last - region.first + 1;
    return sum;
}

bool Process::has_room(const Machine::State& hart, std::uint64_t bytes) const {
    const std::uint64_t used = mapped_bytes(hart);
    return used <= options_.memory_bytes && bytes <= options_.memory_bytes - used &&
           map_of(hart).regions().size() < most_regions;
}

std::int64_t Process::set_break(Machine::State& hart, std::uint64_t address) {
    const auto now = [&] { return static_cast<std::int64_t>(heap_end_); };
    if (address < heap_ || address > heap_limit_) return now();
    MemoryMap& map = space_of(hart).map;
    const std::uint64_t before = up(heap_end_), after = up(address);
    if (after > before) {
        if (!has_room(hart, after - before)) return now();
        map.protect(before, after - before, permissions_of(3), heap_name);
        space_of(hart).note_written(before, after - before);
    } else if (after < before) {
        const std::vector<std::uint8_t> zeros(page);
        for (std::uint64_t at = after; at < before; at += page) map.poke(at, zeros);
        map.protect(after, before - after, permissions_of(0), heap_name);
    }
    if (after != before) changed(hart, has_code(map, heap_, heap_limit_ - heap_));
    heap_end_ = address;
    return now();
}

// The first gap that is large enough; 0 where there is none.
std::uint64_t Process::find_free(const Machine::State& hart, std::uint64_t length) const {
    const Layout where = layout(hart);
    const std::uint64_t end = where.stack_end - stack_bytes - page;
    std::uint64_t at = where.mappings;
    for (const Region& region : map_of(hart).regions()) {
        if (region.last < at) continue;
        if (region.first >= end || (region.first > at && region.first - at >= length)) break;
        at = up(region.last + 1);
    }
    return at < end && length <= end - at ? at : 0;
}

std::int64_t Process::map(Machine::State& hart, std::uint64_t address, std::uint64_t length, unsigned protection,
                          bool is_fixed, bool replaces, const std::vector<std::uint8_t>& bytes) {
    MemoryMap& map = space_of(hart).map;
    if (length == 0 || length > options_.memory_bytes) return length == 0 ? -EINVAL : -ENOMEM;
    length = up(length);
    const std::uint64_t end = layout(hart).stack_end;
    const auto is_free = [&](std::uint64_t at) {
        return std::ranges::none_of(map.regions(), [&](const Region& region) {
            return region.first <= at + (length - 1) && region.last >= at;
        });
    };
    const bool is_possible = address >= lowest_fixed && address < end && length <= end - address;
    if (is_fixed) {
        if (address % page != 0) return -EINVAL;
        if (!is_possible) return address < lowest_fixed ? -EPERM : -ENOMEM;
        if (!replaces && !is_free(address)) return -EEXIST;
    } else {
        address = down(address);
        if (!is_possible || !is_free(address)) address = find_free(hart, length);
        if (address == 0) return -ENOMEM;
    }
    if (!has_room(hart, length)) return -ENOMEM;
    const bool had_code = has_code(map, address, length);
    if (!map.add_storage(address, length, permissions_of(protection), mapping_name).empty()) return -ENOMEM;
    map.poke(address, bytes);
    space_of(hart).note_written(address, length);
    changed(hart, had_code);
    return static_cast<std::int64_t>(address);
}

std::int64_t Process::unmap(Machine::State& hart, std::uint64_t address, std::uint64_t length) {
    MemoryMap& map = space_of(hart).map;
    const std::uint64_t end = layout(hart).stack_end;
    if (address % page != 0 || length == 0 || address >= end || length > end - address) return -EINVAL;
    if (map.regions().size() >= most_regions) return -ENOMEM;
    changed(hart, map.remove(address, up(length)));
    return 0;
}

std::int64_t Process::protect(Machine::State& hart, std::uint64_t address, std::uint64_t length, unsigned protection) {
    MemoryMap& map = space_of(hart).map;
    const std::uint64_t end = layout(hart).stack_end;
    if (address % page != 0 || (protection & ~7u) != 0) return -EINVAL;
    if (address >= end || length > end - address) return -ENOMEM;
    length = up(length);
    if (length == 0) return 0;
    const Region* const region = map.find(address);
    if (region == nullptr || map.regions().size() >= most_regions) return -ENOMEM;
    const bool had_code = has_code(map, address, length);
    const std::string name = region->name;
    const bool done = map.protect(address, length, permissions_of(protection), name).empty();
    changed(hart, had_code);
    return done ? 0 : -ENOMEM;
}

std::int64_t Process::remap(Machine::State& hart, std::uint64_t address, std::uint64_t old_length, std::uint64_t length,
                            bool may_move) {
    MemoryMap& map = space_of(hart).map;
    const std::uint64_t end = layout(hart).stack_end;
    if (address % page != 0 || length == 0 || old_length == 0) return -EINVAL;
    if (address >= end || old_length > end - address) return -EFAULT;
    if (length > options_.memory_bytes) return -ENOMEM;
    old_length = up(old_length), length = up(length);
    const Region* const region = map.find(address);
    if (region == nullptr || map.storage_from(address) < old_length) return -EFAULT;
    if (length == old_length) return static_cast<std::int64_t>(address);
    if (length < old_length) {
        const std::int64_t wrong = unmap(hart, address + length, old_length - length);
        return wrong < 0 ? wrong : static_cast<std::int64_t>(address);
    }
    if (!may_move) return -ENOMEM;
    const unsigned protection = region->permissions;
    const std::int64_t made = this->map(hart, 0, length, protection, false, false, {});
    if (made < 0) return made;
    std::vector<std::uint8_t> part(page);
    for (std::uint64_t done = 0; done < old_length; done += page)
        if (map.peek(address + done, part)) map.poke(static_cast<std::uint64_t>(made) + done, part);
    const std::int64_t wrong = unmap(hart, address, old_length);
    return wrong < 0 ? wrong : made;
}

}  // namespace isaforge::machine
