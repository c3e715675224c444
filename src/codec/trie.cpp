#include "codec/trie.hpp"

#include <cctype>

namespace isaforge::codec {

Trie::Trie(bool case_insensitive) : case_insensitive_(case_insensitive), nodes_(1) {
    for (int c = 0; c < 256; ++c) word_[static_cast<std::size_t>(c)] = std::isalnum(c) || c == '_';
}

void Trie::add(std::string_view text, std::uint32_t value) {
    std::uint32_t node = 0;
    for (char c : text) {
        if (case_insensitive_) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        std::uint32_t child = 0;
        for (const auto& [letter, target] : nodes_[node].next) {
            if (letter == c) child = target;
        }
        if (child == 0) {
            child = static_cast<std::uint32_t>(nodes_.size());
            nodes_[node].next.emplace_back(c, child);
            nodes_.emplace_back();
        }
        node = child;
    }
    if (nodes_[node].value == none) nodes_[node].value = value;
}

void Trie::freeze() {
    std::uint8_t classes = 0;
    for (const Node& node : nodes_) {
        for (const auto& [letter, target] : node.next) {
            std::uint8_t& known = letters_[static_cast<unsigned char>(letter)];
            if (known == 0) known = ++classes;
        }
    }
    if (case_insensitive_) {
        for (int c = 'A'; c <= 'Z'; ++c)
            letters_[static_cast<std::size_t>(c)] = letters_[static_cast<std::size_t>(std::tolower(c))];
    }
    const std::uint32_t width = classes + 1u;
    edges_.assign(nodes_.size() * width, {});
    empty_text_ = nodes_[0].value;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        for (const auto& [letter, target] : nodes_[i].next)
            edges_[i * width + letters_[static_cast<unsigned char>(letter)]] = {target * width, nodes_[target].value};
    }
}

}  // namespace isaforge::codec
