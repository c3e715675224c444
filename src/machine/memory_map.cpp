// The map of a memory: a sorted list of regions.
#include "machine/memory_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "machine/memory_bytes.hpp"
#include "machine/page_table.hpp"
#include "machine/pages.hpp"

namespace isaforge::machine {

std::string letters(std::uint8_t permissions) {
    std::string text = "rwx";
    for (unsigned i = 0; i < 3; ++i)
        if ((permissions >> i & 1) == 0) text[i] = '-';
    return text;
}

Block::Block(std::uint64_t first_address, std::uint64_t size_in_bytes)
    : first(first_address), size(size_in_bytes), first_line_(first / line & ~std::uint64_t{7}) {
    bytes = take_pages(size);
    take_flags();
}

Block::Block(std::uint64_t first_address, std::span<std::uint8_t> others)
    : first(first_address),
      size(others.size()),
      bytes(others.data()),
      is_own(false),
      first_line_(first / line & ~std::uint64_t{7}) {
    take_flags();
}

void Block::take_flags() {
    line_flags_ = bytes == nullptr ? nullptr : take_pages(flag_bytes());
    if (line_flags_ != nullptr) {
        page_flags_ = line_flags_ + ((first + (size - 1)) / line + 8 - first_line_);
    } else if (bytes != nullptr) {
        if (is_own) release_pages(bytes, size);
        bytes = nullptr;
    }
}

Block::~Block() {
    if (is_own) release_pages(bytes, size);
    release_pages(line_flags_, flag_bytes());
}

// Of all lines, as many as a search by eights looks at, and of all pages.
std::uint64_t Block::flag_bytes() const {
    const std::uint64_t last = first + (size - 1);
    return last / line + 8 - first_line_ + ((last >> page_shift) - (first >> page_shift) + 1);
}

std::atomic_ref<std::uint8_t> Block::page_flag(std::uint64_t address) const {
    return std::atomic_ref<std::uint8_t>(page_flags_[(address >> page_shift) - (first >> page_shift)]);
}

void Block::set_flag(std::uint64_t address, std::uint8_t flag) const {
    line_flag(address / line).fetch_or(flag);
    page_flag(address).fetch_or(flag);
    any_flags_.fetch_or(flag);
}

void Block::clear_flags() const {
    clear_pages(line_flags_, flag_bytes());
    any_flags_ = 0;
}

bool Block::eight_lines_have(std::uint64_t number, std::uint8_t unwanted) const {
    const auto* eight = reinterpret_cast<std::uint64_t*>(line_flags_ + (number - first_line_));
    return (__atomic_load_n(eight, __ATOMIC_SEQ_CST) & 0x0101010101010101u * unwanted) != 0;
}

namespace {

constexpr unsigned most_pages = 1024;  // that a stretch without flags is searched on for, in each direction

}  // namespace

bool Block::narrow(std::uint64_t address, std::uint8_t unwanted, std::uint64_t& low, std::uint64_t& high) const {
    if ((any_flags() & unwanted) == 0) return true;
    constexpr std::uint64_t page_bytes = std::uint64_t{1} << page_shift;
    const auto is_clean = [&](std::uint64_t at) { return (page_flag(at).load() & unwanted) == 0; };
    std::uint64_t first_byte = address & ~(page_bytes - 1), last_byte = address | (page_bytes - 1);
    if (is_clean(address)) {
        for (unsigned i = 0; i < most_pages && first_byte > low && is_clean(first_byte - 1); ++i)
            first_byte -= page_bytes;
        for (unsigned i = 0; i < most_pages && last_byte < high && is_clean(last_byte + 1); ++i)
            last_byte += page_bytes;
    }
    low = std::max(low, first_byte);
    high = std::min(high, last_byte);
    if (is_clean(address)) return true;
    const auto has = [&](std::uint64_t number) { return (line_flag(number).load() & unwanted) != 0; };
    const std::uint64_t own = address / line, low_line = low / line, high_line = high / line;
    if (has(own)) return false;
    std::uint64_t begin = own, end = own + 1;
    while (begin > low_line)
        if (begin % 8 == 0 && begin - low_line >= 8 && !eight_lines_have(begin - 8, unwanted))
            begin -= 8;
        else if (!has(begin - 1))
            --begin;
        else
            break;
    while (end <= high_line)
        if (end % 8 == 0 && high_line - end >= 7 && !eight_lines_have(end, unwanted))
            end += 8;
        else if (!has(end))
            ++end;
        else
            break;
    low = std::max(low, begin * line);
    high = std::min(high, end * line - 1);
    return true;
}

void MemoryMap::publish(Regions regions) {
    auto fresh = std::make_unique<const Regions>(std::move(regions));
    current_.store(fresh.get(), std::memory_order_release);
    if (newest_) old_.push_back(std::move(newest_));
    newest_ = std::move(fresh);
}

// The regions that are there without [first, last].
MemoryMap::Regions MemoryMap::cut(std::uint64_t first, std::uint64_t last) const {
    Regions kept;
    kept.reserve(regions().size() + 2);
    for (const Region& region : regions()) {
        if (region.last < first || region.first > last) {
            kept.push_back(region);
            continue;
        }
        if (region.first < first) {
            kept.push_back(region);
            kept.back().last = first - 1;
        }
        if (region.last > last) {
            kept.push_back(region);
            kept.back().first = last + 1;
        }
    }
    return kept;
}

void MemoryMap::insert(Region region) {
    Regions regions = cut(region.first, region.last);
    auto place = std::lower_bound(regions.begin(), regions.end(), region.first,
                                  [](const Region& each, std::uint64_t first) { return each.first < first; });
    regions.insert(place, std::move(region));
    publish(std::move(regions));
}

std::string MemoryMap::add_storage(std::uint64_t address, std::uint64_t size, Permissions permissions,
                                   std::string name) {
    if (size == 0) return "a region has at least one byte";
    if (address + (size - 1) < address) return "the region goes beyond the last address";
    return add_block(std::make_shared<Block>(address, size), permissions, std::move(name));
}

std::string MemoryMap::add_storage(std::uint64_t address, std::span<std::uint8_t> bytes, Permissions permissions,
                                   std::string name) {
    if (bytes.empty()) return "a region has at least one byte";
    if (address + (bytes.size() - 1) < address) return "the region goes beyond the last address";
    return add_block(std::make_shared<Block>(address, bytes), permissions, std::move(name));
}

std::string MemoryMap::add_block(std::shared_ptr<Block> block, Permissions permissions, std::string name) {
    if (block->bytes == nullptr) return no_room_for(block->size);
    const std::uint64_t first = block->first, last = first + (block->size - 1);
    insert({first, last, bits_of(permissions), std::move(name), std::move(block)});
    return {};
}

bool MemoryMap::remove(std::uint64_t address, std::uint64_t size) {
    bool had_code = false;
    for (const Region& region : regions())
        if (region.block && region.last >= address && region.first <= address + (size - 1))
            had_code |= (region.block->any_flags() & Block::code) != 0;
    publish(cut(address, address + (size - 1)));
    return had_code;
}

std::string MemoryMap::add_device(std::uint64_t address, Device& device, std::string name) {
    if (address % 8 != 0) return "a device stands at a multiple of 8";
    if (address + (device.size() - 1) < address) return "the device goes beyond the last address";
    Region region{address, address + (device.size() - 1), bits_of({true, true, false}), std::move(name)};
    region.device = &device;
    region.device_first = address;
    insert(std::move(region));
    return {};
}

std::string MemoryMap::protect(std::uint64_t address, std::uint64_t size, Permissions permissions,
                               const std::string& name) {
    if (size == 0) return {};
    if (address + (size - 1) < address) return "it goes beyond the last address";
    const std::uint64_t last = address + (size - 1);
    for (std::uint64_t at = address;;) {
        const Region* found = find(at);
        if (found == nullptr) return fmt::format("there is no storage at {:#x}", at);
        if (!found->block) return fmt::format("`{}` is at {:#x}", found->name, at);
        if (found->last >= last) break;
        at = found->last + 1;
    }
    std::vector<Region> parts;
    for (const Region& region : regions()) {
        if (region.last < address || region.first > last) continue;
        parts.push_back(region);
        parts.back().first = std::max(region.first, address);
        parts.back().last = std::min(region.last, last);
        parts.back().permissions = bits_of(permissions);
        parts.back().name = name;
    }
    for (Region& part : parts) insert(std::move(part));
    return {};
}

const Region* MemoryMap::find(std::uint64_t address) const {
    const Regions& all = regions();
    auto after = std::upper_bound(all.begin(), all.end(), address,
                                  [](std::uint64_t at, const Region& each) { return at < each.first; });
    if (after == all.begin()) return nullptr;
    const Region& region = *(after - 1);
    return address <= region.last ? &region : nullptr;
}

std::uint64_t MemoryMap::storage_from(std::uint64_t address) const {
    std::uint64_t end = address;
    for (const Region* region = find(end); region != nullptr && region->block; region = find(end)) {
        end = region->last + 1;
        if (end == 0) break;
    }
    return end - address;  // 0 for all of 2^64, which no storage has
}

void MemoryMap::stretch(const Region& region, Access access, std::uint64_t& first, std::uint64_t& last) const {
    first = region.first;
    last = region.last;
    const Regions& all = regions();
    const auto place = std::lower_bound(all.begin(), all.end(), first,
                                        [](const Region& each, std::uint64_t at) { return each.first < at; });
    if (place == all.end() || place->first != first || place->block != region.block) return;   // it was replaced
    for (auto low = place; low != all.begin() && low->continues(low[-1]) && low[-1].allows(access); --low)
        first = low[-1].first;
    for (auto high = place; high + 1 != all.end() && high[1].continues(*high) && high[1].allows(access); ++high)
        last = high[1].last;
}

bool MemoryMap::peek(std::uint64_t address, std::span<std::uint8_t> bytes) const {
    for (std::size_t done = 0; done < bytes.size();) {
        if (address + done < address) return false;
        const Region* region = find(address + done);
        if (region == nullptr || !region->block) return false;
        std::size_t part = std::min<std::uint64_t>(bytes.size() - done - 1, region->last - (address + done)) + 1;
        const std::uint8_t* from = region->block->at(address + done);   // harts may be storing there
        for (std::size_t i = 0; i < part; ++i) bytes[done + i] = load_shared<std::uint8_t>(from + i);
        done += part;
    }
    return true;
}

bool MemoryMap::poke(std::uint64_t address, std::span<const std::uint8_t> bytes) const {
    if (!bytes.empty() && address + (bytes.size() - 1) < address) return false;
    for (int pass = 0; pass < 2; ++pass)   // first look, then write: all or nothing
        for (std::size_t done = 0; done < bytes.size();) {
            const Region* region = find(address + done);
            if (region == nullptr || !region->block) return false;
            std::size_t part = std::min<std::uint64_t>(bytes.size() - done - 1, region->last - (address + done)) + 1;
            if (pass == 1) std::memcpy(region->block->at(address + done), bytes.data() + done, part);
            done += part;
        }
    return true;
}

void MemoryMap::clear_flags() const {
    for (const Region& region : regions())
        if (region.block) region.block->clear_flags();
}

void MemoryMap::clear_bytes() const {
    for (const Region& region : regions())
        if (region.block && region.block->is_own) clear_pages(region.block->bytes, region.block->size);
}

std::string MemoryMap::describe(std::uint64_t address) const {
    const Region* region = find(address);
    if (region == nullptr) return "nothing is mapped there";
    return fmt::format("it lies in {} ({})", region->name, letters(region->permissions));
}

MemoryMap::Neighbour MemoryMap::nearest(std::uint64_t address) const {
    const std::vector<Region>& all = regions();
    const auto next = std::upper_bound(all.begin(), all.end(), address,
                                       [](std::uint64_t at, const Region& each) { return at < each.first; });
    Neighbour found;
    if (next != all.begin()) found = {&next[-1], address > next[-1].last ? address - next[-1].last - 1 : 0, true};
    if (next != all.end() && (found.region == nullptr || next->first - address < found.distance))
        found = {&*next, next->first - address, false};
    return found;
}

std::string MemoryMap::describe_near(std::uint64_t address) const {
    const Neighbour near = nearest(address);
    if (near.region == nullptr) return "where nothing is mapped";
    const std::string name =
        fmt::format("`{}` of {} bytes", near.region->name, near.region->last - near.region->first + 1);
    if (near.distance == 0 && near.is_behind) return "right behind " + name;
    return fmt::format("{} byte{} {} {}", near.distance, near.distance == 1 ? "" : "s",
                       near.is_behind ? "behind" : "before", name);
}

// ---------------------------------------------------------------------------------------------------------------------

bool Space::peek(std::uint64_t address, std::span<std::uint8_t> bytes) const {
    std::uint64_t byte = 0;
    return byte_of(address, byte) && map.peek(byte, bytes);
}

bool Space::poke(std::uint64_t address, std::span<const std::uint8_t> bytes) const {
    std::uint64_t byte = 0;
    return byte_of(address, byte) && map.poke(byte, bytes);
}

std::uint64_t Space::storage_from(std::uint64_t address) const {
    std::uint64_t byte = 0;
    return byte_of(address, byte) ? map.storage_from(byte) : 0;
}

std::string Space::describe(std::uint64_t address) const {
    std::uint64_t byte = 0;
    return byte_of(address, byte) ? map.describe(byte) : "no address goes so far";
}

}  // namespace isaforge::machine
