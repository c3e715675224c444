// What the disassembler prints without a proof must be what the reader gives back. Instructions of every form of every
// built-in description, with random codes and with those at the edges, are held against the reader.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "disassembler/verify.hpp"
#include "effort.hpp"
#include "isaforge/codec.hpp"

namespace isaforge {
namespace {

class Numbers {
public:
    std::uint64_t next() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        return state_ ^= state_ << 17;
    }
    // Of so many bits: half of them small, at an edge, or a single bit.
    std::uint64_t code(unsigned width) {
        const std::uint64_t any = next(), choice = next() % 16;
        if (choice < 8) return any & low_bits(width);
        if (choice < 10) return any % 80 & low_bits(width);
        if (choice < 12) return low_bits(width) - (any % 20 & low_bits(width));
        if (choice < 14) return std::uint64_t{1} << any % width;
        return constants[any % std::size(constants)] & low_bits(width);
    }

private:
    static constexpr std::uint64_t constants[] = {0,          255,        249,        0x3f800000, 0x3f000000,
                                                  0xbf800000, 0x40000000, 0x3e22f983, 0x3c00,     0xfffffff0,
                                                  0xffff,     0xfff0,     0x80000000, 0x7fffffff, 0x118};
    std::uint64_t state_ = 0x9e3779b97f4a7c15;
};

struct Counts {
    unsigned long certain = 0, good = 0, instructions = 0;
};

// Prints what an image begins with; whether it is certain to be read back, before it is.
class Comparison {
public:
    explicit Comparison(const Codec& codec) : codec_(codec), verifier_(codec) {}

    void look_at(const Image& image) {
        unsigned bits = 0;
        const Index found = codec_.decode(image, max_instruction_bits, bits);
        if (found == no_index) return;
        Image whole;
        for (unsigned at = 0; at < bits; at += 8) whole.set(at, 8, image.get(at, 8));
        char* const end = codec_.print(text_.data(), found, whole, bits, 0x1000);
        *end = '\0';
        const bool certain = verifier_.is_certain(found, whole);
        const bool good = verifier_.reads_back(whole, bits, text_.data(), end, 0x1000);
        if (good && !certain) verifier_.learn(found, whole);
        ++counts_.instructions;
        counts_.certain += certain;
        counts_.good += good;
        if (certain && !good && ++wrong_ < 20)
            ADD_FAILURE() << codec_.isa().variant << ": " << std::string(text_.data(), end);
    }
    const Counts& counts() const { return counts_; }

private:
    const Codec& codec_;
    disassembler::Verifier verifier_;
    Counts counts_;
    unsigned wrong_ = 0;
    std::vector<char> text_ = std::vector<char>(Codec::max_text + 64);
};

// Half of the time a few fields only differ from the instruction before, so that one field at a time meets all of its codes.
Counts compare(const Codec& codec, unsigned each) {
    const Isa& isa = codec.isa();
    Comparison comparison(codec);
    Numbers numbers;
    for (Index index = 0; index < isa.forms.size(); ++index) {
        const Form& form = isa.forms[index];
        if (form.alias) continue;
        Image image = form.value;
        for (unsigned i = 0; i < each; ++i) {
            const bool all = i % 2 == 0;
            for (const Field& field : form.fields) {
                if (field.fixed || field.place.width == 0 || (!all && numbers.next() % 4 != 0)) continue;
                field.place.insert(image, numbers.code(field.place.width));
            }
            image.set(form.bits, 64, numbers.code(32) | numbers.code(32) << 32);
            comparison.look_at(image);
        }
    }
    return comparison.counts();
}

TEST(Certain, IsWhatTheReaderGivesBack) {
    for (const auto& [name, title] : builtin_isas()) {
        SourceManager sources;
        Diagnostics diagnostics;
        const std::shared_ptr<const Isa> first = load_isa(name, sources, diagnostics);
        ASSERT_TRUE(first) << name;
        std::vector<LoadOptions> all(1);
        for (std::size_t i = 1; i < first->dialects.size(); ++i) all.emplace_back().dialect = first->dialects[i];
        for (const LoadOptions& options : all) {
            const std::shared_ptr<const Isa> isa = load_isa(name, sources, diagnostics, options);
            ASSERT_TRUE(isa) << name;
            const Codec codec(isa);
            const Counts counts = compare(codec, test::times_effort(30));
            if (codec.has_nameless()) continue;  // of those all are read
            EXPECT_GT(counts.certain, counts.instructions / 8) << isa->variant;
        }
    }
}

// Texts that are each other's begins, words that may be left out and taken for others, operands without anything between them.
constexpr std::string_view tricky = R"(
isa tricky "Texts that look alike"
code unit 16 little
registers r : 3 of u16 "r{n}"
enum size : 2 { "b" = 0  "bs" = 1  "s" = 2 }
operand flag : 1 {
    0 ""
    1 " f"
}
operand mode : 2 {
    00 ""
    01 " m"
    10 " f"
    11 " mode:f"
}
operand sign : 1 {
    0 ""
    1 "s"
}
operand source : 4 {
    0 n:r        "{n}" = n
    1 000        "f"
    1 001        "m"
    1 k:3        "{k}" = k
}
operand address : 4 {
    0 n:r        "[{n}]" = n
    1 n:r        "[{n}" = n
}
operand offset : 3 {
    000          ""
    n:3          ", {n}" = n
}
number small = u3 in 0..5
number near  = pc + s8

format A | 000 | F:flag | M:mode | -:1 | D:r | S:source | G:flag | -:1 |
format B | 001 | F:flag | M:mode | -:1 | D:r | S:r | G:flag | -:2 |
format C | 0100 | -:2 | M:mode | D:r | K:small | -:2 |
format D | 0101 | F:flag | M:mode | -:1 | D:r | K:small | -:2 |
format E | 0110 | OP:1 | Z:size | N:sign | -:2 | D:r | S:r |
format H | 0111 | OP:1 | -:1 | S:address | D:r | T:r |
format J | 100 | D:r | T:near | -:2 |
format L | 101 | -:4 | D:r | S:r | O:offset |
format N | 110 | D:source | S:source | M:mode | -:3 |
format P | 1110 | D:r | K:9 |

instructions A [] "{name} {D}, {S}{F}{M}{G}" {
    move
}
instructions B [] "{name} {D}, {S}{any F M G}" {
    move
}
instructions C [] "{name} {D}, {K}{M}" {
    move
}
instructions D [] "{name} {D}, {K}{any F M}" {
    add
}
instructions E [OP] "{name}.{Z}{N} {D}, {S}" {
    0 load
}
instructions E [OP] "{name} {D}{Z}, {S}{N}" {
    1 load.b
}
instructions H [OP] "{name} {D}, {S}, {T}" {
    0 load
}
instructions H [OP] "{name} {D}, [{T}], {S}" {
    1 add
}
instructions J [] "{name} {D}, {T}" {
    jump
}
instructions L [] "{name} {D}, {S}{O}" {
    jump
}
instructions N [] "{name} {D}, {S}{M}" {
    move
}
instructions P [] "{name} {D}, {K}" {
    jump
}
)";

// Every word, four times, in orders in which each learns from others.
TEST(Certain, IsSoWhereTextsAreAlike) {
    SourceManager sources;
    Diagnostics diagnostics;
    const std::shared_ptr<const Isa> isa = load_isa_text("tricky.isa", std::string(tricky), sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    const Codec codec(isa);
    Comparison comparison(codec);
    for (const std::uint32_t step : {1u, 40503u, 257u, 65535u}) {
        Comparison fresh(codec);
        std::uint32_t word = 0;
        for (std::uint32_t i = 0; i < 65536; ++i, word += step) {
            Image image;
            image.set(0, 16, word & 0xffff);
            fresh.look_at(image);
            comparison.look_at(image);
        }
    }
    EXPECT_GT(comparison.counts().certain, comparison.counts().good / 2);
    EXPECT_LT(comparison.counts().good, comparison.counts().instructions);  // some are another's text
}

}  // namespace
}  // namespace isaforge
