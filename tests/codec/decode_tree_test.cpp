// A leaf of the tree by which instructions are decoded holds every form that a word on its way there may be of.
#include "codec/decode_tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "isaforge/isa.hpp"

namespace isaforge::test {
namespace {

std::span<const Index> leaf_of(const DecodeTree& tree, const Image& image) {
    DecodeTree::Node node = tree.nodes[0];
    while (!node.is_leaf()) node = node.child(tree.nodes.data(), image.words[node.word]);
    return tree.forms_of(node.first);
}

bool fits(const Form& form, const Image& image) { return !form.alias && (image & form.mask) == form.value; }

class DecodeTrees : public testing::TestWithParam<const char*> {};

// Words of each form, and any.
TEST_P(DecodeTrees, FindAllFormsOfAWord) {
    SourceManager sources;
    Diagnostics diagnostics;
    const std::shared_ptr<const Isa> isa = load_isa(GetParam(), sources, diagnostics);
    ASSERT_TRUE(isa) << to_text(diagnostics, sources);
    const DecodeTree tree = codec::decode_tree(*isa);
    std::mt19937_64 random(1);
    std::size_t looked_at = 0;
    for (const Form& chosen : isa->forms) {
        for (const bool any : {false, true}) {
            Image image;
            for (std::size_t w = 0; w < image.words.size(); ++w) {
                const std::uint64_t fixed = any ? 0 : chosen.mask.words[w];
                image.words[w] = (random() & ~fixed) | (chosen.value.words[w] & fixed);
            }
            const std::span<const Index> leaf = leaf_of(tree, image);
            looked_at += leaf.size();
            for (Index form = 0; form < isa->forms.size(); ++form) {
                const bool is_there = std::ranges::find(leaf, form) != leaf.end();
                ASSERT_TRUE(is_there || !fits(isa->forms[form], image)) << form;
            }
        }
    }
    EXPECT_LT(looked_at, 4 * isa->forms.size());  // of each word hardly more than one
}

INSTANTIATE_TEST_SUITE_P(BuiltIn, DecodeTrees,
                         testing::Values("gcn1.2", "fabrisc-2022-05-15", "rv64gc", "mos6502", "msp430", "bpf",
                                         "wishbone-gpu"));

std::shared_ptr<Isa> with_forms(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& masks_and_values) {
    auto isa = std::make_shared<Isa>();
    std::vector<Form> forms;
    for (const auto& [mask, value] : masks_and_values) {
        Form& form = forms.emplace_back();
        form.bits = 64;
        form.mask.words[0] = mask;
        form.value.words[0] = value;
    }
    for (Form& form : forms) isa->forms.push_back(std::move(form));
    return isa;
}

// As of a description with errors.
TEST(DecodeTree, HoldsFormsThatNothingTellsApart) {
    const std::shared_ptr<Isa> isa = with_forms({{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}});
    EXPECT_EQ(leaf_of(codec::decode_tree(*isa), {}).size(), 5u);
    const std::shared_ptr<Isa> none = with_forms({});
    EXPECT_TRUE(leaf_of(codec::decode_tree(*none), {}).empty());
}

// Each of them fixes a bit of its own, so that no choice keeps them apart; and none of the pairs of the second kind.
TEST(DecodeTree, EndsWhereFormsLieAcrossOneAnother) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> one_bit, pairs;
    for (unsigned bit = 0; bit < 64; ++bit) {
        one_bit.emplace_back(std::uint64_t{1} << bit, std::uint64_t{1} << bit);
        pairs.emplace_back(std::uint64_t{1} << bit, 0);
        pairs.emplace_back(std::uint64_t{1} << bit, std::uint64_t{1} << bit);
    }
    for (const auto& forms : {one_bit, pairs}) {
        const std::shared_ptr<Isa> isa = with_forms(forms);
        const DecodeTree tree = codec::decode_tree(*isa);
        EXPECT_LT(tree.nodes.size(), 100'000u);
        std::mt19937_64 random(1);
        for (int i = 0; i < 1000; ++i) {
            const Image image{{random()}};
            const std::span<const Index> leaf = leaf_of(tree, image);
            for (Index form = 0; form < isa->forms.size(); ++form)
                ASSERT_TRUE(std::ranges::find(leaf, form) != leaf.end() || !fits(isa->forms[form], image));
        }
    }
}

}  // namespace
}  // namespace isaforge::test
