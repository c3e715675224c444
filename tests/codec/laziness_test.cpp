// A codec builds its tables when they are first needed. Whoever needs them first, in whatever order and on however many
// threads, everyone gets what a codec says that was complete before it was asked anything.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "codec/plain_reader.hpp"
#include "codec/tables.hpp"
#include "isaforge/codec.hpp"
#include "isaforge/sample.hpp"

namespace isaforge::test {
namespace {

struct Said {
    Image image;
    unsigned bits = 0;
    std::string text;           // as it is printed
    Index form = no_index;      // as it decodes
    Index read_form = no_index; // as its text is read
    Image read;
    std::string failure;        // where it is not
};

// What `codec` says about a word and its text, asked in one of several orders.
Said ask(const Codec& codec, const Image& image, unsigned bits, const std::string& text, unsigned order) {
    Said out;
    out.image = image;
    out.bits = bits;
    for (unsigned turn = 0; turn < 2; ++turn) {
        if ((turn + order) % 2 == 0) {
            unsigned length = 0;
            char line[Codec::max_text];
            out.form = codec.decode(image, bits, length);
            if (out.form != no_index) out.text.assign(line, codec.print(line, out.form, image, length, 0));
        } else {
            PlainReader reader;
            Encoded encoded;
            ReadFailure failure;
            const char* cursor = text.data();
            if (codec.assemble(cursor, text.data() + text.size(), 0, reader, encoded, failure)) {
                out.read = encoded.image;
                out.read_form = encoded.form;
            } else {
                out.failure = failure.message + "|" + failure.suggestion;
            }
        }
    }
    return out;
}

void expect_same(const Said& wanted, const Said& got) {
    EXPECT_EQ(wanted.form, got.form) << wanted.text;
    EXPECT_EQ(wanted.text, got.text);
    EXPECT_EQ(wanted.read_form, got.read_form) << wanted.text;
    EXPECT_EQ(wanted.read, got.read) << wanted.text;
    EXPECT_EQ(wanted.failure, got.failure) << wanted.text;
}

class Laziness : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        Diagnostics diagnostics;
        isa_ = load_isa(GetParam(), sources_, diagnostics);
        ASSERT_TRUE(isa_) << to_text(diagnostics, sources_);
        const Codec whole(isa_);
        whole.tables();
        Sampler sampler(whole, 7);
        Sampled sampled;
        for (Index form = 0; form < isa_->forms.size(); form += isa_->forms.size() / 600 + 1) {
            if (!sampler.statement(form, 0, sampled)) continue;
            std::string text(sampled.view());
            if (form % 16 == 5) text += " ,";  // messages look at more of the tables than what is right does
            texts_.push_back(text);
            said_.push_back(ask(whole, sampled.image, sampled.bits, text, 0));
        }
        ASSERT_GT(said_.size(), 50u);
    }

    // Asks about everything, in an order of its own.
    void ask_all(const Codec& codec, unsigned seed) {
        std::vector<std::size_t> order(said_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::shuffle(order.begin(), order.end(), std::mt19937(seed));
        for (const std::size_t i : order) {
            expect_same(said_[i], ask(codec, said_[i].image, said_[i].bits, texts_[i], seed));
            if (HasFailure()) return;
        }
    }

    SourceManager sources_;
    std::shared_ptr<const Isa> isa_;
    std::vector<Said> said_;
    std::vector<std::string> texts_;
};

TEST_P(Laziness, the_order_of_questions_does_not_matter) {
    for (unsigned seed = 0; seed < 2; ++seed) {
        const Codec codec(isa_);
        ask_all(codec, seed);
    }
}

TEST_P(Laziness, one_question_is_answered_by_a_fresh_codec) {
    for (std::size_t i = 0; i < said_.size(); i += said_.size() / 20 + 1) {
        const Codec codec(isa_);
        expect_same(said_[i], ask(codec, said_[i].image, said_[i].bits, texts_[i], static_cast<unsigned>(i)));
        EXPECT_FALSE(codec.tables_so_far().whole);
    }
}

TEST_P(Laziness, threads_may_be_the_first_together) {
    constexpr unsigned count = 6;
    for (unsigned round = 0; round < 4; ++round) {
        const Codec codec(isa_);
        std::atomic<unsigned> waiting = count;
        std::vector<std::thread> threads;
        for (unsigned t = 0; t < count; ++t) {
            threads.emplace_back([&, t] {
                --waiting;
                while (waiting != 0) std::this_thread::yield();
                if (t == count - 1 && round % 2 == 1) codec.tables();
                ask_all(codec, round * count + t);
            });
        }
        for (std::thread& thread : threads) thread.join();
    }
}

INSTANTIATE_TEST_SUITE_P(Codec, Laziness, ::testing::Values("gcn1.2", "gcn1.0", "wishbone-gpu", "fabrisc-2022-05-15"),
                         [](const auto& each) {
                             std::string name = each.param;
                             std::replace_if(
                                 name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
                             return name;
                         });

}  // namespace
}  // namespace isaforge::test
