// Loads and stores. What the tables of pages know is done at once; the rest is left to the bus.
#include <array>

#include "machine/bus.hpp"
#include "machine/memory_bytes.hpp"
#include "machine/micro_op.hpp"

namespace isaforge::machine {

namespace {

using ir::Counter;

inline void note(Core* core, Counter counter) { ++core->counters[static_cast<std::size_t>(counter)]; }

// The number whose bytes in memory, the first one lowest, are `raw`; and back.
template <class T, bool big>
T ordered(std::uint64_t raw) {
    return in_order<T, big>(static_cast<T>(raw));
}

// Apart from the quick ways, so that these need no room on the stack. A variable whose address another function is given ends
// before the next handler begins: g++ makes no jump of the call else, and each operation would take room on the stack.
template <class T, bool big>
[[gnu::noinline]] void load_by_bus(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    {
        std::uint64_t raw = 0;
        if (!core->bus->load(op->detail.n, load<std::uint64_t>(state, op->a), sizeof(T), raw))
            return raise(op, core, count, pending, core->reason);
        store(state, op->result, ordered<T, big>(raw));
    }
    ISAFORGE_NEXT;
}

template <class T, bool big>
[[gnu::noinline]] void store_by_bus(ISAFORGE_HANDLER_PARAMETERS) {
    const std::uint64_t raw = ordered<T, big>(load<T>(state, op->b));
    core->count = count;
    if (!core->bus->store(op->detail.n, load<std::uint64_t>(state, op->a), sizeof(T), raw))
        return raise(op, core, count, pending, core->reason);
    ISAFORGE_NEXT;
}

// a: address; detail.n: space. `main`: it is the main one, and made of bytes.
template <class T, bool big, bool aligned, bool main>
struct Load {
    static void run(ISAFORGE_HANDLER_PARAMETERS) {
        std::uint8_t* bytes = nullptr;
        const PageEntry* pages = main ? core->main_load_pages : core->load_pages[op->detail.n];
        if (!at_once<T, aligned, !main>(pages, load<std::uint64_t>(state, op->a), bytes)) [[unlikely]]
            ISAFORGE_MUST_TAIL return load_by_bus<T, big>(ISAFORGE_HANDLER_ARGUMENTS);
        note(core, Counter::loads);
        store(state, op->result, in_order<T, big>(load_shared<T>(bytes)));
        ISAFORGE_NEXT;
    }
};

// a: address, b: value; detail.n: space.
template <class T, bool big, bool aligned, bool main>
struct Store {
    static void run(ISAFORGE_HANDLER_PARAMETERS) {
        const T value = in_order<T, big>(load<T>(state, op->b));
        std::uint8_t* bytes = nullptr;
        const PageEntry* pages = main ? core->main_store_pages : core->store_pages[op->detail.n];
        if (!at_once<T, aligned, !main>(pages, load<std::uint64_t>(state, op->a), bytes)) [[unlikely]]
            ISAFORGE_MUST_TAIL return store_by_bus<T, big>(ISAFORGE_HANDLER_ARGUMENTS);
        note(core, Counter::stores);
        store_shared(bytes, value);
        ISAFORGE_NEXT;
    }
};

template <class T, bool scaled>
inline bool lane_at_once(const PageEntry* pages, const Core* core, std::uint64_t address, std::uint8_t*& bytes) {
    return core->alignment == 0 ? at_once<T, false, scaled>(pages, address, bytes)
                                : at_once<T, true, scaled>(pages, address, bytes);
}

// The same for many lanes, addresses in 64 bits. detail.more: lanes; c: the mask. Where one lane is refused those before
// it have been done.
template <class T, bool big, bool masked, bool main>
struct Gather {
    static void run(ISAFORGE_HANDLER_PARAMETERS) {
        const std::byte* mask = state + op->c;
        core->count = count;
        for (std::uint32_t i = 0; i < op->detail.more; ++i) {
            T value = 0;
            if (!masked || mask[i] != std::byte{0}) {
                const std::uint64_t address = load<std::uint64_t>(state, op->a + 8 * i);
                std::uint8_t* bytes = nullptr;
                const PageEntry* pages = main ? core->main_load_pages : core->load_pages[op->detail.n];
                if (lane_at_once<T, !main>(pages, core, address, bytes)) {
                    note(core, Counter::loads);
                    value = in_order<T, big>(load_shared<T>(bytes));
                } else {
                    std::uint64_t raw = 0;
                    if (!core->bus->load(op->detail.n, address, sizeof(T), raw))
                        return raise(op, core, count, pending, core->reason);
                    value = ordered<T, big>(raw);
                }
            }
            std::memcpy(state + op->result + i * sizeof(T), &value, sizeof value);
        }
        ISAFORGE_NEXT;
    }
};

template <class T, bool big, bool masked, bool main>
struct Scatter {
    static void run(ISAFORGE_HANDLER_PARAMETERS) {
        const std::byte* mask = state + op->c;
        core->count = count;
        for (std::uint32_t i = 0; i < op->detail.more; ++i) {
            if (masked && mask[i] == std::byte{0}) continue;
            const std::uint64_t address = load<std::uint64_t>(state, op->a + 8 * i);
            const T value = load<T>(state, op->b + i * static_cast<std::uint32_t>(sizeof(T)));
            std::uint8_t* bytes = nullptr;
            const PageEntry* pages = main ? core->main_store_pages : core->store_pages[op->detail.n];
            if (lane_at_once<T, !main>(pages, core, address, bytes)) {
                note(core, Counter::stores);
                store_shared(bytes, in_order<T, big>(value));
            } else if (!core->bus->store(op->detail.n, address, sizeof(T), ordered<T, big>(value))) {
                return raise(op, core, count, pending, core->reason);
            }
        }
        ISAFORGE_NEXT;
    }
};

// How far an update is: the lane, and where it is in the host's memory; null where the bus has locked it.
struct Progress {
    std::uint64_t lane = 0;
    std::uint8_t* bytes = nullptr;
};

// Where a lane may be loaded and stored by atomic accesses of the host; false where the bus has to do it.
template <class T>
inline bool updated_at_once(const Core* core, std::uint32_t space, std::uint64_t address, std::uint8_t*& bytes) {
    std::uint8_t* loaded = nullptr;
    return at_once<T, false, true>(core->store_pages[space], address, bytes) &&
           at_once<T, false, true>(core->load_pages[space], address, loaded) && loaded == bytes &&
           std::bit_cast<std::uintptr_t>(bytes) % sizeof(T) == 0;
}

// result: the progress, a: addresses, b: the second operands, c: the mask; detail.n: space, detail.more: lanes. The operation
// behind has in result, a and b the places of the function's arguments, in c the third operands, in detail.n the distance to
// what follows the update, and in detail.more whether there is a mask.
template <class T, bool big>
struct UpdateBegin {
    static void run(ISAFORGE_HANDLER_PARAMETERS) {
        auto progress = load<Progress>(state, op->result);
        const MicroOp& more = op[1];
        if (more.detail.more != 0)
            while (progress.lane < op->detail.more && state[op->c + progress.lane] == std::byte{0}) ++progress.lane;
        if (progress.lane >= op->detail.more) ISAFORGE_CONTINUE_AT(op + op[1].detail.n);
        const auto lane = static_cast<std::uint32_t>(progress.lane);
        const std::uint64_t address = load<std::uint64_t>(state, op->a + 8 * lane);
        core->count = count;
        bool at_once = updated_at_once<T>(core, op->detail.n, address, progress.bytes);
        if (!at_once) {
            core->bus->remember_for_update(op->detail.n, address, sizeof(T));
            at_once = updated_at_once<T>(core, op->detail.n, address, progress.bytes);
        }
        if (at_once) {
            store(state, more.result, ordered<T, big>(load_shared<T>(progress.bytes)));
        } else {
            progress.bytes = nullptr;
            std::uint64_t raw = 0;
            core->bus->lock(op->detail.n, address);
            if (!core->bus->load(op->detail.n, address, sizeof(T), raw))
                return raise(op, core, count, pending, core->reason);
            store(state, more.result, ordered<T, big>(raw));
        }
        std::memcpy(state + op->result, &progress, sizeof progress);
        store(state, more.a, load<T>(state, op->b + lane * static_cast<std::uint32_t>(sizeof(T))));
        store(state, more.b, load<T>(state, more.c + lane * static_cast<std::uint32_t>(sizeof(T))));
        ISAFORGE_CONTINUE_AT(op + 2);
    }
};

// a: addresses, b: what is stored, c: the progress; detail.n: space, detail.more: how far it is back to the next lane. Where
// somebody else has stored since, the lane is done again.
template <class T, bool big>
struct UpdateEnd {
    static void run(ISAFORGE_HANDLER_PARAMETERS) {
        auto progress = load<Progress>(state, op->c);
        const auto lane = static_cast<std::uint32_t>(progress.lane);
        const T value = in_order<T, big>(load<T>(state, op->b));
        T old = in_order<T, big>(load<T>(state, op[1 - static_cast<std::ptrdiff_t>(op->detail.more)].result));
        if (progress.bytes != nullptr) {
            auto* const place = reinterpret_cast<T*>(progress.bytes);
            if (!__atomic_compare_exchange_n(place, &old, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
                ISAFORGE_CONTINUE_AT(op - op->detail.more);
            note(core, Counter::loads);
            note(core, Counter::stores);
        } else {
            core->count = count;
            const std::uint64_t address = load<std::uint64_t>(state, op->a + 8 * lane);
            if (!core->bus->store(op->detail.n, address, sizeof(T), value))
                return raise(op, core, count, pending, core->reason);
            core->bus->unlock();
        }
        const T before = in_order<T, big>(old);
        std::memcpy(state + op->result + lane * sizeof(T), &before, sizeof before);
        ++progress.lane;
        std::memcpy(state + op->c, &progress, sizeof progress);
        ISAFORGE_CONTINUE_AT(op - op->detail.more);
    }
};

template <template <class, bool> class Half>
Handler choose_half(unsigned container, bool big) {
    switch (container) {
        case 8: return Half<std::uint8_t, false>::run;
        case 16: return big ? Half<std::uint16_t, true>::run : Half<std::uint16_t, false>::run;
        case 32: return big ? Half<std::uint32_t, true>::run : Half<std::uint32_t, false>::run;
        default: return big ? Half<std::uint64_t, true>::run : Half<std::uint64_t, false>::run;
    }
}

template <template <class, bool, bool, bool> class Access, class T>
constexpr std::array<Handler, 8> of_size = {
    Access<T, false, false, false>::run, Access<T, true, false, false>::run, Access<T, false, true, false>::run,
    Access<T, true, true, false>::run,   Access<T, false, false, true>::run, Access<T, true, false, true>::run,
    Access<T, false, true, true>::run,   Access<T, true, true, true>::run,
};

// The one for a container and three properties.
template <template <class, bool, bool, bool> class Access>
Handler choose(unsigned container, bool first, bool second, bool third) {
    const std::size_t which = (first ? 1 : 0) + (second ? 2 : 0) + (third ? 4 : 0);
    switch (container) {
        case 8: return of_size<Access, std::uint8_t>[which];
        case 16: return of_size<Access, std::uint16_t>[which];
        case 32: return of_size<Access, std::uint32_t>[which];
        default: return of_size<Access, std::uint64_t>[which];
    }
}

}  // namespace

namespace handlers {

Handler load(unsigned container, bool big, bool aligned, bool main) {
    return choose<Load>(container, big, aligned, main);
}

Handler store(unsigned container, bool big, bool aligned, bool main) {
    return choose<Store>(container, big, aligned, main);
}

Handler gather(unsigned container, bool big, bool masked, bool main) {
    return choose<Gather>(container, big, masked, main);
}

Handler scatter(unsigned container, bool big, bool masked, bool main) {
    return choose<Scatter>(container, big, masked, main);
}

// result: the progress, a: the update's result, detail.n: bytes of that. No lane has one yet.
void update_clear(ISAFORGE_HANDLER_PARAMETERS) {
    const Progress none;
    std::memcpy(state + op->result, &none, sizeof none);
    std::memset(state + op->a, 0, op->detail.n);
    ISAFORGE_NEXT;
}
Handler update_begin(unsigned container, bool big) { return choose_half<UpdateBegin>(container, big); }
Handler update_end(unsigned container, bool big) { return choose_half<UpdateEnd>(container, big); }

}  // namespace handlers
}  // namespace isaforge::machine
