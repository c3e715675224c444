// Statements that were read, by their shape: the text with marks in place of numbers. One that differs from an earlier one
// only in numbers for which all would have been decided the same way is put together from what that one gave, without
// being read. Compilers write a thousand shapes over and over; a walk over the text and one lookup is all that such a
// line costs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codec/tables.hpp"
#include "codec/trace.hpp"

namespace isaforge {

struct StatementMemory::Store {
    Store(const Isa& isa, const Codec::Tables& tables, bool patient);

    // Makes `shape` of the statement at `cursor`. False where it holds what shapes cannot say.
    bool scan(const char* cursor, const char* end);
    // Encodes the statement whose shape was made last, if a like one is known.
    bool recall(Encoded& out);
    // Whether to look closely at how that statement is read: one like it was there before.
    bool worth_learning();
    // Keeps what the reading of that statement found.
    void learn(const char* end, const Encoded& encoded);

    codec::Shape shape;
    codec::Trace trace;
    // How the last statement was read.
    enum class Way : std::uint8_t { plain, traced, recalled } way = Way::plain;

private:
    static constexpr std::size_t most_shapes = 1 << 15;
    static constexpr std::size_t most_variants = 1 << 16;
    static constexpr unsigned most_alike = 8;      // variants with the same numbers where these are fixed
    static constexpr std::size_t most_seen = 1 << 13;
    static constexpr unsigned window = 2048;       // statements between two looks at whether all this is worth it

    // One way to read a shape, and the values of its numbers for which it is read so.
    struct Variant {
        Image image;                    // where all numbers put zeros
        Index form = no_index;
        unsigned bits = 0;
        std::uint32_t guards = 0, links = 0, puts = 0;  // where they begin
        std::uint8_t link_count = 0, put_count = 0;
        std::uint32_t next = 0;         // variants_ + 1; 0: none
    };
    // Those of one shape with the same values of the numbers that matter one by one.
    struct Chain {
        std::uint32_t shape = 0;        // shapes_
        std::uint32_t count = 0;
        std::uint32_t first = 0;        // variants_ + 1
    };
    struct Known {
        std::uint32_t text = 0;         // texts_
        std::uint16_t size = 0;
        std::uint16_t fixed = 0;        // a bit for each number of which only one value is known to be read the same way
    };
    // Indices by hash, with open addressing.
    class Slots {
    public:
        // Calls `fits(index)` for those with this hash, until it says yes; that one, or no_index.
        template <typename Fits>
        Index find(std::uint64_t hash, Fits&& fits) const {
            const std::size_t mask = slots_.size() - 1;
            for (std::size_t at = hash & mask; slots_[at].index != no_index; at = (at + 1) & mask) {
                if (slots_[at].hash == hash && fits(slots_[at].index)) return slots_[at].index;
            }
            return no_index;
        }
        void add(std::uint64_t hash, Index index);

    private:
        struct Slot {
            std::uint64_t hash = 0;
            Index index = no_index;
        };

        std::vector<Slot> slots_ = std::vector<Slot>(256);
        std::size_t count_ = 0;
    };

    enum class Kind : std::uint8_t { other, digit, letter, blank, ender, unfit };

    std::uint64_t hash() const;
    Index find() const;
    std::uint64_t chain_hash(Index shape) const;
    Index find_chain(Index shape, std::uint64_t hash) const;
    bool fits(const Variant& variant) const;
    void encode(const Variant& variant, Encoded& out) const;
    bool written_number(const char*& p, const char* end, bool in_word);
    Index add_shape();
    Chain& chain_of(Index shape);
    void watch(bool found);

    const Isa& isa_;
    const Codec::Tables& tables_;
    const bool patient_;
    std::array<Kind, 256> kind_{};
    std::uint64_t hash_ = 0;            // of the shape
    std::vector<std::uint32_t> seen_;   // parts of the hashes of shapes that were there once
    unsigned tried_ = 0, found_ = 0;    // in this window
    unsigned pause_ = 0;                // statements to let pass
    Slots shape_slots_, chain_slots_;
    std::vector<Known> shapes_;
    std::vector<Chain> chains_;
    std::vector<Variant> variants_;
    std::vector<codec::Guard> guards_;
    std::vector<codec::Link> links_;
    std::vector<codec::Put> puts_;
    std::string texts_;
};

}  // namespace isaforge
