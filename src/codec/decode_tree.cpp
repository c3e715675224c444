#include "codec/decode_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

namespace isaforge::codec {

namespace {

constexpr unsigned widest_choice = 10;  // bits of one decision
constexpr unsigned most_free = 3;       // of them those that a form does not fix: it is in all children that these choose
constexpr unsigned deepest_tree = 48;

unsigned mask_bits(const Form& form) {
    unsigned count = 0;
    for (const std::uint64_t word : form.mask.words) count += static_cast<unsigned>(std::popcount(word));
    return count;
}

// Bits that choose, and how good they are: the less, the better.
struct Choice {
    unsigned position = 0, width = 0;
    // How many forms an instruction of one of them may still be of, on average.
    double left = std::numeric_limits<double>::infinity();
    double cost = std::numeric_limits<double>::infinity();
};

// The values that the bits `all` at `position`, which do not cross a word, have in instructions of the form.
template <typename Visit>
void for_each_choice(const Form& form, unsigned position, std::uint64_t all, Visit&& visit) {
    const std::uint64_t mask = form.mask.words[position / 64] >> position % 64 & all;
    const std::uint64_t value = form.value.words[position / 64] >> position % 64 & mask, free = all & ~mask;
    for (std::uint64_t bits = free;; bits = (bits - 1) & free) {
        visit(value | bits);
        if (bits == 0) break;
    }
}

class Planter {
public:
    explicit Planter(const Isa& isa) : isa_(isa) {}

    DecodeTree run() {
        std::vector<Index> forms;
        for (Index i = 0; i < isa_.forms.size(); ++i) {
            if (!isa_.forms[i].alias) forms.push_back(i);
        }
        out_.begins = {0, 0};
        out_.nodes.resize(1);
        out_.nodes[0] = node(std::move(forms), {}, 0);
        return std::move(out_);
    }

private:
    // Forms that lie across one another belong to ever more leaves: there is an end to that.
    bool is_large() const {
        constexpr std::size_t usual = 4096, of_a_form = 16;
        return out_.nodes.size() + out_.forms.size() > usual + of_a_form * isa_.forms.size();
    }

    DecodeTree::Node leaf(std::vector<Index> forms) {
        if (forms.empty()) return {};
        std::stable_sort(forms.begin(), forms.end(),
                         [&](Index a, Index b) { return mask_bits(isa_.forms[a]) > mask_bits(isa_.forms[b]); });
        const auto number = static_cast<std::uint32_t>(out_.leaves());
        out_.forms.insert(out_.forms.end(), forms.begin(), forms.end());
        out_.begins.push_back(static_cast<std::uint32_t>(out_.forms.size()));
        return {number, 0, 0, 0};
    }

    // What is left of the forms when these bits choose.
    Choice rated(const std::vector<Index>& forms, unsigned position, unsigned width) {
        constexpr double cost_of_bit = 0.01;
        const std::uint64_t all = low_bits(width);
        const auto weight_of = [&](const Form& form) {
            const std::uint64_t fixed = form.mask.words[position / 64] >> position % 64 & all;
            return 1.0 / static_cast<double>(std::uint64_t{1} << (width - std::popcount(fixed)));
        };
        for (const Index index : forms)
            for_each_choice(isa_.forms[index], position, all, [&](std::uint64_t choice) { ++counts_[choice]; });
        double left = 0;
        for (const Index index : forms) {
            std::uint64_t seen = 0;
            for_each_choice(isa_.forms[index], position, all, [&](std::uint64_t choice) { seen += counts_[choice]; });
            left += weight_of(isa_.forms[index]) * static_cast<double>(seen);
        }
        for (const Index index : forms)
            for_each_choice(isa_.forms[index], position, all, [&](std::uint64_t choice) { counts_[choice] = 0; });
        left /= static_cast<double>(forms.size());
        return {position, width, left, std::log2(left) + cost_of_bit * width};
    }

    // Few bits that leave few forms.
    Choice best_choice(const std::vector<Index>& forms, const Image& tested) {
        unsigned bits_of_all = 0;
        Image any;                 // the bits that a form fixes
        std::vector<Image> masks;  // of which each once
        for (const Index index : forms) {
            const Form& form = isa_.forms[index];
            bits_of_all = std::max(bits_of_all, form.bits);
            for (std::size_t w = 0; w < any.words.size(); ++w) any.words[w] |= form.mask.words[w];
            if (std::ranges::find(masks, form.mask) == masks.end()) masks.push_back(form.mask);
        }
        const unsigned widest = std::min<unsigned>(widest_choice, std::bit_width(forms.size()) + most_free);
        Choice best;
        for (unsigned position = 0; position < bits_of_all; ++position) {
            const auto at = [&](const Image& bits) { return bits.words[position / 64] >> position % 64; };
            const std::uint64_t useful = at(any) & ~at(tested);
            auto width = std::min<unsigned>(widest, static_cast<unsigned>(std::countr_one(useful)));
            const auto is_fixed = [&](const Image& mask) {
                return static_cast<unsigned>(std::popcount(at(mask) & low_bits(width))) + most_free >= width;
            };
            while (width > 1 && !std::ranges::all_of(masks, is_fixed)) --width;
            if (width == 0) continue;
            const Choice one = rated(forms, position, width);
            if (one.cost < best.cost) best = one;
        }
        // Bits on top that tell nothing are left out.
        while (best.width > 1) {
            const Choice narrower = rated(forms, best.position, best.width - 1);
            if (!(narrower.cost < best.cost)) break;
            best = narrower;
        }
        return best;
    }

    DecodeTree::Node node(std::vector<Index> forms, Image tested, unsigned depth) {
        constexpr std::size_t few = 3;      // that are sooner looked at than told apart
        constexpr double worth_while = 0.9;  // of them that may be left
        if (forms.size() <= few || depth > deepest_tree || is_large()) return leaf(std::move(forms));
        const Choice best = best_choice(forms, tested);
        if (!(best.left < worth_while * static_cast<double>(forms.size()))) return leaf(std::move(forms));
        for (unsigned i = 0; i < best.width; ++i) tested.set(best.position + i, 1, 1);
        const std::size_t count = std::size_t{1} << best.width;
        const auto first = static_cast<std::uint32_t>(out_.nodes.size());
        out_.nodes.resize(first + count);
        std::vector<std::vector<Index>> split(count);
        for (const Index index : forms) {
            for_each_choice(isa_.forms[index], best.position, low_bits(best.width),
                            [&](std::uint64_t choice) { split[choice].push_back(index); });
        }
        std::map<std::vector<Index>, DecodeTree::Node> made;  // children that hold the same forms are one
        for (std::uint64_t i = 0; i < count; ++i) {
            std::vector<Index>& child = split[i];
            const auto known = made.find(child);
            const DecodeTree::Node below = known != made.end() ? known->second : node(child, tested, depth + 1);
            made.emplace(std::move(child), below);
            out_.nodes[first + i] = below;
        }
        return {first, static_cast<std::uint16_t>(low_bits(best.width)), static_cast<std::uint8_t>(best.position / 64),
                static_cast<std::uint8_t>(best.position % 64)};
    }

    const Isa& isa_;
    DecodeTree out_;
    std::array<std::uint32_t, std::size_t{1} << widest_choice> counts_{};  // of a choice's forms
};

}  // namespace

DecodeTree decode_tree(const Isa& isa) { return Planter(isa).run(); }

}  // namespace isaforge::codec
