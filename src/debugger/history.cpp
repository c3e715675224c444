#include "debugger/history.hpp"

#include <algorithm>

namespace isaforge::debugger {

namespace {

constexpr std::size_t most_parts = 1 << 16;
constexpr std::size_t most_moments = 64;
constexpr std::uint64_t most_snapshot_bytes = std::uint64_t{512} << 20;
constexpr std::uint64_t most_kept_bytes = std::uint64_t{64} << 20;  // of changes and input, each
// A snapshot is taken when so much time has passed as the last one took, this many times.
constexpr int cheapness = 20;
constexpr auto shortest_pause = std::chrono::milliseconds(100);
// Where a long way is gone again, a snapshot stays shortly before its end: who goes back will go back further.
constexpr std::uint64_t long_way = std::uint64_t{1} << 20, before_end = 1 << 12;

}  // namespace

// ---------------------------------------------------------------------------------------------------------------------
// Keeping

void History::begin_run() { begins_run_ = true; }

void History::did(Kind kind, unsigned hart, std::uint64_t count) {
    if (count == 0) return;
    const bool goes_on = !parts_.empty() && parts_.back().kind == kind && parts_.back().hart == hart &&
                         !(kind == Kind::run && begins_run_);
    if (!goes_on) parts_.push_back({kind, hart, now_, 0, {}, 0});
    if (kind == Kind::run) begins_run_ = false;
    parts_.back().count += count;
    now_ += count;
    next_part_ = parts_.size() - 1;
}

void History::did_change(unsigned hart, Change change, std::size_t bytes) {
    kept_bytes_ += bytes;
    parts_.push_back({Kind::change, hart, now_, 0, std::move(change), bytes});
    next_part_ = parts_.size();
}

void History::keep() {
    const auto begin = Clock::now();
    const auto before = std::ranges::find_if(moments_, [&](const Moment& each) { return each.at >= now_; });
    if (before != moments_.end() && before->at == now_ && before->part == forgotten_parts_ + next_part_) return;
    const Machine::Snapshot* near = nullptr;
    if (before != moments_.begin()) near = std::prev(before)->snapshot.get();
    if (near == nullptr && before != moments_.end()) near = before->snapshot.get();
    auto snapshot = machine_.save(near);
    last_keeping_ = Clock::now();
    cost_ = last_keeping_ - begin;
    refused_ = snapshot == nullptr;
    if (refused_) return;
    // Whether the part that was begun last goes on here does not matter: what is left of it begins at now_.
    const Moment moment{now_, forgotten_parts_ + next_part_, std::move(snapshot),
                        streams == nullptr ? TapedStreams::Place{} : streams->place()};
    const auto behind = std::ranges::find_if(moments_, [&](const Moment& each) { return each.at > now_; });
    moments_.insert(behind, moment);
    thin_out();
}

void History::look() {
    if (moments_.empty()) {
        if (!refused_) keep();
        return;
    }
    keep_now_and_then();
    while (parts_.size() > most_parts || kept_bytes_ > most_kept_bytes ||
           (streams != nullptr && streams->kept() > most_kept_bytes)) {
        if (moments_.size() < 2) keep();
        if (moments_.size() < 2) break;
        forget_oldest();
    }
}

void History::keep_now_and_then() {
    const auto near = std::ranges::find_if(moments_, [&](const Moment& each) { return each.at > now_; });
    const std::uint64_t last = near == moments_.begin() ? 0 : std::prev(near)->at;
    if (snapshots_every != 0) {
        if (now_ - last >= snapshots_every) keep();
    } else if (now_ != last &&
               Clock::now() - last_keeping_ > std::max<Clock::duration>(shortest_pause, cheapness * cost_)) {
        keep();
    }
}

// Drops those whose neighbours are close together, seen from the latest one.
void History::thin_out() {
    while (moments_.size() > 2 &&
           (moments_.size() > most_moments || Machine::bytes_held(*moments_.back().snapshot) > most_snapshot_bytes)) {
        std::size_t best = 1;
        double least = 0;
        for (std::size_t i = 1; i + 1 < moments_.size(); ++i) {
            const auto gap = static_cast<double>(moments_[i + 1].at - moments_[i - 1].at);
            const double value = gap / static_cast<double>(moments_.back().at - moments_[i].at + 1);
            if (i == 1 || value < least) best = i, least = value;
        }
        moments_.erase(moments_.begin() + static_cast<std::ptrdiff_t>(best));
    }
}

void History::forget_oldest() {
    moments_.erase(moments_.begin());
    const Moment& first = moments_.front();
    std::size_t gone = 0;
    while (forgotten_parts_ + gone < first.part && parts_[gone].first + parts_[gone].count <= first.at)
        kept_bytes_ -= parts_[gone++].bytes;
    parts_.erase(parts_.begin(), parts_.begin() + static_cast<std::ptrdiff_t>(gone));
    forgotten_parts_ += gone;
    next_part_ -= std::min(next_part_, gone);
    if (streams != nullptr) streams->forget_before(first.streams);
}

void History::forget() {
    parts_.clear();
    moments_.clear();
    now_ = kept_bytes_ = 0;
    forgotten_parts_ = next_part_ = 0;
    refused_ = begins_run_ = false;
}

// ---------------------------------------------------------------------------------------------------------------------
// Going back

bool History::walk(std::uint64_t end, const std::function<std::uint64_t(const Piece& piece)>& piece) {
    while (next_part_ < parts_.size()) {
        const Part& part = parts_[next_part_];
        if (part.kind == Kind::change) {
            if (now_ > end) break;
            part.change(machine_.hart(part.hart));
            ++next_part_;
            continue;
        }
        const std::uint64_t done = now_ - part.first;
        if (done >= part.count) {
            ++next_part_;
            continue;
        }
        if (now_ >= end) break;
        std::uint64_t count = std::min(part.count - done, end - now_);
        if (part.kind == Kind::run) count = std::min(count, running_slice - done % running_slice);
        const std::uint64_t made = piece({part.kind, part.hart, count});
        if (made == 0) return false;
        now_ += made;
    }
    return true;
}

bool History::replay(std::uint64_t end) {
    std::uint64_t slices = 0;
    return walk(end, [&](const Piece& piece) -> std::uint64_t {
        if (piece.kind == Kind::run) {
            const RunResult result = machine_.run(piece.count);
            if (++slices % 16 == 0 && interrupted && interrupted()) return 0;
            keep_now_and_then();
            return result.instructions;
        }
        const std::uint64_t most = std::min(piece.count, running_slice);
        for (std::uint64_t i = 0; i < most; ++i) {
            if (piece.kind == Kind::step)
                machine_.hart(piece.hart).step();
            else
                machine_.step_any();
        }
        if (interrupted && interrupted()) return 0;
        return most;
    });
}

bool History::go_to(std::uint64_t moment) {
    if (moments_.empty() || moment < begin()) return false;
    auto from = std::prev(std::ranges::find_if(moments_, [&](const Moment& each) { return each.at > moment; }));
    if (now_ > moment || from->at > now_ || next_part_ > parts_.size()) {
        machine_.restore(*from->snapshot);
        if (streams != nullptr) streams->go_to(from->streams);
        now_ = from->at;
        next_part_ = from->part - forgotten_parts_;
        last_keeping_ = Clock::now();
    }
    if (moment - now_ > long_way) {
        if (!replay(moment - before_end)) return false;
        keep();
    }
    return replay(moment);
}

// Behind a change that was made at this very moment.
void History::drop_future() {
    std::size_t kept = next_part_;
    if (kept < parts_.size() && parts_[kept].first < now_) {
        parts_[kept].count = now_ - parts_[kept].first;
        ++kept;
    }
    for (std::size_t i = kept; i < parts_.size(); ++i) kept_bytes_ -= parts_[i].bytes;
    parts_.resize(kept);
    next_part_ = parts_.size();
    std::erase_if(moments_, [&](const Moment& each) { return each.at > now_; });
    begins_run_ = true;
}

}  // namespace isaforge::debugger
