// All fixed texts of an operand in one tree, so that reading a register or a named constant is a walk over its letters.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace isaforge::codec {

class Trie {
public:
    static constexpr std::uint32_t none = ~std::uint32_t{0};

    explicit Trie(bool case_insensitive = false);

    // Adds a text for `value`. The first to claim a text keeps it.
    void add(std::string_view text, std::uint32_t value);
    bool empty() const { return nodes_.size() == 1 && nodes_[0].value == none; }
    std::size_t size() const { return nodes_.size(); }

    // Whether some text begins with this character.
    bool may_begin(char c) const { return edges_[letters_[static_cast<unsigned char>(c)]].child != 0; }

    // Flattens the tree for reading; nothing may be added afterwards.
    void freeze();

    // The value of the longest text at `cursor` that does not end inside a word (unless what follows is glued to it), and the
    // cursor behind it; `none`, cursor unmoved, where no text fits.
    std::uint32_t match(const char*& cursor, const char* end, bool glued) const {
        std::uint32_t node = 0, best = empty_text_;
        const char* best_end = cursor;
        for (const char* p = cursor;;) {
            if (p == end) break;
            const std::uint8_t letter = letters_[static_cast<unsigned char>(*p)];
            if (letter == 0) break;
            const Edge edge = edges_[node + letter];
            if (edge.child == 0) break;
            node = edge.child;
            ++p;
            if (edge.value != none &&
                (glued || p == end ||
                 !(word_[static_cast<unsigned char>(*p)] && word_[static_cast<unsigned char>(p[-1])]))) {
                best = edge.value;
                best_end = p;
            }
        }
        cursor = best_end;
        return best;
    }

private:
    struct Node {
        std::uint32_t value = none;
        std::vector<std::pair<char, std::uint32_t>> next;
    };
    bool case_insensitive_;
    std::vector<Node> nodes_;
    std::array<std::uint8_t, 256> letters_{};  // letter classes; 0: a letter that no text has
    std::array<bool, 256> word_{};

    // What a letter leads to: where the child's edges begin, 0 for no child, and the value of the text that ends there, so
    // that a step takes one look.
    struct Edge {
        std::uint32_t child = 0;
        std::uint32_t value = none;
    };
    std::vector<Edge> edges_{1};
    std::uint32_t empty_text_ = none;
};

}  // namespace isaforge::codec
