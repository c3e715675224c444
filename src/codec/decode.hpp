// From bits to a form, for those who decode much: what most instructions take is in line.
#pragma once

#include "codec/tables.hpp"

namespace isaforge::codec {

// The form of the instruction, from this leaf on. With `why`, finds what breaks a rule instead, and says which; else leaves its
// length in `bits`.
Index find_form(const Isa& isa, const Codec::Tables& tables, const Image& image, unsigned available,
                const DecodeLeaf& first, unsigned& bits, std::string* why);

// Whether operands together break a rule that each of them keeps. `why` may be null.
bool breaks_limit(const Isa& isa, const Codec::Tables& tables, Index form, const Image& image, std::string* why);

class Decoder {
public:
    Decoder(const Isa& isa, const Codec::Tables& tables)
        : isa_(isa), tables_(tables), nodes_(tables.need_tree().nodes.data()) {}

    // See Codec::decode.
    Index decode(const Image& image, unsigned available, unsigned& bits) const {
        const DecodeLeaf* const found = find(image.words[0]);
        if (found && found->bits <= available && keeps_limits(*found, image)) [[likely]] {
            bits = found->bits;
            return found->form;
        }
        return find_form(isa_, tables_, image, available, leaf(image), bits, nullptr);
    }

    // What the first word alone says that the instruction is, if there are as many bits and it keeps its limits; null where more
    // has to be looked at.
    const DecodeLeaf* find(std::uint64_t word) const {
        DecodeTree::Node node = *nodes_;
        while (!node.is_leaf()) {
            if (node.word != 0) [[unlikely]]
                return nullptr;
            node = node.child(nodes_, word);
        }
        for (const DecodeLeaf* leaf = &tables_.need_leaf(node.first);; ++leaf) {
            const Seen seen = (word & leaf->mask) == leaf->value ? leaf->look(word) : Seen::other;
            if (seen == Seen::certain) [[likely]]
                return leaf;
            if (seen == Seen::open || leaf->last) return nullptr;
        }
    }
    bool keeps_limits(const DecodeLeaf& found, const Image& image) const {
        return !found.limited || !breaks_limit(isa_, tables_, found.form, image, nullptr);
    }

    const DecodeLeaf& leaf(const Image& image) const {
        DecodeTree::Node node = *nodes_;
        while (!node.is_leaf()) node = node.child(nodes_, image.words[node.word]);
        return tables_.need_leaf(node.first);
    }

private:
    const Isa& isa_;
    const Codec::Tables& tables_;
    const DecodeTree::Node* nodes_;
};

}  // namespace isaforge::codec
