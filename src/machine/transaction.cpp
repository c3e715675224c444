// The buffer of a transaction. A log of what stood in it before each write lets the innermost part be taken back alone.
#include "machine/transaction.hpp"

#include <algorithm>

namespace isaforge::machine {

void Transaction::begin(std::uint64_t pc, std::span<const std::byte> registers) {
    levels_.push_back({pc, {registers.begin(), registers.end()}, undo_.size(), reads_.size(), ++serials_});
}

Transaction::Checkpoint Transaction::take_back() {
    Checkpoint level = std::move(levels_.back());
    levels_.pop_back();
    while (undo_.size() > level.undo) {
        const Undo& last = undo_.back();
        if (last.before.mask == 0)
            words_.erase(last.place);
        else
            words_[last.place] = last.before;
        undo_.pop_back();
    }
    while (reads_.size() > level.reads) {
        versions_.erase(reads_.back().stripe);
        reads_.pop_back();
    }
    return level;
}

void Transaction::clear() {
    levels_.clear();
    words_.clear();
    undo_.clear();
    reads_.clear();
    versions_.clear();
}

bool Transaction::write(Index space, std::uint64_t address, unsigned bytes, std::uint64_t value) {
    for (unsigned done = 0; done < bytes;) {
        const std::uint64_t begin = (address + done) & ~std::uint64_t{7};
        const unsigned from = static_cast<unsigned>(address + done - begin), part = std::min(8 - from, bytes - done);
        Word& word = words_[{space, begin}];
        if (word.serial < levels_.back().serial) {   // else the log knows already what this part found
            undo_.push_back({{space, begin}, word});
            word.serial = levels_.back().serial;
        }
        for (unsigned i = 0; i < part; ++i) {
            const unsigned shift = 8 * (from + i);
            word.bytes &= ~(std::uint64_t{0xff} << shift);
            word.bytes |= (value >> 8 * (done + i) & 0xff) << shift;
            word.mask |= static_cast<std::uint8_t>(1u << (from + i));
        }
        done += part;
    }
    return words_.size() <= max_words && undo_.size() <= max_depth * max_words;
}

std::uint64_t Transaction::overlay(Index space, std::uint64_t address, unsigned bytes, std::uint64_t value) const {
    if (words_.empty()) return value;
    for (unsigned i = 0; i < bytes; ++i) {
        const std::uint64_t at = address + i;
        auto found = words_.find({space, at & ~std::uint64_t{7}});
        if (found == words_.end() || (found->second.mask >> (at & 7) & 1) == 0) continue;
        value &= ~(std::uint64_t{0xff} << 8 * i);
        value |= (found->second.bytes >> 8 * (at & 7) & 0xff) << 8 * i;
    }
    return value;
}

bool Transaction::note_read(std::uint32_t stripe, std::uint64_t version) {
    auto [place, added] = versions_.try_emplace(stripe, version);
    if (added) reads_.push_back({stripe, version});
    return place->second == version;
}

}  // namespace isaforge::machine
