// What the disassembler prints without a proof must be what the reader gives back. Instructions of every form of every
// built-in description, with random codes and with those at the edges, are held against the reader.
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "disassembler/verify.hpp"
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
    unsigned long certain = 0, instructions = 0;
};

// Half of the time a few fields only differ from the instruction before, so that one field at a time meets all of its codes.
Counts compare(const Codec& codec, unsigned each) {
    const Isa& isa = codec.isa();
    disassembler::Verifier verifier(codec);
    Numbers numbers;
    Counts counts;
    unsigned wrong = 0;
    std::vector<char> text(Codec::max_text + 64);
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
            unsigned bits = 0;
            const Index found = codec.decode(image, max_instruction_bits, bits);
            if (found == no_index) continue;
            Image whole;
            for (unsigned at = 0; at < bits; at += 8) whole.set(at, 8, image.get(at, 8));
            char* const end = codec.print(text.data(), found, whole, bits, 0x1000);
            *end = '\0';
            const bool certain = verifier.is_certain(found, whole);
            const bool good = verifier.reads_back(whole, bits, text.data(), end, 0x1000);
            if (good && !certain) verifier.learn(found, whole);
            ++counts.instructions;
            counts.certain += certain;
            if (certain && !good && ++wrong < 20) ADD_FAILURE() << isa.variant << ": " << std::string(text.data(), end);
        }
    }
    return counts;
}

TEST(Certain, IsWhatTheReaderGivesBack) {
    const char* const asked = std::getenv("ISAFORGE_CERTAIN_EACH");
    const unsigned each = asked ? static_cast<unsigned>(std::atoi(asked)) : 60;
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
            const Counts counts = compare(codec, each);
            if (asked) {
                std::printf("%s %s: %lu of %lu are certain\n", isa->variant.c_str(), options.dialect.c_str(),
                            counts.certain, counts.instructions);
            }
            EXPECT_GT(counts.certain, counts.instructions / 8) << isa->variant;
        }
    }
}

}  // namespace
}  // namespace isaforge
