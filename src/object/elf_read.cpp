// ELF files of either class as objects, through libelf. The bytes may be anything: what points outside the file is left
// out or makes the file unreadable, and nothing is trusted to be the size it says.
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "isaforge/object.hpp"
#include "object/dwarf_read.hpp"
#include "object/elf_note.hpp"
#include "object/limits.hpp"

namespace isaforge {

namespace {

// Names one behind the other, each with a NUL.
struct Names {
    Names() = default;
    explicit Names(std::span<const std::uint8_t> bytes)
        : text(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {
        text = text.substr(0, text.rfind('\0') + 1);  // what has no end is no name
    }

    std::string_view text;
};

// A field of .debug_line that a relocation is about.
struct DebugRelocation {
    std::uint64_t offset = 0;
    DebugField symbol;
    std::uint64_t addend = 0;
    bool with_addend = false;  // else it stands in the field
    bool used = false;
};

class ElfReader {
public:
    explicit ElfReader(std::vector<std::uint8_t> bytes)
        : bytes_(std::move(bytes)),
          sections_budget_(bytes_.size()),
          segments_budget_(bytes_.size()),
          names_budget_(bytes_.size()) {}
    ~ElfReader() {
        if (elf_) elf_end(elf_);
    }

    std::optional<Object> read(std::string& error, bool with_lines);

private:
    bool open(std::string& error);
    bool read_sections(std::string& error);
    bool read_section(Elf_Scn* scan, const GElf_Shdr& header, std::string& error);
    void take_debug_section(std::string_view name, const GElf_Shdr& header, std::size_t index,
                            std::span<const std::uint8_t> content);
    void read_segments();
    bool read_segment(const GElf_Phdr& header, std::string& problem);
    bool read_symbols(std::string& error);
    bool read_symbol(const GElf_Sym& symbol, std::size_t index, const Names& names, std::string& error);
    bool read_groups(std::string& error);
    std::uint64_t thread_begin() const;
    void read_relocations();
    void read_relocation_section(Elf_Scn* scan, const GElf_Shdr& header);
    void add_relocation(const GElf_Rela& entry, bool with_addend, Index target);
    bool read_note(const std::vector<std::uint8_t>& note, std::string& error);
    void read_lines();
    DebugField relocated(std::size_t at, std::uint64_t stored);
    void add_line(const DebugLine& row, const std::vector<Index>& by_address);
    Names names_of(std::size_t section) const;
    std::span<const std::uint8_t> raw(const GElf_Shdr& header) const;
    bool name_at(const Names& names, std::size_t at, std::string& name, std::string& error);
    Index section_at(std::size_t elf_index) const {
        return elf_index < sections_.size() ? sections_[elf_index] : no_index;
    }
    std::uint32_t u32(const std::vector<std::uint8_t>& bytes, std::size_t at) const;

    std::vector<std::uint8_t> bytes_;  // libelf may want to change them
    Elf* elf_ = nullptr;
    limits::Budget sections_budget_, segments_budget_, names_budget_;
    Object object_;
    Names section_names_;
    std::vector<Index> sections_;               // by index in the file
    std::vector<Index> symbols_;                // by index in the symbol table
    std::vector<std::uint64_t> symbol_values_;  // likewise
    std::vector<std::size_t> groups_;           // in the file
    std::size_t symbol_table_ = 0, dynamic_symbol_table_ = 0;
    DebugLineInput debug_;
    std::size_t debug_line_index_ = 0;
    std::vector<DebugRelocation> debug_relocations_;  // by offset, once they are all there
    std::uint64_t further_at_ = 0;                    // where the next relocation is about …
    unsigned further_ = 0;                            // … the instruction's number number so many; 0: the first
};

bool ElfReader::open(std::string& error) {
    elf_version(EV_CURRENT);
    elf_ = elf_memory(reinterpret_cast<char*>(bytes_.data()), bytes_.size());
    GElf_Ehdr header;
    if (!elf_ || elf_kind(elf_) != ELF_K_ELF || !gelf_getehdr(elf_, &header)) {
        error = "this is not an ELF file";
        return false;
    }
    std::size_t names = 0;
    if (elf_getshdrstrndx(elf_, &names) == 0) section_names_ = names_of(names);
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

// Empty where nothing lies there. False where the names together are longer than they could be if each stood there once.
bool ElfReader::name_at(const Names& names, std::size_t at, std::string& name, std::string& error) {
    name.clear();
    if (at >= names.text.size()) return true;
    const std::string_view found = names.text.substr(at, names.text.find('\0', at) - at);
    if (!names_budget_.take(found.size())) {
        error = limits::overlap_text;
        return false;
    }
    name = found;
    return true;
}

Names ElfReader::names_of(std::size_t section) const {
    GElf_Shdr header;
    Elf_Scn* const scan = section ? elf_getscn(elf_, section) : nullptr;
    return scan && gelf_getshdr(scan, &header) ? Names(raw(header)) : Names();
}

// The section's bytes in the file; nothing where they are not all there.
std::span<const std::uint8_t> ElfReader::raw(const GElf_Shdr& header) const {
    if (header.sh_type == SHT_NOBITS || header.sh_offset > bytes_.size()) return {};
    if (header.sh_size > bytes_.size() - header.sh_offset) return {};
    return {bytes_.data() + header.sh_offset, static_cast<std::size_t>(header.sh_size)};
}

bool ElfReader::read_sections(std::string& error) {
    Elf_Scn* scan = nullptr;
    while ((scan = elf_nextscn(elf_, scan))) {
        GElf_Shdr header;
        if (!gelf_getshdr(scan, &header)) continue;
        const std::size_t index = elf_ndxscn(scan);
        sections_.resize(std::max(sections_.size(), index + 1), no_index);
        // Sections may overlap in a hostile file; together they are not larger than a sane one.
        if (!sections_budget_.take(header.sh_type == SHT_NOBITS ? 0 : header.sh_size)) {
            error = limits::overlap_text;
            return false;
        }
        if (!read_section(scan, header, error)) return false;
    }
    std::size_t segments = 0;
    if (sections_.empty() && elf_getphdrnum(elf_, &segments) == 0 && segments != 0) {
        error = "the file has segments and no sections, by which it is read: its section headers were stripped";
        return false;
    }
    return true;
}

// What a loader of programs would take: nothing of files that are no programs by themselves.
void ElfReader::read_segments() {
    GElf_Ehdr file;
    std::size_t count = 0;
    if (object_.relocatable || !gelf_getehdr(elf_, &file) || elf_getphdrnum(elf_, &count) != 0 || count == 0) return;
    Executable& made = object_.executable.emplace();
    made.entry = file.e_entry;
    made.header_bytes = file.e_phentsize;
    made.header_count = static_cast<std::uint32_t>(count);
    if (file.e_type != ET_EXEC) {
        made.problem = "it has no addresses of its own: link it with -static and -no-pie";
        return;
    }
    for (std::size_t i = 0; i < count && made.problem.empty(); ++i) {
        GElf_Phdr header;
        if (!gelf_getphdr(elf_, static_cast<int>(i), &header)) continue;
        if (header.p_type == PT_INTERP) made.problem = "it wants a dynamic linker: link it with -static";
        if (header.p_type != PT_LOAD || header.p_memsz == 0) continue;
        if (!read_segment(header, made.problem)) break;
        const bool holds_headers = header.p_offset <= file.e_phoff && file.e_phoff - header.p_offset < header.p_filesz;
        if (holds_headers) made.headers = header.p_vaddr + (file.e_phoff - header.p_offset);
    }
    std::ranges::sort(made.segments, {}, &Segment::address);
    for (std::size_t i = 1; i < made.segments.size() && made.problem.empty(); ++i) {
        if (made.segments[i].address - made.segments[i - 1].address < made.segments[i - 1].size)
            made.problem = fmt::format("segments overlap at {:#x}", made.segments[i].address);
    }
    if (!made.problem.empty()) made.segments.clear();
}

bool ElfReader::read_segment(const GElf_Phdr& header, std::string& problem) {
    const auto fail = [&](std::string_view why) {
        problem = fmt::format("the segment at {:#x} {}", header.p_vaddr, why);
        return false;
    };
    if (header.p_filesz > header.p_memsz) return fail("has more bytes in the file than in memory");
    if (header.p_vaddr + (header.p_memsz - 1) < header.p_vaddr) return fail("goes beyond the last address");
    if (header.p_offset > bytes_.size() || header.p_filesz > bytes_.size() - header.p_offset)
        return fail("reaches past the end of the file");
    if (!segments_budget_.take(header.p_filesz)) return problem = limits::overlap_text, false;
    const auto* const begin = bytes_.data() + header.p_offset;
    object_.executable->segments.push_back({.address = header.p_vaddr,
                                            .size = header.p_memsz,
                                            .readable = (header.p_flags & PF_R) != 0,
                                            .writable = (header.p_flags & PF_W) != 0,
                                            .executable = (header.p_flags & PF_X) != 0,
                                            .bytes = {begin, begin + header.p_filesz}});
    return true;
}

bool ElfReader::read_section(Elf_Scn* scan, const GElf_Shdr& header, std::string& error) {
    const std::size_t index = elf_ndxscn(scan);
    std::string name;
    if (!name_at(section_names_, header.sh_name, name, error)) return false;
    const std::span<const std::uint8_t> content = raw(header);
    const bool holds_bytes = header.sh_type != SHT_NOBITS && header.sh_type != SHT_NULL;
    if (holds_bytes && content.size() != header.sh_size) {
        error = fmt::format("section {} reaches past the end of the file", name);
        return false;
    }
    if (header.sh_type == SHT_SYMTAB && symbol_table_ == 0) symbol_table_ = index;
    if (header.sh_type == SHT_DYNSYM && dynamic_symbol_table_ == 0) dynamic_symbol_table_ = index;
    take_debug_section(name, header, index, content);
    if (name == note_section) return read_note({content.begin(), content.end()}, error);
    if (header.sh_type == SHT_GROUP) groups_.push_back(index);
    const bool initialises =
        header.sh_type == SHT_INIT_ARRAY || header.sh_type == SHT_FINI_ARRAY || header.sh_type == SHT_PREINIT_ARRAY;
    const bool wanted = header.sh_type == SHT_PROGBITS || header.sh_type == SHT_NOBITS || initialises ||
                        (header.sh_type == SHT_NOTE && ((header.sh_flags & SHF_ALLOC) || object_.machine != EM_NONE));
    if (!wanted || name.starts_with(".debug")) return true;
    Section section;
    section.name = name;
    section.allocated = header.sh_flags & SHF_ALLOC;
    section.writable = header.sh_flags & SHF_WRITE;
    section.executable = header.sh_flags & SHF_EXECINSTR;
    section.no_bits = header.sh_type == SHT_NOBITS;
    section.note = header.sh_type == SHT_NOTE;
    section.of_thread = header.sh_flags & SHF_TLS;
    if (initialises) section.elf_type = header.sh_type;
    section.elf_flags = static_cast<std::uint32_t>(header.sh_flags & (SHF_MERGE | SHF_STRINGS));
    section.entry_size = static_cast<std::uint32_t>(header.sh_entsize);
    const bool power = header.sh_addralign && (header.sh_addralign & (header.sh_addralign - 1)) == 0;
    if (header.sh_addralign > limits::largest_alignment) {
        error = fmt::format("section {} wants to be aligned to {:#x} bytes, and {:#x} is the most", name,
                            header.sh_addralign, limits::largest_alignment);
        return false;
    }
    section.alignment = power ? header.sh_addralign : 1;
    section.address = section.load_address = header.sh_addr;
    section.size = section.no_bits ? header.sh_size : 0;
    section.bytes.assign(content.begin(), content.end());
    sections_[index] = static_cast<Index>(object_.sections.size());
    object_.sections.push_back(std::move(section));
    return true;
}

void ElfReader::take_debug_section(std::string_view name, const GElf_Shdr& header, std::size_t index,
                                   std::span<const std::uint8_t> content) {
    std::span<const std::uint8_t>* const place = name == ".debug_line"       ? &debug_.line
                                                 : name == ".debug_line_str" ? &debug_.line_strings
                                                 : name == ".debug_str"      ? &debug_.strings
                                                                             : nullptr;
    if (!place) return;
    if (header.sh_flags & SHF_COMPRESSED) {
        if (place == &debug_.line) object_.lines_problem = fmt::format("{} is compressed", name);
    } else if (!place->empty()) {
        object_.lines_problem = fmt::format("there are several sections {}", name);
    } else {
        *place = content;
        if (place == &debug_.line) debug_line_index_ = index;
    }
}

std::uint32_t ElfReader::u32(const std::vector<std::uint8_t>& bytes, std::size_t at) const {
    std::uint32_t value = 0;
    if (at + 4 > bytes.size()) return 0;
    for (std::size_t i = 0; i < 4; ++i) {
        value |= static_cast<std::uint32_t>(bytes[at + i]) << 8 * (object_.big_endian ? 3 - i : i);
    }
    return value;
}

bool ElfReader::read_note(const std::vector<std::uint8_t>& note, std::string& error) {
    constexpr std::size_t header = 12, names_at = header + 12 + 8;  // the owner's nine bytes are padded to twelve
    static_assert(sizeof note_owner == 9);
    if (note.size() < names_at || u32(note, 0) != sizeof note_owner || u32(note, 8) != note_type) return true;
    if (std::memcmp(note.data() + header, note_owner, sizeof note_owner) != 0) return true;
    const std::size_t end = std::min<std::size_t>(note.size(), header + 12 + std::size_t{u32(note, 4)});
    const std::uint32_t unit = u32(note, header + 12), step = u32(note, header + 16);
    if (unit >= 1 && unit <= max_instruction_bits / 8) object_.unit_bytes = unit;
    if (step >= 1 && step <= max_instruction_bits / 8) object_.address_bytes = step;
    if (end <= names_at) return true;
    if (end - names_at > limits::longest_note_names) {
        error = fmt::format("the names in {} have {} bytes, and {} are the most", note_section, end - names_at,
                            limits::longest_note_names);
        return false;
    }
    const std::string_view names(reinterpret_cast<const char*>(note.data()) + names_at, end - names_at);
    std::size_t begin = 0;
    for (std::string* part : {&object_.isa, &object_.variant, &object_.parameters}) {
        const std::size_t nul = std::min(names.find('\0', begin), names.size());
        *part = names.substr(begin, nul - begin);
        begin = std::min(nul + 1, names.size());
    }
    return true;
}

// What is linked and stripped has its dynamic symbols alone.
bool ElfReader::read_symbols(std::string& error) {
    if (symbol_table_ == 0) symbol_table_ = dynamic_symbol_table_;
    Elf_Scn* scan = symbol_table_ ? elf_getscn(elf_, symbol_table_) : nullptr;
    GElf_Shdr header;
    Elf_Data* data = scan && gelf_getshdr(scan, &header) ? elf_getdata(scan, nullptr) : nullptr;
    if (!data || !data->d_buf) return true;
    const std::size_t size = gelf_fsize(elf_, ELF_T_SYM, 1, EV_CURRENT);
    const std::size_t count = size ? data->d_size / size : 0;
    symbols_.assign(count, no_index);
    symbol_values_.assign(count, 0);
    const Names names = names_of(header.sh_link);
    for (std::size_t i = 1; i < count; ++i) {
        GElf_Sym symbol;
        if (!gelf_getsym(data, static_cast<int>(i), &symbol)) continue;
        if (!read_symbol(symbol, i, names, error)) return false;
    }
    return true;
}

bool ElfReader::read_symbol(const GElf_Sym& symbol, std::size_t index, const Names& names, std::string& error) {
    Symbol made;
    made.value = symbol_values_[index] = symbol.st_value;
    made.size = symbol.st_size;
    const unsigned type = GELF_ST_TYPE(symbol.st_info), binding = GELF_ST_BIND(symbol.st_info);
    made.type = type == STT_OBJECT    ? SymbolType::object
                : type == STT_FUNC    ? SymbolType::function
                : type == STT_SECTION ? SymbolType::section
                : type == STT_FILE    ? SymbolType::file
                : type == STT_LOOS    ? SymbolType::special
                : type == STT_TLS     ? SymbolType::thread
                                      : SymbolType::none;
    made.binding = binding == STB_LOCAL ? Binding::local : binding == STB_WEAK ? Binding::weak : Binding::global;
    made.visibility = static_cast<Visibility>(symbol.st_other & 3);
    if (symbol.st_shndx == SHN_ABS) {
        made.section = absolute_section;
    } else if (symbol.st_shndx == SHN_COMMON) {
        made.section = common_section;
    } else if (symbol.st_shndx != SHN_UNDEF) {
        made.section = section_at(symbol.st_shndx);
        if (made.section == no_index) return true;
    }
    // In linked files symbols have addresses; in objects, offsets.
    if (!object_.relocatable && made.section < object_.sections.size()) {
        made.value -= object_.sections[made.section].address;
        if (made.type == SymbolType::thread) made.value += thread_begin();  // those count from there
    }
    if (made.type != SymbolType::section && !name_at(names, symbol.st_name, made.name, error)) return false;
    symbols_[index] = static_cast<Index>(object_.symbols.size());
    object_.symbols.push_back(std::move(made));
    return true;
}

std::uint64_t ElfReader::thread_begin() const {
    std::uint64_t begin = ~std::uint64_t{0};
    for (const Section& section : object_.sections) {
        if (section.of_thread) begin = std::min(begin, section.address);
    }
    return begin == ~std::uint64_t{0} ? 0 : begin;
}

// Groups of which one copy is enough. Each names its sections, behind a word of flags.
bool ElfReader::read_groups(std::string& error) {
    for (const std::size_t index : groups_) {
        GElf_Shdr header;
        GElf_Sym symbol;
        Elf_Scn* const scan = elf_getscn(elf_, index);
        if (!scan || !gelf_getshdr(scan, &header)) continue;
        const std::span<const std::uint8_t> content = raw(header);
        const std::vector<std::uint8_t> words(content.begin(), content.end());
        Elf_Scn* const table = elf_getscn(elf_, header.sh_link);
        Elf_Data* const data = header.sh_link == symbol_table_ && table ? elf_getdata(table, nullptr) : nullptr;
        if (words.size() < 4 || (u32(words, 0) & GRP_COMDAT) == 0) continue;
        if (!data || !data->d_buf || !gelf_getsym(data, static_cast<int>(header.sh_info), &symbol)) continue;
        GElf_Shdr symbols;
        if (!gelf_getshdr(table, &symbols)) continue;
        Object::Group group;
        // A section may be what gives the group its name.
        GElf_Shdr named;
        Elf_Scn* const one = symbol.st_name == 0 ? elf_getscn(elf_, symbol.st_shndx) : nullptr;
        const bool good = one && gelf_getshdr(one, &named)
                              ? name_at(section_names_, named.sh_name, group.name, error)
                              : name_at(names_of(header.sh_link), symbol.st_name, group.name, error);
        if (!good) return false;
        for (std::size_t at = 4; at + 4 <= words.size(); at += 4) {
            const Index section = section_at(u32(words, at));
            if (section != no_index) group.sections.push_back(section);
        }
        if (!group.name.empty()) object_.groups.push_back(std::move(group));
    }
    return true;
}

void ElfReader::read_relocation_section(Elf_Scn* scan, const GElf_Shdr& header) {
    const bool with_addend = header.sh_type == SHT_RELA;
    Elf_Data* data = elf_getdata(scan, nullptr);
    const std::size_t size = gelf_fsize(elf_, with_addend ? ELF_T_RELA : ELF_T_REL, 1, EV_CURRENT);
    if (!data || !data->d_buf || size == 0) return;
    const bool debug = debug_line_index_ && header.sh_info == debug_line_index_;
    const Index target = section_at(header.sh_info);
    if (debug ? !object_.relocatable : target == no_index) return;
    for (std::size_t i = 0; i < data->d_size / size; ++i) {
        GElf_Rela entry{};
        if (with_addend) {
            if (!gelf_getrela(data, static_cast<int>(i), &entry)) continue;
        } else {
            GElf_Rel plain;
            if (!gelf_getrel(data, static_cast<int>(i), &plain)) continue;
            entry.r_offset = plain.r_offset;
            entry.r_info = plain.r_info;
        }
        add_relocation(entry, with_addend, debug ? no_index : target);
    }
}

// `target`: the section; no_index: the line table.
void ElfReader::add_relocation(const GElf_Rela& entry, bool with_addend, Index target) {
    const std::uint64_t symbol = GELF_R_SYM(entry.r_info);
    const Index index = symbol < symbols_.size() ? symbols_[symbol] : no_index;
    const auto type = static_cast<std::uint32_t>(GELF_R_TYPE(entry.r_info));
    if (target == no_index) {
        DebugField field;
        if (symbol < symbol_values_.size()) field.value = symbol_values_[symbol];
        if (index != no_index) field.section = object_.symbols[index].section;
        debug_relocations_.push_back(
            {entry.r_offset, field, static_cast<std::uint64_t>(entry.r_addend), with_addend, false});
        return;
    }
    if (entry.r_offset >= object_.sections[target].bytes.size()) return;
    if (type == relocation_type::further_number && !object_.isa.empty() && symbol == 0) {
        further_at_ = entry.r_offset;
        further_ = static_cast<unsigned>(std::clamp<std::int64_t>(entry.r_addend, 0, max_instruction_bits));
        return;
    }
    Relocation made;
    made.section = target;
    made.offset = entry.r_offset;
    made.symbol = index;
    made.type = type;
    made.addend = entry.r_addend;
    if (further_at_ == entry.r_offset) made.number = further_;
    further_ = 0;
    object_.relocations.push_back(made);
}

void ElfReader::read_relocations() {
    Elf_Scn* scan = nullptr;
    while ((scan = elf_nextscn(elf_, scan))) {
        GElf_Shdr header;
        if (!gelf_getshdr(scan, &header)) continue;
        if (header.sh_type == SHT_RELA || header.sh_type == SHT_REL) read_relocation_section(scan, header);
    }
}

// What the linker would make of a field of the line table.
DebugField ElfReader::relocated(std::size_t at, std::uint64_t stored) {
    const auto found = std::ranges::lower_bound(debug_relocations_, std::uint64_t{at}, {}, &DebugRelocation::offset);
    if (found == debug_relocations_.end() || found->offset != at) return {stored, no_index};
    auto next = found;
    for (; next != debug_relocations_.end() && next->offset == at; ++next) next->used = true;
    const auto value = [&](const DebugRelocation& relocation) {
        return relocation.symbol.value + (relocation.with_addend ? relocation.addend : stored);
    };
    // What a linker may change is told as the difference of two symbols.
    if (next - found == 2 && found->symbol.section == found[1].symbol.section && found->with_addend)
        return {value(found[0]) - value(found[1]), no_index};
    if (next - found > 1) object_.lines_problem = "several relocations are about one place of the line table";
    const DebugRelocation& relocation = *found;
    return {relocation.symbol.value + (relocation.with_addend ? relocation.addend : stored), relocation.symbol.section};
}

// Rows name addresses; their sections are those whose symbols relocate them, or, without relocations, those that hold them.
void ElfReader::read_lines() {
    if (!object_.lines_problem.empty()) return;
    std::ranges::stable_sort(debug_relocations_, {}, &DebugRelocation::offset);
    debug_.big_endian = object_.big_endian;
    debug_.relocated = [this](std::size_t at, std::uint64_t stored) { return relocated(at, stored); };
    DebugLines read = read_debug_lines(debug_);
    if (object_.lines_problem.empty()) object_.lines_problem = std::move(read.problem);
    const bool unused = std::ranges::any_of(debug_relocations_, [](const auto& one) { return !one.used; });
    if (unused && object_.lines_problem.empty())
        object_.lines_problem = "a relocation is about a place of the line table that has none";
    object_.files = std::move(read.files);
    std::vector<Index> by_address;
    for (Index i = 0; i < object_.sections.size() && debug_relocations_.empty(); ++i) {
        if (object_.sections[i].executable && object_.sections[i].extent() != 0) by_address.push_back(i);
    }
    std::ranges::stable_sort(by_address, {}, [this](Index i) { return object_.sections[i].address; });
    for (const DebugLine& row : read.rows) add_line(row, by_address);
    object_.lines.sort();
}

void ElfReader::add_line(const DebugLine& row, const std::vector<Index>& by_address) {
    LineEntry entry{row.section, row.file, row.address, row.end ? 0 : row.line};
    if (entry.section == no_index) {
        // The end of a sequence may be that of its section.
        const std::uint64_t inside = row.end && row.address != 0 ? row.address - 1 : row.address;
        const auto behind =
            std::ranges::upper_bound(by_address, inside, {}, [this](Index i) { return object_.sections[i].address; });
        if (behind == by_address.begin()) return;
        entry.section = *std::prev(behind);
        entry.offset = row.address - object_.sections[entry.section].address;
        if (inside - object_.sections[entry.section].address >= object_.sections[entry.section].extent()) return;
    }
    if (entry.section >= object_.sections.size()) return;
    if (row.end && entry.offset >= object_.sections[entry.section].extent()) return;  // nothing follows
    object_.lines.add(entry);
}

std::optional<Object> ElfReader::read(std::string& error, bool with_lines) {
    if (!open(error) || !read_sections(error) || !read_symbols(error) || !read_groups(error)) return std::nullopt;
    read_segments();
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
