// Objects put together: what names mean, what goes where, what is said when something is wrong. What a program of several
// files becomes is what the assembler makes of the same text in one file.
#include <fmt/format.h>

#include <functional>
#include <random>

#include "assembler/assemble_text.hpp"
#include "isaforge/disassembler.hpp"
#include "isaforge/linker.hpp"

namespace isaforge {
namespace {

constexpr const char* machine = R"(isa own "own"
code     unit 16 little
syntax { comment "//"
         label   "{name}:" }
registers r : 3 of u16 "r{n}"
memory   mem : u8 little holds code
number   near = pc + 2 * s6
format REG    | OP:4 | D:r | A:r | B:r | -:3 |
format BRANCH | OP:4 | A:r | B:r | T:near |
format ADDR   | OP:4 | D:r | K:u8 | -:1 |
instructions REG [OP] "{name} {D}, {A}, {B}" {
    0  add   D = A + B
    1  stop  stop()
}
instructions ADDR [OP] "{name} {D}, {K}" {
    2  load  D = mem.u16[u64(K)]
}
instructions BRANCH [OP] "{name} {A}, {B}, {T}" {
    3  bne   if A != B { pc = T }
}
)";

const Codec& own() {
    static SourceManager sources;
    static Diagnostics diagnostics;
    static const Codec codec(load_isa_text("own.isa", machine, sources, diagnostics));
    return codec;
}

class Linking : public ::testing::Test {
protected:
    // Through a file, as the command reads it.
    static Object object_of(const std::string& text, const Codec& codec = own(), const std::string& name = "t.s") {
        const auto made = testing::assembled(codec, name, text);
        EXPECT_EQ(made->messages(), "") << text;
        std::string bytes, error;
        EXPECT_TRUE(write_elf(made->object, bytes, error)) << error;
        return read(bytes);
    }
    static Object read(const std::string& bytes) {
        std::string error;
        auto object = read_elf({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, error);
        EXPECT_TRUE(object) << error;
        Object out = object.value_or(Object());
        complete_object(out, own().isa());
        return out;
    }
    void add(const std::string& text, bool lazy = false) {
        const std::string name = fmt::format("{}.s", static_cast<char>('a' + inputs_.size()));
        inputs_.push_back({name.substr(0, 1) + ".o", object_of(text, own(), name), lazy});
    }
    bool link_all(const Codec& codec = own()) {
        diagnostics_ = Diagnostics();
        return link(inputs_, codec, options_, program_, diagnostics_);
    }
    void script(const std::string& text) {
        script_ = {};
        EXPECT_TRUE(read_link_script(sources_.add("board.link", text), sources_, script_, diagnostics_)) << said();
        options_.script = &script_;
    }
    std::string said() const { return to_text(diagnostics_, sources_); }
    std::string linked() { return link_all() ? "good" : said(); }
    const Section& section(std::string_view name) const {
        const Index index = program_.object.find_section(name);
        static const Section none;
        EXPECT_NE(index, no_index) << name;
        return index == no_index ? none : program_.object.sections[index];
    }
    std::string hex(std::string_view name) const {
        std::string out;
        for (const std::uint8_t byte : section(name).bytes) out += fmt::format("{:02x}", byte);
        return out;
    }
    // Where a symbol is, in the memory.
    std::uint64_t address(std::string_view name) const {
        const Index index = program_.object.find_symbol(name);
        EXPECT_NE(index, no_index) << name;
        if (index == no_index) return ~std::uint64_t{0};
        const Symbol& symbol = program_.object.symbols[index];
        return symbol.value + (symbol.section < program_.object.sections.size()
                                   ? program_.object.sections[symbol.section].address
                                   : 0);
    }

    std::vector<LinkInput> inputs_;
    LinkOptions options_;
    LinkScript script_;
    LinkedProgram program_;
    SourceManager sources_;
    Diagnostics diagnostics_;
};

// --- what is read of a program again ------------------------------------------------------------------------------------

TEST_F(Linking, NamesOfOtherSectionsComeBack) {
    const std::string text =
        ".global _start\n_start: bne r1, r2, far\nbne r1, r2, behind\n"
        ".section .other,\"ax\"\nadd r0, r0, r0\nfar: bne r1, r2, _start\n"
        ".section .more,\"ax\"\nadd r0, r0, r0\nbehind: stop r0, r0, r0\nbne r3, r4, far\n";
    add(text);
    options_.base = 0x100;
    ASSERT_EQ(linked(), "good");
    const LinkedProgram first = program_;
    const auto shows = [&](Object object) {
        std::erase_if(object.symbols, [](const Symbol& symbol) { return symbol.name == "behind"; });
        return disassemble(own(), object);
    };
    const std::string shown = shows(first.object);
    EXPECT_EQ(shown,
              ".global _start\n\n.text\n_start:\n    bne r1, r2, far\n    bne r1, r2, L_10a_2\n"
              "\n.section .other,\"ax\",@progbits\n    add r0, r0, r0\nfar:\n    bne r1, r2, _start\n"
              "\n.section .more,\"ax\",@progbits\n    add r0, r0, r0\nL_10a_2:\n    stop r0, r0, r0\n"
              "    bne r3, r4, far\n");
    inputs_.clear();
    add(shown);
    ASSERT_EQ(linked(), "good");
    ASSERT_EQ(program_.object.sections.size(), first.object.sections.size());
    for (const char* const name : {".text", ".other", ".more"}) {
        EXPECT_EQ(section(name).bytes, first.object.sections[first.object.find_section(name)].bytes) << name;
    }
}

// --- what objects say that a linker may change ------------------------------------------------------------------------

constexpr std::uint32_t padding_mark = 57;

// `_start`, so many instructions, padding of 6 bytes, and `behind`.
Object padded(const std::function<Object(const std::string&)>& object_of, unsigned before) {
    std::string text = ".globl _start, behind\n.balign 8\n_start:\n";
    for (unsigned i = 0; i < before; ++i) text += "add r1, r1, r1\n";
    Object object = object_of(
        text + "add r0, r0, r0\nadd r0, r0, r0\nadd r0, r0, r0\nbehind: stop r0, r0, r0\nbne r1, r2, behind\n");
    Relocation mark;
    mark.section = object.find_section(".text");
    mark.offset = 2 * before;
    mark.type = padding_mark;
    mark.addend = 6;
    object.relocations.push_back(mark);
    return object;
}

TEST_F(Linking, PaddingIsWhatAnAlignmentTakes) {
    for (const unsigned before : {0u, 1u, 2u, 3u}) {
        inputs_ = {{"a.o", padded([](const std::string& text) { return object_of(text); }, before), false}};
        ASSERT_EQ(linked(), "good") << before;
        EXPECT_EQ(address("behind"), before == 0 ? 0u : 8u) << before;
        EXPECT_EQ(section(".text").bytes.size(), address("behind") + 4);
        // The line table knows where what is behind went to.
        const LineTable& lines = program_.object.lines;
        EXPECT_TRUE(std::ranges::any_of(
            lines, [&](const LineEntry& line) { return line.offset == address("behind") && line.line == 7 + before; }));
    }
}

TEST_F(Linking, PaddingIsNoMoreThanOneMarkSays) {
    Object object = padded([](const std::string& text) { return object_of(text); }, 3);
    object.relocations.push_back(object.relocations.back());
    object.relocations.back().offset += 2;
    inputs_ = {{"a.o", object, false}};
    EXPECT_EQ(linked(), "error: t.s:8: two relocations are about the same padding\n");
    object.relocations.back().offset = 10;
    object.relocations.back().addend = 600;
    inputs_ = {{"a.o", object, false}};
    EXPECT_EQ(linked(), "error: t.s:9: this relocation lies outside its section\n");
}

TEST_F(Linking, OneCopyOfAGroupIsTaken) {
    add(".globl _start\n_start: bne r1, r2, shared\n.section .text.shared, \"ax\"\n.globl shared\nshared: stop r0, r0, "
        "r0\n");
    add(".section .text.shared, \"ax\"\n.globl shared\nshared: stop r0, r0, r0\n");
    EXPECT_NE(linked().find("'shared' is defined twice"), std::string::npos);
    for (LinkInput& input : inputs_)
        input.object.groups.push_back({"shared", {input.object.find_section(".text.shared")}});
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(section(".text").bytes.size(), 4u);
    EXPECT_EQ(address("shared"), 2u);
}

// --- the same program in one file and in several ----------------------------------------------------------------------

using Bytes = std::vector<std::uint8_t>;

std::vector<std::pair<std::string, Bytes>> image_of(const Object& object) {
    std::vector<std::pair<std::string, Bytes>> out;
    for (const Section& section : object.sections) {
        if (section.allocated && section.extent() != 0)
            out.emplace_back(fmt::format("{} at {:#x}", section.name, section.address), section.bytes);
    }
    std::ranges::sort(out);
    return out;
}

// Functions that name each other and data, dealt out to files.
struct Random {
    std::mt19937 engine;
    unsigned below(unsigned count) { return static_cast<unsigned>(engine() % count); }
};

std::vector<std::string> random_program(Random& random, unsigned files, unsigned functions) {
    std::vector<std::string> out(files);
    for (unsigned f = 0; f < functions; ++f) {
        std::string& text = out[f * files / functions];
        const auto any = [&] { return random.below(functions); };
        text += fmt::format(".text\n.balign 2\n.globl f{0}, d{0}\nf{0}:\n", f);
        for (unsigned i = random.below(3); i > 0; --i) {
            switch (random.below(3)) {
                case 0:
                    text += fmt::format("  bne r{}, r{}, f{}\n", random.below(8), random.below(8), f / 3 * 3);
                    break;
                case 1: text += fmt::format("  load r{}, d{} + {}\n", random.below(8), any(), random.below(3)); break;
                default: text += "  add r1, r2, r3\n";
            }
        }
        text += fmt::format(".data\n.balign {}\nd{}: .byte {}\n", 1u << random.below(2), f, random.below(256));
        if (random.below(3) == 0) text += fmt::format(".balign 2\n  .2byte f{} + {}\n", any(), random.below(5));
    }
    return out;
}

TEST_F(Linking, GivesWhatOneFileGives) {
    Random random{std::mt19937(7)};
    unsigned compared = 0;
    for (unsigned round = 0; round < 300; ++round) {
        const unsigned files = 1 + random.below(5);
        const std::vector<std::string> parts = random_program(random, files, files * 3);
        std::string whole;
        inputs_.clear();
        for (const std::string& part : parts) {
            // Parts begin where the alignment of their sections puts them.
            std::string aligned = part;
            whole += ".data\n.balign 2\n" + part;
            add(".data\n.balign 2\n.text\n.balign 2\n" + aligned);
        }
        AssembleOptions flat;
        flat.flat = true;
        const auto expected = testing::assemble_text(whole, flat, own());
        if (!expected->good) continue;  // out of reach, or beyond what a byte holds
        ASSERT_EQ(linked(), "good") << whole;
        ASSERT_EQ(image_of(program_.object), image_of(expected->object)) << whole;
        ++compared;
        // And in two steps.
        if (files < 3) continue;
        std::vector<LinkInput> all = inputs_, rest(inputs_.begin() + 2, inputs_.end());
        inputs_.resize(2);
        options_.relocatable = true;
        ASSERT_EQ(linked(), "good");
        std::string bytes, error;
        ASSERT_TRUE(write_elf(program_.object, bytes, error)) << error;
        options_.relocatable = false;
        inputs_.assign(1, {"ab.o", read(bytes), false});
        inputs_.insert(inputs_.end(), rest.begin(), rest.end());
        ASSERT_EQ(linked(), "good");
        ASSERT_EQ(image_of(program_.object), image_of(expected->object)) << whole;
    }
    EXPECT_GT(compared, 200U);
}

TEST_F(Linking, CountsAddressesAsTheMachineDoes) {
    const Codec& gpu = testing::gpu();
    inputs_.push_back({"a.o", object_of("  nop;\n  jump there;\n", gpu), false});
    inputs_.push_back({"b.o", object_of(".globl there\n nop;\nthere: nop;\n .data\n .4byte there\n", gpu), false});
    ASSERT_TRUE(link_all(gpu)) << said();
    AssembleOptions flat;
    flat.flat = true;
    const auto expected =
        testing::assemble_text("  nop;\n  jump there;\n nop;\nthere: nop;\n .data\n .4byte there\n", flat);
    ASSERT_EQ(expected->messages(), "");
    EXPECT_EQ(image_of(program_.object), image_of(expected->object));
}

// --- names ------------------------------------------------------------------------------------------------------------

TEST_F(Linking, TakesTheStrongestDefinition) {
    for (const bool weak_first : {true, false}) {
        inputs_.clear();
        add("load r1, x\n");
        if (weak_first) add(".data\n.weak x\n.balign 2\nx: .byte 1\n");
        add(".data\n.globl x\n.balign 2\n.byte 7\nx: .byte 2\n");
        if (!weak_first) add(".data\n.weak x\n.balign 2\nx: .byte 1\n");
        ASSERT_EQ(linked(), "good");
        EXPECT_EQ(section(".data").bytes[address("x") - section(".data").address], 2);
    }
}

TEST_F(Linking, GivesCommonSymbolsTheLargestRoom) {
    add(".comm x, 4, 2\nload r1, x\n");
    add(".comm x, 12, 8\nload r1, x\n.comm y, 1\n");
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(section(".bss").extent(), 13U);
    EXPECT_EQ(section(".bss").alignment, 8U);
    EXPECT_EQ(address("x") % 8, 0U);
    add(".data\n.globl x\nx: .byte 1\n");
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(section(".bss").extent(), 1U);
    EXPECT_EQ(address("x"), section(".data").address);
}

TEST_F(Linking, LeavesWhatMayBeMissing) {
    add(".weak x\nload r1, x\n");
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(hex(".text"), "0022");
}

TEST_F(Linking, TakesMembersThatAreWanted) {
    add("load r1, x\n");
    add(".data\n.globl x\nx: .byte 1\n.globl unused\nunused: .byte y - x\n", true);
    add(".data\n.globl x\nx: .byte 2\n", true);
    add(".data\n.globl y\ny: .byte 3\n", true);
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(program_.taken, (std::vector<bool>{true, true, false, true}));
    EXPECT_EQ(hex(".data"), "010203");
    options_.wanted = {"z"};
    add(".data\n.globl z\nz: .byte 4\n", true);
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(program_.taken, (std::vector<bool>{true, true, false, true, true}));
}

TEST_F(Linking, KeepsNamesOfOneFileApart) {
    add("here: bne r0, r1, here\n.globl f\nf: stop r0, r0, r0\n");
    add("here: bne r0, r1, here\nbne r1, r0, f\n");
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(hex(".text"),
              "403000104030"
              "3e32");
}

TEST_F(Linking, SaysWhereNamesAreMissing) {
    add("add r1, r1, r1\nload r1, valeu\nload r2, valeu\n");
    add(".data\n.globl value\nvalue: .byte 1\n");
    EXPECT_EQ(linked(),
              "error: a.s:2: 'valeu' is not defined; 1 other place names it, too\n"
              "note: there is 'value'\n");
    inputs_.resize(1);
    inputs_[0].object.lines.clear();
    EXPECT_EQ(linked(), "error: a.o(.text+0x2): 'valeu' is not defined; 1 other place names it, too\n");
}

TEST_F(Linking, SaysWhatIsDefinedTwice) {
    add(".globl x\nx: add r1, r1, r1\n");
    add("add r1, r1, r1\n.globl x\nx: add r1, r1, r1\n");
    EXPECT_EQ(linked(), "error: 'x' is defined twice: a.s:2 and b.s:3\n");
    inputs_.pop_back();
    options_.definitions = {{"x", 4}};
    EXPECT_EQ(linked(), "error: 'x' is defined already: a.s:2\n");
}

TEST_F(Linking, SaysHowFarATargetIs) {
    add("bne r1, r2, far\n");
    add(".space 80\n.globl far\nfar: add r1, r1, r1\n");
    EXPECT_EQ(linked(), "error: a.s:1: the target is 82 away; the reach is -64 to 62\n");
}

TEST_F(Linking, RefusesWhatItCannotPutTogether) {
    add("add r1, r1, r1\n");
    inputs_[0].object.relocatable = false;
    EXPECT_EQ(linked(), "error: a.o has been linked already: its relocations are gone\n");
    inputs_[0].object.relocatable = true;
    add("add r1, r1, r1\n");
    inputs_[1].object.wide = true;
    EXPECT_EQ(linked(),
              "error: b.o is another kind of ELF file than a.o: class, byte order, machine or flags differ\n");
    inputs_.clear();
    EXPECT_EQ(linked(), "error: there is nothing to link\n");
}

TEST_F(Linking, BeginsWhereItIsTold) {
    add("add r1, r1, r1\n.globl _start, main\nmain: add r1, r1, r1\n_start: stop r0, r0, r0\n");
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(program_.object.entry, 4U);
    options_.entry = "main";
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(program_.object.entry, 2U);
    options_.entry = "mian";
    EXPECT_EQ(linked(), "error: the program is to begin at 'mian', which is not defined\n");
    options_.entry.clear();
    inputs_.assign(1, {"a.o", object_of("add r1, r1, r1\n"), false});
    options_.base = 0x10;
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(program_.object.entry, 0x10U);
}

// --- places -----------------------------------------------------------------------------------------------------------

constexpr const char* three_sections =
    ".globl _start\n_start: load r1, v\n.data\n.globl v\nv: .byte 5\n.bss\n.globl z\nz: .space 6\n";

TEST_F(Linking, PutsSectionsWhereTheScriptSays) {
    add(three_sections);
    script(
        "# a board\nregion rom 0x20 size 64   // below\nregion ram 0x80 size 1K\n"
        ".text in rom\n.data in ram at 0x84 stored in rom\n.bss in ram\n"
        "stack = end(ram)\nfrom = stored(.data)\nlength = size(.data) + 2 - 1\nthere = start(.bss) + 1\n"
        "gap = end(.bss) - start(.bss)\n");
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(section(".text").address, 0x20U);
    EXPECT_EQ(section(".data").address, 0x84U);
    EXPECT_EQ(section(".data").load_address, 0x22U);
    EXPECT_EQ(section(".bss").address, 0x85U);
    EXPECT_EQ(address("stack"), 0x480U);
    EXPECT_EQ(address("from"), 0x22U);
    EXPECT_EQ(address("length"), 2U);
    EXPECT_EQ(address("there"), 0x86U);
    EXPECT_EQ(address("gap"), 6U);
    EXPECT_EQ(program_.object.entry, 0x20U);
    // The same from the file that is written.
    std::string bytes, error;
    ASSERT_TRUE(write_elf(program_.object, bytes, error)) << error;
    const Object back = read(bytes);
    EXPECT_FALSE(back.relocatable);
    EXPECT_EQ(image_of(back), image_of(program_.object));
    EXPECT_EQ(back.entry, 0x20U);
    const Index symbol = back.find_symbol("there");
    ASSERT_NE(symbol, no_index);
    EXPECT_EQ(back.symbols[symbol].value, 1U);
    EXPECT_EQ(back.sections[back.symbols[symbol].section].name, ".bss");
}

TEST_F(Linking, SaysWhatIsWrongInAScript) {
    const std::pair<const char*, const char*> cases[] = {
        {"region rom 0 16\n", "board.link:1:14: error: expected 'size', found '16'"},
        {"region rom 0 size 16Q\n", "board.link:1:19: error: '16Q' is not a number such as 4096, 0x1000 or 4K"},
        {"region rom 99999999999999999999 size 1\n",
         "board.link:1:12: error: '99999999999999999999' is not a number such as 4096, 0x1000 or 4K"},
        {"region rom 0 size 1\nregion rom 1 size 1\n", "board.link:2:8: error: there is a region 'rom' already"},
        {"region rom 0 size 64K\n.text in rmo\n", "board.link:2:10: error: there is no region 'rmo'"},
        {"region rom 0 size 64K\n.text in rom stored\n", "board.link:2:20: error: expected 'in', found the line's end"},
        {".text\n", "board.link:1:6: error: expected the name of a section, or 'in', found the line's end"},
        {"x = 1 +\n",
         "board.link:1:8: error: expected a number, a symbol, or start(…), end(…), size(…), stored(…), found the "
         "line's end"},
        {"x = near(.text)\n", "board.link:1:5: error: expected start(…), end(…), size(…) or stored(…)"},
        {"x = 1 2\n", "board.link:1:7: error: expected the line's end, found '2'"},
        {"3 = 1\n", "board.link:1:1: error: expected the name of a symbol before '='"},
        {"x = y\n", "board.link:1:5: error: 'y' is not defined"},
        {"x = end(.text) + start(.text)\n",
         "board.link:1:24: error: of addresses there may be one in a sum, or two of one section with a minus between"},
        {"x = end(.txet)\n", "board.link:1:9: error: there is no section or region '.txet' in this program"},
        {"region rom 0 size 1\n.text in rom\n",
         "board.link:2:1: error: section .text of 2 bytes does not fit into region rom: it ends 1 bytes too far"},
        {"region rom 8 size 8\n.text in rom at 0\n",
         "board.link:2:1: error: section .text of 2 bytes does not fit into region rom"},
        {"region rom 0 size 8\n.text in rom\n", "board.link:2:1: error: the script has no place for section .data"},
        {"v = 3\n", "board.link:1:1: error: 'v' is defined already: a.s:5"},
        {"entry nowhere\n", "error: the program is to begin at 'nowhere', which is not defined"},
    };
    add(three_sections);
    for (const auto& [text, expected] : cases) {
        SCOPED_TRACE(text);
        SourceManager sources;
        Diagnostics diagnostics;
        LinkScript script;
        options_.script = &script;
        if (read_link_script(sources.add("board.link", text), sources, script, diagnostics)) {
            EXPECT_FALSE(link(inputs_, own(), options_, program_, diagnostics));
        }
        const std::string said = to_text(diagnostics, sources);
        EXPECT_EQ(said.substr(0, said.find('\n')), expected) << said;
    }
}

TEST_F(Linking, PutsSectionsAtAddresses) {
    add(three_sections);
    options_.base = 0x10;
    options_.section_addresses = {{".data", 0x40}};
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(section(".text").address, 0x10U);
    EXPECT_EQ(section(".data").address, 0x40U);
    EXPECT_EQ(section(".bss").address, 0x41U);
    options_.section_addresses = {{".dta", 0x40}};
    EXPECT_EQ(linked(), "error: there is no section .dta to be placed\nnote: there is .data\n");
    options_.section_addresses = {{".data", 0x11}};
    EXPECT_EQ(linked(), "error: sections .text and .data overlap at 0x11\n");
    options_.section_addresses = {{".text", 1}};
    EXPECT_EQ(linked(), "error: section .text is aligned to 2 bytes, and 0x1 is not\n");
    options_.section_addresses = {{".data", 0xffffffff}};
    EXPECT_EQ(linked(),
              "error: section .bss lies at 0x100000000 and reaches beyond the last address of the file's class, "
              "0xffffffff\n");
}

TEST_F(Linking, PutsSectionsOfOneKindTogether) {
    add(".section .text.f, \"ax\"\n.globl f\nf: add r1, r1, r1\n.section .rodata.x, \"a\"\n.byte 1\n");
    add(".text\nbne r1, r2, f\n.section .rodata, \"a\"\n.byte 2\n.section table, \"a\"\n.byte __start_table, "
        "__stop_table\n");
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(section(".text").bytes.size(), 4U);
    EXPECT_EQ(hex(".rodata"), "0102");
    EXPECT_EQ(hex("table"), "0608");
}

TEST_F(Linking, GivesTheNamesThatOtherLinkersGive) {
    add(std::string(three_sections) + ".data\n.byte _etext, _edata, __bss_start, _end\n");
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(hex(".data"), "050207070d");
}

TEST_F(Linking, LeavesOutWhatNothingReaches) {
    add(".globl _start\n_start: load r1, d\n.section .text.f, \"ax\"\nload r1, e\n"
        ".section .data.d, \"aw\"\nd: .byte e\n.section .data.e, \"aw\"\ne: .byte 9\n.section .data.g, \"aw\"\n.byte "
        "7\n");
    options_.drop_unused = true;
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(section(".text").bytes.size(), 2U);
    EXPECT_EQ(hex(".data"), "0309");
    std::vector<std::string> names;
    for (const LinkedPart& part : program_.dropped) names.push_back(part.name);
    EXPECT_EQ(names, (std::vector<std::string>{".text.f", ".data.g"}));
}

TEST_F(Linking, KeepsTheLinesOfAllFiles) {
    add("add r1, r1, r1\nadd r1, r1, r1\n");
    add("\n\nstop r0, r0, r0\n");
    ASSERT_EQ(linked(), "good");
    std::string bytes, error;
    ASSERT_TRUE(write_elf(program_.object, bytes, error)) << error;
    const Object back = read(bytes);
    std::vector<std::string> lines;
    for (const LineEntry& line : back.lines)
        if (line.line != 0) lines.push_back(fmt::format("{}:{} at {}", back.files[line.file], line.line, line.offset));
    EXPECT_EQ(lines, (std::vector<std::string>{"a.s:1 at 0", "a.s:2 at 2", "b.s:3 at 4"}));
}

TEST_F(Linking, DrawsAMap) {
    add(three_sections);
    add(".data\n.globl w\nw: .byte 1\n", true);
    ASSERT_EQ(linked(), "good");
    EXPECT_EQ(map_text(program_),
              "address         size  section, part, symbol\n"
              "0x00000000         2  .text\n"
              "0x00000000         2      a.o\n"
              "0x00000000                    _start\n"
              "0x00000002         1  .data\n"
              "0x00000002         1      a.o\n"
              "0x00000002                    v\n"
              "0x00000003         6  .bss\n"
              "0x00000003         6      a.o\n"
              "0x00000003                    z\n"
              "\nMembers of archives that nobody wanted:\n"
              "    b.o\n");
}

TEST_F(Linking, RefusesSectionsThatBecomeTooLarge) {
    add(".data\n.byte 1\n");
    add(".data\n.byte 1\n");
    inputs_[1].object.sections[1].alignment = std::uint64_t{1} << 32;
    EXPECT_EQ(linked(),
              "error: section .data becomes too large: a program has at most 1073741824 bytes, of which 67108864 lie "
              "between parts of "
              "sections\n");
}

// --- archives ---------------------------------------------------------------------------------------------------------

// As `ar` writes it.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& members) {
    std::string out = "!<arch>\n";
    for (const auto& [name, bytes] : members) {
        out += fmt::format("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n{}", name + "/", 0, 0, 0, 644, bytes.size(), bytes);
        if (bytes.size() % 2 != 0) out += '\n';
    }
    return out;
}

std::string read_names(const std::string& bytes) {
    std::string error;
    const auto members = read_archive({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}, error);
    if (!members) return error;
    std::string out;
    for (const ArchiveMember& member : *members) out += fmt::format("{} {}\n", member.name, member.bytes.size());
    return out;
}

TEST(Archives, GiveTheirMembers) {
    const std::string whole = archive_of({{"a.o", "abc"}, {"b.o", ""}, {"c.o", "abcd"}});
    EXPECT_EQ(read_names(whole), "a.o 3\nb.o 0\nc.o 4\n");
    EXPECT_EQ(read_names("!<arch>\n"), "");
    EXPECT_EQ(read_names("!<thin>\n"),
              "this is a thin archive, which only names its members: make one that holds them");
    EXPECT_EQ(read_names("abc"), "this is not an archive");
}

TEST(Archives, ThatAreDamagedAreRefused) {
    const std::string whole = archive_of({{"a.o", "abc"}, {"c.o", "abcd"}});
    for (std::size_t size = 9; size < whole.size(); ++size)
        EXPECT_NE(read_names(whole.substr(0, size)), "a.o 3\nc.o 4\n") << size;
    EXPECT_EQ(read_names(archive_of({{"a.o", "abcd"}}) + "rest"),
              "the archive is damaged: what is behind its first 72 bytes is no member");
}

}  // namespace
}  // namespace isaforge
