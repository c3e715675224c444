#include "machine/group.hpp"

namespace isaforge::machine {

void Barrier::begin(unsigned harts, bool one_thread) {
    one_thread_ = one_thread;
    const auto guarded = guard();
    live_.store(harts, std::memory_order_release);
    left_.store(0, std::memory_order_release);
    come_ = 0;
    begun_ = ++passed_;
}

std::uint64_t Barrier::come() {
    const auto guarded = guard();
    const std::uint64_t number = passed_;
    ++come_;
    look();
    return number;
}

void Barrier::leave() {
    const auto guarded = guard();
    add(live_, -1);
    add(left_, 1);
    look();
}

void Barrier::rejoin() {
    const auto guarded = guard();
    add(live_, 1);
    add(left_, -1);
}

void Barrier::restore(const Saved& saved) {
    live_ = saved.live, left_ = saved.left, missed_ = saved.missed;
    come_ = saved.come;
    passed_ = saved.passed;
}

void Barrier::look() {
    if (come_ == 0 || come_ < live_) return;
    come_ = 0;
    missed_ = left_.load();
    passed_.fetch_add(1, std::memory_order_release);
}

void TurnOrder::begin(std::uint64_t seed) {
    random.seed(seed);
    turn = turn_of = 0;
    turn_left = elapsed = 0;
}

std::string add_memory(Space& space, const MemorySpace& memory, const MachineOptions& options) {
    const auto size = options.memory_sizes.find(space.name);
    const std::uint64_t bytes = memory.cells != 0                    ? memory.cells * memory.unit_bytes()
                                : size != options.memory_sizes.end() ? size->second
                                                                     : options.memory_bytes;
    const std::string refusal = bytes != 0 ? space.map.add_storage(0, bytes, {}, space.name) : std::string{};
    return refusal.empty() ? refusal : "memory `" + space.name + "`: " + refusal;
}

Group::Group(const Isa& isa, std::deque<Space>& shared) {
    for (Index i = 0; i < shared.size(); ++i) {
        spaces.push_back(&shared[i]);
        if (i >= isa.memories.size() || !isa.memories[i].per_group) continue;
        const MemorySpace& memory = isa.memories[i];
        spaces[i] = &own.emplace_back(memory.name, memory.unit_bytes(), memory.big_endian);
        spaces[i]->is_of_group = true;
        if (shared[i].checked) spaces[i]->checked = std::make_unique<CheckedMemory>(true);
    }
}

Group::Group(const Isa& isa, const MachineOptions& options, std::deque<Space>& shared, std::string& problem)
    : Group(isa, shared) {
    for (Index i = 0; i < isa.memories.size(); ++i) {
        if (!isa.memories[i].per_group) continue;
        const std::string refusal = add_memory(*spaces[i], isa.memories[i], options);
        if (problem.empty()) problem = refusal;
    }
}

std::string Group::give_memories(const std::vector<std::uint64_t>& bytes) {
    for (Index i = 0; i < spaces.size(); ++i) {
        const std::uint64_t wanted = i < bytes.size() ? bytes[i] : 0;
        if (!is_own(i) || spaces[i]->map.storage_from(0) == wanted) continue;
        spaces[i]->map.clear();
        std::string refusal = wanted == 0 ? std::string{} : spaces[i]->map.add_storage(0, wanted, {}, spaces[i]->name);
        if (!refusal.empty()) return refusal;
    }
    clear_memories();
    return {};
}

void Group::clear_memories() {
    for (const Space& space : own) space.map.clear_bytes();
}

void Group::clear_flags() const {
    for (const Space& space : own) space.map.clear_flags();
}

}  // namespace isaforge::machine
