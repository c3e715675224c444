#include "codeobject/elf_view.hpp"

#include <algorithm>
#include <cstring>

#include "object/limits.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::uint32_t symbol_table = 2, no_bits = 8;

// Where the fields of the two classes are.
struct Layout {
    unsigned address;  // bytes of an address
    unsigned header, section, symbol, segment;
    unsigned segments_at, sections_at, flags_at, segment_size_at;
};
constexpr Layout narrow{4, 52, 40, 16, 32, 28, 32, 36, 42};
constexpr Layout wide{8, 64, 64, 24, 56, 32, 40, 48, 54};

// The names in a table, up to the last one that has an end.
std::string_view names_in(Bytes bytes) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return text.substr(0, text.rfind('\0') + 1);
}

class Viewer {
public:
    Viewer(Bytes bytes, const Layout& layout, ElfView& view)
        : bytes_(bytes), layout_(layout), view_(view), budget_(bytes.size()) {}

    bool read(std::string& error) {
        error = "the headers of the ELF file are damaged";
        if (bytes_.size() < layout_.header) return false;
        view_.machine = static_cast<std::uint32_t>(number_at(bytes_, 18, 2));
        view_.flags = word_at(bytes_, layout_.flags_at);
        const bool good = read_sections() && read_segments();
        if (overlaps_) error = limits::overlap_text;
        if (good) error.clear();
        return good;
    }

private:
    std::uint64_t address_at(std::uint64_t at) const { return number_at(bytes_, at, layout_.address); }

    // False where the parts that were read are more than a file has.
    bool take(std::uint64_t bytes) {
        overlaps_ |= !budget_.take(bytes);
        return !overlaps_;
    }

    // The name that begins there; empty where it does not lie inside.
    bool read_name(std::string_view names, std::uint64_t at, std::string_view& name) {
        if (at < names.size()) name = names.substr(at, names.find('\0', at) - at);
        return take(name.size());
    }

    bool read_sections() {
        const std::uint64_t table = address_at(layout_.sections_at);
        const std::uint64_t size = number_at(bytes_, layout_.segment_size_at + 4, 2);
        const std::uint64_t count = number_at(bytes_, layout_.segment_size_at + 6, 2);
        const std::uint64_t names = number_at(bytes_, layout_.segment_size_at + 8, 2);
        if (count == 0) return true;
        if (size < layout_.section || !part_of(bytes_, table, count * size)) return false;
        std::vector<std::uint64_t> name_offsets;
        std::vector<std::uint32_t> links;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t at = table + i * size;
            const unsigned a = layout_.address;
            ElfSection section;
            section.type = word_at(bytes_, at + 4);
            section.size = address_at(at + 8 + 3 * a);
            section.alignment = address_at(at + 16 + 4 * a);
            if (section.type != no_bits && section.type != 0) {
                const std::optional<Bytes> part = part_of(bytes_, address_at(at + 8 + 2 * a), section.size);
                if (!part) return false;
                section.bytes = *part;
            }
            name_offsets.push_back(word_at(bytes_, at));
            links.push_back(word_at(bytes_, at + 8 + 4 * a));
            view_.sections.push_back(section);
        }
        const std::string_view section_names =
            names < count ? names_in(view_.sections[names].bytes) : std::string_view();
        for (std::uint64_t i = 0; i < count; ++i) {
            if (!read_name(section_names, name_offsets[i], view_.sections[i].name)) return false;
            const bool symbols = view_.sections[i].type == symbol_table && links[i] < count;
            if (symbols && !read_symbols(view_.sections[i].bytes, view_.sections[links[i]].bytes)) return false;
        }
        return true;
    }

    bool read_symbols(Bytes table, Bytes name_bytes) {
        if (!take(table.size())) return false;
        const std::string_view names = names_in(name_bytes);
        const std::uint64_t count = table.size() / layout_.symbol;
        for (std::uint64_t i = 1; i < count; ++i) {
            const std::uint64_t at = i * layout_.symbol;
            ElfSymbol symbol;
            if (!read_name(names, word_at(table, at), symbol.name)) return false;
            const bool is_wide = layout_.address == 8;
            symbol.binding = static_cast<std::uint32_t>(number_at(table, at + (is_wide ? 4 : 12), 1)) >> 4;
            symbol.section = static_cast<std::uint32_t>(number_at(table, at + (is_wide ? 6 : 14), 2));
            symbol.value = number_at(table, at + (is_wide ? 8 : 4), layout_.address);
            symbol.size = number_at(table, at + (is_wide ? 16 : 8), layout_.address);
            view_.symbols_by_name.try_emplace(symbol.name, view_.symbols.size());
            view_.symbols.push_back(symbol);
        }
        return true;
    }

    bool read_segments() {
        const std::uint64_t table = address_at(layout_.segments_at);
        const std::uint64_t size = number_at(bytes_, layout_.segment_size_at, 2);
        const std::uint64_t count = number_at(bytes_, layout_.segment_size_at + 2, 2);
        if (count == 0) return true;
        if (size < layout_.segment || !part_of(bytes_, table, count * size)) return false;
        for (std::uint64_t i = 0; i < count; ++i) {
            const std::uint64_t at = table + i * size;
            ElfSegment segment;
            segment.type = word_at(bytes_, at);
            const bool is_wide = layout_.address == 8;
            segment.offset = address_at(at + (is_wide ? 8 : 4));
            const std::optional<Bytes> part = part_of(bytes_, segment.offset, address_at(at + (is_wide ? 32 : 16)));
            if (!part || !take(part->size())) return false;
            segment.bytes = *part;
            view_.segments.push_back(segment);
        }
        return true;
    }

    Bytes bytes_;
    const Layout& layout_;
    ElfView& view_;
    limits::Budget budget_;
    bool overlaps_ = false;
};

}  // namespace

std::uint64_t number_at(Bytes bytes, std::uint64_t at, unsigned size) {
    if (at > bytes.size() || bytes.size() - at < size) return 0;
    std::uint64_t number = 0;
    for (unsigned i = 0; i < size; ++i) number |= std::uint64_t{bytes[at + i]} << 8 * i;
    return number;
}

std::optional<Bytes> part_of(Bytes bytes, std::uint64_t at, std::uint64_t size) {
    if (at > bytes.size() || size > bytes.size() - at) return std::nullopt;
    return bytes.subspan(at, size);
}

const ElfSection* ElfView::section(std::string_view name) const {
    const auto found =
        std::find_if(sections.begin(), sections.end(), [&](const auto& one) { return one.name == name; });
    return found == sections.end() ? nullptr : &*found;
}

const ElfSymbol* ElfView::symbol(std::string_view name) const {
    const auto found = symbols_by_name.find(name);
    return found == symbols_by_name.end() ? nullptr : &symbols[found->second];
}

std::optional<Bytes> ElfView::bytes_of(const ElfSymbol& symbol) const {
    if (symbol.section >= sections.size()) return std::nullopt;
    const Bytes all = sections[symbol.section].bytes;
    if (symbol.value > all.size()) return std::nullopt;
    return part_of(all, symbol.value, symbol.size ? symbol.size : all.size() - symbol.value);
}

bool looks_like_elf(Bytes bytes) {
    return bytes.size() >= narrow.header && std::memcmp(bytes.data(), "\177ELF", 4) == 0 &&
           (bytes[4] == 1 || bytes[4] == 2) && bytes[5] == 1;
}

std::optional<ElfView> view_elf(Bytes bytes, std::string& error) {
    if (!looks_like_elf(bytes)) {
        error = "this is no little-endian ELF file";
        return std::nullopt;
    }
    ElfView view;
    view.wide = bytes[4] == 2;
    if (!Viewer(bytes, view.wide ? wide : narrow, view).read(error)) return std::nullopt;
    return view;
}

}  // namespace isaforge::codeobject
