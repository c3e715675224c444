// Open addressing with linear probing; the slots hold the hashes, so that a miss seldom touches a name.
#include "assembler/symbol_table.hpp"

namespace isaforge::assembler {

Index SymbolTable::find(std::string_view name) const {
    const std::uint32_t hash = hash_name(name);
    const std::size_t mask = slots_.size() - 1;
    for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
        const Slot& slot = slots_[i];
        if (slot.index == no_index) return no_index;
        if (slot.hash == hash && entries_[slot.index].name == name) return slot.index;
    }
}

Index SymbolTable::intern(std::string_view name, bool stable) {
    const std::uint32_t hash = hash_name(name);
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = hash & mask;
    for (; slots_[i].index != no_index; i = (i + 1) & mask) {
        if (slots_[i].hash == hash && entries_[slots_[i].index].name == name) return slots_[i].index;
    }
    const auto index = static_cast<Index>(entries_.size());
    SymbolEntry& entry = entries_.emplace_back();
    entry.name = stable ? name : std::string_view(copies_.emplace_back(name));
    entry.hash = hash;
    slots_[i] = {hash, index};
    shadows_registers_ |= registers && registers->names_register(name);
    if (++named_ * 2 > slots_.size()) grow();
    return index;
}

Index SymbolTable::add_anonymous() {
    entries_.emplace_back();
    return static_cast<Index>(entries_.size() - 1);
}

void SymbolTable::grow() {
    std::vector<Slot> slots(slots_.size() * 4);
    const std::size_t mask = slots.size() - 1;
    for (const Slot& slot : slots_) {
        if (slot.index == no_index) continue;
        std::size_t i = slot.hash & mask;
        while (slots[i].index != no_index) i = (i + 1) & mask;
        slots[i] = slot;
    }
    slots_ = std::move(slots);
}

}  // namespace isaforge::assembler
