// A hart's transaction: what it has written and not yet published, what it has read, and how its registers were when each
// of its nested parts began.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "isaforge/isa.hpp"

namespace isaforge::machine {

class Transaction {
public:
    static constexpr unsigned max_depth = 256;
    static constexpr std::size_t max_words = 16384;

    // What the innermost part goes back to.
    struct Checkpoint {
        std::uint64_t pc = 0;
        std::vector<std::byte> registers;
        std::size_t undo = 0, reads = 0;
        std::uint64_t serial = 0;           // later parts have higher ones
    };
    // Eight bytes of a memory, by the first one's address.
    struct Place {
        Index space = 0;
        std::uint64_t address = 0;
        bool operator==(const Place&) const = default;
    };
    // What is to lie there, of which the bytes in `mask` are written.
    struct Word {
        std::uint64_t bytes = 0;
        std::uint8_t mask = 0;
        std::uint64_t serial = 0;           // of the part that has logged it last
    };
    struct HashOfPlace {
        std::size_t operator()(const Place& place) const {
            return static_cast<std::size_t>(place.address / 8 ^ std::uint64_t{place.space} << 56);
        }
    };
    using Words = std::unordered_map<Place, Word, HashOfPlace>;
    struct Read {
        std::uint32_t stripe;
        std::uint64_t version;
    };

    unsigned depth() const { return static_cast<unsigned>(levels_.size()); }
    bool active() const { return !levels_.empty(); }

    void begin(std::uint64_t pc, std::span<const std::byte> registers);
    void merge() { levels_.pop_back(); }
    Checkpoint take_back();
    void clear();

    // False where it becomes too large.
    bool write(Index space, std::uint64_t address, unsigned bytes, std::uint64_t value);
    // Puts what was written over what lies in memory.
    std::uint64_t overlay(Index space, std::uint64_t address, unsigned bytes, std::uint64_t value) const;
    // False where the stripe was read in another version before.
    bool note_read(std::uint32_t stripe, std::uint64_t version);

    const Words& words() const { return words_; }
    const std::vector<Read>& reads() const { return reads_; }

    std::uint64_t seen = 0;   // Sharing::clock when all reads were last known to hold

private:
    struct Undo {
        Place place;
        Word before;
    };

    std::vector<Checkpoint> levels_;
    Words words_;
    std::vector<Undo> undo_;
    std::uint64_t serials_ = 0;
    std::vector<Read> reads_;
    std::unordered_map<std::uint32_t, std::uint64_t> versions_;   // the same by stripe
};

}  // namespace isaforge::machine
