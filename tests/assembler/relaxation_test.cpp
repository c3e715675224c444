// Instructions of several lengths while distances are not known: which length each gets, and where everything ends up.
// Apart from the other tests because it has a model of its own: a second layout and a second encoder of one branch.
#include <random>

#include "assembler/assemble_text.hpp"
#include "isaforge/disassembler.hpp"

namespace isaforge {
namespace {

using testing::assemble_text;
using testing::Assembled;

const Codec& fabrisc() { return testing::sample("fabrisc-sample"); }

std::unique_ptr<Assembled> assemble_fabrisc(const std::string& text, bool flat = true) {
    AssembleOptions options;
    options.flat = flat;
    options.max_output = 1 << 22;
    return assemble_text(text, options, fabrisc());
}

std::size_t code_size(const Assembled& made) { return made.object.sections[0].bytes.size(); }

// --- a model: items, their least sizes, their bytes

struct Item {
    enum class Kind { label, branch, fill, align, immediate };
    Kind kind = Kind::label;
    unsigned number = 0;  // label: its own; branch and immediate: the target's; fill: bytes; align: the alignment
    unsigned from = 0;    // immediate: the label that is subtracted
    std::size_t size = 0;
    std::size_t at = 0;
};

std::string text_of(const Item& item) {
    const std::string number = std::to_string(item.number);
    switch (item.kind) {
        case Item::Kind::label: return ".l" + number + ":\n";
        case Item::Kind::branch: return "BEQ.8: $P1, $P2, @l" + number + ";\n";
        case Item::Kind::fill: return ".fill " + number + ", 1, 0\n";
        case Item::Kind::align: return ".balign " + number + "\n";
        case Item::Kind::immediate: return "IADD.8: $P1, $P2, #l" + number + " - l" + std::to_string(item.from) + ";\n";
    }
    return {};
}

class Model {
public:
    explicit Model(std::vector<Item> items) : items_(std::move(items)) {
        for (Item& item : items_) {
            if (item.kind == Item::Kind::fill) item.size = item.number;
            if (is_elastic(item)) item.size = 4;
        }
        bool changed = true;
        while (changed) {
            place();
            changed = false;
            for (Item& item : items_) {
                if (!is_elastic(item) || item.size == 6 || is_near(item)) continue;
                item.size = 6;
                changed = true;
            }
        }
    }

    std::string text() const {
        std::string text;
        for (const Item& item : items_) text += text_of(item);
        return text;
    }

    std::vector<std::uint8_t> bytes() const {
        std::vector<std::uint8_t> out(items_.empty() ? 0 : items_.back().at + items_.back().size);
        for (const Item& item : items_) {
            if (is_elastic(item)) encode(item, out.data() + item.at);
        }
        return out;
    }

    const std::vector<Item>& items() const { return items_; }

    // Takes over the sizes that the assembler chose.
    void follow(const Assembled& made) {
        for (const ListingEntry& entry : made.listing.entries) {
            Item& item = items_[made.sources.line_column(entry.statement).line - 1];
            if (is_elastic(item)) item.size = entry.size;
        }
        place();
    }

    // Everything fits in its form; and of the long ones whose short form would fit where they stand, each would keep
    // something else from fitting.
    bool is_shortest() {
        if (!all_fit()) return false;
        for (Item& item : items_) {
            if (item.size != 6 || !is_elastic(item) || !is_near(item)) continue;
            item.size = 4;
            place();
            const bool fits = all_fit();
            item.size = 6;
            place();
            if (fits) return false;
        }
        return true;
    }

private:
    static bool is_elastic(const Item& item) {
        return item.kind == Item::Kind::branch || item.kind == Item::Kind::immediate;
    }

    bool all_fit() const {
        for (const Item& item : items_) {
            if (is_elastic(item) && item.size == 4 && !is_near(item)) return false;
        }
        return true;
    }

    void place() {
        std::size_t at = 0;
        labels_.clear();
        for (Item& item : items_) {
            item.at = at;
            if (item.kind == Item::Kind::align) item.size = (item.number - at % item.number) % item.number;
            if (item.kind == Item::Kind::label) {
                if (labels_.size() <= item.number) labels_.resize(item.number + 1);
                labels_[item.number] = at;
            }
            at += item.size;
        }
    }

    long value(const Item& item) const {
        const auto target = static_cast<long>(labels_[item.number]);
        return target - static_cast<long>(item.kind == Item::Kind::branch ? item.at : labels_[item.from]);
    }

    bool is_near(const Item& item) const {
        const long distance = value(item);
        return item.kind == Item::Kind::branch ? distance >= -4096 && distance < 4096
                                               : distance >= -128 && distance < 128;
    }

    // Units of 16 bits, the first one holds the highest bits; each is stored with its low byte first.
    void encode(const Item& item, std::uint8_t* out) const {
        const auto number = static_cast<std::uint64_t>(value(item));
        const bool wide = item.size == 6;
        std::uint64_t bits = 0;
        if (item.kind == Item::Kind::branch) {
            const std::uint64_t units = number >> 1;
            const std::uint64_t head = (wide ? 0x41u : 0x40u) << 5 | 0u << 3 | 0u << 2;
            bits = wide ? head << 36 | 1ull << 31 | 2ull << 26 | (units & 0x3FFFFFF)
                        : (head | (units >> 10 & 3)) << 20 | 1u << 15 | 2u << 10 | (units & 0x3FF);
        } else {
            const std::uint64_t head = 0x80u << 5 | (wide ? 1u : 0u) << 3;
            bits = wide ? head << 34 | 1ull << 29 | 2ull << 24 | (number & 0xFFFFFF)
                        : head << 18 | 1u << 13 | 2u << 8 | (number & 0xFF);
        }
        for (std::size_t unit = 0; unit < item.size / 2; ++unit) {
            const auto word = static_cast<unsigned>(bits >> (16 * (item.size / 2 - 1 - unit)));
            out[2 * unit] = static_cast<std::uint8_t>(word);
            out[2 * unit + 1] = static_cast<std::uint8_t>(word >> 8);
        }
    }

    std::vector<Item> items_;
    std::vector<std::size_t> labels_;
};

void expect_same(const Model& model) {
    const auto made = assemble_fabrisc(model.text());
    ASSERT_EQ(made->messages(), "") << model.text();
    ASSERT_EQ(made->object.sections[0].bytes, model.bytes()) << model.text();
}

Item branch(unsigned label) { return {Item::Kind::branch, label}; }
Item label(unsigned number) { return {Item::Kind::label, number}; }
Item fill(unsigned bytes) { return {Item::Kind::fill, bytes}; }
Item align(unsigned bytes) { return {Item::Kind::align, bytes}; }
Item difference(unsigned to, unsigned from) { return {Item::Kind::immediate, to, from}; }

TEST(Relaxation, BranchesTakeTheShortFormUpToItsLastAddress) {
    for (const unsigned bytes : {0u, 4088u, 4090u, 4092u, 4094u, 4096u, 5000u}) {
        expect_same(Model({branch(0), fill(bytes), label(0)}));
        expect_same(Model({label(0), fill(bytes), branch(0)}));
    }
    EXPECT_EQ(code_size(*assemble_fabrisc("BEQ.8: $P0, $P0, @x;\n.zero 4090\n.x:\n")), 4094u);
    EXPECT_EQ(code_size(*assemble_fabrisc("BEQ.8: $P0, $P0, @x;\n.zero 4092\n.x:\n")), 4098u);
    EXPECT_EQ(code_size(*assemble_fabrisc(".x:\n.zero 4096\nBEQ.8: $P0, $P0, @x;\n")), 4100u);
    EXPECT_EQ(code_size(*assemble_fabrisc(".x:\n.zero 4098\nBEQ.8: $P0, $P0, @x;\n")), 4104u);
}

// The last one is too far, and each that grows pushes the one before it over its limit.
TEST(Relaxation, AChainGrowsLinkByLink) {
    for (const unsigned links : {2u, 50u, 400u}) {
        std::vector<Item> items;
        for (unsigned i = 0; i < links; ++i) {
            items.push_back(branch(i));
            items.push_back(fill(4090));
            items.push_back(label(i));
        }
        expect_same(Model(items));
        // Interleaved: between branch i and label i stands branch i + 1, which makes the distance 4094 and then 4096.
        items.clear();
        for (unsigned i = 0; i < links; ++i) {
            items.push_back(branch(i));
            items.push_back(fill(i % 2 == 0 ? 2044 : 2042));
            if (i > 0) items.push_back(label(i - 1));
        }
        items.push_back(fill(2200));
        items.push_back(label(links - 1));
        const Model model(items);
        expect_same(model);
        unsigned grown = 0;
        for (const Item& item : model.items()) grown += item.kind == Item::Kind::branch && item.size == 6;
        EXPECT_EQ(grown, links);
    }
}

TEST(Relaxation, ImmediatesTakeDifferencesOfLabelsFurtherOn) {
    for (const unsigned bytes : {0u, 126u, 127u, 128u, 129u, 5000u}) {
        expect_same(Model({difference(1, 0), label(0), fill(bytes), label(1)}));
        expect_same(Model({difference(0, 1), label(0), fill(bytes), label(1)}));
    }
    // The difference grows past its limit only because a branch in between grows.
    expect_same(Model({difference(1, 0), label(0), branch(2), fill(122), label(1), fill(5000), label(2)}));
}

TEST(Relaxation, AlignmentsBehindWhatGrows) {
    for (unsigned bytes = 4070; bytes <= 4100; bytes += 2) {
        for (const unsigned alignment : {2u, 4u, 8u, 64u}) {
            expect_same(Model({branch(0), align(alignment), label(1), fill(bytes), label(0), branch(1)}));
        }
    }
}

TEST(Relaxation, SymbolsDefinedLater) {
    const auto size = [](const std::string& value) {
        const auto made = assemble_fabrisc("IADD.8: $P0, $P1, #later;\n.set later, " + value + "\n");
        EXPECT_EQ(made->messages(), "") << value;
        return made->hex(".text");
    };
    const auto known = [](const std::string& value) {
        return assemble_fabrisc("IADD.8: $P0, $P1, #" + value + ";\n")->hex(".text");
    };
    for (const char* value : {"0", "-128", "127", "128", "-129", "8388607", "-8388608"})
        EXPECT_EQ(size(value), known(value)) << value;
}

TEST(Relaxation, OriginAndSpaceBehindWhatGrows) {
    const std::string far = "BEQ.8: $P0, $P0, @x;\n.zero 100\n.a:\n";
    const auto origin = assemble_fabrisc(far + ".org 5000\n.x: NOP;\n");
    EXPECT_EQ(origin->messages(), "");
    EXPECT_EQ(code_size(*origin), 5002u);
    EXPECT_EQ(origin->object.symbols[origin->object.find_symbol("a")].value, 106u);
    // The space depends on a distance further on, and on the branch that it makes grow.
    const auto space = assemble_fabrisc(far + ".skip 5000 - (c - b)\n.x: NOP;\n.b: BEQ.8: $P0, $P0, @x;\n.c:\n");
    EXPECT_EQ(space->messages(), "");
    EXPECT_EQ(code_size(*space), 6u + 100 + 5000 - 4 + 2 + 4);
    // While nothing is placed yet, the difference is nothing and the space looks large: the branch stays short.
    const auto small =
        assemble_fabrisc(far + ".skip 5000 - (c - b)\n.x: NOP;\n.b: BEQ.8: $P0, $P0, @x;\n.zero 4500\n.c:\n");
    EXPECT_EQ(small->messages(), "");
    EXPECT_EQ(code_size(*small), 4u + 100 + (5000 - 4504) + 2 + 4 + 4500);
    const auto backwards = assemble_fabrisc(far + ".zero 4200\n.x:\n.org 4304\n");
    EXPECT_NE(backwards->messages().find("t.s:6:6: error: the location counter cannot move backwards"),
              std::string::npos)
        << backwards->messages();
    const auto negative = assemble_fabrisc(far + ".skip a - c\n.x: NOP;\n.c:\n");
    EXPECT_NE(negative->messages().find("the number of bytes is negative"), std::string::npos) << negative->messages();
}

TEST(Relaxation, SizesThatContradictThemselvesAreReported) {
    const auto made = assemble_fabrisc(".a:\n.skip 100 - (b - a)\n.b: NOP;\n");
    EXPECT_NE(made->messages().find("the layout does not settle"), std::string::npos) << made->messages();
}

TEST(Relaxation, ConditionsOnDistances) {
    const auto known =
        assemble_fabrisc("BEQ.8: $P0, $P0, @x;\n.a: NOP; NOP;\n.b:\n.if b - a == 4\nNOP;\n.endif\n.x:\n");
    EXPECT_EQ(known->messages(), "");
    EXPECT_EQ(code_size(*known), 10u);
    const auto unknown = assemble_fabrisc(".a: BEQ.8: $P0, $P0, @x;\n.b:\n.if b - a == 4\nNOP;\n.endif\n.x:\n");
    EXPECT_NE(unknown->messages().find("t.s:3:5: error"), std::string::npos) << unknown->messages();
}

TEST(Relaxation, WhatFitsNowhereIsReportedWithDistanceAndLimit) {
    const auto branch = assemble_fabrisc("BEQ.8: $P0, $P1, @x + 0x10000000;\n.x:\n");
    EXPECT_EQ(
        branch->messages().find("t.s:1:19: error: the target is 268435462 away; the reach is -67108864 to 67108862"),
        0u)
        << branch->messages();
    const auto odd = assemble_fabrisc("BEQ.8: $P0, $P1, @x + 1;\n.x:\n");
    EXPECT_NE(odd->messages().find("is no multiple of 2"), std::string::npos) << odd->messages();
    const auto number = assemble_fabrisc("IADD.8: $P0, $P1, #later;\n.set later, 0x1000000\n");
    EXPECT_NE(number->messages().find("16777216 is out of range: -8388608 to 8388607"), std::string::npos)
        << number->messages();
    const auto small = assemble_fabrisc("CIADD: $P0, #later;\n.set later, 32\n");
    EXPECT_NE(small->messages().find("32 is out of range: -32 to 31"), std::string::npos) << small->messages();
}

// What only a linker knows takes the longest form, which surely fits.
TEST(Relaxation, ReferencesLeftToALinker) {
    const auto made = assemble_fabrisc(
        "BEQ.8: $P0, $P1, @outside;\nIADD.8: $P0, $P1, #outside;\n.weak w\n.w: BEQ.8: $P0, $P1, @w;\n"
        "BEQ.8: $P0, $P1, @data;\n.section .text.b,\"ax\"\n.data: NOP;\n",
        false);
    EXPECT_EQ(made->messages(), "");
    EXPECT_EQ(code_size(*made), 24u);
    EXPECT_EQ(made->object.relocations.size(), 4u);
}

std::vector<Item> random_items(std::mt19937& random, bool with_alignments) {
    std::vector<Item> items;
    const unsigned labels = 1 + random() % 12;
    const unsigned count = 4 + random() % 40;
    unsigned next = 0;
    const unsigned scale = 1 + random() % 1500;
    for (unsigned i = 0; i < count; ++i) {
        if (next < labels && random() % 4 == 0) items.push_back(label(next++));
        switch (random() % 6) {
            case 0: items.push_back(fill(2 * (random() % scale))); break;
            case 1: items.push_back(fill(2 * (random() % 30))); break;
            case 2: items.push_back(difference(random() % labels, random() % labels)); break;
            case 3:
                if (with_alignments) items.push_back(align(1u << (1 + random() % 7)));
                break;
            default: items.push_back(branch(random() % labels));
        }
    }
    while (next < labels) {
        items.push_back(fill(2 * (random() % scale)));
        items.push_back(label(next++));
    }
    return items;
}

void expect_disassembly_back(const Assembled& made) {
    const std::string text = disassemble(fabrisc(), made.object);
    const auto again = assemble_fabrisc(text);
    ASSERT_EQ(again->messages(), "") << text;
    ASSERT_EQ(again->object.sections[0].bytes, made.object.sections[0].bytes) << text;
}

TEST(Relaxation, RandomProgramsAreAsShortAsCanBe) {
    std::mt19937 random(31);
    for (int round = 0; round < 4000; ++round) {
        const bool with_alignments = round % 2 == 1;
        Model model(random_items(random, with_alignments));
        if (!with_alignments) expect_same(model);
        const auto made = assemble_fabrisc(model.text());
        ASSERT_EQ(made->messages(), "") << model.text();
        model.follow(*made);
        EXPECT_TRUE(model.is_shortest()) << model.text();
        EXPECT_EQ(made->object.sections[0].bytes, model.bytes()) << model.text();
        if (round % 8 < 2) expect_disassembly_back(*made);
        if (HasFailure()) return;
    }
}

// --- a literal behind the instruction

std::string gcn_hex(const std::string& text, std::string* messages = nullptr) {
    AssembleOptions options;
    options.flat = true;
    const auto made = assemble_text(text, options, testing::sample("gcn-sample", "gcn1.0"));
    if (messages) *messages = made->messages();
    return made->messages().empty() ? made->hex(".text") : made->messages();
}

TEST(Relaxation, ASymbolDefinedLaterIsALiteral) {
    EXPECT_EQ(gcn_hex("s_add_u32 s5, s1, 5\n"), "01850580");
    EXPECT_EQ(gcn_hex("x = 5\ns_add_u32 s5, s1, x\n"), "01850580");
    EXPECT_EQ(gcn_hex("s_add_u32 s5, s1, x\nx = 5\n"), "01ff058005000000");
    EXPECT_EQ(gcn_hex("s_add_u32 s5, s1, 0x12345\n"), "01ff058045230100");
    EXPECT_EQ(gcn_hex("s_add_u32 s5, x, s1\n.set x, 0x12345\n"), "ff01058045230100");
    EXPECT_EQ(gcn_hex("v_add_f32 v5, x, v1\n.set x, -2\n"), "ff020a06feffffff");
    EXPECT_EQ(gcn_hex("a: s_add_u32 s5, s1, b - a\ns_add_u32 s5, s1, b - a\nb: s_add_u32 s5, s1, b - a\n"),
              "01ff058010000000"
              "01ff058010000000"
              "01900580");  // known by now
    EXPECT_EQ(gcn_hex("s_add_u32 s5, s1, b\n.balign 16\nb:\n"), "01ff058010000000" + std::string(16, '0'));
}

TEST(Relaxation, TwoLiteralsOfOneInstruction) {
    EXPECT_EQ(gcn_hex("s_add_u32 s5, 0x12345, 0x12345\n"), "ffff058045230100");
    EXPECT_NE(gcn_hex("s_add_u32 s5, 0x12345, 0x12346\n").find("error"), std::string::npos);
    EXPECT_NE(gcn_hex("s_add_u32 s5, x, y\nx = 1\ny = 2\n").find("error"), std::string::npos);
    EXPECT_NE(gcn_hex("s_add_u32 s5, x, 0x12345\nx = 1\n").find("error"), std::string::npos);
    EXPECT_NE(gcn_hex("s_add_u32 s5, 0x12345, x\nx = 1\n").find("error"), std::string::npos);
}

}  // namespace
}  // namespace isaforge
