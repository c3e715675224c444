#include "codec/decode_tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace isaforge::codec {

namespace {

constexpr unsigned widest_choice = 8;  // bits of one decision
constexpr unsigned deepest_tree = 48;

unsigned mask_bits(const Form& form) {
    unsigned count = 0;
    for (const std::uint64_t word : form.mask.words) count += static_cast<unsigned>(std::popcount(word));
    return count;
}

struct Choice {
    unsigned position = 0, width = 0;
    std::size_t largest = ~std::size_t{0};
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

// How large the largest child becomes when `width` bits at `position` choose.
std::size_t largest_child(const Isa& isa, const std::vector<Index>& forms, unsigned position, unsigned width) {
    std::array<std::size_t, std::size_t{1} << widest_choice> counts{};
    const std::uint64_t all = low_bits(width);
    for (const Index index : forms)
        for_each_choice(isa.forms[index], position, all, [&](std::uint64_t choice) { ++counts[choice]; });
    return *std::max_element(counts.begin(), counts.begin() + (std::size_t{1} << width));
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
    DecodeTree::Node leaf(std::vector<Index> forms) {
        if (forms.empty()) return {};
        std::stable_sort(forms.begin(), forms.end(),
                         [&](Index a, Index b) { return mask_bits(isa_.forms[a]) > mask_bits(isa_.forms[b]); });
        const auto number = static_cast<std::uint32_t>(out_.leaves());
        out_.forms.insert(out_.forms.end(), forms.begin(), forms.end());
        out_.begins.push_back(static_cast<std::uint32_t>(out_.forms.size()));
        return {number, 0, 0, 0};
    }

    // Few bits that make the largest child as small as can be; bits of all forms are better than those of some.
    Choice best_choice(const std::vector<Index>& forms, const Image& tested) const {
        unsigned bits_of_all = 0;
        for (const Index index : forms) bits_of_all = std::max(bits_of_all, isa_.forms[index].bits);
        const unsigned words = (bits_of_all + 63) / 64;
        Image common, any;
        std::fill_n(common.words.begin(), words, ~std::uint64_t{0});
        for (const Index index : forms) {
            for (std::size_t w = 0; w < words; ++w) {
                common.words[w] &= isa_.forms[index].mask.words[w];
                any.words[w] |= isa_.forms[index].mask.words[w];
            }
        }
        Choice best;
        const auto consider = [&](const Image& bits, unsigned widest) {
            for (unsigned position = 0; position < 64 * words; ++position) {
                const std::uint64_t usable =
                    (bits.words[position / 64] & ~tested.words[position / 64]) >> position % 64;
                const unsigned width = std::min<unsigned>(widest, static_cast<unsigned>(std::countr_one(usable)));
                if (width == 0) continue;
                const std::size_t largest = largest_child(isa_, forms, position, width);
                if (largest < best.largest || (largest == best.largest && width < best.width))
                    best = {position, width, largest};
            }
        };
        consider(common, widest_choice);
        if (best.largest >= forms.size()) consider(any, 1);
        return best;
    }

    DecodeTree::Node node(std::vector<Index> forms, Image tested, unsigned depth) {
        if (forms.size() <= 1 || depth > deepest_tree) return leaf(std::move(forms));
        const Choice best = best_choice(forms, tested);
        if (best.largest >= forms.size()) return leaf(std::move(forms));
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
};

}  // namespace

DecodeTree decode_tree(const Isa& isa) { return Planter(isa).run(); }

}  // namespace isaforge::codec
