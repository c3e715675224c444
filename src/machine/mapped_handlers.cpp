// Loads and stores of memory that holds code. What the tables of pages know is done at once; the rest is left to the bus.
#include "machine/bus.hpp"
#include "machine/memory_bytes.hpp"
#include "machine/micro_op.hpp"

namespace isaforge::machine {

namespace {

using ir::Counter;

// Whether an access of T may go by the table: then `bytes` is where it goes.
template <class T, bool aligned>
inline bool at_once(const PageEntry* pages, std::uint64_t address, std::uint8_t*& bytes) {
    const PageEntry& page = pages[(address >> page_shift) % page_count];
    const std::uint64_t offset = address - page.first;
    if (offset > page.room + (8 - sizeof(T)) || (aligned && address % sizeof(T) != 0)) return false;
    bytes = page.bytes + offset;
    return true;
}

template <class T>
inline bool at_once(const PageEntry* pages, const Core* core, std::uint64_t address, std::uint8_t*& bytes) {
    return core->alignment == 0 ? at_once<T, false>(pages, address, bytes) : at_once<T, true>(pages, address, bytes);
}

inline void note(Core* core, Counter counter) { ++core->counters[static_cast<std::size_t>(counter)]; }

// The number whose bytes in memory, the first one lowest, are `raw`; and back.
template <class T, bool big>
T ordered(std::uint64_t raw) {
    return in_order<T, big>(static_cast<T>(raw));
}

// Apart from the quick ways, so that these need no room on the stack.
template <class T, bool big>
[[gnu::noinline]] void load_by_bus(ISAFORGE_HANDLER_PARAMETERS) {
    std::uint64_t raw = 0;
    core->count = count;
    if (!core->bus->load(load<std::uint64_t>(state, op->a), sizeof(T), raw))
        return raise(op, core, count, pending, core->reason);
    store(state, op->result, ordered<T, big>(raw));
    ISAFORGE_NEXT;
}

template <class T, bool big>
[[gnu::noinline]] void store_by_bus(ISAFORGE_HANDLER_PARAMETERS) {
    core->count = count;
    if (!core->bus->store(load<std::uint64_t>(state, op->a), sizeof(T), ordered<T, big>(load<T>(state, op->b))))
        return raise(op, core, count, pending, core->reason);
    ISAFORGE_NEXT;
}

// a: address.
template <class T, bool big, bool aligned>
void load_page(ISAFORGE_HANDLER_PARAMETERS) {
    std::uint8_t* bytes = nullptr;
    if (!at_once<T, aligned>(core->load_pages, load<std::uint64_t>(state, op->a), bytes)) [[unlikely]]
        ISAFORGE_MUST_TAIL return load_by_bus<T, big>(ISAFORGE_HANDLER_ARGUMENTS);
    note(core, Counter::loads);
    store(state, op->result, in_order<T, big>(load_shared<T>(bytes)));
    ISAFORGE_NEXT;
}

// a: address, b: value.
template <class T, bool big, bool aligned>
void store_page(ISAFORGE_HANDLER_PARAMETERS) {
    std::uint8_t* bytes = nullptr;
    if (!at_once<T, aligned>(core->store_pages, load<std::uint64_t>(state, op->a), bytes)) [[unlikely]]
        ISAFORGE_MUST_TAIL return store_by_bus<T, big>(ISAFORGE_HANDLER_ARGUMENTS);
    note(core, Counter::stores);
    store_shared(bytes, in_order<T, big>(load<T>(state, op->b)));
    ISAFORGE_NEXT;
}

// The same for many lanes, addresses in 64 bits. detail.more: lanes; c: the mask. Where one lane is refused those before
// it have been done.
template <class T, bool big, bool masked>
void gather_page(ISAFORGE_HANDLER_PARAMETERS) {
    const std::byte* mask = state + op->c;
    core->count = count;
    for (std::uint32_t i = 0; i < op->detail.more; ++i) {
        T value = 0;
        if (!masked || mask[i] != std::byte{0}) {
            const std::uint64_t address = load<std::uint64_t>(state, op->a + 8 * i);
            std::uint8_t* bytes = nullptr;
            if (at_once<T>(core->load_pages, core, address, bytes)) {
                note(core, Counter::loads);
                value = in_order<T, big>(load_shared<T>(bytes));
            } else {
                std::uint64_t raw = 0;
                if (!core->bus->load(address, sizeof(T), raw)) return raise(op, core, count, pending, core->reason);
                value = ordered<T, big>(raw);
            }
        }
        std::memcpy(state + op->result + i * sizeof(T), &value, sizeof value);
    }
    ISAFORGE_NEXT;
}

template <class T, bool big, bool masked>
void scatter_page(ISAFORGE_HANDLER_PARAMETERS) {
    const std::byte* mask = state + op->c;
    core->count = count;
    for (std::uint32_t i = 0; i < op->detail.more; ++i) {
        if (masked && mask[i] == std::byte{0}) continue;
        const std::uint64_t address = load<std::uint64_t>(state, op->a + 8 * i);
        const T value = load<T>(state, op->b + i * static_cast<std::uint32_t>(sizeof(T)));
        std::uint8_t* bytes = nullptr;
        if (at_once<T>(core->store_pages, core, address, bytes)) {
            note(core, Counter::stores);
            store_shared(bytes, in_order<T, big>(value));
        } else if (!core->bus->store(address, sizeof(T), ordered<T, big>(value))) {
            return raise(op, core, count, pending, core->reason);
        }
    }
    ISAFORGE_NEXT;
}

// Each of the four in one table: by size, byte order and a third property.
#define ISAFORGE_MAPPED_TABLE(name)                                             \
    static constexpr Handler table[4][2][2] = {                                 \
        {{name<std::uint8_t, false, false>, name<std::uint8_t, false, true>},   \
         {name<std::uint8_t, true, false>, name<std::uint8_t, true, true>}},    \
        {{name<std::uint16_t, false, false>, name<std::uint16_t, false, true>}, \
         {name<std::uint16_t, true, false>, name<std::uint16_t, true, true>}},  \
        {{name<std::uint32_t, false, false>, name<std::uint32_t, false, true>}, \
         {name<std::uint32_t, true, false>, name<std::uint32_t, true, true>}},  \
        {{name<std::uint64_t, false, false>, name<std::uint64_t, false, true>}, \
         {name<std::uint64_t, true, false>, name<std::uint64_t, true, true>}},  \
    };                                                                          \
    const unsigned size = container == 8 ? 0 : container == 16 ? 1 : container == 32 ? 2 : 3

}  // namespace

namespace handlers {

Handler load_mapped(unsigned container, bool big, bool aligned) {
    ISAFORGE_MAPPED_TABLE(load_page);
    return table[size][big ? 1 : 0][aligned ? 1 : 0];
}

Handler store_mapped(unsigned container, bool big, bool aligned) {
    ISAFORGE_MAPPED_TABLE(store_page);
    return table[size][big ? 1 : 0][aligned ? 1 : 0];
}

Handler gather_mapped(unsigned container, bool big, bool masked) {
    ISAFORGE_MAPPED_TABLE(gather_page);
    return table[size][big ? 1 : 0][masked ? 1 : 0];
}

Handler scatter_mapped(unsigned container, bool big, bool masked) {
    ISAFORGE_MAPPED_TABLE(scatter_page);
    return table[size][big ? 1 : 0][masked ? 1 : 0];
}

}  // namespace handlers
}  // namespace isaforge::machine
