#include "debugger/taped_streams.hpp"

#include <algorithm>

namespace isaforge::debugger {

// The piece that is read next; null: it has not come yet.
TapedStreams::Piece* TapedStreams::next() {
    const std::uint64_t at = place_.read - forgotten_;
    return at < pieces_.size() ? &pieces_[static_cast<std::size_t>(at)] : nullptr;
}

std::size_t TapedStreams::read(std::span<std::uint8_t> bytes) {
    if (next() == nullptr) {
        const std::uint64_t since = is_ready_ ? ready_since_ : time();
        Piece piece{std::vector<std::uint8_t>(bytes.size()), since};
        piece.bytes.resize(streams_->read(piece.bytes));
        is_ready_ = false;
        kept_ += piece.bytes.size();
        pieces_.push_back(std::move(piece));
    }
    const Piece& piece = *next();
    const std::size_t count = std::min(bytes.size(), piece.bytes.size() - place_.inside);
    std::copy_n(piece.bytes.begin() + static_cast<std::ptrdiff_t>(place_.inside), count, bytes.begin());
    place_.inside += count;
    if (place_.inside == piece.bytes.size()) ++place_.read, place_.inside = 0;
    return count;
}

bool TapedStreams::ready() {
    if (const Piece* piece = next()) return place_.inside != 0 || time() >= piece->since;
    if (!is_ready_ && streams_->ready()) is_ready_ = true, ready_since_ = time();
    return is_ready_ && time() >= ready_since_;
}

void TapedStreams::write(unsigned file, std::span<const std::uint8_t> bytes) {
    const std::size_t which = file == 2 ? 1 : 0;
    const std::uint64_t known = shown_[which] - std::min(shown_[which], place_.written[which]);
    place_.written[which] += bytes.size();
    if (known >= bytes.size()) return;
    shown_[which] = place_.written[which];
    streams_->write(file, bytes.subspan(static_cast<std::size_t>(known)));
}

void TapedStreams::forget_before(const Place& place) {
    for (; forgotten_ < place.read && !pieces_.empty(); ++forgotten_) {
        kept_ -= pieces_.front().bytes.size();
        pieces_.pop_front();
    }
}

void TapedStreams::begin_again() {
    place_ = {.read = forgotten_};
    shown_ = {};
}

}  // namespace isaforge::debugger
