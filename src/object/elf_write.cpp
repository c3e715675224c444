// Objects as ELF, through libelf. It is a 32-bit ELF unless the object wants a 64-bit one, little-endian unless the
// machine's data are not; the machine is EM_NONE unless the object says otherwise, and a note names the instruction set.
#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "isaforge/object.hpp"
#include "object/dwarf.hpp"
#include "object/elf_note.hpp"
#include "object/limits.hpp"
#include "object/placement.hpp"

namespace isaforge {

namespace {

constexpr std::size_t most_segments = 64;  // of pages: the headers have room for so many

class StringTable {
public:
    std::uint32_t add(std::string_view text) {
        if (text.empty()) return 0;
        const auto at = static_cast<std::uint32_t>(bytes_.size());
        bytes_.append(text);
        bytes_ += '\0';
        return at;
    }
    std::string& bytes() { return bytes_; }

private:
    std::string bytes_{'\0'};
};

class ElfWriter {
public:
    ElfWriter(const Object& object, std::string& error) : object_(object), error_(error) {}
    ~ElfWriter() {
        if (elf_) elf_end(elf_);
        if (file_ >= 0) close(file_);
    }

    bool write(const PutBytes& put);

private:
    struct Added {
        std::size_t index = 0;  // in the file
        Elf_Scn* section = nullptr;
        Elf_Data* data = nullptr;
    };
    bool failed() {
        error_ = elf_errmsg(-1);
        return false;
    }
    bool open();
    bool add(std::string_view name, std::uint32_t type, std::uint32_t flags, std::uint64_t alignment, void* bytes,
             std::size_t size, Elf_Type data_type, Added& added);
    bool link(const Added& added, std::size_t to, std::size_t info, std::size_t entry_size);
    // Room for `count` entries of a table as this class of file has them.
    Elf_Data* table(const Added& added, Elf_Type type, std::size_t count);
    std::size_t size_of(Elf_Type type) const { return gelf_fsize(elf_, type, 1, EV_CURRENT); }
    std::uint64_t word() const { return object_.wide ? 8 : 4; }
    bool holds(std::uint64_t number) const;
    bool too_large(std::uint64_t number, std::string_view what);
    std::uint64_t as_stored(std::uint64_t number) const;
    bool add_sections();
    bool add_note();
    bool add_debug();
    bool add_symbols();
    bool add_relocations();
    bool add_relocation_section(std::string_view name, std::size_t target, std::vector<GElf_Rela>& list);
    bool add_segments();
    GElf_Phdr segment_of(const Section& section) const;
    bool add_pages(const std::vector<std::size_t>& loaded);
    bool place_in_file(const std::vector<std::uint64_t>& offsets, std::uint64_t at);
    bool finish(const PutBytes& put);
    struct Piece {
        std::uint64_t at = 0;              // in the file
        const void* memory = nullptr;      // as this machine has it
        std::size_t size = 0;
        Elf_Type type = ELF_T_BYTE;
    };
    bool put_pieces(std::size_t size, const PutBytes& put);
    bool translate(const Piece& piece, std::string& out);

    const Object& object_;
    std::string& error_;
    int file_ = -1;
    Elf* elf_ = nullptr;
    StringTable section_names_, symbol_names_;
    std::vector<std::size_t> section_indices_;    // by Object::sections
    std::vector<std::uint32_t> section_symbols_;  // likewise
    std::vector<std::uint32_t> symbol_indices_;   // by Object::symbols
    std::vector<GElf_Sym> symbols_;
    DebugSections debug_;
    bool has_own_debug_ = false;                  // the object brings what describes its program
    Added debug_line_, debug_info_, symbol_table_;
    std::vector<std::uint8_t> note_;
    std::vector<std::vector<std::uint8_t>> tables_;  // alive until the file is written
};

bool ElfWriter::open() {
    if (elf_version(EV_CURRENT) == EV_NONE) return failed();
    file_ = memfd_create("isaforge", MFD_CLOEXEC);  // which libelf wants; nothing is written
    if (file_ < 0) {
        error_ = "no memory file could be made";
        return false;
    }
    elf_ = elf_begin(file_, ELF_C_WRITE, nullptr);
    if (!elf_) return failed();
    GElf_Ehdr header;
    if (!gelf_newehdr(elf_, object_.wide ? ELFCLASS64 : ELFCLASS32) || !gelf_getehdr(elf_, &header)) return failed();
    header.e_ident[EI_DATA] = object_.big_endian ? ELFDATA2MSB : ELFDATA2LSB;
    header.e_ident[EI_OSABI] = object_.os_abi;
    header.e_ident[EI_ABIVERSION] = object_.abi_version;
    header.e_type = object_.relocatable ? ET_REL : ET_EXEC;
    header.e_machine = object_.machine;
    header.e_version = EV_CURRENT;
    header.e_flags = object_.machine_flags;
    header.e_entry = object_.entry;
    return gelf_update_ehdr(elf_, &header) || failed();
}

bool ElfWriter::add(std::string_view name, std::uint32_t type, std::uint32_t flags, std::uint64_t alignment,
                    void* bytes, std::size_t size, Elf_Type data_type, Added& added) {
    added.section = elf_newscn(elf_);
    GElf_Shdr header;
    Elf_Data* data = added.section && gelf_getshdr(added.section, &header) ? elf_newdata(added.section) : nullptr;
    if (!data) return failed();
    added.data = data;
    added.index = elf_ndxscn(added.section);
    if (added.index > limits::most_sections) {
        error_ = fmt::format("an ELF file has at most {} sections, and here are more", limits::most_sections);
        return false;
    }
    header.sh_name = section_names_.add(name);
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_addralign = alignment;
    if (!gelf_update_shdr(added.section, &header)) return failed();
    data->d_buf = bytes;
    data->d_size = size;
    data->d_align = alignment;
    data->d_type = data_type;
    data->d_version = EV_CURRENT;
    return true;
}

bool ElfWriter::link(const Added& added, std::size_t to, std::size_t info, std::size_t entry_size) {
    GElf_Shdr header;
    if (!gelf_getshdr(added.section, &header)) return failed();
    header.sh_link = static_cast<Elf64_Word>(to);
    header.sh_info = static_cast<Elf64_Word>(info);
    header.sh_entsize = entry_size;
    return gelf_update_shdr(added.section, &header) || failed();
}

Elf_Data* ElfWriter::table(const Added& added, Elf_Type type, std::size_t count) {
    std::vector<std::uint8_t>& bytes = tables_.emplace_back(count * size_of(type));
    added.data->d_buf = bytes.data();
    added.data->d_size = bytes.size();
    return added.data;
}

bool ElfWriter::add_sections() {
    debug_ = make_debug_sections(object_);
    has_own_debug_ = object_.find_section(".debug_info") != no_index;
    for (const Section& section : object_.sections) {
        const std::uint32_t flags = section.elf_flags | (section.allocated ? SHF_ALLOC : 0) |
                                    (section.writable ? SHF_WRITE : 0) | (section.executable ? SHF_EXECINSTR : 0) |
                                    (section.of_thread ? SHF_TLS : 0);
        const std::uint32_t type = section.no_bits         ? SHT_NOBITS
                                   : section.elf_type != 0 ? section.elf_type
                                   : section.note          ? SHT_NOTE
                                                           : SHT_PROGBITS;
        // libelf does not write through the pointer.
        void* bytes = section.no_bits ? nullptr : const_cast<std::uint8_t*>(section.bytes.data());
        std::size_t size = section.extent();
        // What a compiler wrote about its program refers to a line table that it left to the assembler.
        const bool waits = has_own_debug_ && section.name == ".debug_line" && size == 0 && !debug_line_.section;
        if (waits) bytes = debug_.line.data(), size = debug_.line.size();
        const std::uint64_t end = section.address + std::max<std::uint64_t>(size, 1) - 1;
        if (!object_.wide && size >> 32 != 0)
            return too_large(size, fmt::format("the size of section {}", section.name));
        if (!object_.wide && end >> 32 != 0)
            return too_large(end, fmt::format("the address of section {}'s last byte", section.name));
        Added added;
        if (!add(section.name, type, flags, std::max<std::uint64_t>(section.alignment, 1), bytes, size, ELF_T_BYTE,
                 added)) {
            return false;
        }
        if (waits) debug_line_ = added;
        GElf_Shdr header;
        if (!gelf_getshdr(added.section, &header)) return failed();
        header.sh_addr = section.address;
        header.sh_entsize = section.entry_size;
        if (!gelf_update_shdr(added.section, &header)) return failed();
        section_indices_.push_back(added.index);
    }
    return true;
}

bool ElfWriter::add_note() {
    if (object_.isa.empty() || object_.self_describing) return true;
    const auto number = [&](std::uint32_t value) {
        for (int i = 0; i < 4; ++i) {
            note_.push_back(static_cast<std::uint8_t>(value >> 8 * (object_.big_endian ? 3 - i : i)));
        }
    };
    const auto pad = [&] {
        while (note_.size() % 4) note_.push_back(0);
    };
    std::string names = object_.isa + '\0' + object_.variant + '\0';
    if (!object_.parameters.empty()) names += object_.parameters + '\0';
    number(sizeof note_owner);
    number(static_cast<std::uint32_t>(8 + names.size()));
    number(note_type);
    note_.insert(note_.end(), note_owner, note_owner + sizeof note_owner);
    pad();
    number(object_.unit_bytes);
    number(object_.address_bytes);
    note_.insert(note_.end(), names.begin(), names.end());
    pad();
    Added added;
    return add(note_section, SHT_NOTE, 0, 4, note_.data(), note_.size(), ELF_T_BYTE, added);
}

bool ElfWriter::add_debug() {
    if (debug_.line.empty() || debug_line_.section) return true;
    if (!add(".debug_line", SHT_PROGBITS, 0, 1, debug_.line.data(), debug_.line.size(), ELF_T_BYTE, debug_line_))
        return false;
    if (has_own_debug_) return true;
    Added abbrev;
    return add(".debug_info", SHT_PROGBITS, 0, 1, debug_.info.data(), debug_.info.size(), ELF_T_BYTE, debug_info_) &&
           add(".debug_abbrev", SHT_PROGBITS, 0, 1, debug_.abbrev.data(), debug_.abbrev.size(), ELF_T_BYTE, abbrev);
}

// Whether a number's bits are there in a file of this size, of either sign …
bool ElfWriter::holds(std::uint64_t number) const {
    return object_.wide || number >> 32 == 0 || (number >> 31) + 1 == std::uint64_t{1} << 33;
}

// … and what they are.
std::uint64_t ElfWriter::as_stored(std::uint64_t number) const {
    return object_.wide ? number : static_cast<std::uint32_t>(number);
}

bool ElfWriter::too_large(std::uint64_t number, std::string_view what) {
    error_ = fmt::format("{:#x}, {}, does not fit into a 32-bit ELF file", number, what);
    return false;
}

// ELF wants local symbols before all others.
bool ElfWriter::add_symbols() {
    symbols_.emplace_back();
    for (std::size_t i = 0; i < object_.sections.size(); ++i) {
        GElf_Sym symbol{};
        symbol.st_value = object_.relocatable ? 0 : object_.sections[i].address;
        symbol.st_info = GELF_ST_INFO(STB_LOCAL, STT_SECTION);
        symbol.st_shndx = static_cast<Elf32_Section>(section_indices_[i]);
        section_symbols_.push_back(static_cast<std::uint32_t>(symbols_.size()));
        symbols_.push_back(symbol);
    }
    symbol_indices_.resize(object_.symbols.size());
    std::size_t first_global = 0;
    std::uint64_t begin = ~std::uint64_t{0};  // of what each thread has a copy of
    for (const Section& section : object_.sections) {
        if (section.of_thread) begin = std::min(begin, section.address);
    }
    for (const bool local : {true, false}) {
        for (std::size_t i = 0; i < object_.symbols.size(); ++i) {
            const Symbol& symbol = object_.symbols[i];
            if ((symbol.binding == Binding::local) != local) continue;
            if (symbol.type == SymbolType::section && symbol.section < object_.sections.size()) {
                symbol_indices_[i] = section_symbols_[symbol.section];
                continue;
            }
            static constexpr unsigned types[] = {STT_NOTYPE, STT_OBJECT, STT_FUNC, STT_SECTION,
                                                 STT_FILE,   STT_LOOS,   STT_TLS};
            const unsigned binding = local ? STB_LOCAL : symbol.binding == Binding::weak ? STB_WEAK : STB_GLOBAL;
            GElf_Sym made{};
            made.st_value = symbol.value;
            // In linked files symbols have addresses; in objects, offsets.
            if (!object_.relocatable && symbol.section < object_.sections.size())
                made.st_value +=
                    object_.sections[symbol.section].address - (symbol.type == SymbolType::thread ? begin : 0);
            if (!holds(made.st_value)) {
                if (local && symbol.section == absolute_section) continue;  // nobody outside asks for it
                return too_large(made.st_value, fmt::format("the value of '{}'", symbol.name));
            }
            if (!holds(symbol.size)) return too_large(symbol.size, fmt::format("the size of '{}'", symbol.name));
            made.st_value = as_stored(made.st_value);
            made.st_name = symbol_names_.add(symbol.name);
            made.st_size = as_stored(symbol.size);
            made.st_info = static_cast<unsigned char>(GELF_ST_INFO(binding, types[static_cast<int>(symbol.type)]));
            made.st_other = static_cast<unsigned char>(symbol.visibility);
            made.st_shndx = symbol.section == absolute_section ? SHN_ABS
                            : symbol.section == common_section ? SHN_COMMON
                            : symbol.section >= object_.sections.size()
                                ? SHN_UNDEF
                                : static_cast<Elf32_Section>(section_indices_[symbol.section]);
            symbol_indices_[i] = static_cast<std::uint32_t>(symbols_.size());
            symbols_.push_back(made);
        }
        if (local) first_global = symbols_.size();
    }
    Added names;
    if (!add(".strtab", SHT_STRTAB, 0, 1, symbol_names_.bytes().data(), symbol_names_.bytes().size(), ELF_T_BYTE,
             names) ||
        !add(".symtab", SHT_SYMTAB, 0, word(), nullptr, 0, ELF_T_SYM, symbol_table_) ||
        !link(symbol_table_, names.index, first_global, size_of(ELF_T_SYM))) {
        return false;
    }
    Elf_Data* const data = table(symbol_table_, ELF_T_SYM, symbols_.size());
    for (std::size_t i = 0; i < symbols_.size(); ++i) {
        if (!gelf_update_sym(data, static_cast<int>(i), &symbols_[i])) return failed();
    }
    return true;
}

bool ElfWriter::add_relocation_section(std::string_view name, std::size_t target, std::vector<GElf_Rela>& list) {
    Added added;
    if (!add(fmt::format(".rela{}", name), SHT_RELA, SHF_INFO_LINK, word(), nullptr, 0, ELF_T_RELA, added) ||
        !link(added, symbol_table_.index, target, size_of(ELF_T_RELA))) {
        return false;
    }
    Elf_Data* const data = table(added, ELF_T_RELA, list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (!gelf_update_rela(data, static_cast<int>(i), &list[i])) return failed();
    }
    return true;
}

bool ElfWriter::add_relocations() {
    if (!object_.relocatable) return true;
    // One list per section, and those of the debug sections.
    std::vector<std::vector<GElf_Rela>> lists(object_.sections.size() + 2);
    for (const Relocation& relocation : object_.relocations) {
        if (relocation.section >= object_.sections.size()) continue;
        constexpr std::uint32_t largest_type = 0xFF;
        if (!object_.wide && relocation.type > largest_type) return too_large(relocation.type, "a relocation's type");
        const bool has_symbol = relocation.symbol < object_.symbols.size();
        GElf_Rela made{};
        made.r_offset = relocation.offset;
        if (relocation.number != 0) {
            made.r_addend = relocation.number;
            made.r_info = GELF_R_INFO(0, relocation_type::further_number);
            lists[relocation.section].push_back(made);
        }
        made.r_addend = relocation.addend;
        if (!holds(static_cast<std::uint64_t>(relocation.addend)))
            return too_large(static_cast<std::uint64_t>(relocation.addend), "which a relocation adds");
        if (!object_.wide) made.r_addend = static_cast<std::int32_t>(made.r_addend);
        made.r_info = GELF_R_INFO(has_symbol ? symbol_indices_[relocation.symbol] : 0, relocation.type);
        lists[relocation.section].push_back(made);
    }
    const auto add_addresses = [&](const std::vector<DebugAddress>& addresses, std::vector<GElf_Rela>& list) {
        for (const DebugAddress& address : addresses) {
            GElf_Rela made{};
            made.r_offset = address.offset;
            made.r_info = GELF_R_INFO(section_symbols_[address.section], object_.address_relocation);
            list.push_back(made);
        }
    };
    if (!debug_.line.empty()) {
        add_addresses(debug_.line_addresses, lists[object_.sections.size()]);
        if (!has_own_debug_) add_addresses(debug_.info_addresses, lists[object_.sections.size() + 1]);
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
        std::vector<GElf_Rela>& list = lists[i];
        if (list.empty()) continue;
        std::stable_sort(list.begin(), list.end(),
                         [](const GElf_Rela& a, const GElf_Rela& b) { return a.r_offset < b.r_offset; });
        const std::size_t debug = i - object_.sections.size();
        const bool good = i < object_.sections.size()
                              ? add_relocation_section(object_.sections[i].name, section_indices_[i], list)
                              : add_relocation_section(debug == 0 ? ".debug_line" : ".debug_info",
                                                       debug == 0 ? debug_line_.index : debug_info_.index, list);
        if (!good) return false;
    }
    return true;
}

// What a loader reads: a segment for each section of the program's image, or for each stretch of pages.
bool ElfWriter::add_segments() {
    if (object_.relocatable) return true;
    std::vector<std::size_t> loaded;  // Object::sections
    for (std::size_t i = 0; i < object_.sections.size(); ++i) {
        const Section& section = object_.sections[i];
        const bool has_room = section.allocated && section.extent() != 0;
        // What is zero in each thread's copy takes no room in what the copies are made of.
        if (has_room && !(section.of_thread && section.no_bits)) loaded.push_back(i);
    }
    if (loaded.empty()) return true;
    std::ranges::stable_sort(loaded, {}, [this](std::size_t i) { return object_.sections[i].address; });
    if (object_.page_bytes != 0) return add_pages(loaded);
    // Where sections lie in the file is known once the table before them has its room.
    if (!gelf_newphdr(elf_, loaded.size()) || elf_update(elf_, ELF_C_NULL) < 0) return failed();
    for (std::size_t i = 0; i < loaded.size(); ++i) {
        GElf_Phdr segment = segment_of(object_.sections[loaded[i]]);
        GElf_Shdr header;
        if (!gelf_getshdr(elf_getscn(elf_, section_indices_[loaded[i]]), &header)) return failed();
        segment.p_offset = header.sh_offset;
        if (!gelf_update_phdr(elf_, static_cast<int>(i), &segment)) return failed();
    }
    return true;
}

GElf_Phdr ElfWriter::segment_of(const Section& section) const {
    GElf_Phdr segment{};
    segment.p_type = PT_LOAD;
    segment.p_flags = PF_R | (section.writable ? PF_W : 0) | (section.executable ? PF_X : 0);
    segment.p_vaddr = section.address;
    segment.p_paddr = section.load_address;
    segment.p_filesz = section.no_bits ? 0 : section.bytes.size();
    segment.p_memsz = section.extent();
    segment.p_align = std::max<std::uint64_t>(section.alignment, 1);
    return segment;
}

// Sections lie in the file as they do in memory, so that whole pages can be mapped, behind the headers.
bool ElfWriter::add_pages(const std::vector<std::size_t>& loaded) {
    const std::uint64_t page = object_.page_bytes;
    std::vector<GElf_Phdr> segments;
    GElf_Phdr thread{};
    std::uint64_t at = elf_headers_bytes(object_);
    if (object_.headers_address) {
        GElf_Phdr first{};
        first.p_type = PT_LOAD;
        first.p_flags = PF_R | PF_X;
        first.p_vaddr = first.p_paddr = *object_.headers_address;
        first.p_filesz = first.p_memsz = at;
        first.p_align = page;
        segments.push_back(first);
    }
    std::vector<std::uint64_t> offsets(object_.sections.size());
    for (const std::size_t i : loaded) {
        const Section& section = object_.sections[i];
        GElf_Phdr next = segment_of(section);
        const bool joins = !segments.empty() && segments.back().p_flags == next.p_flags &&
                           (section.no_bits || segments.back().p_memsz == segments.back().p_filesz) &&
                           section.address - segments.back().p_vaddr >= segments.back().p_memsz &&
                           section.address - segments.back().p_vaddr - segments.back().p_memsz < page &&
                           segments.back().p_paddr - segments.back().p_vaddr == next.p_paddr - next.p_vaddr;
        if (joins) {
            GElf_Phdr& segment = segments.back();
            offsets[i] = segment.p_offset + (section.address - segment.p_vaddr);
            segment.p_memsz = section.address - segment.p_vaddr + next.p_memsz;
            if (!section.no_bits) segment.p_filesz = segment.p_memsz;
        } else {
            at += (section.address - at) & (page - 1);
            next.p_offset = offsets[i] = at;
            next.p_align = page;
            segments.push_back(next);
        }
        if (!section.no_bits) at = offsets[i] + section.bytes.size();
    }
    std::vector<std::size_t> of_threads;
    for (std::size_t i = 0; i < object_.sections.size(); ++i) {
        if (object_.sections[i].of_thread && object_.sections[i].extent() != 0) of_threads.push_back(i);
    }
    std::ranges::stable_sort(of_threads, {}, [this](std::size_t i) { return object_.sections[i].address; });
    for (const std::size_t i : of_threads) {
        const Section& section = object_.sections[i];
        if (thread.p_type == 0) {
            thread = segment_of(section);
            thread.p_type = PT_TLS;
            thread.p_flags = PF_R;
            if (section.no_bits) offsets[i] = at;
            thread.p_offset = offsets[i];
        }
        thread.p_memsz = section.address + section.extent() - thread.p_vaddr;
        if (!section.no_bits) thread.p_filesz = thread.p_memsz;
        thread.p_align = std::max<std::uint64_t>(thread.p_align, section.alignment);
    }
    if (thread.p_type != 0) segments.push_back(thread);
    if (segments.size() > most_segments || !gelf_newphdr(elf_, segments.size())) {
        if (segments.size() <= most_segments) return failed();
        error_ = fmt::format("the file would have more than {} segments", most_segments);
        return false;
    }
    elf_flagelf(elf_, ELF_C_SET, ELF_F_LAYOUT);
    for (std::size_t i = 0; i < segments.size(); ++i) {
        if (!gelf_update_phdr(elf_, static_cast<int>(i), &segments[i])) return failed();
    }
    return place_in_file(offsets, at);
}

// What is no part of the program's image lies behind it, and the table of sections at the end.
bool ElfWriter::place_in_file(const std::vector<std::uint64_t>& offsets, std::uint64_t at) {
    std::vector<bool> placed(section_indices_.size());
    Elf_Scn* scan = nullptr;
    while ((scan = elf_nextscn(elf_, scan))) {
        GElf_Shdr header;
        Elf_Data* const data = elf_getdata(scan, nullptr);
        if (!gelf_getshdr(scan, &header)) return failed();
        const auto known = std::ranges::find(section_indices_, elf_ndxscn(scan));
        const std::size_t section = static_cast<std::size_t>(known - section_indices_.begin());
        const bool in_image = known != section_indices_.end() && offsets[section] != 0;
        header.sh_size = data ? data->d_size : 0;
        if (in_image) {
            header.sh_offset = offsets[section];
        } else {
            at = aligned(at, std::max<std::uint64_t>(header.sh_addralign, 1));
            header.sh_offset = at;
            if (header.sh_type != SHT_NOBITS) at += header.sh_size;
        }
        if (!gelf_update_shdr(scan, &header)) return failed();
    }
    GElf_Ehdr file;
    if (!gelf_getehdr(elf_, &file)) return failed();
    file.e_phoff = gelf_fsize(elf_, ELF_T_EHDR, 1, EV_CURRENT);
    file.e_shoff = aligned(at, word());
    return gelf_update_ehdr(elf_, &file) || failed();
}

bool ElfWriter::finish(const PutBytes& put) {
    Added names;
    // Its own name must be in it before its size is taken.
    const std::uint32_t own_name = section_names_.add(".shstrtab");
    if (!add("", SHT_STRTAB, 0, 1, section_names_.bytes().data(), section_names_.bytes().size(), ELF_T_BYTE, names))
        return false;
    GElf_Shdr section;
    GElf_Ehdr header;
    if (!gelf_getshdr(names.section, &section) || !gelf_getehdr(elf_, &header)) return failed();
    section.sh_name = own_name;
    header.e_shstrndx = static_cast<Elf64_Half>(names.index);
    if (!gelf_update_shdr(names.section, &section) || !gelf_update_ehdr(elf_, &header)) return failed();
    if (!add_segments()) return false;
    const off_t planned = elf_update(elf_, ELF_C_NULL);
    if (planned < 0) return failed();
    std::uint64_t content = 0;
    for (const Section& each : object_.sections) content += each.bytes.size();
    for (const auto& bytes : tables_) content += bytes.size();
    for (const std::size_t bytes : {note_.size(), debug_.line.size(), debug_.info.size(), debug_.abbrev.size(),
                                    section_names_.bytes().size(), symbol_names_.bytes().size()})
        content += bytes;
    if (static_cast<std::uint64_t>(planned) > content + limits::most_filling) {
        error_ = fmt::format("aligned sections would leave {} bytes of the file empty, and {} are the most",
                             static_cast<std::uint64_t>(planned) - content, limits::most_filling);
        return false;
    }
    return put_pieces(static_cast<std::size_t>(planned), put);
}

// What libelf has laid out, piece by piece. It would write into a file alone, from which all would have to be read again.
bool ElfWriter::put_pieces(std::size_t size, const PutBytes& put) {
    GElf_Ehdr header;
    std::size_t segments = 0;
    if (!gelf_getehdr(elf_, &header) || elf_getphdrnum(elf_, &segments) != 0) return failed();
    const auto own = [&](auto* wide, auto* narrow) {
        return object_.wide ? static_cast<const void*>(wide) : static_cast<const void*>(narrow);
    };
    std::vector<Piece> pieces;
    const auto add_piece = [&](std::uint64_t at, Elf_Type type, const void* memory, std::size_t count) {
        pieces.push_back({at, memory, count * size_of(type), type});
    };
    add_piece(0, ELF_T_EHDR, own(elf64_getehdr(elf_), elf32_getehdr(elf_)), 1);
    if (segments != 0) add_piece(header.e_phoff, ELF_T_PHDR, own(elf64_getphdr(elf_), elf32_getphdr(elf_)), segments);
    std::size_t count = 0;
    if (elf_getshdrnum(elf_, &count) != 0) return failed();
    for (std::size_t i = 0; i < count; ++i) {
        Elf_Scn* const section = elf_getscn(elf_, i);
        GElf_Shdr place;
        if (!gelf_getshdr(section, &place)) return failed();
        add_piece(header.e_shoff + i * size_of(ELF_T_SHDR), ELF_T_SHDR,
                  own(elf64_getshdr(section), elf32_getshdr(section)), 1);
        const Elf_Data* const data = i == 0 || place.sh_type == SHT_NOBITS ? nullptr : elf_getdata(section, nullptr);
        if (data && data->d_size != 0) pieces.push_back({place.sh_offset, data->d_buf, data->d_size, data->d_type});
    }
    std::ranges::stable_sort(pieces, {}, &Piece::at);
    std::size_t done = 0;
    const auto put_zeros = [&](std::size_t to) {
        if (to > done) put(std::string(to - done, '\0'));
    };
    for (const Piece& piece : pieces) {
        put_zeros(piece.at);
        const std::string_view bytes(static_cast<const char*>(piece.memory), piece.size);
        std::string table;
        if (piece.type != ELF_T_BYTE && !translate(piece, table)) return failed();
        put(piece.type == ELF_T_BYTE ? bytes : table);
        done = piece.at + piece.size;
    }
    put_zeros(size);
    return true;
}

// A table as this file has its numbers.
bool ElfWriter::translate(const Piece& piece, std::string& out) {
    out.resize(piece.size);
    Elf_Data from{}, to{};
    from.d_buf = const_cast<void*>(piece.memory);  // it is read
    to.d_buf = out.data();
    from.d_size = to.d_size = piece.size;
    from.d_type = to.d_type = piece.type;
    from.d_version = to.d_version = EV_CURRENT;
    return gelf_xlatetof(elf_, &to, &from, object_.big_endian ? ELFDATA2MSB : ELFDATA2LSB) != nullptr;
}

bool ElfWriter::write(const PutBytes& put) {
    return open() && add_sections() && add_note() && add_debug() && add_symbols() && add_relocations() && finish(put);
}

}  // namespace

std::uint64_t elf_headers_bytes(const Object& object) {
    // Of each class the file's header, and one of a segment.
    const std::uint64_t file = object.wide ? 64 : 52, segment = object.wide ? 56 : 32;
    const std::size_t most =
        std::min(object.sections.size() + 2, most_segments);  // the headers' own and the threads' too
    return file + most * segment;
}

bool write_elf(const Object& object, const PutBytes& put, std::string& error) {
    return ElfWriter(object, error).write(put);
}

}  // namespace isaforge
