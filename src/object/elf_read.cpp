// ELF files of either class as objects, through libelf. The bytes may be anything: what points outside the file is left
// out or makes the file unreadable, and nothing is trusted to be the size it says.
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>

#include "isaforge/object.hpp"
#include "object/dwarf.hpp"
#include "object/elf_note.hpp"

namespace isaforge {

namespace {

constexpr std::size_t most_symbols = std::size_t{1} << 26;

class ElfReader {
public:
    explicit ElfReader(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
    ~ElfReader() {
        if (elf_) elf_end(elf_);
    }

    std::optional<Object> read(std::string& error, bool with_lines);

private:
    bool open(std::string& error);
    bool read_sections(std::string& error);
    bool read_section(Elf_Scn* scan, const GElf_Shdr& header, std::string& error);
    void read_symbols();
    void read_relocations();
    void read_relocation_section(Elf_Scn* scan, const GElf_Shdr& header);
    void read_note(const std::vector<std::uint8_t>& note);
    void read_lines();
    std::span<const std::uint8_t> raw(Elf_Scn* scan, const GElf_Shdr& header) const;
    std::string string(std::size_t table, std::size_t at);
    Index section_at(std::size_t elf_index) const {
        return elf_index < sections_.size() ? sections_[elf_index] : no_index;
    }
    std::uint32_t u32(const std::vector<std::uint8_t>& bytes, std::size_t at) const;

    std::vector<std::uint8_t> bytes_;  // libelf may want to change them
    Elf* elf_ = nullptr;
    std::size_t name_bytes_ = 0;
    Object object_;
    std::size_t names_ = 0;
    std::vector<Index> sections_;  // by index in the file
    std::vector<Index> symbols_;   // by index in the symbol table
    std::size_t symbol_table_ = 0, dynamic_symbol_table_ = 0;
    std::vector<std::uint8_t> debug_line_;
    std::size_t debug_line_index_ = 0;
    std::vector<std::pair<std::uint64_t, Index>> debug_addresses_;  // relocated address fields and their sections
};

bool ElfReader::open(std::string& error) {
    elf_version(EV_CURRENT);
    elf_ = elf_memory(reinterpret_cast<char*>(bytes_.data()), bytes_.size());
    GElf_Ehdr header;
    if (!elf_ || elf_kind(elf_) != ELF_K_ELF || !gelf_getehdr(elf_, &header)) {
        error = "this is not an ELF file";
        return false;
    }
    if (elf_getshdrstrndx(elf_, &names_) != 0) names_ = 0;
    object_.machine = header.e_machine;
    object_.machine_flags = header.e_flags;
    object_.os_abi = header.e_ident[EI_OSABI];
    object_.abi_version = header.e_ident[EI_ABIVERSION];
    object_.wide = header.e_ident[EI_CLASS] == ELFCLASS64;
    object_.big_endian = object_.code_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
    object_.relocatable = header.e_type == ET_REL;
    object_.entry = header.e_entry;
    return true;
}

std::string ElfReader::string(std::size_t table, std::size_t at) {
    const char* text = table ? elf_strptr(elf_, table, at) : nullptr;
    // Many names may share one long text in a hostile file.
    if (!text || name_bytes_ > 4 * bytes_.size() + 4096) return "";
    std::string name = text;
    name_bytes_ += name.size();
    return name;
}

// The section's bytes in the file; nothing where they are not all there.
std::span<const std::uint8_t> ElfReader::raw(Elf_Scn*, const GElf_Shdr& header) const {
    if (header.sh_type == SHT_NOBITS || header.sh_offset > bytes_.size()) return {};
    if (header.sh_size > bytes_.size() - header.sh_offset) return {};
    return {bytes_.data() + header.sh_offset, static_cast<std::size_t>(header.sh_size)};
}

bool ElfReader::read_sections(std::string& error) {
    Elf_Scn* scan = nullptr;
    std::uint64_t total = 0;
    while ((scan = elf_nextscn(elf_, scan))) {
        GElf_Shdr header;
        if (!gelf_getshdr(scan, &header)) continue;
        const std::size_t index = elf_ndxscn(scan);
        sections_.resize(std::max(sections_.size(), index + 1), no_index);
        // Sections may overlap in a hostile file; together they are not larger than a sane one.
        total += header.sh_type == SHT_NOBITS ? 0 : header.sh_size;
        if (total > 4 * std::uint64_t{bytes_.size()} + 4096) {
            error = "the sections overlap each other or the end of the file";
            return false;
        }
        if (!read_section(scan, header, error)) return false;
    }
    return true;
}

bool ElfReader::read_section(Elf_Scn* scan, const GElf_Shdr& header, std::string& error) {
    const std::size_t index = elf_ndxscn(scan);
    const std::string name = string(names_, header.sh_name);
    const std::span<const std::uint8_t> content = raw(scan, header);
    const bool holds_bytes = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
    if (holds_bytes && content.size() != header.sh_size) {
        error = fmt::format("section {} reaches past the end of the file", name);
        return false;
    }
    if (header.sh_type == SHT_SYMTAB && symbol_table_ == 0) symbol_table_ = index;
    if (header.sh_type == SHT_DYNSYM && dynamic_symbol_table_ == 0) dynamic_symbol_table_ = index;
    if (name == ".debug_line") {
        debug_line_.assign(content.begin(), content.end());
        debug_line_index_ = index;
    }
    if (name == note_section) {
        read_note({content.begin(), content.end()});
        return true;
    }
    const bool wanted = header.sh_type == SHT_PROGBITS || header.sh_type == SHT_NOBITS ||
                        (header.sh_type == SHT_NOTE && ((header.sh_flags & SHF_ALLOC) || object_.machine != EM_NONE));
    if (!wanted || name.starts_with(".debug")) return true;
    Section section;
    section.name = name;
    section.allocated = header.sh_flags & SHF_ALLOC;
    section.writable = header.sh_flags & SHF_WRITE;
    section.executable = header.sh_flags & SHF_EXECINSTR;
    section.no_bits = header.sh_type == SHT_NOBITS;
    section.note = header.sh_type == SHT_NOTE;
    section.elf_flags = static_cast<std::uint32_t>(header.sh_flags & (SHF_MERGE | SHF_STRINGS));
    section.entry_size = static_cast<std::uint32_t>(header.sh_entsize);
    const bool power = header.sh_addralign && (header.sh_addralign & (header.sh_addralign - 1)) == 0;
    section.alignment = power ? header.sh_addralign : 1;
    section.address = section.load_address = header.sh_addr;
    section.size = section.no_bits ? header.sh_size : 0;
    section.bytes.assign(content.begin(), content.end());
    sections_[index] = static_cast<Index>(object_.sections.size());
    object_.sections.push_back(std::move(section));
    return true;
}

std::uint32_t ElfReader::u32(const std::vector<std::uint8_t>& bytes, std::size_t at) const {
    std::uint32_t value = 0;
    if (at + 4 > bytes.size()) return 0;
    for (std::size_t i = 0; i < 4; ++i) {
        value |= static_cast<std::uint32_t>(bytes[at + i]) << 8 * (object_.big_endian ? 3 - i : i);
    }
    return value;
}

void ElfReader::read_note(const std::vector<std::uint8_t>& note) {
    constexpr std::size_t header = 12, names_at = header + 12 + 8;  // the owner's nine bytes are padded to twelve
    static_assert(sizeof note_owner == 9);
    if (note.size() < names_at || u32(note, 0) != sizeof note_owner || u32(note, 8) != note_type) return;
    if (std::memcmp(note.data() + header, note_owner, sizeof note_owner) != 0) return;
    const std::size_t end = std::min<std::size_t>(note.size(), header + 12 + std::size_t{u32(note, 4)});
    const std::uint32_t unit = u32(note, header + 12), step = u32(note, header + 16);
    if (unit >= 1 && unit <= max_instruction_bits / 8) object_.unit_bytes = unit;
    if (step >= 1 && step <= max_instruction_bits / 8) object_.address_bytes = step;
    if (end <= names_at) return;
    const std::string_view names(reinterpret_cast<const char*>(note.data()) + names_at, end - names_at);
    std::size_t begin = 0;
    for (std::string* part : {&object_.isa, &object_.variant, &object_.parameters}) {
        const std::size_t nul = std::min(names.find('\0', begin), names.size());
        *part = names.substr(begin, nul - begin);
        begin = std::min(nul + 1, names.size());
    }
}

// What is linked and stripped has its dynamic symbols alone.
void ElfReader::read_symbols() {
    if (symbol_table_ == 0) symbol_table_ = dynamic_symbol_table_;
    Elf_Scn* scan = symbol_table_ ? elf_getscn(elf_, symbol_table_) : nullptr;
    GElf_Shdr header;
    Elf_Data* data = scan && gelf_getshdr(scan, &header) ? elf_getdata(scan, nullptr) : nullptr;
    if (!data || !data->d_buf) return;
    const std::size_t size = gelf_fsize(elf_, ELF_T_SYM, 1, EV_CURRENT);
    const std::size_t count = size ? std::min(data->d_size / size, most_symbols) : 0;
    symbols_.assign(count, no_index);
    for (std::size_t i = 1; i < count; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, static_cast<int>(i), &symbol)) continue;
        Symbol made;
        made.value = symbol.st_value;
        made.size = symbol.st_size;
        const unsigned type = GELF_ST_TYPE(symbol.st_info), binding = GELF_ST_BIND(symbol.st_info);
        made.type = type == STT_OBJECT    ? SymbolType::object
                    : type == STT_FUNC    ? SymbolType::function
                    : type == STT_SECTION ? SymbolType::section
                    : type == STT_FILE    ? SymbolType::file
                    : type == STT_LOOS    ? SymbolType::special
                                          : SymbolType::none;
        made.binding = binding == STB_LOCAL ? Binding::local : binding == STB_WEAK ? Binding::weak : Binding::global;
        made.visibility = static_cast<Visibility>(symbol.st_other & 3);
        if (symbol.st_shndx == SHN_ABS) {
            made.section = absolute_section;
        } else if (symbol.st_shndx == SHN_COMMON) {
            made.section = common_section;
        } else if (symbol.st_shndx != SHN_UNDEF) {
            made.section = section_at(symbol.st_shndx);
            if (made.section == no_index) continue;
        }
        // In linked files symbols have addresses; in objects, offsets.
        if (!object_.relocatable && made.section < object_.sections.size())
            made.value -= object_.sections[made.section].address;
        if (made.type != SymbolType::section) made.name = string(header.sh_link, symbol.st_name);
        symbols_[i] = static_cast<Index>(object_.symbols.size());
        object_.symbols.push_back(std::move(made));
    }
}

void ElfReader::read_relocation_section(Elf_Scn* scan, const GElf_Shdr& header) {
    const bool with_addend = header.sh_type == SHT_RELA;
    Elf_Data* data = elf_getdata(scan, nullptr);
    const std::size_t size = gelf_fsize(elf_, with_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    if (!data || !data->d_buf || size == 0) return;
    const std::size_t count = std::min(data->d_size / size, most_symbols);
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Rela entry{};
        if (with_addend) {
            if (!gelf_getrela(data, static_cast<int>(i), &entry)) continue;
        } else {
            GElf_Rel plain;
            if (!gelf_getrel(data, static_cast<int>(i), &plain)) continue;
            entry.r_offset = plain.r_offset;
            entry.r_info = plain.r_info;
        }
        const std::uint64_t symbol = GELF_R_SYM(entry.r_info);
        Relocation made;
        made.section = section_at(header.sh_info);
        made.offset = entry.r_offset;
        made.symbol = symbol < symbols_.size() ? symbols_[symbol] : no_index;
        made.type = static_cast<std::uint32_t>(GELF_R_TYPE(entry.r_info));
        made.addend = entry.r_addend;
        if (debug_line_index_ && header.sh_info == debug_line_index_) {
            if (made.symbol != no_index)
                debug_addresses_.emplace_back(made.offset, object_.symbols[made.symbol].section);
        } else if (made.section != no_index && made.offset < object_.sections[made.section].bytes.size()) {
            object_.relocations.push_back(made);
        }
    }
}

void ElfReader::read_relocations() {
    Elf_Scn* scan = nullptr;
    while ((scan = elf_nextscn(elf_, scan))) {
        GElf_Shdr header;
        if (!gelf_getshdr(scan, &header)) continue;
        if (header.sh_type == SHT_RELA || header.sh_type == SHT_REL) read_relocation_section(scan, header);
    }
}

// Rows name addresses; their sections are those whose symbols relocate them, or, without relocations, those that hold them.
void ElfReader::read_lines() {
    std::vector<DebugLine> rows;
    read_debug_lines(debug_line_, object_.big_endian, rows, object_.files);
    std::sort(debug_addresses_.begin(), debug_addresses_.end());
    for (const DebugLine& row : rows) {
        if (row.end) continue;
        LineEntry entry{no_index, row.file, row.address, row.line};
        const auto found = std::lower_bound(debug_addresses_.begin(), debug_addresses_.end(),
                                            std::pair<std::uint64_t, Index>{row.address_at, 0});
        if (found != debug_addresses_.end() && found->first == row.address_at) entry.section = found->second;
        constexpr std::size_t most_searched = 256;
        const std::size_t searched = debug_addresses_.empty() ? std::min(object_.sections.size(), most_searched) : 0;
        for (Index i = 0; entry.section == no_index && i < searched; ++i) {
            const Section& section = object_.sections[i];
            if (!section.executable || row.address < section.address) continue;
            if (row.address - section.address >= section.extent()) continue;
            entry.section = i;
            entry.offset = row.address - section.address;
        }
        if (entry.section < object_.sections.size()) object_.lines.push_back(entry);
    }
    std::stable_sort(object_.lines.begin(), object_.lines.end(), [](const LineEntry& a, const LineEntry& b) {
        return a.section != b.section ? a.section < b.section : a.offset < b.offset;
    });
}

std::optional<Object> ElfReader::read(std::string& error, bool with_lines) {
    if (!open(error) || !read_sections(error)) return std::nullopt;
    read_symbols();
    read_relocations();
    if (with_lines) read_lines();
    return std::move(object_);
}

}  // namespace

bool is_elf(std::span<const std::uint8_t> bytes) {
    return bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
}

std::optional<Object> read_elf(std::span<const std::uint8_t> bytes, std::string& error, bool with_lines) {
    return read_elf(std::vector<std::uint8_t>(bytes.begin(), bytes.end()), error, with_lines);
}

std::optional<Object> read_elf(std::vector<std::uint8_t>&& bytes, std::string& error, bool with_lines) {
    if (!is_elf(bytes)) {
        error = "this is not an ELF file";
        return std::nullopt;
    }
    return ElfReader(std::move(bytes)).read(error, with_lines);
}

}  // namespace isaforge
