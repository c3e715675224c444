// One hart's way to memory. Most accesses go by two small tables for each space, from a page of addresses to a stretch that
// may be accessed at once (see PageEntry). What the tables do not know comes here: permissions, devices, translated code
// that is overwritten, lines that reservations and transactions watch (see Sharing).
//
// Instructions name a space and count its units; inside, addresses count bytes.
//
// A function that returns false has put the reason into the core: what stopped the access, and where.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "machine/micro_op.hpp"
#include "machine/system.hpp"
#include "machine/transaction.hpp"

namespace isaforge::machine {

// Why a transaction was taken back.
enum class AbortReason : std::uint8_t { conflict, event, depth, size };
const char* text_of(AbortReason reason);

class Bus {
public:
    Bus(System& system, Group& group, Core& core, std::uint32_t slot);

    // Values are bytes as they lie in memory, the first one lowest.
    bool load(Index space, std::uint64_t address, unsigned bytes, std::uint64_t& value);
    bool store(Index space, std::uint64_t address, unsigned bytes, std::uint64_t value);
    bool load_linked(Index space, std::uint64_t address, unsigned bytes, std::uint64_t& value);
    bool store_conditional(Index space, std::uint64_t address, unsigned bytes, std::uint64_t value, bool& stored);
    void forget_reservation() { reservation_.bytes = 0; }
    bool has_reservation() const { return reservation_.bytes != 0; }

    // Puts the stretch around a place into both tables where it may be loaded and stored at once.
    void remember_for_update(Index space, std::uint64_t address, unsigned bytes);

    // Nobody else touches the eight bytes from `address` on until unlock.
    void lock(Index space, std::uint64_t address);
    void unlock();
    void unlock_all();

    // For the machine's own accesses in the program's name, to where a host call's addresses lead: false, without a reason,
    // where they are not allowed.
    bool read_bytes(std::uint64_t address, std::span<std::uint8_t> bytes);
    bool write_bytes(std::uint64_t address, std::span<const std::uint8_t> bytes);

    // As many bytes of code from `address` on as may be executed, which here counts bytes too.
    std::size_t fetch(std::uint64_t address, std::span<std::uint8_t> bytes);

    // Chooses whether accesses may go by the tables; to be called when `notes` of the core or transactions change.
    void choose_pages();
    void forget_pages();
    // The hart belongs to another group from now on, or the group's own memories are others.
    void join(const Group& group);

    // One of them, where there was one.
    std::uint64_t code_at(std::uint64_t address);

    // Instructions were translated from these bytes: from now on core.code_written hears of stores to their lines.
    void note_code(std::uint64_t address, std::uint64_t bytes);

    // On threads: while a hart is awake, others that flag lines wait for it to see that. It does whenever it acknowledges,
    // which is to be between two instructions or where it holds no result of having looked at flags.
    void wake();
    void rest();
    void acknowledge() {
        if (sharing_ != nullptr && sharing_->round.load() != round_) see_round();
    }

    // Whether what is accessed is part of something indivisible.
    bool holds_lock() const { return lock_depth_ != 0; }
    // Between two instructions: whoever changes the map waits for it.
    void settle() {
        acknowledge();
        if (sharing_ != nullptr && awake_ && settled_ != round_) say_settled();
    }

    // Transactions. `end` publishes what the outermost one has written; false where it was in conflict.
    bool begin(std::uint64_t pc, std::span<const std::byte> registers);
    bool end();
    bool abort(AbortReason reason);   // false always
    Transaction transaction;

private:
    friend class Pause;
    struct Section;
    struct Reservation {
        Index space = 0;
        std::uint64_t address = 0, version = 0;
        unsigned bytes = 0;           // 0: none
        std::uint32_t stripe = 0;
    };
    using Pages = std::array<PageEntry, page_count>;
    // A space as this hart sees it.
    struct View {
        View(Space& given, Index given_number) : space(&given), number(given_number) {}
        Space* space;
        Index number;
        const Region* region = nullptr;  // the one found last
        Pages loads, stores;
    };

    bool refuse(StopReason reason, const View& view, std::uint64_t address, unsigned bytes);
    bool refuse(Access access, const View& view, std::uint64_t address, unsigned bytes);
    // Where an access begins, by bytes.
    bool find_byte(Access access, const View& view, std::uint64_t address, unsigned bytes, std::uint64_t& byte);
    // The storage for an access by load_linked or store_conditional; null: refused.
    const Region* storage_for(Access access, View& view, std::uint64_t address, unsigned bytes);
    static const Region* region_of(View& view, std::uint64_t address);
    void note(const View& view, std::uint64_t address, unsigned bytes, std::uint64_t value, bool is_store);
    bool load_uncounted(View& view, std::uint64_t address, unsigned bytes, std::uint64_t& value);
    bool store_uncounted(View& view, std::uint64_t address, unsigned bytes, std::uint64_t value);
    void remember(View& view, const Region& region, Access access, std::uint64_t address);
    Device::Asker asker() const { return {core_.slot, core_.time_base + core_.count}; }
    bool crossing_load(View& view, std::uint64_t address, unsigned bytes, std::uint64_t& value);
    bool crossing_store(View& view, std::uint64_t address, unsigned bytes, std::uint64_t value);
    bool crosses(Access access, const View& view, std::uint64_t address, unsigned bytes);
    bool load_storage(View& view, const Region& region, std::uint64_t address, unsigned bytes, std::uint64_t& value);
    bool store_storage(View& view, const Region& region, std::uint64_t address, unsigned bytes, std::uint64_t value);
    bool load_in_transaction(View& view, const Region& region, std::uint64_t address, unsigned bytes,
                             std::uint64_t& value);
    bool reads_hold() const;
    bool publish();
    bool put(const Region& region, std::uint64_t address, unsigned bytes, std::uint64_t value);
    bool is_watched(const Region& region, std::uint64_t address, unsigned bytes) const;
    void flag_lines(const Region& region, std::uint64_t address, std::uint64_t bytes, std::uint8_t flag);
    void watch_written();
    void tell_others();
    void see_round();
    void say_settled();
    bool look_at_code(const Region& region, std::uint64_t address, unsigned bytes) const;
    bool holds(std::uint32_t stripe) const;
    void take(std::uint32_t stripe);
    bool try_take(std::uint32_t stripe);
    void give_back(std::uint32_t stripe);
    void count_store(std::uint32_t stripe);
    static void clear(Pages& pages, unsigned unit_shift = 0);
    static void forget(View& view);

    System& system_;
    Sharing* sharing_;                                   // null where the hart is alone
    Core& core_;
    std::vector<View> views_;  // by space
    std::uint64_t round_ = 0;                            // of sharing_, that the tables are of
    std::uint64_t settled_ = 0;                          // the round that others know this hart to have settled in
    bool awake_ = false;
    Pages empty_;
    Reservation reservation_;
    std::vector<std::uint32_t> held_;                    // stripes held by `atomic` blocks
    unsigned lock_depth_ = 0;
};

// While a hart waits for something that is not the others' doing.
class Pause {
public:
    explicit Pause(Bus& bus) : bus_(bus), was_awake_(bus.awake_) {
        if (was_awake_) bus_.rest();
    }
    ~Pause() {
        if (was_awake_) bus_.wake();
    }
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

private:
    Bus& bus_;
    bool was_awake_;
};

}  // namespace isaforge::machine
