// Statements that are put together from like ones have to be what they are when they are read. Random statements of every
// instruction set, each many times with other numbers, in range and beyond: with a memory and without, the same bits or the
// same refusal.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <random>

#include "codec/plain_reader.hpp"
#include "isaforge/sample.hpp"

namespace isaforge::test {
namespace {

class Statements {
public:
    explicit Statements(const char* name) {
        Diagnostics diagnostics;
        isa_ = load_isa(name, sources_, diagnostics);
        if (isa_) codec_ = std::make_unique<Codec>(isa_);
    }

    void compare(unsigned shapes, unsigned each);

    std::size_t recalled = 0, refused = 0, total = 0;

private:
    std::string sampled(Sampler& sampler);
    std::string with_other_numbers(const std::string& text);
    std::uint64_t number();
    bool read(const std::string& text, StatementMemory* memory, Encoded& out, std::size_t& length);

    SourceManager sources_;
    std::shared_ptr<const Isa> isa_;
    std::unique_ptr<Codec> codec_;
    std::mt19937_64 random_{7};
};

std::string Statements::sampled(Sampler& sampler) {
    Sampled out;
    while (!sampler.statement(static_cast<Index>(random_() % isa_->forms.size()), 0, out)) {
    }
    std::string text(out.view());
    if (random_() % 4 == 0) text += "  ";
    if (random_() % 4 == 0 && !isa_->surface.line_comments.empty()) text += " " + isa_->surface.line_comments[0] + " 5";
    return text;
}

// Around what fields and literals hold.
std::uint64_t Statements::number() {
    const unsigned width = static_cast<unsigned>(random_() % 20);
    switch (random_() % 4) {
        case 0: return random_() % 8;
        case 1: return (std::uint64_t{1} << (width % 17)) + random_() % 5 - 2;
        case 2: return random_() & ((std::uint64_t{1} << (width + 20)) - 1);
        default: return random_() % 300;
    }
}

// Some digits become others; now and then all numbers grow by the same, as those of register ranges do.
std::string Statements::with_other_numbers(const std::string& text) {
    const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    const std::uint64_t common = random_() % 3 == 0 ? random_() % 40 * (random_() % 4 + 1) : 0;
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        if (!std::isdigit(static_cast<unsigned char>(text[at]))) {
            out += text[at++];
            continue;
        }
        std::size_t end = at;
        const bool hexadecimal = text.compare(at, 2, "0x") == 0;
        while (end < text.size() && is_word(text[end])) ++end;
        const std::string digits = text.substr(at, end - at);
        at = end;
        if (!hexadecimal && !std::all_of(digits.begin(), digits.end(), [](char c) { return std::isdigit(c); })) {
            out += digits;
        } else if (common != 0 && digits.size() < 10) {
            out += std::to_string(std::stoull(digits, nullptr, 0) + common);
        } else if (random_() % 4 != 0) {
            out += digits;
        } else if (random_() % 3 == 0) {
            out += fmt::format("{:#x}", number());
        } else {
            out += std::to_string(number());
        }
    }
    return out;
}

bool Statements::read(const std::string& text, StatementMemory* memory, Encoded& out, std::size_t& length) {
    PlainReader reader;
    const char* cursor = text.data();
    const bool good = codec_->try_assemble(cursor, text.data() + text.size(), 0, reader, out, 0, memory);
    length = static_cast<std::size_t>(cursor - text.data());
    return good;
}

void Statements::compare(unsigned shapes, unsigned each) {
    ASSERT_TRUE(codec_);
    StatementMemory memory(*codec_, true);
    Sampler sampler(*codec_, 5, SampledText::other);
    Encoded plain, quick;
    for (unsigned i = 0; i < shapes; ++i) {
        const std::string first = sampled(sampler);
        for (unsigned k = 0; k < each; ++k) {
            const std::string text = k < 2 ? first : with_other_numbers(first);
            std::size_t plain_length = 0, quick_length = 0;
            const bool good = read(text, nullptr, plain, plain_length);
            ASSERT_EQ(good, read(text, &memory, quick, quick_length)) << text;
            ++total;
            recalled += memory.recalled();
            refused += !good;
            if (!good) continue;
            ASSERT_EQ(plain.form, quick.form) << text;
            ASSERT_EQ(plain.bits, quick.bits) << text;
            ASSERT_EQ(plain_length, quick_length) << text;
            ASSERT_EQ(plain.deferred_count, quick.deferred_count) << text;
            for (unsigned bit = 0; bit < plain.bits; bit += 32) {
                const unsigned width = std::min(32u, plain.bits - bit);
                ASSERT_EQ(plain.image.get(bit, width), quick.image.get(bit, width)) << text;
            }
        }
    }
}

class Memory : public testing::TestWithParam<const char*> {};

TEST_P(Memory, GivesWhatReadingGives) {
    Statements statements(GetParam());
    statements.compare(600, 60);
    EXPECT_GT(statements.recalled, statements.total / 8);  // else nothing was tested …
    EXPECT_GT(statements.refused, statements.total / 50);   // … nor where the ranges end
    RecordProperty("recalled", std::to_string(statements.recalled));
}

INSTANTIATE_TEST_SUITE_P(All, Memory,
                         testing::Values("wishbone-gpu", "gcn1.0", "gcn1.1", "gcn1.2", "gcn1.4", "fabrisc-2022-03-18",
                                         "fabrisc-2022-05-02", "fabrisc-2022-05-15"));

}  // namespace
}  // namespace isaforge::test
