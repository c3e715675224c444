// Where registers, scratch values and constants lie in a hart's block of bytes, and the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "isaforge/isa.hpp"
#include "semantics/types.hpp"

namespace isaforge::machine {

inline constexpr std::size_t cache_line = 64;

// Bytes of one lane of a register.
inline unsigned lane_bytes(const RegisterFile& file) { return semantics::Type{file.bits}.container() / 8; }

// Bytes of a register: a scalar takes eight, vectors are packed.
inline std::uint32_t register_bytes(const RegisterFile& file) {
    if (file.lanes == 1) return 8;
    std::uint32_t bytes = lane_bytes(file) * file.lanes;
    return (bytes + 7) / 8 * 8;
}

// A hart's registers and what instructions need beside them. Its place is fixed and its pages are only taken when they are
// touched, so that another hart may put a constant there while this one runs.
class HartBlock {
public:
    explicit HartBlock(std::size_t bytes);
    ~HartBlock();
    HartBlock(const HartBlock&) = delete;
    HartBlock& operator=(const HartBlock&) = delete;

    std::byte* bytes() { return bytes_; }
    const std::byte* bytes() const { return bytes_; }

private:
    std::byte* bytes_ = nullptr;
    std::size_t size_;
};

// Registers first, then what instructions need, as they are translated. It is the same for all harts that run a program;
// the blocks of those have all constants.
class Layout {
public:
    explicit Layout(const Isa& isa);

    std::uint32_t offset(Index file, std::uint64_t number) const {
        return files_[file] + static_cast<std::uint32_t>(number) * sizes_[file];
    }
    std::uint32_t register_size(Index file) const { return sizes_[file]; }
    std::uint32_t registers_end() const { return registers_end_; }
    std::size_t block_bytes() const { return limit_; }

    std::uint32_t constant(std::uint64_t value);
    // The k-th scratch value of `bytes` bytes; the same for every instruction that asks.
    std::uint32_t scratch(unsigned k, std::uint32_t bytes);
    // Eight bytes that each hart counts in, from 0 on.
    std::uint32_t counter();

    void attach(std::byte* block);
    void detach(std::byte* block) { std::erase(blocks_, block); }

    // Whether there is room for the registers. Where there is none nothing may be read, written or executed.
    bool has_registers() const { return registers_end_ <= most_registers; }
    // Once it is, what it gives means nothing.
    bool exhausted() const { return used_ > limit_; }
    // So much is used that the next instructions had better begin with a new one.
    bool nearly_full() const { return used_ > limit_ - room / 2; }

private:
    static constexpr std::size_t most_registers = std::size_t{256} << 20;
    static constexpr std::size_t room = std::size_t{4} << 20;

    std::uint32_t allocate(std::size_t bytes);
    void put(std::uint32_t offset, std::uint64_t value);

    std::vector<std::uint32_t> files_, sizes_;
    std::uint32_t registers_end_ = 0;
    std::size_t used_ = 0, limit_ = most_registers;
    std::vector<std::byte*> blocks_;
    std::map<std::uint64_t, std::uint32_t> constants_;
    std::vector<std::uint32_t> counters_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> scratch_;
};

}  // namespace isaforge::machine
