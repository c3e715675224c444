// What the disassembler prints without a proof must be what the reader gives back. Instructions of every form of every
// built-in description, with random codes and with those at the edges, are held against the reader.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "disassembler/prove.hpp"
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

// Of every so manieth form. Half of the time a few fields only differ from the instruction before, so that one field at a time
// meets all of its codes.
Counts compare(const Codec& codec, unsigned each, unsigned step) {
    const Isa& isa = codec.isa();
    Comparison comparison(codec);
    Numbers numbers;
    for (Index index = 0; index < isa.forms.size(); index += step) {
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
            // Others are proved as they come.
            const bool is_proved = !isa->read_back.empty();
            const Counts counts = compare(codec, test::times_effort(is_proved ? 30 : 400), is_proved ? 1 : 23);
            if (codec.has_nameless()) continue;  // of those all are read
            EXPECT_GT(counts.certain, counts.good / 5) << isa->variant << ' ' << options.dialect;
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

std::shared_ptr<const Isa> isa_of(std::string_view text, const ReadBack* proved) {
    SourceManager sources;
    Diagnostics diagnostics;
    const std::shared_ptr<const Isa> isa = load_isa_text("test.isa", std::string(text), sources, diagnostics);
    EXPECT_TRUE(isa) << to_text(diagnostics, sources);
    if (proved == nullptr) return isa;
    auto with = std::make_shared<Isa>(*isa);
    with->read_back = {};
    with->read_back.push_back(*proved);
    return with;
}

std::shared_ptr<const Isa> tricky_isa(const ReadBack* proved = nullptr) { return isa_of(tricky, proved); }

// Every word, in orders in which each form is proved after other words of it.
TEST(Certain, IsSoWhereTextsAreAlike) {
    const Codec codec(tricky_isa());
    for (const std::uint32_t step : {1u, 40503u, 257u, 65535u}) {
        Comparison comparison(codec);
        std::uint32_t word = 0;
        for (std::uint32_t i = 0; i < 65536; ++i, word += step) {
            Image image;
            image.set(0, 16, word & 0xffff);
            comparison.look_at(image);
        }
        EXPECT_GT(comparison.counts().certain, comparison.counts().good / 3);
        EXPECT_LT(comparison.counts().good, comparison.counts().instructions);  // some are another's text
    }
}

// Calls `visit(form, image, bits)` with what each word is.
template <class Visit>
void for_each_word(const Codec& codec, const Visit& visit) {
    for (std::uint32_t word = 0; word < 65536; ++word) {
        Image image;
        image.set(0, 16, word);
        unsigned bits = 0;
        const Index form = codec.decode(image, 16, bits);
        if (form != no_index) visit(form, image, bits);
    }
}

TEST(Certain, IsSoByProof) {
    const ReadBack proved = disassembler::prove(tricky_isa());
    const Codec codec(tricky_isa(&proved));
    std::vector<char> text(Codec::max_text + 64);
    disassembler::Verifier verifier(codec);
    disassembler::StatementReader reader(codec);
    unsigned certain = 0, good = 0;
    for_each_word(codec, [&](Index form, const Image& image, unsigned bits) {
        char* const end = codec.print(text.data(), form, image, bits, 0x1000);
        *end = '\0';
        const bool is_certain = verifier.is_certain(form, image);
        const bool is_good = reader.reads_back(image, bits, text.data(), end, 0x1000);
        certain += is_certain;
        good += is_good;
        EXPECT_FALSE(is_certain && !is_good) << std::string(text.data(), end);
    });
    EXPECT_GT(certain, good / 8);
    EXPECT_LT(certain, good);
}

// Of a description that comes without proofs the forms of which many have come.
TEST(Certain, IsSoByProofWhereManyHaveCome) {
    const ReadBack proved = disassembler::prove(tricky_isa());
    const Codec with(tricky_isa(&proved)), without(tricky_isa());
    disassembler::Verifier expected(with), verifier(without);
    unsigned certain = 0;
    for (const bool is_first : {true, false}) {
        for_each_word(with, [&](Index form, const Image& image, unsigned) {
            const bool is_certain = verifier.is_certain(form, image);
            certain += is_certain;
            if (is_first && !is_certain) return;  // not proved yet, maybe
            EXPECT_EQ(is_certain, expected.is_certain(form, image)) << image.words[0];
        });
    }
    EXPECT_GT(certain, 10000u);
}

// Numbers and values behind the instruction of which only those are looked at where what is written may mean something else.
constexpr std::string_view wide = R"(
isa wide "Numbers with many codes"
code unit 16 little
registers r : 3 of u32 "r{n}"
number any   = s18
number words = 4 * u16 + 8
number few   = u4 in 2..11
number plain = b16 hex
number small = u8
number near  = pc + 2 * s20
operand offset : 19 {
    0 -:15? n:r      "{n}"
    1 0 n:17         "{n}"
    1 1 0:13? n:4    "-{n}"
}
operand source : 5 {
    0 n:4            "{n:b16}"      = u32(n)
    1 0000           "{1.0:b16}"    = 0x3c00
    1 0001           "{2.0:b16}"    = 0x4000
    1 0010           "{-1:b16}"     = 0xffff
    1 0011 + k:plain shared "{k}"   = u32(k)
    1 0100           "f"            = 0
}
format A | 000 | D:r | K:any | -:8 |
format B | 001 | D:r | K:words | -:10 |
format C | 010 | D:r | K:few | -:6 |
format D | 011 | D:r | S:source | T:source |
format E | 100 | D:r | O:offset | -:7 |
format F | 101 | O:offset | -:10 |
format G | 1100 | D:r | S:source | -:4? |
format H | 1101 | D:r | K:small | -:1 |
format J | 111 | D:r | T:near | -:6 |

instructions C [] "{name} {D}, {K}" {
    move
}
instructions A [] "{name} {D}, {K}" {
    move
}
instructions B [] "{name} {D}, {K}" {
    add
}
instructions D [] "{name} {D}, {S}, {T}" {
    add
}
instructions E [] "{name} {D}, {O}" {
    load
}
instructions F [] "{name} {O}" {
    load
}
instructions G [] "{name} {D}, {S}" {
    store
}
instructions H [] "{name} {D}, {K}" {
    store
}
instructions J [] "{name} {D}, {T}" {
    jump
}
)";

// All codes of the widest operand of each form, and of what follows it.
TEST(Certain, IsSoWhereNumbersAreWide) {
    const Codec codec(isa_of(wide, nullptr));
    Comparison comparison(codec);
    Numbers numbers;
    for (const Form& form : codec.isa().forms) {
        const auto widest = std::ranges::max_element(form.fields, {}, [](const Field& one) { return one.place.width; });
        const std::uint64_t codes = std::uint64_t{1} << std::max(widest->place.width, 16u);
        for (std::uint64_t code = 0; code < codes; ++code) {
            Image image = form.written;
            for (const Field& field : form.fields) field.place.insert(image, numbers.code(field.place.width));
            widest->place.insert(image, code);
            image.set(form.bits, 16, code);
            comparison.look_at(image);
        }
    }
    const Counts& counts = comparison.counts();
    EXPECT_GT(counts.certain, counts.good / 5 * 4);
    EXPECT_LT(counts.good, counts.instructions);
}

TEST(Certain, MostFormsOfTheBuiltInOnesAreProved) {
    for (const std::string name : {"gcn1.0", "gcn1.2", "gcn1.4", "mos6502"}) {
        SourceManager sources;
        Diagnostics diagnostics;
        const std::shared_ptr<const Isa> isa = load_isa(name, sources, diagnostics);
        ASSERT_TRUE(isa && isa->read_back.size() == 1) << name;
        const ReadBack& proved = isa->read_back[0];
        ASSERT_EQ(proved.forms.size(), isa->forms.size());
        const auto count = std::ranges::count_if(proved.forms, [](const auto& form) { return form.is_proved != 0; });
        EXPECT_GT(static_cast<std::size_t>(count), isa->forms.size() / 5 * 4) << name;
    }
}

// As a file might have that somebody else has written.
TEST(Certain, DamagedProofsAreNotBelieved) {
    const ReadBack proved = disassembler::prove(tricky_isa());
    const auto most = ~std::uint32_t{0};
    const auto damage = [&](auto&& change) {
        ReadBack damaged = proved;
        change(damaged);
        const Codec codec(tricky_isa(&damaged));
        disassembler::Verifier verifier(codec);
        unsigned certain = 0;
        for (std::uint32_t word = 0; word < 65536; word += 367) {  // so that no form is proved anew
            Image image;
            image.set(0, 16, word);
            unsigned bits = 0;
            const Index form = codec.decode(image, 16, bits);
            if (form != no_index) certain += verifier.is_certain(form, image);
        }
        return certain;
    };
    EXPECT_EQ(damage([](ReadBack& one) { one.forms.pop_back(); }), 0u);
    EXPECT_EQ(damage([&](ReadBack& one) {
                  for (auto& form : one.forms) form.first = most, form.count = 1;
              }),
              0u);
    EXPECT_EQ(damage([](ReadBack& one) {
                  for (auto& form : one.forms) form.count = 0xffff;
              }),
              0u);
    EXPECT_LT(damage([&](ReadBack& one) {
                  for (auto& check : one.checks) check.field = most;
              }),
              damage([](ReadBack&) {}));
    EXPECT_LT(damage([&](ReadBack& one) {
                  for (auto& check : one.checks) check.codes = most;
              }),
              damage([](ReadBack&) {}));
    EXPECT_LT(damage([](ReadBack& one) { one.codes.clear(); }), damage([](ReadBack&) {}));
}

TEST(Certain, DamagedProofsOfWideOperandsAreNotBelieved) {
    const ReadBack proved = disassembler::prove(isa_of(wide, nullptr));
    const auto most = ~std::uint32_t{0};
    const auto damage = [&](auto&& change) {
        ReadBack damaged = proved;
        change(damaged);
        const Codec codec(isa_of(wide, &damaged));
        disassembler::Verifier verifier(codec);
        Numbers numbers;
        unsigned certain = 0;
        for (Index index = 0; index < codec.isa().forms.size(); ++index) {
            const Form& form = codec.isa().forms[index];
            for (int again = 0; again < 100; ++again) {
                Image image = form.written;
                for (const Field& field : form.fields) field.place.insert(image, numbers.code(field.place.width));
                image.set(form.bits, 16, numbers.code(16));
                certain += verifier.is_certain(index, image);
            }
        }
        return certain;
    };
    const unsigned all = damage([](ReadBack&) {});
    EXPECT_LT(damage([&](ReadBack& one) {
                  for (auto& check : one.checks) check.patterns = check.patterns != 0 ? most : 0;
              }),
              all);
    EXPECT_LT(damage([](ReadBack& one) { one.patterns.clear(); }), all);
    EXPECT_LT(damage([](ReadBack& one) { one.tails.clear(); }), all);
    EXPECT_LT(damage([&](ReadBack& one) {
                  for (auto& form : one.forms) form.first_tail = most;
              }),
              all);
    EXPECT_LT(damage([](ReadBack& one) {
                  for (auto& form : one.forms) form.tail_bits = 65;
              }),
              all);
    EXPECT_LT(damage([](ReadBack& one) {
                  for (auto& form : one.forms) form.is_proved = 0;
              }),
              1u);
}

}  // namespace
}  // namespace isaforge
