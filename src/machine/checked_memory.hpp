// What the checker knows of a memory, beside its bytes: which bits of them nobody has written, and who has accessed them. Kept
// by pages, which are there when somebody has touched them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "machine/brief_lock.hpp"

namespace isaforge::machine {

// Who accessed a word, when, and by which instruction; hart 0 is nobody. `bytes`: which of them, a bit each.
struct Accessor {
    std::uint32_t hart : 27 = 0, bytes : 4 = 0, atomic : 1 = 0;
    std::uint32_t time = 0, place = 0;
};

// The last accesses of a word: of a write, and of reads by two harts, the later one first.
struct AccessCell {
    Accessor write, reads[2];
};

class CheckedMemory {
public:
    static constexpr std::uint64_t page_bytes = 4096, word = 4;

    // `is_undefined`: what nobody has written has no value; else it has one that was there before.
    explicit CheckedMemory(bool is_undefined) : is_undefined_(is_undefined) {}

    // As at the beginning.
    void clear();
    void clear_accesses() { cells_.clear(), last_cells_ = nullptr; }
    void set(std::uint64_t address, std::uint64_t bytes, bool is_undefined);
    // Of as many bytes there, which of their bits nobody has written.
    void load(std::uint64_t address, std::span<std::byte> undefined);
    void store(std::uint64_t address, std::span<const std::byte> undefined);

    // Defined and undefined is what is so there.
    void know_as(const CheckedMemory& other);

    // Null where there is no room for more.
    AccessCell* cell(std::uint64_t address) {
        const std::uint64_t page = address / page_bytes;
        if (last_cells_ == nullptr || last_cell_page_ != page) {
            Cells* const found = cells_of(page);
            if (found == nullptr) return nullptr;
            last_cell_page_ = page;
            last_cells_ = found;
        }
        return &(*last_cells_)[address % page_bytes / word];
    }

    BriefLock lock;  // of a group's own, for all above; of others the checker's is

private:
    using Shadow = std::array<std::uint8_t, page_bytes>;
    using Cells = std::array<AccessCell, page_bytes / word>;

    Cells* cells_of(std::uint64_t page);
    Shadow* find(std::uint64_t page);
    Shadow* make(std::uint64_t page);

    bool is_undefined_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Shadow>> shadows_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Cells>> cells_;
    std::uint64_t last_page_ = 0, last_cell_page_ = 0;
    Shadow* last_ = nullptr;
    Cells* last_cells_ = nullptr;
};

}  // namespace isaforge::machine
