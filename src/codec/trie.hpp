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
    bool may_begin(char c) const { return next_[letters_[static_cast<unsigned char>(c)]] != 0; }

    // Flattens the tree for reading; nothing may be added afterwards.
    void freeze();

    // The value of the longest text at `cursor` that does not end inside a word (unless what follows is glued to it), and the
    // cursor behind it; `none`, cursor unmoved, where no text fits.
    std::uint32_t match(const char*& cursor, const char* end, bool glued) const {
        std::uint32_t node = 0, best = value_[0];
        const char* best_end = cursor;
        for (const char* p = cursor;;) {
            if (p == end) break;
            const std::uint8_t letter = letters_[static_cast<unsigned char>(*p)];
            if (letter == 0) break;
            node = next_[node * width_ + letter];
            if (node == 0) break;
            ++p;
            if (value_[node] != none &&
                (glued || p == end ||
                 !(word_[static_cast<unsigned char>(*p)] && word_[static_cast<unsigned char>(p[-1])]))) {
                best = value_[node];
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
    std::uint32_t width_ = 1;
    std::vector<std::uint32_t> next_{0};
    std::vector<std::uint32_t> value_{none};
};

}  // namespace isaforge::codec
