// From bits to a form, for those who decode much: what most instructions take is in line.
#pragma once

#include "codec/tables.hpp"

namespace isaforge::codec {

// The form of the instruction, from this leaf on. With `why`, finds what breaks a rule instead, and says which; else leaves its
// length in `bits`.
Index find_form(const Isa& isa, const Codec::Tables& tables, const Image& image, unsigned available,
                const DecodeLeaf& first, unsigned& bits, std::string* why);

class Decoder {
public:
    Decoder(const Isa& isa, const Codec::Tables& tables)
        : isa_(isa), tables_(tables), nodes_(tables.need_tree().nodes.data()) {}

    // See Codec::decode.
    Index decode(const Image& image, unsigned available, unsigned& bits) const {
        const DecodeLeaf* leaf = &this->leaf(image);
        for (;; ++leaf) {
            const Seen seen = leaf->may_be(image, available) ? leaf->look(image.words[0]) : Seen::other;
            if (seen == Seen::certain && !(leaf->limited && tables_.forms[leaf->form].broken_limit(image))) [[likely]] {
                bits = leaf->bits;
                return leaf->form;
            }
            if (seen != Seen::other || leaf->last)
                return find_form(isa_, tables_, image, available, *leaf, bits, nullptr);
        }
    }

    const DecodeLeaf& leaf(const Image& image) const {
        // Where each step waits for the one before, the detour over memory that choosing a word is would be half of the time.
        const std::uint64_t first = image.words[0];
        DecodeTree::Node node = *nodes_;
        while (!node.is_leaf()) {
            std::uint64_t word = first;
            if (node.word != 0) [[unlikely]]
                word = image.words[node.word];
            node = node.child(nodes_, word);
        }
        return tables_.need_leaf(node.first);
    }

private:
    const Isa& isa_;
    const Codec::Tables& tables_;
    const DecodeTree::Node* nodes_;
};

}  // namespace isaforge::codec
