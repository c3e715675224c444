// Pages of this process with one behind them that belongs to nobody.
#pragma once

#include <cstdint>
#include <span>

namespace isaforge {

class GuardedPages {
public:
    static constexpr std::uint64_t page = 4096;
    // None where there was no room. A program that asks for the same again gets the same addresses, where those are free: multiples
    // of `alignment`, a power of two.
    explicit GuardedPages(std::uint64_t bytes, bool is_accessible = true, std::uint64_t alignment = page);
    ~GuardedPages();
    GuardedPages(const GuardedPages&) = delete;
    GuardedPages& operator=(const GuardedPages&) = delete;

    std::uint8_t* data() const { return data_; }
    std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(data_); }
    std::span<std::uint8_t> span() const { return {data_, data_ == nullptr ? 0 : bytes_}; }

private:
    std::uint8_t* data_ = nullptr;
    std::uint64_t bytes_ = 0, mapped_ = 0;
};

}  // namespace isaforge
