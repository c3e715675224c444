// A memory as all harts see it: which addresses there are, what may be done there, and where their bytes lie. Addresses
// have 64 bits. What is mapped later replaces what was there.
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "isaforge/machine.hpp"
#include "machine/checked_memory.hpp"

namespace isaforge::machine {

enum class Access : std::uint8_t { read = 1, write = 2, execute = 4 };

inline std::uint8_t bits_of(Permissions permissions) {
    return static_cast<std::uint8_t>((permissions.read ? 1 : 0) | (permissions.write ? 2 : 0) |
                                     (permissions.execute ? 4 : 0));
}

std::string letters(std::uint8_t permissions);   // "r-x"

// What answers at addresses that have no storage. One hart at a time asks.
class Device {
public:
    struct Asker {
        std::uint32_t hart = 0;
        std::uint64_t now = 0;   // nanoseconds of machine time
    };
    virtual ~Device() = default;
    virtual std::uint64_t size() const = 0;   // bytes of its registers
    virtual void reset() = 0;
    virtual std::uint64_t read(std::uint64_t offset, unsigned bytes, const Asker& asker) = 0;
    virtual void write(std::uint64_t offset, unsigned bytes, std::uint64_t value, const Asker& asker) = 0;
    // The lowest line on which it interrupts the hart now.
    virtual std::optional<std::uint32_t> raised(const Asker& asker) = 0;
    // When it will raise a line of the hart by itself, in machine time; the end of time where it will not.
    virtual std::uint64_t due(std::uint32_t hart) const { return static_cast<void>(hart), ~std::uint64_t{0}; }
    // Whether something from outside the machine may make it raise a line.
    virtual bool input_may_come() { return false; }
    // What it has in it, in words that mean something to restore() alone.
    virtual std::vector<std::uint64_t> save() const { return {}; }
    virtual void restore(std::span<const std::uint64_t> words) { static_cast<void>(words); }
};

// Storage. Zero pages are only taken when they are touched.
//
// Accesses keep each other apart by lines, aligned like the addresses of the map. Each has flags: that instructions were
// translated from it, that it is watched (see Sharing), and, in the high half, which of these all harts know.
struct Block {
    static constexpr std::uint64_t line = 64;
    static constexpr std::uint8_t code = 1, watched = 2;
    static constexpr std::uint8_t known(std::uint8_t flag) { return static_cast<std::uint8_t>(flag << 4); }

    Block(std::uint64_t first_address, std::uint64_t bytes);
    // Somebody else's bytes, who keeps them as long as this is there.
    Block(std::uint64_t first_address, std::span<std::uint8_t> others);
    ~Block();
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;

    std::uint8_t* at(std::uint64_t address) const { return bytes + (address - first); }
    std::uint8_t flags(std::uint64_t address) const { return line_flag(address / line).load(); }
    void set_flag(std::uint64_t address, std::uint8_t flag) const;
    void clear_flags() const;
    // What some line has, which is known after it.
    std::uint8_t any_flags() const { return any_flags_.load(); }
    std::uint8_t page_flags(std::uint64_t address) const {
        return page_flag(address).load();
    }  // what some line of its page has
    // Narrows [low, high] to a stretch around `address` without some flags: it stays where no line of the block has one, else
    // it is that of pages around of which no line has one, or of lines in the address's page. False where its own line has one.
    bool narrow(std::uint64_t address, std::uint8_t unwanted, std::uint64_t& low, std::uint64_t& high) const;

    std::uint64_t first = 0, size = 0;
    std::uint8_t* bytes = nullptr;        // null: no room

    bool is_own = true;                   // the bytes are

private:
    void take_flags();
    std::atomic_ref<std::uint8_t> line_flag(std::uint64_t number) const {
        return std::atomic_ref<std::uint8_t>(line_flags_[number - first_line_]);
    }
    std::atomic_ref<std::uint8_t> page_flag(std::uint64_t address) const;
    bool eight_lines_have(std::uint64_t number, std::uint8_t unwanted) const;
    std::uint64_t flag_bytes() const;

    std::uint64_t first_line_ = 0;        // a multiple of eight
    std::uint8_t* line_flags_ = nullptr;
    std::uint8_t* page_flags_ = nullptr;  // what some line of each page has, so that most need not be searched
    mutable std::atomic<std::uint8_t> any_flags_ = 0;  // what some line has
};

struct Region {
    std::uint64_t first = 0, last = 0;    // both belong to it
    std::uint8_t permissions = 0;         // bits_of
    std::string name;
    std::shared_ptr<Block> block;         // one of these two
    Device* device = nullptr;
    std::uint64_t device_first = 0;

    bool allows(Access access) const { return (permissions & static_cast<std::uint8_t>(access)) != 0; }
    bool continues(const Region& before) const { return before.last + 1 == first && block && block == before.block; }
};

// Harts look at it while others change it: what they have found stays as it is until drop_old(), for which there must be none
// that still looks at it. Who changes it sees to it that nobody else does.
class MemoryMap {
public:
    MemoryMap() { publish({}); }
    MemoryMap(const MemoryMap&) = delete;
    MemoryMap& operator=(const MemoryMap&) = delete;

    void clear() { publish({}); }
    void drop_old() { old_.clear(); }
    // Nothing where it worked, else why not.
    std::string add_storage(std::uint64_t address, std::uint64_t size, Permissions permissions, std::string name);
    std::string add_device(std::uint64_t address, Device& device, std::string name);
    // Storage that belongs to somebody else.
    std::string add_storage(std::uint64_t address, std::span<std::uint8_t> bytes, Permissions permissions,
                            std::string name);
    // Nothing is there any more. Whether instructions had been translated from what was.
    bool remove(std::uint64_t address, std::uint64_t size);
    // Gives storage that is there other permissions and another name.
    std::string protect(std::uint64_t address, std::uint64_t size, Permissions permissions, const std::string& name);

    const Region* find(std::uint64_t address) const;
    // How many bytes of storage there are from this address on without a gap.
    std::uint64_t storage_from(std::uint64_t address) const;
    // The longest stretch around `address` in its storage that allows the access.
    void stretch(const Region& region, Access access, std::uint64_t& first, std::uint64_t& last) const;
    const std::vector<Region>& regions() const { return *current_.load(std::memory_order_acquire); }

    // Past all permissions, for loaders and debuggers; false where storage is missing. Devices are never asked.
    bool peek(std::uint64_t address, std::span<std::uint8_t> bytes) const;
    bool poke(std::uint64_t address, std::span<const std::uint8_t> bytes) const;

    // No line has flags any more: harts have neither translations nor reservations.
    void clear_flags() const;
    // All bytes are zero.
    void clear_bytes() const;

    // "lies in `.text` (r-x)", "is not mapped".
    std::string describe(std::uint64_t address) const;
    // What is nearest to an address: how many addresses lie between, and whether the address is behind it. No region where there
    // is none.
    struct Neighbour {
        const Region* region = nullptr;
        std::uint64_t distance = 0;
        bool is_behind = false;
    };
    Neighbour nearest(std::uint64_t address) const;
    // Of an address where nothing lies: "16 bytes behind `.data`", by what is nearest.
    std::string describe_near(std::uint64_t address) const;

private:
    using Regions = std::vector<Region>;   // by rising address, apart from each other

    std::string add_block(std::shared_ptr<Block> block, Permissions permissions, std::string name);
    Regions cut(std::uint64_t first, std::uint64_t last) const;
    void insert(Region region);
    void publish(Regions regions);

    std::unique_ptr<const Regions> newest_;
    std::atomic<const Regions*> current_ = nullptr;
    std::vector<std::unique_ptr<const Regions>> old_;
};

// A memory of a machine: the map of its bytes, and how instructions see them. Addresses here count its units.
struct Space {
    Space(std::string given_name, unsigned unit_bytes, bool big)
        : name(std::move(given_name)),
          unit_shift(static_cast<unsigned>(std::countr_zero(unit_bytes))),
          big_endian(big) {}

    // The first byte of a unit. False where it would have no address.
    bool byte_of(std::uint64_t address, std::uint64_t& byte) const {
        byte = address << unit_shift;
        return byte >> unit_shift == address;
    }
    bool peek(std::uint64_t address, std::span<std::uint8_t> bytes) const;
    bool poke(std::uint64_t address, std::span<const std::uint8_t> bytes) const;
    std::uint64_t storage_from(std::uint64_t address) const;  // in bytes
    // For the checker: somebody else than a program has written there.
    void note_written(std::uint64_t address, std::uint64_t bytes) const {
        if (std::uint64_t byte = 0; checked && byte_of(address, byte)) checked->set(byte, bytes, false);
    }
    std::string describe(std::uint64_t address) const;

    std::string name;
    unsigned unit_shift = 0;  // a unit has 1 << unit_shift bytes
    bool big_endian = false;
    bool is_of_group = false;
    MemoryMap map;
    bool is_shown = false;                    // what lies there is read by others than harts
    std::unique_ptr<CheckedMemory> checked;   // where the run is checked
};

}  // namespace isaforge::machine
