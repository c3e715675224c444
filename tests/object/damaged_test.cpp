// Objects of our own, every field of which has every value that is likely to do harm: the header, section headers, symbols,
// relocations, the note, the line table. Whatever is still read is disassembled, relocated, written, and asked for lines;
// nothing outside of the bytes is read, and what comes out stays in proportion to the file.
#include "assembler/assemble_text.hpp"
#include "debugger/program_map.hpp"
#include "isaforge/disassembler.hpp"
#include "object/limits.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;

const char* const program =
    "start: nop;\nfadd r1, r2, r3;\nploadaddr_l table;\nloadaddr_h table, r3;\njump elsewhere;\njump "
    "start;\nstop_core;\n"
    ".global start\n.type start, @function\n.size start, 6\n"
    ".data\n.balign 4\ntable: .long 1, table\n.bss\nroom: .zero 64\n.weak maybe\n.comm shared, 16, 8\n";

std::string elf_of(const Object& object) {
    std::string text, error;
    EXPECT_TRUE(write_elf(object, text, error)) << error;
    return text;
}

std::optional<Object> read(const std::string& bytes, std::string& error) {
    return read_elf({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, error);
}

std::uint64_t number_at(const std::string& bytes, std::size_t at, unsigned size) {
    std::uint64_t value = 0;
    for (unsigned i = 0; i < size; ++i) value |= std::uint64_t{static_cast<std::uint8_t>(bytes[at + i])} << 8 * i;
    return value;
}

void set_number(std::string& bytes, std::size_t at, unsigned size, std::uint64_t value) {
    for (unsigned i = 0; i < size; ++i) bytes[at + i] = static_cast<char>(value >> 8 * i);
}

// Everything that is done with an object that was read; false where it is not read.
bool use(const std::string& bytes) {
    std::string error;
    std::optional<Object> object = read(bytes, error);
    if (!object) {
        EXPECT_NE(error, "");
        return false;
    }
    const Codec& codec = testing::gpu();
    mismatch(*object, codec.isa());
    foreign_machine(*object, codec.isa());
    for (const auto style : {DisassemblyStyle::source, DisassemblyStyle::listing, DisassemblyStyle::json}) {
        constexpr std::size_t most_for_a_byte = 200;
        const std::string text = disassemble(codec, *object, {.style = style, .threads = 1});
        EXPECT_LE(text.size(), most_for_a_byte * (bytes.size() + limits::small_overlap));
    }
    Diagnostics diagnostics;
    place_sections(*object);
    apply_relocations(*object, codec, diagnostics);
    const debugger::ProgramMap map(*object);
    for (const std::uint64_t address : {std::uint64_t{0}, std::uint64_t{3}, ~std::uint64_t{0}}) {
        map.line_text(address);
        map.place(address);
    }
    map.address_of("t.s", 2);
    std::string out;
    write_elf(*object, out, error);
    return true;
}

// A field, and what it may be.
void damage(const std::string& good, std::size_t at, unsigned size, unsigned& readable) {
    const std::uint64_t old = number_at(good, at, size), all = ~std::uint64_t{0} >> (64 - 8 * size);
    for (const std::uint64_t value :
         {std::uint64_t{0}, std::uint64_t{1}, old - 1, old + 1, all, all - 1, all >> 1, (all >> 1) + 1,
          std::uint64_t{good.size()}, std::uint64_t{good.size() - 1}, old ^ 0x80, old << 1}) {
        std::string bad = good;
        set_number(bad, at, size, value);
        readable += use(bad);
    }
}

struct Headers {
    std::size_t table, entry, count;
    explicit Headers(const std::string& elf)
        : table(number_at(elf, 32, 4)), entry(number_at(elf, 46, 2)), count(number_at(elf, 48, 2)) {}
    std::size_t at(std::size_t index) const { return table + index * entry; }
};

TEST(Damaged, EveryFieldOfTheHeaders) {
    const std::string good = elf_of(assemble_text(program)->object);
    unsigned readable = 0;
    EXPECT_TRUE(use(good));
    for (const std::size_t at : {16, 18, 40, 42, 44, 46, 48, 50}) damage(good, at, 2, readable);
    for (const std::size_t at : {4, 5, 6, 7, 8}) damage(good, at, 1, readable);
    for (const std::size_t at : {20, 24, 28, 32, 36}) damage(good, at, 4, readable);
    const Headers headers(good);
    for (std::size_t i = 0; i < headers.count; ++i) {
        for (std::size_t field = 0; field < headers.entry; field += 4) damage(good, headers.at(i) + field, 4, readable);
    }
    EXPECT_GT(readable, 100u);
}

TEST(Damaged, EveryFieldOfTheTables) {
    const std::string good = elf_of(assemble_text(program)->object);
    const Headers headers(good);
    unsigned readable = 0;
    for (std::size_t i = 0; i < headers.count; ++i) {
        constexpr std::uint64_t symbols = 2, relocations = 4, notes = 7;
        const std::uint64_t type = number_at(good, headers.at(i) + 4, 4);
        if (type != symbols && type != relocations && type != notes) continue;
        const std::uint64_t begin = number_at(good, headers.at(i) + 16, 4),
                            size = number_at(good, headers.at(i) + 20, 4);
        for (std::uint64_t at = begin; at + 4 <= begin + size; at += 4) damage(good, at, 4, readable);
        for (std::uint64_t at = begin; type == symbols && at + 16 <= begin + size; at += 16) {
            damage(good, at + 12, 1, readable), damage(good, at + 13, 1, readable), damage(good, at + 14, 2, readable);
        }
    }
    EXPECT_GT(readable, 100u);
}

TEST(Damaged, EveryByteOfTheLineTable) {
    const std::string good = elf_of(assemble_text(program)->object);
    const std::size_t table = good.find(std::string("t.s\0\0\0\0", 7)) - 28;
    ASSERT_LT(table, good.size());
    unsigned readable = 0;
    for (std::size_t at = table; at < table + 80; ++at) damage(good, at, 1, readable);
    EXPECT_EQ(readable, 80u * 12);
}

// The unit that the note says is one thing, what the description has another: nothing is read out of bounds.
TEST(Damaged, UnitsOfTheNote) {
    Object object = assemble_text(program)->object;
    for (const std::uint32_t unit : {1u, 2u, 3u, 8u, 16u, 64u}) {
        object.unit_bytes = unit;
        object.address_bytes = 64 / unit;
        EXPECT_NE(mismatch(object, testing::gpu().isa()), "");
        for (const auto style : {DisassemblyStyle::source, DisassemblyStyle::listing, DisassemblyStyle::json})
            EXPECT_NE(disassemble(testing::gpu(), object, {.style = style}), "");
    }
}

TEST(Mismatch, NamesBoth) {
    Object object = assemble_text("nop;\n")->object;
    const Isa& isa = testing::gpu().isa();
    EXPECT_EQ(mismatch(object, isa), "");
    EXPECT_EQ(mismatch(object, testing::sample("fabrisc-sample").isa()),
              "it is for wishbone-gpu, and not for " + testing::sample("fabrisc-sample").isa().name);
    object.unit_bytes = 2;
    EXPECT_EQ(mismatch(object, isa),
              "it is for wishbone-gpu with units of 2 bytes and addresses of 4, and wishbone-gpu "
              "has units of 4 and addresses of 4");
    Object other;
    EXPECT_EQ(foreign_machine(other, isa), "");
    other.machine = 243;
    EXPECT_EQ(foreign_machine(other, isa),
              "the file is for RISC-V (ELF machine 243); nothing says that wishbone-gpu is that machine");
    other.machine = 9999;
    EXPECT_EQ(foreign_machine(other, isa),
              "the file is for ELF machine 9999; nothing says that wishbone-gpu is that machine");
}

// --- what grows faster than the file

// A file of our own with more symbols and relocations.
std::string crafted(std::size_t symbols, std::size_t name_length) {
    Object object = assemble_text("nop;\n")->object;
    for (std::size_t i = 0; i < symbols; ++i) {
        Symbol symbol;
        symbol.name = i == 0 ? std::string(name_length, 'x') : "y";
        symbol.section = 0;
        symbol.value = 4;
        object.symbols.push_back(symbol);
    }
    return elf_of(object);
}

TEST(Growth, NamesThatAreOneLongText) {
    std::string elf = crafted(20000, 200000);
    const Headers headers(elf);
    for (std::size_t i = 0; i < headers.count; ++i) {
        if (number_at(elf, headers.at(i) + 4, 4) != 2) continue;
        const std::uint64_t begin = number_at(elf, headers.at(i) + 16, 4), size = number_at(elf, headers.at(i) + 20, 4);
        std::uint32_t longest = 0;
        for (std::uint64_t at = begin; at + 16 <= begin + size; at += 16) {
            const std::uint32_t name = static_cast<std::uint32_t>(number_at(elf, at, 4));
            if (name != 0 && longest == 0) longest = name;
            if (name != 0) set_number(elf, at, 4, longest);
        }
    }
    std::string error;
    EXPECT_FALSE(read(elf, error));
    EXPECT_EQ(error, limits::overlap_text);
}

// A table of names without an end is no name, however often it is asked for.
TEST(Growth, NamesWithoutAnEnd) {
    std::string elf = crafted(20000, 200000);
    const std::size_t begin = elf.find(std::string(1000, 'x'));
    for (std::size_t at = begin; at < begin + 239000 && elf[at] != '.'; ++at) {
        if (elf[at] == 0) elf[at] = 'z';
    }
    std::string error;
    const std::optional<Object> object = read(elf, error);
    EXPECT_TRUE(!object || object->symbols.size() >= 20000);
}

TEST(Growth, SectionsThatOverlap) {
    Object object = assemble_text("nop;\n")->object;
    for (int i = 0; i < 100; ++i) {
        Section section;
        section.name = "s";
        section.bytes.assign(i == 0 ? 100000 : 1, 0);
        object.sections.push_back(section);
    }
    std::string elf = elf_of(object);
    const Headers headers(elf);
    std::uint64_t place = 0;
    for (std::size_t i = 0; i < headers.count; ++i) {
        if (number_at(elf, headers.at(i) + 20, 4) == 100000) place = number_at(elf, headers.at(i) + 16, 4);
        if (place == 0 || number_at(elf, headers.at(i) + 20, 4) != 1) continue;
        set_number(elf, headers.at(i) + 16, 4, place);
        set_number(elf, headers.at(i) + 20, 4, 100000);
    }
    std::string error;
    EXPECT_FALSE(read(elf, error));
    EXPECT_EQ(error, limits::overlap_text);
}

TEST(Growth, MoreSectionsThanElfHas) {
    Object object;
    object.sections.resize(limits::most_sections + 1);
    std::string text, error;
    EXPECT_FALSE(write_elf(object, text, error));
    EXPECT_EQ(error, "an ELF file has at most 65279 sections, and here are more");
}

TEST(Growth, AlignmentDoesNotFillTheDisk) {
    Object object;
    object.wide = true;
    object.sections.resize(2);
    object.sections[0].name = ".text";
    object.sections[1].name = ".data";
    object.sections[1].bytes = {1};
    object.sections[1].alignment = limits::largest_alignment;
    std::string out, error;
    EXPECT_FALSE(write_elf(object, out, error));
    EXPECT_TRUE(error.ends_with("bytes of the file empty, and 67108864 are the most")) << error;
    object.sections[1].alignment = std::uint64_t{1} << 20;
    EXPECT_TRUE(write_elf(object, out, error)) << error;
}

}  // namespace
}  // namespace isaforge
