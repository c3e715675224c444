#include "codeobject/loading.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "codeobject/elf_view.hpp"
#include "codeobject/kernel_code.hpp"

namespace isaforge::codeobject {

namespace {

constexpr std::uint64_t table_entry_bytes = 8;
constexpr std::string_view descriptor_suffix = ".kd";

// R_AMDGPU_…
enum Relocation : std::uint32_t {
    none = 0,
    abs32_lo = 1,
    abs32_hi = 2,
    abs64 = 3,
    rel32 = 4,
    rel64 = 5,
    abs32 = 6,
    gotpcrel = 7,
    gotpcrel32_lo = 8,
    gotpcrel32_hi = 9,
    rel32_lo = 10,
    rel32_hi = 11,
    relative64 = 13,
    rel16 = 14
};

bool asks_for_table(std::uint32_t type) { return type >= gotpcrel && type <= gotpcrel32_hi; }

unsigned bytes_of(std::uint32_t type) {
    return type == rel16 ? 2 : type == abs64 || type == rel64 || type == relative64 ? 8 : 4;
}

// A file may ask for more memory than it has bytes.
constexpr std::uint64_t most_image_bytes = std::uint64_t{1} << 29;
bool fits(std::uint64_t first, std::uint64_t size) {
    return first <= most_image_bytes && size <= most_image_bytes - first;
}

class ImageReader {
public:
    ImageReader(Bytes file, LoadImage& image, std::string& error) : file_(file), image_(image), error_(error) {}

    bool read();

private:
    bool fail(std::string why) {
        error_ = std::move(why);
        return false;
    }
    bool read_object();
    bool place_sections();
    bool read_segments();
    bool read_dynamic(std::uint64_t address, std::uint64_t size);
    bool read_table(std::uint64_t table, std::uint64_t bytes, std::uint64_t symbols, std::uint64_t names);
    std::size_t dynamic_symbol(std::uint64_t number, std::uint64_t symbols, std::uint64_t names);
    void take_symbols();
    bool take_relocations();
    void take_kernels();
    void add_kernel(const LoadSymbol& symbol, const ObjectMetadata& metadata);

    Bytes file_;
    LoadImage& image_;
    std::string& error_;
    std::map<std::uint64_t, std::size_t> dynamic_symbols_;
    std::uint64_t name_bytes_ = 0;   // of those
};

bool ImageReader::read_object() {
    std::optional<Object> object = read_elf(file_, error_);
    if (!object) return false;
    const std::optional<Target> target = target_of(*object);
    if (!target || !object->wide)
        return fail(object->machine == machine_amdgpu ? "it is for a processor that is not known here"
                                                      : "it is no code object of AMD's");
    image_.target = *target;
    image_.version = version_of(*object);
    image_.object = std::move(*object);
    return true;
}

// What was not linked: sections one behind the other, those with the same permissions together.
bool ImageReader::place_sections() {
    std::uint64_t end = 0;
    for (const int kind : {0, 1, 2}) {
        for (Section& section : image_.object.sections) {
            const int own = section.executable ? 0 : section.writable ? 2 : 1;
            if (!section.allocated || section.note || own != kind || section.extent() == 0) continue;
            end = (end + section.alignment - 1) / section.alignment * section.alignment;
            if (!fits(end, section.extent())) return fail("its sections are too large");
            section.address = end;
            image_.parts.push_back({end, section.extent(), {true, section.writable, section.executable}, section.name});
            end += section.extent();
        }
    }
    image_.bytes.resize(end);
    for (const Section& section : image_.object.sections)
        if (section.allocated && !section.note)
            std::copy(section.bytes.begin(), section.bytes.end(),
                      image_.bytes.begin() + static_cast<std::ptrdiff_t>(section.address));
    return true;
}

std::string name_of(std::uint32_t flags) {
    return (flags & PF_X) != 0 ? "code" : (flags & PF_W) != 0 ? "variables" : "constants";
}

bool ImageReader::read_segments() {
    const std::uint64_t table = number_at(file_, offsetof(Elf64_Ehdr, e_phoff), 8);
    const std::uint64_t size = number_at(file_, offsetof(Elf64_Ehdr, e_phentsize), 2);
    const std::uint64_t count = number_at(file_, offsetof(Elf64_Ehdr, e_phnum), 2);
    if (size < sizeof(Elf64_Phdr) || !part_of(file_, table, count * size)) return fail("its segments are damaged");
    std::optional<std::pair<std::uint64_t, std::uint64_t>> dynamic;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t at = table + i * size;
        const auto field = [&](std::size_t offset, unsigned bytes) { return number_at(file_, at + offset, bytes); };
        const auto type = static_cast<std::uint32_t>(field(offsetof(Elf64_Phdr, p_type), 4));
        const auto flags = static_cast<std::uint32_t>(field(offsetof(Elf64_Phdr, p_flags), 4));
        const std::uint64_t address = field(offsetof(Elf64_Phdr, p_vaddr), 8),
                            offset = field(offsetof(Elf64_Phdr, p_offset), 8);
        const std::uint64_t in_file = field(offsetof(Elf64_Phdr, p_filesz), 8),
                            in_memory = field(offsetof(Elf64_Phdr, p_memsz), 8);
        if (type == PT_DYNAMIC) dynamic = {address, in_memory};
        if (type != PT_LOAD || in_memory == 0) continue;
        const std::optional<Bytes> bytes = part_of(file_, offset, in_file);
        if (!bytes || in_file > in_memory || !fits(address, in_memory)) return fail("a segment of it is damaged");
        const bool overlaps = std::ranges::any_of(image_.parts, [&](const LoadPart& other) {
            return address < other.first + other.size && other.first < address + in_memory;
        });
        if (overlaps) return fail("its segments overlap");
        image_.bytes.resize(std::max<std::uint64_t>(image_.bytes.size(), address + in_memory));
        std::ranges::copy(*bytes, image_.bytes.begin() + static_cast<std::ptrdiff_t>(address));
        image_.parts.push_back({address, in_memory, {true, (flags & PF_W) != 0, (flags & PF_X) != 0}, name_of(flags)});
    }
    return !dynamic || read_dynamic(dynamic->first, dynamic->second);
}

bool ImageReader::read_dynamic(std::uint64_t address, std::uint64_t size) {
    const Bytes image = image_.bytes;
    std::map<std::uint64_t, std::uint64_t> values;
    for (std::uint64_t at = address; at < address + size; at += sizeof(Elf64_Dyn)) {
        const std::uint64_t tag = number_at(image, at, 8);
        if (tag == DT_NULL) break;
        values[tag] = number_at(image, at + 8, 8);
    }
    const auto read = [&](std::uint64_t table, std::uint64_t bytes) {
        return !values.contains(table) ||
               read_table(values[table], values[bytes], values[DT_SYMTAB], values[DT_STRTAB]);
    };
    return read(DT_RELA, DT_RELASZ) && read(DT_JMPREL, DT_PLTRELSZ);
}

bool ImageReader::read_table(std::uint64_t table, std::uint64_t bytes, std::uint64_t symbols, std::uint64_t names) {
    const Bytes image = image_.bytes;
    if (!part_of(image, table, bytes)) return fail("its dynamic relocations are damaged");
    for (std::uint64_t at = table; at + sizeof(Elf64_Rela) <= table + bytes; at += sizeof(Elf64_Rela)) {
        const std::uint64_t info = number_at(image, at + 8, 8);
        LoadFix fix{.place = number_at(image, at, 8), .type = static_cast<std::uint32_t>(ELF64_R_TYPE(info))};
        fix.addend = static_cast<std::int64_t>(number_at(image, at + 16, 8));
        fix.symbol = ELF64_R_SYM(info) == 0 ? no_symbol : dynamic_symbol(ELF64_R_SYM(info), symbols, names);
        if (asks_for_table(fix.type)) return fail("a dynamic relocation asks for a table of addresses");
        image_.fixes.push_back(fix);
    }
    return true;
}

std::size_t ImageReader::dynamic_symbol(std::uint64_t number, std::uint64_t symbols, std::uint64_t names) {
    const auto [place, added] = dynamic_symbols_.try_emplace(number, image_.symbols.size());
    if (!added) return place->second;
    const Bytes image = image_.bytes;
    const std::uint64_t at = symbols + number * sizeof(Elf64_Sym);
    LoadSymbol made;
    // Names may overlap in a hostile file; together they are not longer than it is.
    for (std::uint64_t c = names + number_at(image, at, 4); c < image.size() && image[c] != 0; ++c) {
        if (++name_bytes_ > file_.size()) break;
        made.name += static_cast<char>(image[c]);
    }
    made.value = number_at(image, at + 8, 8);
    made.size = number_at(image, at + 16, 8);
    made.weak = number_at(image, at + 4, 1) >> 4 == STB_WEAK;
    made.absolute = number_at(image, at + 6, 2) == SHN_ABS;
    made.defined = number_at(image, at + 6, 2) != SHN_UNDEF;
    image_.symbols.push_back(std::move(made));
    return place->second;
}

// Those of the object, in the order that it has them, behind those of dynamic relocations.
void ImageReader::take_symbols() {
    for (const Symbol& symbol : image_.object.symbols) {
        LoadSymbol made{.name = symbol.name, .value = symbol.value, .size = symbol.size};
        made.defined = symbol.section != undefined_section && symbol.section != common_section;
        made.absolute = symbol.section == absolute_section;
        made.weak = symbol.binding == Binding::weak;
        made.is_kernel_code = symbol.type == SymbolType::special;
        made.is_object = symbol.type == SymbolType::object;
        if (symbol.section < image_.object.sections.size())
            made.value += image_.object.sections[symbol.section].address;
        image_.symbols.push_back(std::move(made));
    }
}

// Of what was not linked. Behind everything stands a table of addresses, for those that ask for it.
bool ImageReader::take_relocations() {
    std::map<std::size_t, std::uint64_t> entries;
    std::uint64_t end = (image_.bytes.size() + table_entry_bytes - 1) / table_entry_bytes * table_entry_bytes;
    const std::uint64_t begin = end;
    for (const isaforge::Relocation& each : image_.object.relocations) {
        const Section& section = image_.object.sections[each.section];
        if (!section.allocated || section.note || section.no_bits) continue;
        LoadFix fix{section.address + each.offset, each.type, each.symbol == no_index ? no_symbol : each.symbol,
                    each.addend};
        if (asks_for_table(each.type)) {
            if (fix.symbol == no_symbol) return fail("a relocation asks for the address of no symbol");
            const auto [entry, added] = entries.try_emplace(fix.symbol, end);
            if (added) end += table_entry_bytes;
            fix.table_entry = entry->second;
        }
        image_.fixes.push_back(fix);
    }
    if (end == begin) return true;
    if (!fits(begin, end - begin)) return fail("its sections are too large");
    image_.bytes.resize(end);
    image_.parts.push_back({begin, end - begin, {true, false, false}, "addresses"});
    for (const auto& [symbol, entry] : entries) image_.fixes.push_back({entry, abs64, symbol, 0});
    return true;
}

void ImageReader::add_kernel(const LoadSymbol& symbol, const ObjectMetadata& metadata) {
    LoadKernel kernel{.object = symbol.value, .has_header = symbol.is_kernel_code};
    const auto found = std::ranges::find(metadata.kernels, symbol.name, &KernelMetadata::symbol);
    if (found != metadata.kernels.end()) kernel.info = found->info;
    const std::string_view name = symbol.name;
    if (kernel.info.name.empty())
        kernel.info.name = kernel.has_header ? name : name.substr(0, name.size() - descriptor_suffix.size());
    image_.kernels.push_back(std::move(kernel));
}

// A kernel is what has a descriptor, or in version 2 a header; the metadata may say more about it.
void ImageReader::take_kernels() {
    ObjectMetadata metadata = read_object_metadata(image_.object).value_or(ObjectMetadata{});
    image_.printf_formats = std::move(metadata.printf_formats);
    std::set<std::string_view> names;
    for (const LoadSymbol& symbol : image_.symbols) {
        const bool has_descriptor = symbol.name.ends_with(descriptor_suffix) && symbol.size == 64;
        const bool is_kernel = symbol.defined && (symbol.is_kernel_code || has_descriptor);
        const std::uint64_t size = symbol.is_kernel_code ? kernel_code_size : 64;
        if (!is_kernel || symbol.absolute || !part_of(image_.bytes, symbol.value, size)) continue;
        if (names.insert(symbol.name).second) add_kernel(symbol, metadata);
    }
}

bool ImageReader::read() {
    if (!read_object()) return false;
    if (image_.object.relocatable) {
        if (!place_sections()) return false;
        take_symbols();
        if (!take_relocations()) return false;
    } else {
        if (!read_segments()) return false;
        take_symbols();
    }
    if (image_.bytes.empty()) return fail("there is nothing in it to be loaded");
    take_kernels();
    return true;
}

std::uint64_t value_of(const LoadFix& fix, std::uint64_t symbol, std::uint64_t base) {
    const std::uint64_t sum = symbol + static_cast<std::uint64_t>(fix.addend), place = base + fix.place;
    const std::uint64_t entry = base + fix.table_entry + static_cast<std::uint64_t>(fix.addend) - place;
    switch (fix.type) {
        case abs32_hi: return sum >> 32;
        case rel32:
        case rel32_lo:
        case rel64: return sum - place;
        case rel32_hi: return (sum - place) >> 32;
        case gotpcrel:
        case gotpcrel32_lo: return entry;
        case gotpcrel32_hi: return entry >> 32;
        case relative64: return base + static_cast<std::uint64_t>(fix.addend);
        case rel16: return static_cast<std::uint64_t>(static_cast<std::int64_t>(sum - place) / 4 - 1);
        default: return sum;
    }
}

}  // namespace

std::optional<LoadImage> read_image(std::span<const std::uint8_t> bytes, std::string& error) {
    LoadImage image;
    if (!ImageReader(bytes, image, error).read()) return std::nullopt;
    return image;
}

bool place_image(LoadImage& image, std::uint64_t base, const FindSymbol& find, std::string& error) {
    for (const LoadFix& fix : image.fixes) {
        if (fix.type == none) continue;
        if (fix.type > rel16 || fix.type == 12) {
            error = fmt::format("it has a relocation of type {}, which is not known", fix.type);
            return false;
        }
        std::uint64_t value = 0;
        if (fix.symbol != no_symbol) {
            const LoadSymbol& symbol = image.symbols[fix.symbol];
            const std::optional<std::uint64_t> other = symbol.defined ? std::nullopt : find(symbol.name);
            if (!symbol.defined && !other && !symbol.weak) {
                error = fmt::format("nothing defines `{}`", symbol.name);
                return false;
            }
            value = symbol.defined ? symbol.value + (symbol.absolute ? 0 : base) : other.value_or(0);
        }
        const std::uint64_t number = value_of(fix, value, base);
        if (!part_of(image.bytes, fix.place, bytes_of(fix.type))) {
            error = "it has a relocation that is about nothing in it";
            return false;
        }
        std::memcpy(image.bytes.data() + fix.place, &number, bytes_of(fix.type));
    }
    return true;
}

}  // namespace isaforge::codeobject
