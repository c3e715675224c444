// Where registers, scratch values and constants lie in the machine's block of bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
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

class Layout {
public:
    explicit Layout(const Isa& isa);

    std::uint32_t offset(Index file, std::uint64_t number) const {
        return files_[file] + static_cast<std::uint32_t>(number) * sizes_[file];
    }
    std::uint32_t register_size(Index file) const { return sizes_[file]; }
    std::uint32_t registers_end() const { return registers_end_; }

    std::uint32_t constant(std::uint64_t value);
    // Nothing refers to a constant any more: their places are used again.
    void forget_constants();
    // The k-th scratch value of `bytes` bytes; the same for every instruction that asks.
    std::uint32_t scratch(unsigned k, std::uint32_t bytes);
    std::uint32_t allocate(std::size_t bytes);

    // The block; growing it moves it.
    std::byte* state() { return state_.data(); }
    const std::byte* state() const { return state_.data(); }
    // Once it is, offsets mean nothing: nothing may be read, written or executed any more.
    bool exhausted() const { return used_ > max_bytes; }
    void clear_registers();

private:
    static constexpr std::size_t max_bytes = std::size_t{256} << 20;

    // Blocks begin at a cache line, so that vectors can be loaded aligned.
    template <class T>
    struct Aligned {
        using value_type = T;
        Aligned() = default;
        template <class U>
        Aligned(const Aligned<U>&) {}
        T* allocate(std::size_t n) {
            return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{cache_line}));
        }
        void deallocate(T* at, std::size_t) { ::operator delete (at, std::align_val_t{cache_line}); }
        bool operator==(const Aligned&) const { return true; }
    };

    std::vector<std::uint32_t> files_, sizes_;
    std::uint32_t registers_end_ = 0;
    std::size_t used_ = 0;
    std::vector<std::byte, Aligned<std::byte>> state_;
    std::map<std::uint64_t, std::uint32_t> constants_;
    std::vector<std::uint32_t> free_;  // places of constants
    std::map<std::uint32_t, std::vector<std::uint32_t>> scratch_;
};

}  // namespace isaforge::machine
