// Most of what reading leaves out is left out because it is known to fail, or to have been done: candidates that begin like
// one that failed, steps that were taken before, rows behind a name of a register, numbers where there was none. A reader that
// looks for all that could stand at each place does none of it. What the quick one reads, both must read alike; what it refuses
// is read again by the other one, which must be seldom.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "assembler/expression.hpp"
#include "assembler/no_sections.hpp"
#include "codec/reader.hpp"
#include "isaforge/codec.hpp"
#include "isaforge/sample.hpp"

namespace isaforge::test {
namespace {

using Random = std::mt19937_64;

struct Read {
    bool good = false;
    std::ptrdiff_t size = 0;
    Encoded encoded;
};

class Both {
public:
    explicit Both(const Codec& codec) : codec_(codec) {
        expressions_.registers = &codec;
        expressions_.stable_text = false;  // symbols are called as in texts that are gone
        expressions_.syntax.use(codec.isa().surface);
    }

    // Empty where both read the text alike.
    std::string difference(const std::string& text, unsigned skip) {
        const Read quick = read(text, skip, false), thorough = read(text, skip, true);
        if (!quick.good) {
            refused_ += thorough.good;
            return "";
        }
        if (!thorough.good) return "only the quick one reads it";
        ++read_;
        const Encoded &a = quick.encoded, &b = thorough.encoded;
        if (a.form != b.form) return "another form";
        if (quick.size != thorough.size) return "another end";
        if (a.bits != b.bits || a.image != b.image) return "other bits";
        if (a.deferred_count != b.deferred_count) return "other numbers wait";
        for (unsigned i = 0; i < a.deferred_count; ++i) {
            const Deferred &one = a.deferred[i], &other = b.deferred[i];
            if (one.type != other.type || one.piece_count != other.piece_count || one.range != other.range ||
                one.pieces[0].position != other.pieces[0].position)
                return "a number waits elsewhere";
        }
        return "";
    }
    unsigned were_read() const { return read_; }
    unsigned were_refused() const { return refused_; }

private:
    Read read(const std::string& text, unsigned skip, bool thorough) {
        expressions_.clear_operands();
        expressions_.forget_nodes(0);
        Read out;
        const char* cursor = text.c_str();
        codec::Reader reader(codec_.isa(), codec_.tables_so_far(), expressions_, cursor, cursor + text.size(), 0x1000,
                             thorough);
        out.good = reader.statement(cursor, out.encoded, [&](const Encoded&, const char*) { return skip-- == 0; });
        while (cursor != text.c_str() && cursor[-1] == ' ') --cursor;
        out.size = cursor - text.c_str();
        return out;
    }

    const Codec& codec_;
    assembler::SymbolTable symbols_;
    assembler::NoSections sections_;
    assembler::Expressions expressions_{symbols_, sections_};
    unsigned read_ = 0, refused_ = 0;
};

// Another text of the like: a character less, more or changed, a blank, or an operand of another statement.
void change(std::string& text, const std::string& other, Random& random) {
    static const std::string characters = " ,-|()[]:+.#v0s1xn";
    const std::size_t at = random() % (text.size() + 1);
    switch (random() % 5) {
        case 0: text.erase(at, 1); break;
        case 1: text.insert(at, 1, characters[random() % characters.size()]); break;
        case 2: text.replace(at, 1, 1, characters[random() % characters.size()]); break;
        case 3: {
            const std::size_t mark = std::min(text.find(',', at), text.size());
            text.insert(mark, " ");
            break;
        }
        default: {
            const auto piece = [&](const std::string& of) {
                const std::size_t from = of.find_first_of(" ,", random() % (of.size() + 1));
                const std::size_t begin = from == std::string::npos ? of.size() : of.find_first_not_of(" ,", from);
                const std::size_t end = std::min(of.find_first_of(" ,", std::min(begin, of.size())), of.size());
                return std::pair(std::min(begin, of.size()), end);
            };
            const auto [begin, end] = piece(text);
            const auto [from, to] = piece(other);
            text.replace(begin, end - begin, other.substr(from, to - from));
        }
    }
}

class QuickReading : public ::testing::TestWithParam<const char*> {};

TEST_P(QuickReading, IsThoroughReading) {
    SourceManager sources;
    Diagnostics diagnostics;
    const auto isa = load_isa(GetParam(), sources, diagnostics, {.meanings = false});
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    const Codec codec(isa);
    Both both(codec);
    Random random(5);
    Sampler printed(codec, 1), others(codec, 2, SampledText::other);
    std::string before = "nop";
    unsigned different = 0, tried = 0;
    for (unsigned turn = 0; turn < 8000; ++turn) {
        Sampled sampled;
        Sampler& sampler = turn % 2 == 0 ? printed : others;
        if (!sampler.statement(static_cast<Index>(random() % isa->forms.size()), 0, sampled)) continue;
        std::string text(sampled.view());
        for (unsigned changes = 0; changes < 5 && different < 10; ++changes) {
            for (unsigned skip = 0; skip < 2; ++skip) {
                const std::string wrong = both.difference(text, skip);
                ++tried;
                if (wrong.empty()) continue;
                ++different;
                ADD_FAILURE() << "`" << text << "`, " << skip << ": " << wrong;
            }
            change(text, before, random);
        }
        before = sampled.view();
    }
    EXPECT_GT(tried, 30'000u);
    EXPECT_GT(both.were_read(), tried / 8);
    EXPECT_LT(both.were_refused(), tried / 500);
}

INSTANTIATE_TEST_SUITE_P(Machines, QuickReading,
                         ::testing::Values("gcn1.0", "gcn1.2", "gcn1.4", "fabrisc-2022-05-15", "rv64gc", "msp430",
                                           "mos6502", "wishbone-gpu", "bpf"),
                         [](const auto& test) {
                             std::string name = test.param;
                             for (char& c : name)
                                 if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
                             return name;
                         });

}  // namespace
}  // namespace isaforge::test
