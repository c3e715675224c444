// Changes of ELF files that a parser gets to see: fields of headers, sections, symbols, relocations, notes and line tables
// become numbers at the edges or those of their neighbours. Also of files that are ELF files only in part.
#pragma once

#include <optional>

#include "random.hpp"

namespace isaforge::fuzz {

// A file's numbers, by the class and order of bytes that its header says; reading outside gives 0, writing there nothing.
class Elf {
public:
    // `at`: where the file begins in `bytes`.
    Elf(std::string& bytes, std::size_t at) : bytes_(bytes), at_(at) {
        wide_ = get(4, 1) == 2;
        big_ = get(5, 1) == 2;
    }

    std::uint64_t get(std::size_t at, unsigned size) const {
        std::uint64_t value = 0;
        for (unsigned i = 0; i < size; ++i) {
            const std::size_t from = at_ + at + (big_ ? i : size - 1 - i);
            value = value << 8 | (from < bytes_.size() ? static_cast<std::uint8_t>(bytes_[from]) : 0);
        }
        return value;
    }
    void set(std::size_t at, unsigned size, std::uint64_t value) {
        for (unsigned i = 0; i < size; ++i, value >>= 8) {
            const std::size_t to = at_ + at + (big_ ? size - 1 - i : i);
            if (to < bytes_.size()) bytes_[to] = static_cast<char>(value);
        }
    }

    bool wide() const { return wide_; }
    std::size_t section_header(std::size_t i) const {
        return static_cast<std::size_t>(get(wide_ ? 40 : 32, wide_ ? 8 : 4)) + i * (wide_ ? 64 : 40);
    }
    std::size_t sections() const { return get(wide_ ? 60 : 48, 2); }

    struct Section {
        std::size_t begin = 0, size = 0;  // the size is 0 where it is not in the file
        std::uint32_t type = 0;
    };
    Section section(std::size_t i) const {
        const std::size_t head = section_header(i);
        const auto field = [&](unsigned narrow, unsigned wide) {
            return get(head + (wide_ ? wide : narrow), wide_ ? 8 : 4);
        };
        Section found{static_cast<std::size_t>(field(16, 24)), static_cast<std::size_t>(field(20, 32)),
                      static_cast<std::uint32_t>(get(head + 4, 4))};
        const std::size_t whole = bytes_.size() - at_;
        if (found.begin > whole || found.size > whole - found.begin) found.size = 0;
        return found;
    }

private:
    std::string& bytes_;
    std::size_t at_;
    bool wide_ = false, big_ = false;
};

struct ElfField {
    unsigned offset, size;
};

// Of a narrow file and of a wide one.
inline constexpr ElfField elf_header_fields[2][15] = {{{4, 1},
                                                       {5, 1},
                                                       {7, 1},
                                                       {8, 1},
                                                       {16, 2},
                                                       {18, 2},
                                                       {24, 4},
                                                       {28, 4},
                                                       {32, 4},
                                                       {36, 4},
                                                       {42, 2},
                                                       {44, 2},
                                                       {46, 2},
                                                       {48, 2},
                                                       {50, 2}},
                                                      {{4, 1},
                                                       {5, 1},
                                                       {7, 1},
                                                       {8, 1},
                                                       {16, 2},
                                                       {18, 2},
                                                       {24, 8},
                                                       {32, 8},
                                                       {40, 8},
                                                       {48, 4},
                                                       {54, 2},
                                                       {56, 2},
                                                       {58, 2},
                                                       {60, 2},
                                                       {62, 2}}};
inline constexpr ElfField elf_section_fields[2][10] = {
    {{0, 4}, {4, 4}, {8, 4}, {12, 4}, {16, 4}, {20, 4}, {24, 4}, {28, 4}, {32, 4}, {36, 4}},
    {{0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 8}, {32, 8}, {40, 4}, {44, 4}, {48, 8}, {56, 8}}};
inline constexpr ElfField elf_symbol_fields[2][6] = {{{0, 4}, {4, 4}, {8, 4}, {12, 1}, {13, 1}, {14, 2}},
                                                     {{0, 4}, {4, 1}, {5, 1}, {6, 2}, {8, 8}, {16, 8}}};
inline constexpr ElfField elf_relocation_fields[2][3] = {{{0, 4}, {4, 4}, {8, 4}}, {{0, 8}, {8, 8}, {16, 8}}};
inline constexpr ElfField elf_note_fields[3] = {{0, 4}, {4, 4}, {8, 4}};

// Another number: at an edge, a little more or less, or that of another field.
inline void change_field(Elf& elf, std::size_t at, unsigned size, Random& random, std::size_t other) {
    const std::uint64_t old = elf.get(at, size);
    switch (random.below(5)) {
        case 0: elf.set(at, size, random.edge()); break;
        case 1: elf.set(at, size, old + random.below(9) - 4); break;
        case 2: elf.set(at, size, old ^ std::uint64_t{1} << random.below(8 * size)); break;
        case 3: elf.set(at, size, elf.get(other, size)); break;
        default: elf.set(at, size, random.below(16)); break;
    }
}

// In a section of records: one field of one of them.
template <class Fields>
void change_record(Elf& elf, const Elf::Section& section, std::size_t record, const Fields& fields, Random& random) {
    const ElfField& field = random.pick(fields);
    const std::size_t begin = section.begin + random.below(section.size / record) * record;
    const std::size_t other = section.begin + random.below(section.size / record) * record;
    change_field(elf, begin + field.offset, field.size, random, other + field.offset);
}

inline void change_section(std::string& bytes, Elf& elf, std::size_t at, Random& random) {
    const Elf::Section section = elf.section(random.below(elf.sections()));
    const bool wide = elf.wide();
    const std::size_t symbol = wide ? 24 : 16, addend_relocation = wide ? 24 : 12, relocation = wide ? 16 : 8;
    constexpr std::uint32_t symtab = 2, rela = 4, note = 7, rel = 9, dynsym = 11;
    if ((section.type == symtab || section.type == dynsym) && section.size >= symbol) {
        change_record(elf, section, symbol, elf_symbol_fields[wide], random);
    } else if (section.type == rela && section.size >= addend_relocation) {
        change_record(elf, section, addend_relocation, elf_relocation_fields[wide], random);
    } else if (section.type == rel && section.size >= relocation) {
        change_record(elf, section, relocation, elf_relocation_fields[wide], random);
    } else if (section.type == note && section.size >= 12 && random.one_in(2)) {
        change_record(elf, section, 12, elf_note_fields, random);
    } else if (section.size != 0) {
        // Bytes of names, notes, line tables and code: in place, so that everything else stays where it is.
        std::string part = bytes.substr(at + section.begin, section.size);
        const std::size_t begin = random.below(part.size());
        change_bytes(part, begin, std::min(part.size(), begin + 1 + random.below(16)));
        part.resize(section.size);
        bytes.replace(at + section.begin, section.size, part);
    }
}

// One change of a file in which an ELF file begins somewhere; of any one, where there are several.
inline void change_elf(std::string& bytes, Random& random) {
    std::vector<std::size_t> begins;
    for (std::size_t at = bytes.find("\x7F"
                                     "ELF");
         at != std::string::npos; at = bytes.find("\x7F"
                                                  "ELF",
                                                  at + 1))
        begins.push_back(at);
    if (begins.empty() || random.one_in(16)) {
        change_bytes(bytes, 0, bytes.size());
        return;
    }
    const std::size_t at = random.pick(begins);
    Elf elf(bytes, at);
    const bool wide = elf.wide();
    const std::size_t sections = std::max<std::size_t>(1, elf.sections());
    switch (random.below(8)) {
        case 0: {
            const ElfField& field = random.pick(elf_header_fields[wide]);
            change_field(elf, field.offset, field.size, random, random.pick(elf_header_fields[wide]).offset);
            break;
        }
        case 1:
        case 2:
        case 3: {
            const ElfField& field = random.pick(elf_section_fields[wide]);
            const std::size_t other =
                elf.section_header(random.below(sections)) + random.pick(elf_section_fields[wide]).offset;
            change_field(elf, elf.section_header(random.below(sections)) + field.offset, field.size, random, other);
            break;
        }
        default: change_section(bytes, elf, at, random);
    }
}

}  // namespace isaforge::fuzz
