// A program's streams, with what it read kept: where the program goes back it reads the same again, and what it has
// written already is not shown twice.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "isaforge/machine.hpp"

namespace isaforge::debugger {

class TapedStreams : public Streams {
public:
    explicit TapedStreams(std::shared_ptr<Streams> streams) : streams_(std::move(streams)) {}

    std::size_t read(std::span<std::uint8_t> bytes) override;
    bool ready() override;
    void write(unsigned file, std::span<const std::uint8_t> bytes) override;
    void flush() override { streams_->flush(); }

    // A moment of the program: how much it had read and written.
    struct Place {
        std::uint64_t read = 0;  // pieces …
        std::size_t inside = 0;  // … and bytes of the next one
        std::array<std::uint64_t, 2> written{};
    };
    Place place() const { return place_; }
    // Goes back, or on over what is known.
    void go_to(const Place& place) { place_ = place; }
    // The program may do something else from now on than it did: what it writes is new.
    void diverge() { shown_ = place_.written; }
    // Nothing before this will be gone back to.
    void forget_before(const Place& place);
    // From the beginning, with the same input.
    void begin_again();

    // Bytes of input that are kept.
    std::uint64_t kept() const { return kept_; }

    // Counts what the program has executed: input that came at a moment comes at the same one again.
    std::function<std::uint64_t()> now;

private:
    // What came at once; nothing is the end of the input.
    struct Piece {
        std::vector<std::uint8_t> bytes;
        std::uint64_t since = 0;  // it was there
    };
    Piece* next();
    std::uint64_t time() const { return now ? now() : 0; }

    std::shared_ptr<Streams> streams_;
    std::deque<Piece> pieces_;
    std::uint64_t forgotten_ = 0;  // pieces before those
    Place place_;
    std::array<std::uint64_t, 2> shown_{};
    std::uint64_t kept_ = 0, ready_since_ = 0;
    bool is_ready_ = false;  // the input that is not read yet, since then
};

}  // namespace isaforge::debugger
