#include "hsa/signals.hpp"

#include <thread>

#include "hsa/queue.hpp"
#include "hsa/runtime.hpp"
#include "support/threads.hpp"

namespace isaforge::hsa {

namespace {

constexpr std::size_t signals_together = 1024;

}  // namespace

// Many at a time, so that they are few allocations.
amd_signal_t* Signals::make(std::int64_t value) {
    amd_signal_t* made = nullptr;
    {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) {
            void* memory = nullptr;
            if (runtime().memory().allocate(runtime().host().pools()[0], signals_together * sizeof *made, &memory) !=
                HSA_STATUS_SUCCESS)
                return nullptr;
            runtime().memory().change(memory, [](Allocation& allocation) { allocation.is_internal = true; });
            auto* const first = static_cast<amd_signal_t*>(memory);
            for (std::size_t i = signals_together; i-- > 0;) free_.push_back(first + i);
        }
        made = free_.back();
        free_.pop_back();
    }
    std::memset(static_cast<void*>(made), 0, sizeof *made);
    made->kind = AMD_SIGNAL_KIND_USER;
    made->value = value;
    return made;
}

void Signals::end(amd_signal_t* signal) {
    const std::lock_guard lock(mutex_);
    std::erase_if(watches_, [&](const Watch& watch) { return signal_of(watch.signal) == signal; });
    if (attached_.erase(signal) != 0) {
        runtime().memory().detach(signal);
        return;
    }
    if (shared_.contains(signal)) return;
    signal->kind = AMD_SIGNAL_KIND_INVALID;
    free_.push_back(signal);
}

std::optional<SharedPlace> Signals::share(amd_signal_t* signal) {
    const std::lock_guard lock(mutex_);
    const std::optional<SharedPlace> place = runtime().memory().share(signal, sizeof *signal, true);
    if (place) shared_.insert(signal);
    return place;
}

amd_signal_t* Signals::attach(const SharedPlace& place) {
    void* memory = nullptr;
    if (place.bytes != sizeof(amd_signal_t) || runtime().memory().attach(place, &memory, true) != HSA_STATUS_SUCCESS)
        return nullptr;
    const std::lock_guard lock(mutex_);
    return *attached_.insert(static_cast<amd_signal_t*>(memory)).first;
}

bool Signals::take_ready(Watch& ready, std::int64_t& value) {
    const std::lock_guard lock(mutex_);
    for (auto each = watches_.begin(); each != watches_.end(); ++each) {
        value = value_of(signal_of(each->signal));
        if (!holds(each->condition, value, each->value)) continue;
        ready = *each;
        watches_.erase(each);
        return true;
    }
    return false;
}

void Signals::watch_on() {
    for (;;) {
        Watch ready;
        std::int64_t value = 0;
        runtime().changes().wait([&] { return take_ready(ready, value); });
        if (!ready.call(value, ready.user)) continue;
        const std::lock_guard lock(mutex_);
        watches_.push_back(ready);
    }
}

void Signals::watch(hsa_signal_t signal, hsa_signal_condition_t condition, std::int64_t value,
                    hsa_amd_signal_handler call, void* user) {
    {
        const std::lock_guard lock(mutex_);
        watches_.push_back({signal, condition, value, call, user});
        if (!std::exchange(is_watching_, true)) std::thread([this] { watch_on(); }).detach();
    }
    runtime().changes().announce();
}

bool holds(hsa_signal_condition_t condition, std::int64_t value, std::int64_t wanted) {
    switch (condition) {
        case HSA_SIGNAL_CONDITION_EQ: return value == wanted;
        case HSA_SIGNAL_CONDITION_NE: return value != wanted;
        case HSA_SIGNAL_CONDITION_LT: return value < wanted;
        case HSA_SIGNAL_CONDITION_GTE: return value >= wanted;
    }
    return false;
}

void complete(hsa_signal_t signal, std::uint64_t begin, std::uint64_t end) {
    if (signal.handle != 0) {
        amd_signal_t* const object = signal_of(signal);
        __atomic_store_n(&object->start_ts, begin, __ATOMIC_RELAXED);   // several may end with one signal
        __atomic_store_n(&object->end_ts, end, __ATOMIC_RELAXED);
        __atomic_fetch_sub(&object->value, 1, __ATOMIC_SEQ_CST);
    }
    runtime().changes().announce();
}

bool all_are_zero(const hsa_signal_t* signals, std::size_t count) {
    return std::all_of(signals, signals + count,
                       [](hsa_signal_t each) { return each.handle == 0 || value_of(signal_of(each)) == 0; });
}

bool one_is_zero(const hsa_signal_t* signals, std::size_t count) {
    bool any = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (signals[i].handle == 0) continue;
        any = true;
        if (value_of(signal_of(signals[i])) == 0) return true;
    }
    return !any;
}

}  // namespace isaforge::hsa
